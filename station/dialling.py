"""The dial: which request is set, where the cursor stands, and what a turn makes of both."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from typing import TypeAlias

from rules.dial import Control, controls, fresh, rekinded, turned
from rules.errors import Path, RulesError
from rules.fields import specs
from rules.frozen import frozen
from rules.model import Request
from rules.registry import Registry
from rules.seats import NAME, taken, words
from rules.table import Character, Table

PROGRESS = ("gained", "needed", "roll_number")
"""The fields by which a kind of test is one of several rolls."""


class Stop(Enum):
    """A place of the cursor that is no value of the request."""

    MORE = auto()
    ROLL = auto()


Focus: TypeAlias = Path | Stop
"""Where the cursor stands: on a value, or on a stop."""


@frozen
class Dial:
    """What is dialled.

    Attributes:
        requests: the last dialled request of each system, in the order of the registry.
        active: the index of the one that shows.
        focus: where the cursor stands.
        expanded: whether the values that are rarely dialled are offered too.
        roll_button: whether a button rolls; without one, the last stop does.
    """

    requests: tuple[Request, ...]
    active: int
    focus: Focus
    expanded: bool = False
    roll_button: bool = True

    @property
    def request(self) -> Request:
        """The request that shows."""
        return self.requests[self.active]

    @property
    def control(self) -> Control | None:
        """The value under the cursor, or None on a stop."""
        found = (each for each in controls(self.request) if each.path == self.focus)
        return next(found, None)


def first_dial(registry: Registry, *, roll_button: bool) -> Dial:
    """Return the dial of a station that was never used."""
    requests = tuple(fresh(system.kinds[0]) for system in registry)
    dial = Dial(requests, 0, Stop.ROLL, roll_button=roll_button)
    return replace(dial, focus=stops(dial)[0])


def stops(dial: Dial) -> tuple[Focus, ...]:
    """Return every place the cursor can stand, in order.

    Values that every roll is dialled by come first, then those that are not at their default or
    under the cursor; the others wait behind `Stop.MORE`.
    """
    every = controls(dial.request)
    some_are_main = any(each.main for each in every)
    offered = tuple(
        each.path
        for each in every
        if each.main
        or each.changed
        or dial.expanded
        or not some_are_main
        or each.path == dial.focus
    )
    more = (Stop.MORE,) if len(offered) < len(every) else ()
    return (*offered, *more, *(() if dial.roll_button else (Stop.ROLL,)))


def next_stop(dial: Dial, steps: int = 1) -> Dial:
    """Return the dial with the cursor so many places further on, round and round."""
    places = stops(dial)
    here = places.index(dial.focus) if dial.focus in places else -1
    return replace(dial, focus=places[(here + steps) % len(places)])


def expand(dial: Dial) -> Dial:
    """Return the dial with every value offered and the cursor on the first of the further ones."""
    known = stops(dial)
    wider = replace(dial, expanded=True)
    further = [place for place in stops(wider) if place not in known]
    return replace(wider, focus=further[0]) if further else wider


def turn(dial: Dial, detents: int) -> Dial:
    """Return the dial after a turn: a value changes; on a stop the cursor moves instead."""
    if isinstance(dial.focus, Stop):
        return next_stop(dial, 1 if detents > 0 else -1)
    return with_request(dial, turned(dial.request, dial.focus, detents))


def with_request(dial: Dial, request: Request) -> Dial:
    """Return the dial showing a request of any system it knows; the cursor stays if it can."""
    active = next(i for i, own in enumerate(dial.requests) if own.system == request.system)
    requests = (*dial.requests[:active], request, *dial.requests[active + 1 :])
    moved = replace(dial, requests=requests, active=active)
    return moved if moved.focus in stops(moved) else at_first_stop(moved)


def with_kind(dial: Dial, kind: type[Request]) -> Dial:
    """Return the dial with another kind of test, keeping what both kinds have."""
    return at_first_stop(with_request(dial, rekinded(dial.request, kind)))


def with_system(dial: Dial, active: int) -> Dial:
    """Return the dial showing another system's last request."""
    return at_first_stop(replace(dial, active=active))


def at_first_stop(dial: Dial) -> Dial:
    """Return the dial with the rare values folded away and the cursor on the first value."""
    folded = replace(dial, expanded=False, focus=Stop.MORE)
    return replace(folded, focus=stops(folded)[0])


def followed(dial: Dial, before: Table, after: Table) -> Dial:
    """Return the dial once the table changed: who changed is on it as they are now.

    Where one name went and one came, it is the same person's.
    """
    went = {each.name for each in before.characters} - {each.name for each in after.characters}
    came = [each for each in after.characters if each not in before.characters]
    changed = {each.name: each for each in came}
    if len(went) == 1 and len(came) == 1:
        changed = dict.fromkeys((*went, *changed), came[0])
    tests = {each.name for each in (*before.progress, *after.progress)}
    moved = {name for name in tests if before.test(name) != after.test(name)}
    requests = (_seated(each, changed) for each in dial.requests)
    return replace(dial, requests=tuple(_continued(each, after, moved) for each in requests))


def in_progress(dial: Dial, table: Table) -> Dial:
    """Return the dial with every extended test that is under way at its next roll."""
    under_way = {each.name for each in table.progress}
    requests = tuple(_continued(each, table, under_way) for each in dial.requests)
    return replace(dial, requests=requests)


def _continued(request: Request, table: Table, moved: Collection[str | None]) -> Request:
    name = getattr(request, NAME, None)
    if name not in moved or not {*PROGRESS} <= {*specs(type(request))}:
        return request
    test = table.test(name)
    if test is None or test.complete:
        own = {"gained": 0, "roll_number": 1}
    else:
        own = {"gained": test.gained, "needed": test.needed, "roll_number": test.rolls + 1}
    with suppress(RulesError):
        return replace(request, **own)
    return request


def _seated(request: Request, changed: Mapping[str, Character]) -> Request:
    for word in words(request):
        who = changed.get(word.text or "") if word.path[-1] == NAME else None
        if who is not None:
            with suppress(RulesError):  # such as harm that the dialled modifiers rule out
                request = taken(request, word.path, who)
    return request
