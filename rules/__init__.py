"""The rules: what was asked and the faces that came up, to the outcome; and exact odds.

Pure: no input or output, no clock, no chance, nothing but the standard library.
"""
