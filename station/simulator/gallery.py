"""Every screen in every state: scenes of a few gestures each, played at a whole station.

The scenes of an act follow each other at one table, which begins anew with each act.
"""

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.simulated import SimulatedControls, VirtualClock
from hardware.entropy.dice import Dice
from hardware.entropy.settings import EntropyMode
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import SourceFailed
from rules.frozen import frozen
from rules.notation import data_from_text
from rules.registry import DEFAULT
from station.config.roster import load_roster
from station.flow.setting import DONE, wheel
from station.inbox import Selected
from station.panel import Panel
from station.show import view
from station.simulator.hands import Hands
from station.simulator.scenes import ACTS, ROSTER, Scene
from station.simulator.script import gestures, pass_time, play
from station.state import Covered, Dialling, Spelling
from station.views import ChoiceView, MenuView, View
from station.wiring import Desktop, desktop

PANELS = (Panel(128, 64), Panel(128, 32))
"""The sizes that every screen is shown in."""

NO_DICE = (
    "the generator does not answer; see whether it is plugged in and its lamp is lit, "
    "then roll again"
)
"""Why there are no dice, once a scene has none left."""

MOST_HOLDS = 12
"""Holds after which any screen must have led to the dial."""

STEP = re.compile(r"(?P<sign>[>=@])(?P<rest>.+)")
"""``>Table`` presses an item, ``=Arya`` spells a word, ``@wg 8 vs 3`` dials as over a line."""


@frozen
class Shot:
    """What a scene looks like: its name, what the screen says, and its pixels."""

    name: str
    view: View
    frame: Image.Image


def shots(panel: Panel) -> Iterator[Shot]:
    """Yield every scene as a panel shows it, under names that differ.

    Args:
        panel: the panel's size.
    """
    for act in ACTS:
        with TemporaryDirectory(prefix="dice-station-") as folder:
            yield from _act(act, panel, Path(folder))


def _act(act: tuple[Scene, ...], panel: Panel, folder: Path) -> Iterator[Shot]:
    clock = VirtualClock(Nanoseconds(SECOND))
    faces: deque[int] = deque()
    source = SimulatedSource(_bytes(faces), clock, clock.advance, "urandom")
    # The faces are arranged, but what is looked at is how the station shows honest ones.
    source.test = False
    dice = Dice(EntropyMode.URANDOM, source, clock, Nanoseconds(SECOND), on_change=lambda _: None)
    path = folder / "roster.toml"
    path.write_text(ROSTER, "utf-8")
    with desktop(clock, dice, folder, panel, roster=load_roster(path)) as desk:
        player = _Player(desk, clock)
        desk.runner.settle()
        for scene in act:
            faces.clear()
            faces.extend(scene.faces)
            source.stream = _bytes(faces)
            for step in scene.steps:
                player.do(step)
            state = desk.runner.state
            yield Shot(scene.name, view(DEFAULT, state, panel), desk.display.frame)


def _bytes(faces: deque[int]) -> Iterator[int]:
    while faces:
        yield faces.popleft() - 1
    raise SourceFailed(NO_DICE)


class _Player:
    """Does the steps of scenes at a station."""

    def __init__(self, desk: Desktop, clock: VirtualClock) -> None:
        self._desk = desk
        self._clock = clock
        self._hands = Hands(SimulatedControls(desk.backend.factory))

    def do(self, step: str) -> None:
        """Do one step.

        Raises:
            ValueError: there is no such item on the list that shows.
        """
        sign = STEP.fullmatch(step)
        if step == "home":
            self._home()
        elif sign is None:
            self._script(step)
        elif sign["sign"] == ">":
            labels, cursor = self._list()
            self._script(f"{_turned(labels.index(sign['rest']) - cursor)} push")
        elif sign["sign"] == "=":
            self._spell(sign["rest"])
        else:
            request = DEFAULT.request(data_from_text(DEFAULT, sign["rest"]))
            self._desk.runner.put(Selected(request, self._clock()))
            pass_time(self._desk.runner, self._hands, self._clock, Nanoseconds(0))

    def _script(self, words: str) -> None:
        play(gestures(words), self._desk.runner, self._hands, self._clock, lambda _: None)

    def _home(self) -> None:
        for _ in range(MOST_HOLDS):
            screen = self._desk.runner.state.screen
            if isinstance(screen, Dialling):
                return
            self._script("push" if isinstance(screen, Covered) else "hold wait:1s")
        raise ValueError("a screen has no way back")

    def _list(self) -> tuple[list[str], int]:
        """Return the items of the list that shows, and where its cursor stands."""
        runner = self._desk.runner
        match view(DEFAULT, runner.state, runner.machine.panel):
            case MenuView(items=items, cursor=cursor):
                return [label for label, _ in items], cursor
            case ChoiceView(options=options, cursor=cursor):
                return list(options), cursor
            case _:
                return [], 0

    def _spell(self, word: str) -> None:
        for key in (*word, DONE):
            screen = self._desk.runner.state.screen
            if isinstance(screen, Spelling):
                away = wheel(screen.text).index(key) - screen.letter
                self._script(f"{_turned(away)} push")


def _turned(detents: int) -> str:
    return f"turn{detents:+d}" if detents else ""
