"""Gestures one a word: ``turn+3 push hold roll wait:500ms frame``, read and played."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.simulated import VirtualClock
from rules.frozen import frozen
from station.errors import StationError
from station.runner import Runner
from station.simulator.hands import CLICK, HOLD, Hands

MOST_DETENTS = 999
"""Detents that one word may turn."""

LONGEST_WAIT = 24 * 3600 * SECOND
"""The longest that one word may wait, in ns: a day."""

WORDS = (
    "turn+3, turn-2, push, up, down, next, roll, hold (the knob), hold:next, hold:roll, "
    "wait:500ms, wait:2s, frame, frame:name"
)
"""Every word there is, by example."""


class ScriptError(StationError):
    """A word of a script that is no gesture; the message says where and what would be right."""


@frozen
class Turn:
    """Turn the knob, positive clockwise."""

    detents: int


@frozen
class Press:
    """Press a control for so many ns."""

    control: Control
    span: Nanoseconds


@frozen
class Wait:
    """Let so many ns pass."""

    span: Nanoseconds


@frozen
class Frame:
    """Show the panel as it is now, under a name or the next number."""

    name: str


Gesture: TypeAlias = Turn | Press | Wait | Frame
"""What a word can mean."""


def gestures(text: str) -> Iterator[Gesture]:
    """Return the gestures of a script; ``#`` begins a comment that ends with its line.

    Raises:
        ScriptError: a word means nothing.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            yield _gesture(word, number)


def _gesture(word: str, line: int) -> Gesture:
    verb, _, argument = word.partition(":")
    if re.fullmatch(r"turn[+-][0-9]{1,3}", word) and int(word[4:]):
        return Turn(int(word[4:]))
    if verb == "wait" and (span := re.fullmatch(r"([0-9]{1,8})(ms|s)", argument)):
        unit = MILLISECOND if span[2] == "ms" else SECOND
        return Wait(Nanoseconds(min(LONGEST_WAIT, int(span[1]) * unit)))
    if verb == "frame" and re.fullmatch(r"[\w-]{0,40}", argument):
        return Frame(argument)
    if word in list(Control):
        return Press(Control(word), CLICK)
    if verb == "hold" and (argument or "push") in list(Control):
        return Press(Control(argument or "push"), HOLD)
    raise ScriptError(f'line {line}: "{word[:40]}" is no gesture; allowed: {WORDS}')


def play(
    script: Iterator[Gesture],
    runner: Runner,
    hands: Hands,
    clock: VirtualClock,
    frame: Callable[[str], None],
) -> None:
    """Play a script on virtual time, calling `frame` with the name of each that is asked for."""
    runner.settle()
    for gesture in script:
        match gesture:
            case Turn(detents=detents):
                hands.turn(detents)
                pass_time(runner, hands, clock, Nanoseconds(0))
            case Press(control=control, span=span):
                hands.press(control, span)
                pass_time(runner, hands, clock, Nanoseconds(0))
            case Wait(span=span):
                pass_time(runner, hands, clock, span)
            case Frame(name=name):
                frame(name)
            case _:
                assert_never(gesture)


def pass_time(runner: Runner, hands: Hands, clock: VirtualClock, span: Nanoseconds) -> None:
    """Let time pass, stopping wherever something is due; at its end the hands have rested."""
    until = Nanoseconds(clock() + span)
    while True:
        hands.advance(clock())
        runner.settle()
        until = Nanoseconds(max(until, hands.free_at))
        due = [t for t in (hands.deadline(), runner.deadline()) if t is not None and t <= until]
        if not due:
            break
        clock.advance(Nanoseconds(max(0, min(due) - clock())))
    clock.advance(Nanoseconds(max(0, until - clock())))
    runner.settle()
