"""An evening at a station of which only one set of controls is used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from station.config.roster import Roster, load_roster
from station.dialling import Stop
from station.flow.setting import DONE, wheel
from station.state import Choosing, Dialling, Screen
from station.views import DialView, View

ROSTER = """
[[character]]
name = "Ser Brus"
endurance = 4
abilities = { Fighting = 4 }
specialties = { "Fighting (Axes)" = 2 }
pools = { "Chainsword" = "wg attack 3+3+1 vs 3" }
scores = { Strength = 3 }

[[character]]
name = "Arya"
endurance = 2
scores = { Strength = 1 }
"""

MOST_TURNS = 120
"""Detents after which any value must have been found."""


class Evening:
    """A table with a station; `knob` says whether its knob alone is used, or its four buttons.

    Attributes:
        screens: the kinds of screens that were seen, `views` what they were drawn as.
    """

    def __init__(self, sit: Callable[..., Any], roster: Roster, *, knob: bool) -> None:
        self._sit = sit
        self._roster = roster
        self.knob = knob
        self.screens: set[type[Screen]] = set()
        self.views: set[type[View]] = set()
        self.decided: list[str] = []
        self.desk: Any = None
        self.restart()

    def restart(self) -> None:
        """Cut the power and put it on again."""
        if self.desk is not None:
            self.desk.close()
        self.desk = self._sit(roll_button=not self.knob, roster=self._roster)
        self.screens.add(type(self.desk.greeting))
        self._look()

    @property
    def view(self) -> Any:
        return self.desk.view

    @property
    def table(self) -> Any:
        return self.desk.state.table

    @property
    def screen(self) -> Any:
        return self.desk.screen

    def _look(self) -> None:
        self.screens.add(type(self.desk.screen))
        self.views.add(type(self.desk.view))

    def _do(self, words: str, *faces: int) -> None:
        # Each word by itself, so that no screen on the way is missed.
        for number, word in enumerate(words.split()):
            self.desk.do(word, *(faces if number == 0 else ()))
            self._look()

    # What hands do, with either set of controls

    def turn(self, detents: int) -> None:
        """Make the value larger or smaller."""
        if detents:
            self._do(f"turn{detents:+d}" if self.knob else self._buttons("up", "down", detents))

    def move(self, places: int) -> None:
        """Move the cursor of a list, or leaf through pages."""
        if places:
            self._do(f"turn{places:+d}" if self.knob else self._buttons("down", "up", places))

    def _buttons(self, more: str, less: str, count: int) -> str:
        return " ".join([more if count > 0 else less] * abs(count))

    def push(self, *faces: int) -> None:
        """Go on."""
        self._do("push wait:50ms" if self.knob else "next wait:50ms", *faces)

    def back(self) -> None:
        """Go back."""
        self._do("hold wait:50ms" if self.knob else "hold:next wait:50ms")

    def wait(self, span: str = "2s") -> None:
        self._do(f"wait:{span}")

    def roll(self, *faces: int) -> None:
        """Roll what is dialled, and wait until the dice have fallen."""
        if self.knob:
            if isinstance(self.screen, Dialling):
                self.to("ROLL")
            self.push(*faces)
        else:
            self._do("roll wait:50ms", *faces)
        self.wait()

    # What a person does

    def home(self) -> None:
        """Go back until the dial shows."""
        for _ in range(8):
            if isinstance(self.screen, Dialling):
                return
            self.back()
            self.wait("1s")
        raise AssertionError(f"no way back from {self.screen}")

    def choose(self, *labels: str) -> None:
        """Press one item after the other; from the dial, the menu's."""
        if isinstance(self.screen, Dialling):
            self.back()
        for label in labels:
            shown = self.view
            names = [each[0] for each in shown.items] if hasattr(shown, "items") else shown.options
            if isinstance(self.screen, Choosing):
                self.decided.append(label)
            self.move(list(names).index(label) - shown.cursor)
            self.push()

    def items(self) -> dict[str, str]:
        return dict(self.view.items)

    def to(self, label: str, whose: str = "") -> None:
        """Put the dial's cursor on a value or a stop, unfolding the rare ones if need be."""
        for _ in range(60):
            shown = self.view
            assert isinstance(shown, DialView)
            if label in (shown.label, shown.value) and (not whose or shown.whose == whose):
                return
            # A push on a stop would roll, or unfold; a turn leaves it.
            if isinstance(self.desk.state.dial.focus, Stop):
                self.turn(1)
            else:
                self.push()
        raise AssertionError(f"{label} is not on the dial")

    def unfold(self) -> None:
        """Let the dial offer the rare values too."""
        self.to("More")
        self.push()

    def dial(self, label: str, value: str, whose: str = "") -> None:
        """Turn a value until it shows what is wanted."""
        self.to(label, whose)
        for way in (1, -1):
            for _ in range(MOST_TURNS):
                if self.view.value == value:
                    return
                before = self.view.value
                self.turn(way)
                if self.view.value == before:
                    break
        raise AssertionError(f"{label} can't be {value}")

    def adjust(self, value: str) -> None:
        """Turn the number that is set until it shows what is wanted, and take it."""
        for way in (1, -1):
            while self.view.value != value:
                before = self.view.value
                self.turn(way)
                if self.view.value == before:
                    break
        assert self.view.value == value
        self.push()

    def spell(self, word: str) -> None:
        """Spell a word, letter by letter, the shorter way round."""
        for key in (*word, DONE):
            keys = wheel(self.screen.text)
            away = (keys.index(key) - self.screen.letter) % len(keys)
            self.move(away if away <= len(keys) // 2 else away - len(keys))
            self.push()

    def page(self, heading: str) -> Any:
        """Leaf through a verdict to the page of that heading, and return it."""
        for _ in range(12):
            if getattr(self.view, "heading", "") == heading:
                return self.view
            self.move(1)
        raise AssertionError(f"no page {heading}")

    def go_on(self) -> None:
        """Leave a verdict, with what it offers."""
        self.push()
        if hasattr(self.view, "options"):
            self.choose("No, go on")
        self.wait("500ms")


@pytest.fixture(params=["knob", "buttons"])
def evening(request: Any, sit: Callable[..., Any], tmp_path: Path) -> Evening:
    """Begin an evening, once with the knob alone and once with the four buttons alone."""
    path = tmp_path / "roster.toml"
    path.write_text(ROSTER, "utf-8")
    return Evening(sit, load_roster(path), knob=request.param == "knob")
