"""Where the station keeps its state."""

import os
from pathlib import Path

NAME = "dice-station"
"""The name of its folder among others'."""


SOCKET = "socket"
"""The name, in that folder, of the running station's socket or of a link to it."""


def state_folder() -> Path:
    """Return the folder for the ledger: systemd's where it gives one, else the user's own."""
    given = os.environ.get("STATE_DIRECTORY")
    if given:
        return Path(given.split(":")[0])
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / NAME
