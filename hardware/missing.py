"""What brings back a library that is missing, which depends on where the program runs from.

The Debian package and `make install` bring an environment of the program's own, which no pip can
reach: it holds what Debian lacks, and takes the rest from Debian (packaging/stage).
"""

import sys
from pathlib import Path

DEBIAN = {
    "PIL": "python3-pil",
    "cbor2": "python3-cbor2",
    "colorzero": "python3-colorzero",
    "evdev": "python3-evdev",
    "lgpio": "python3-lgpio",
    "serial": "python3-serial",
    "smbus2": "python3-smbus2",
    "spidev": "python3-spidev",
}
"""The Debian packages of the modules that the program's own environment takes from Debian."""

ALWAYS_DEBIAN = ("evdev", "lgpio")
"""Modules that are best taken from Debian in every environment: they are compiled there."""

PI = ("gpiod", "spidev")
"""Modules that only the optional dependencies `pi` bring along."""

HERE = Path(sys.prefix)
"""The environment that the program runs in."""

PYTHON = (sys.version_info.major, sys.version_info.minor)
"""The version of its Python."""

PACKAGED = Path("/usr/lib/dice-station")
"""The environment that the Debian package installs."""

DEBIAN_13 = (3, 13)
"""Its Python, and the first that Debian has a gpiod for which speaks the new interface."""


def mend(
    module: str,
    prefix: Path = HERE,
    python: tuple[int, int] = PYTHON,
) -> str:
    """Return the command that brings a module back, or the program itself for any other name.

    Args:
        module: the name that is imported.
        prefix: the environment that the program runs in.
        python: the version of Python, major and minor.
    """
    top = module.partition(".")[0]
    if top in ALWAYS_DEBIAN:
        return f"sudo apt install {DEBIAN[top]}"
    if not _is_own(prefix):
        if top in PI:
            return "pip install 'dice-station[pi]'"
        return "pip install --force-reinstall dice-station"
    if top in DEBIAN:
        return f"sudo apt install --reinstall {DEBIAN[top]}"
    if top == "gpiod":
        newer = python >= DEBIAN_13
        return "sudo apt install python3-libgpiod" if newer else f"sudo {prefix}/configure"
    if prefix == PACKAGED:
        # By its file: apt cannot fetch again what came from no archive.
        return "sudo apt install --reinstall ./dice-station_*_all.deb"
    return "sudo make install"


def _is_own(prefix: Path) -> bool:
    """Return whether an environment is one that the program's installation has made."""
    return prefix.name == PACKAGED.name and (prefix / "configure").is_file()
