"""The range that Attribute Scores and all that is added to them share."""

LIMIT = 10
"""Scores, sums of modifiers and Degrees of Success all lie in −10…+10.

"a final value from -10 to 0 to +10" (Opposed Attribute Score Test)
"""
