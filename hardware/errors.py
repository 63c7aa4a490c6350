"""The one tree of errors that hardware raises at its boundaries."""


class HardwareError(Exception):
    """A device is missing, busy, lost or set up wrongly; the message is one sentence."""
