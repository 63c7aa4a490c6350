"""The one tree of errors that hardware raises at its boundaries."""

import os


class HardwareError(Exception):
    """A device is missing, busy, lost or set up wrongly; the message is one sentence."""


def why(error: BaseException) -> str:
    """Return why something failed: what the kernel says, where a library says it twice over."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) else str(error)
