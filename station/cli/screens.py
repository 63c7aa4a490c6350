"""``dice-station screens DIR``: every screen in every state as a picture, from the real code."""

import argparse
from pathlib import Path
from typing import Any

from PIL import Image

from station.cli.console import say
from station.cli.parser import UsageError
from station.simulator.gallery import PANELS, shots

MOST_SCALE = 16
"""How many times a picture is enlarged at the most."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "screens",
        description="Write every screen in every state as a PNG file, for panels of 128×64 and "
        "128×32 pixels: DIR/128x64/verdict-success.png and so on.",
    )
    parser.add_argument("folder", metavar="DIR", help="where to write")
    parser.add_argument("--scale", type=int, default=4, help="enlarge them so many times")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the pictures and return the exit status.

    Raises:
        UsageError: the scale is out of range.
    """
    if not 1 <= args.scale <= MOST_SCALE:
        raise UsageError(f"--scale is {args.scale}; allowed: 1–{MOST_SCALE}")
    count = 0
    for panel in PANELS:
        folder = Path(args.folder) / f"{panel.width}x{panel.height}"
        folder.mkdir(parents=True, exist_ok=True)
        for shot in shots(panel):
            enlarged(shot.frame, args.scale).save(folder / f"{shot.name}.png")
            count += 1
    say(f"{count} screens are in {args.folder}")
    return 0


def enlarged(frame: Image.Image, scale: int) -> Image.Image:
    """Return a frame with each pixel so many pixels wide and high."""
    size = (frame.width * scale, frame.height * scale)
    return frame.resize(size, Image.Resampling.NEAREST)
