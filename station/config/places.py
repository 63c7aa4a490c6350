"""Where a station keeps its things, as systemd's and the user's environment say."""

from collections.abc import Mapping
from pathlib import Path

from rules.frozen import frozen

NAME = "dice-station"
"""The name of its folders among others'."""

SYSTEM_FOLDER = Path("/etc") / NAME
"""Where a machine's configuration lies."""

CONFIG_FILE = "station.toml"
ROSTER_FILE = "roster.toml"
SOCKET = "socket"


@frozen
class Places:
    """What the environment says; see systemd.exec(5), RuntimeDirectory= and its kin.

    Args:
        environ: the environment, by name.
        system: the folder for the configuration where the environment names none.
    """

    environ: Mapping[str, str]
    system: Path = SYSTEM_FOLDER

    def config_file(self) -> Path | None:
        """Return the configuration, or None where there is none."""
        return _if_there((self._given("CONFIGURATION_DIRECTORY") or self.system) / CONFIG_FILE)

    def roster_file(self, config: Path | None) -> Path | None:
        """Return the roster beside the configuration, or None where there is none."""
        folder = config.parent if config else self.system
        return _if_there(folder / ROSTER_FILE)

    def state_folder(self) -> tuple[Path, str]:
        """Return the folder for the ledger, and where that comes from."""
        if given := self._given("STATE_DIRECTORY"):
            return given, "environment STATE_DIRECTORY"
        if base := self.environ.get("XDG_STATE_HOME"):
            return Path(base) / NAME, "environment XDG_STATE_HOME"
        home = self.environ.get("HOME")
        return Path(home or "/") / ".local" / "state" / NAME, "default"

    def socket(self) -> tuple[Path | None, str]:
        """Return the socket's path, None where there is no folder for it, and its origin."""
        folder = self._given("RUNTIME_DIRECTORY")
        return (folder / SOCKET, "environment RUNTIME_DIRECTORY") if folder else (None, "default")

    def _given(self, name: str) -> Path | None:
        """Return the first of the folders in a variable of systemd's."""
        first = self.environ.get(name, "").split(":")[0]
        return Path(first) if first else None


def _if_there(path: Path) -> Path | None:
    """Return the path, unless nothing is there; a link that leads nowhere is something.

    What is there, or may be, and cannot be reached, is returned too: reading it says why.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        folder = path.parent
        return path if folder.is_symlink() and not folder.exists() else None
    except OSError:
        return path
    return path
