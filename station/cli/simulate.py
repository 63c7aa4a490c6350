"""``dice-station simulate``: the whole station on a desktop."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO

from hardware.clock import Nanoseconds, monotonic
from hardware.controls.simulated import SimulatedControls, VirtualClock
from hardware.entropy.factory import dice
from hardware.entropy.settings import EntropySettings
from station.cli.console import can, encoding_of, output, standard_input
from station.cli.parser import UsageError
from station.config.roster import Roster, load_roster
from station.errors import StationError
from station.ledger.errors import InUseError
from station.panel import Panel
from station.paths import state_folder
from station.simulator.hands import Hands
from station.simulator.pixels import Style, lines
from station.simulator.script import gestures, play
from station.wiring import Desktop, desktop

PANELS = {"128x64": Panel(128, 64), "128x32": Panel(128, 32)}
"""The panels that can be simulated, by name."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "simulate",
        description="Run the station on this machine: in a terminal by keys and mouse wheel, "
        "with --script by gestures such as: turn+3 push hold roll wait:500ms frame. Without "
        "either, a short evening is played.",
    )
    parser.add_argument("--script", metavar="FILE", help="read gestures from FILE, - for stdin")
    parser.add_argument("--png", metavar="DIR", help="write frames as PNG files into DIR")
    parser.add_argument("--scale", type=int, default=4, help="enlarge PNG files so many times")
    parser.add_argument("--pixels", choices=list(Style), help="how frames are printed")
    parser.add_argument("--panel", choices=list(PANELS), default="128x64", help="its size")
    parser.add_argument("--state", metavar="DIR", help="keep the ledger in DIR")
    parser.add_argument("--roster", metavar="FILE", help="seat the characters of FILE")
    parser.add_argument(
        "--no-roll-button", action="store_true", help="roll by the knob's last stop alone"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the simulator and return the exit status.

    Raises:
        UsageError: an argument or a word of the script is not one there is.
    """
    if not 1 <= args.scale <= 16:  # noqa: PLR2004 - told in the sentence
        raise UsageError(f"--scale is {args.scale}; allowed: 1–16")
    try:
        if args.script is None and _sits_someone():
            return _in_terminal(args)
        return _scripted(args, _script(args.script))
    except (StationError, InUseError) as error:
        raise UsageError(str(error)) from error


def _sits_someone() -> bool:
    """Return whether there is a person's terminal at both ends."""
    # typeshed says that it is always there; a shell's ``<&-`` says otherwise.
    keys: TextIO | None = sys.stdin
    return keys is not None and keys.isatty() and output().isatty()


def _script(source: str | None) -> str:
    if source is None:
        return files("station.simulator").joinpath("evening.txt").read_text("utf-8")
    try:
        data = standard_input().buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"--script {source} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--script {source} is not UTF-8 text") from error


def _in_terminal(args: argparse.Namespace) -> int:
    # curses is imported only for a terminal: a script runs where there is none.
    from station.simulator import terminal  # noqa: PLC0415

    terminal.require()
    folder = Path(args.state) if args.state else state_folder()
    with dice(EntropySettings()) as source, ExitStack() as stack:
        desk = stack.enter_context(
            desktop(
                monotonic,
                source,
                folder,
                PANELS[args.panel],
                roll_button=not args.no_roll_button,
                roster=_roster(args),
            )
        )
        terminal.run(desk, Hands(SimulatedControls(desk.backend.factory)))
    return 0


def _scripted(args: argparse.Namespace, script: str) -> int:
    words = list(gestures(script))
    # The virtual clock begins where the real one is, so that rows of the ledger stay in order.
    clock = VirtualClock(Nanoseconds(monotonic()))
    with dice(EntropySettings()) as source, _folder(args.state) as folder, ExitStack() as stack:
        desk = stack.enter_context(
            desktop(
                clock,
                source,
                folder,
                PANELS[args.panel],
                roll_button=not args.no_roll_button,
                roster=_roster(args),
            )
        )
        hands = Hands(SimulatedControls(desk.backend.factory))
        play(iter(words), desk.runner, hands, clock, _frames(args, desk))
    return 0


def _roster(args: argparse.Namespace) -> Roster:
    return load_roster(Path(args.roster) if args.roster else None)


@contextmanager
def _folder(state: str | None) -> Iterator[Path]:
    """Give the folder for the ledger; a script without one is a rehearsal and leaves nothing."""
    if state:
        yield Path(state)
        return
    with tempfile.TemporaryDirectory(prefix="dice-station-") as folder:
        yield Path(folder)


def _frames(args: argparse.Namespace, desk: Desktop) -> Callable[[str], None]:
    """Return what shows a frame: as a PNG file, or as text on standard output."""
    count = 0
    style = args.pixels or _printable()
    folder = Path(args.png) if args.png else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)

    def show(name: str) -> None:
        nonlocal count
        count += 1
        frame = desk.display.frame
        title = name or f"frame-{count:03d}"
        if folder is not None:
            width, height = frame.size
            larger = frame.resize((width * args.scale, height * args.scale))
            larger.save(folder / f"{title}.png")
            return
        stream = output()
        stream.write(f"-- {title}\n")
        stream.writelines(f"{line}\n" for line in lines(frame, style))

    return show


def _printable() -> Style:
    return Style.HALF if can("▀█", encoding_of(output())) else Style.ASCII
