"""The one tree of errors that the station raises for what a person can mend."""


class StationError(Exception):
    """Something was asked that can't be done; the message is one sentence."""
