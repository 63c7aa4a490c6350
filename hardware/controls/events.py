"""What the controls say: raw edges of contacts, and the events made of them."""

from dataclasses import dataclass
from enum import StrEnum

from hardware.clock import Nanoseconds


class Control(StrEnum):
    """A thing that can be pressed."""

    PUSH = "push"
    UP = "up"
    DOWN = "down"
    NEXT = "next"
    ROLL = "roll"


KNOB_A = "knob_a"
"""The line of the knob's contact that closes first when it is turned clockwise."""

KNOB_B = "knob_b"
"""The line of the knob's other contact."""

LINES = (KNOB_A, KNOB_B, *(control.value for control in Control))
"""Every line a contact can be on: the knob's two, and one for each control."""


def _check_time(at: Nanoseconds) -> None:
    if at < 0:
        raise ValueError(f"at (={at}) must be 0 ns or later")


def _check_count(name: str, count: int) -> None:
    if count < 1:
        raise ValueError(f"{name} (={count}) must be 1 or more")


@dataclass(frozen=True, slots=True)
class Edge:
    """A contact closed or opened at `at` ns.

    `found` says that nobody saw it change: this is how it was found when it was first looked at,
    or what it is taken for (open) while nobody can look. So it is no press and no release.

    Raises:
        ValueError: `line` is none of LINES, or `at` is negative.
    """

    line: str
    closed: bool
    at: Nanoseconds
    found: bool = False

    def __post_init__(self) -> None:
        if self.line not in LINES:
            raise ValueError(f"line (={self.line!r}) must be one of {', '.join(LINES)}")
        _check_time(self.at)


@dataclass(frozen=True, slots=True)
class Turned:
    """The knob moved by whole detents, positive clockwise; never 0.

    Raises:
        ValueError: `detents` is 0, or `at` is negative.
    """

    detents: int
    at: Nanoseconds

    def __post_init__(self) -> None:
        if not self.detents:
            raise ValueError("detents (=0) must be positive (clockwise) or negative")
        _check_time(self.at)


@dataclass(frozen=True, slots=True)
class Pressed:
    """The control went down; says nothing yet of what the press will become."""

    control: Control
    at: Nanoseconds

    def __post_init__(self) -> None:
        _check_time(self.at)


@dataclass(frozen=True, slots=True)
class Clicked:
    """The press is a click: at release, or at once for a control that repeats."""

    control: Control
    at: Nanoseconds

    def __post_init__(self) -> None:
        _check_time(self.at)


@dataclass(frozen=True, slots=True)
class Held:
    """The press became a hold; its release says nothing more."""

    control: Control
    at: Nanoseconds

    def __post_init__(self) -> None:
        _check_time(self.at)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A control kept down acts again, for the `count`-th time (≥ 1) since its click."""

    control: Control
    at: Nanoseconds
    count: int

    def __post_init__(self) -> None:
        _check_time(self.at)
        _check_count("count", self.count)


ControlEvent = Turned | Pressed | Clicked | Held | Repeated
"""Everything a set of controls can say."""
