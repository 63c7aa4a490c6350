"""The transitions, a module for each part of what a person does; all of them are pure.

Each takes the context, the state and what happened, and returns the state after it with the
effects to carry out. `station.machine` says which is asked when.
"""
