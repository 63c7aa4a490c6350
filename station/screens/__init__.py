"""The screens: views laid out as pixels, one bit each, for a panel's size."""
