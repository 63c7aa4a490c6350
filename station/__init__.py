"""The dice station: the appliance that wires the rules to the hardware."""

__version__ = "0.1.0"
