"""Dice faces from the machine's entropy: sources, health tests, and the policy between them.

`factory.dice` builds what the station rolls with; `dice.Dice` says what a draw promises.
"""
