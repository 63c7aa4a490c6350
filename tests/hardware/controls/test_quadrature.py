"""The knob's decoder against a knob written from the drawing of one, not from the decoder.

An edge is a quarter of the knob's cycle: one contact changes for good. It may chatter before it
stands (the contact goes back and forth) and each report of it may come twice. In any four edges
one may be lost: whole, with its chatter, or any one report of it. The simulator below keeps the
true position, a whole number of quarters.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from random import Random

import pytest

from hardware.clock import Nanoseconds
from hardware.controls.quadrature import CHATTER, Contact, Quadrature

Report = tuple[Contact, bool, int]
"""A contact, whether it is closed, and when, in ns."""

TURN_BACK = 10_000_000
"""No hand turns a knob round in less, in ns."""

A_CLOSED_AT = (1, 2)
B_CLOSED_AT = (2, 3)


def levels(position: int) -> tuple[bool, bool]:
    return (position % 4 in A_CLOSED_AT, position % 4 in B_CLOSED_AT)


def edge(position: int, way: int) -> tuple[Contact, bool]:
    """The contact that changes when the knob leaves `position`, and what it changes to."""
    before, after = levels(position), levels(position + way)
    contact = Contact.A if before[0] != after[0] else Contact.B
    return contact, after[contact.value]


@dataclass(frozen=True, slots=True)
class Wear:
    """How bad a knob is: probabilities of chatter, of a report told twice, of a loss."""

    chatter: float
    doubled: float
    lost: float


def turn(random: Random, per_detent: int, wear: Wear) -> Iterator[tuple[int, list[Report]]]:
    """Turn a worn knob to and fro between resting places: (true direction, reports) per edge."""
    position, time, since_loss = 0, 0, 3
    for _ in range(random.randint(1, 4)):
        way = random.choice((-1, 1))
        time += TURN_BACK
        for _ in range(per_detent * random.randint(1, 4)):
            time += random.choice((250_000, 1_000_000, 40_000_000))
            contact, closed = edge(position, way)
            position += way
            reports = list(chatter(random, wear, (contact, closed, time)))
            since_loss += 1
            if since_loss > 3 and random.random() < wear.lost:
                since_loss = 0
                lose(random, reports)
            yield way, reports


def lose(random: Random, reports: list[Report]) -> None:
    """Lose the whole edge, or any one report of it."""
    if random.random() < 0.3:
        reports.clear()
    else:
        del reports[random.randrange(len(reports))]


def chatter(random: Random, wear: Wear, report: Report) -> Iterator[Report]:
    """The reports one edge makes; all of them within 0.19 ms, the last with the true level."""
    contact, closed, time = report
    bounces = 0
    while bounces < 3 and random.random() < wear.chatter:
        bounces += 1
    for number in range(2 * bounces + 1):
        told = closed if number % 2 == 0 else not closed
        for _ in range(2 if random.random() < wear.doubled else 1):
            yield contact, told, time + 30_000 * number


def wrong_way(random: Random, steps: int, wear: Wear) -> str | None:
    """Decode one turn; say what was wrong with it, if a step went against the motion."""
    decoder = Quadrature(steps)
    told: list[Report] = []
    for way, reports in turn(random, steps, wear):
        for contact, closed, time in reports:
            told.append((contact, closed, time))
            step = decoder.advance(Nanoseconds(time))
            step = step or decoder.feed(contact, closed=closed, at=Nanoseconds(time))
            if step * way < 0:
                return f"step {step} while turning {way}, after {told}"
        if (due := decoder.deadline()) is not None and decoder.advance(due) * way < 0:
            return f"late step while turning {way}, after {told}"
    return None


WEAR = [Wear(0.3, 0.1, 0.3), Wear(0.6, 0.3, 0.9), Wear(0.0, 0.0, 0.5), Wear(0.5, 0.5, 0.0)]


def many_turns(seed: int, steps: int, count: int) -> None:
    """Quarter-step knobs cannot tell a lost edge from a turn back, so they lose none here."""
    random = Random(seed)  # noqa: S311 (a simulated knob keeps no secret)
    for number in range(count):
        wear = WEAR[number % len(WEAR)]
        if steps == 1:
            wear = Wear(wear.chatter, wear.doubled, 0.0)
        assert wrong_way(random, steps, wear) is None


@pytest.mark.parametrize("steps", [4, 2, 1])
def test_a_worn_knob_never_steps_against_the_motion(steps: int) -> None:
    many_turns(seed=20_000 + steps, steps=steps, count=7_000)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
@pytest.mark.parametrize("steps", [4, 2, 1])
def test_a_million_worn_turns_never_step_against_the_motion(steps: int, batch: int) -> None:
    many_turns(seed=1_000 * steps + batch, steps=steps, count=100_000)


def test_the_simulator_finds_decoders_without_the_rules_for_loss() -> None:
    """A plain table goes backwards, with either rule missing; the simulator must see it."""

    class NeverVoid(Quadrature):
        def _void(self, contact: Contact, at: Nanoseconds) -> None:
            pass

    class NeverDoubts(Quadrature):
        def _begin_run(self, contact: Contact) -> int:
            self._run.quick = False
            return super()._begin_run(contact)

    random = Random(7)  # noqa: S311 (a simulated knob keeps no secret)
    for kind in (NeverVoid, NeverDoubts):
        wrong = 0
        for _ in range(2_000):
            decoder = kind(2)
            for way, reports in turn(random, 2, Wear(0.6, 0.3, 0.9)):
                steps = [
                    decoder.feed(contact, closed=closed, at=Nanoseconds(time))
                    for contact, closed, time in reports
                ]
                wrong += any(step * way < 0 for step in steps)
        assert wrong > 0


@dataclass(frozen=True, slots=True)
class Truth:
    """Where a simulated knob is: the quarter, and the way of its last edge.

    `away` is whether the contact has chattered off its level just now; `since_loss` counts the
    edges since one with a loss, up to 4; `live` is whether the last edge can still chatter, and
    `heard` whether any report of it was.
    """

    quarter: int = 0
    way: int = 1
    away: bool = False
    since_loss: int = 4
    live: bool = False
    heard: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A report, and whether it follows the last one of its contact at once (None: either)."""

    contact: Contact
    closed: bool
    quick: bool | None


def futures(now: Truth, steps: int) -> Iterator[tuple[Truth, Told | None]]:
    """Everything the knob can do next, and what it reports of it; None is a report lost."""
    if now.live:
        contact, closed = edge(now.quarter - now.way, now.way)
        after = replace(now, away=not now.away, heard=True)
        yield after, Told(contact, closed == now.away, quick=True if now.heard else None)
        if now.since_loss > 3:
            yield replace(now, away=not now.away, since_loss=0), None
    if now.away:
        return
    for way in (1, -1) if now.quarter % steps == 0 else (now.way,):
        since = min(now.since_loss + 1, 4)
        after = Truth((now.quarter + way) % 4, way, since_loss=since, live=True, heard=True)
        yield after, Told(*edge(now.quarter, way), quick=None if way == now.way else False)
        if since > 3:
            yield replace(after, since_loss=0, heard=False), None
            yield replace(after, since_loss=0, heard=False, live=False), None


def hear(decoder: Quadrature, told: Told | None) -> Iterator[tuple[Quadrature, list[int]]]:
    """Every way the decoder may hear the report: once or twice, at once or later."""
    if told is None:
        yield decoder, []
        return
    for quick in (True, False) if told.quick is None else (told.quick,):
        for times in (1, 2):
            heard = deepcopy(decoder)
            now = Nanoseconds(1 if quick else CHATTER)
            steps = [heard.feed(told.contact, closed=told.closed, at=now) for _ in range(times)]
            heard._moved_at = Nanoseconds(0)  # noqa: SLF001 (makes equal states equal)
            yield heard, steps


class CountsParity(Quadrature):
    """The decoder with its count of flips kept small, so that its states are finite."""

    def _go_on(self, at: Nanoseconds) -> int:
        told = super()._go_on(at)
        while self._run.flips > 3:
            self._run.flips -= 2
        return told


def key(decoder: Quadrature) -> str:
    return repr(vars(decoder))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("steps", [4, 2])
def test_no_turn_of_any_length_can_step_against_the_motion(steps: int, reverse: bool) -> None:  # noqa: FBT001 (a parametrised case)
    """Every state that knob and decoder can reach together, by any chatter, doubles and loss."""
    start = (Truth(), CountsParity(steps, reverse=reverse))
    seen = {(start[0], key(start[1]))}
    todo: deque[tuple[Truth, Quadrature]] = deque([start])
    told = set()
    while todo:
        truth, decoder = todo.popleft()
        for after, report in futures(truth, steps):
            for heard, made in hear(decoder, report):
                way = -after.way if reverse else after.way
                assert all(step * way >= 0 for step in made)
                told.update(made)
                if (after, key(heard)) not in seen:
                    seen.add((after, key(heard)))
                    todo.append((after, heard))
    assert told == {-1, 0, 1}
    assert len(seen) > 200


def decode(decoder: Quadrature, reports: Iterable[Report]) -> list[int]:
    steps = []
    for contact, closed, time in reports:
        steps += [decoder.advance(Nanoseconds(time))]
        steps += [decoder.feed(contact, closed=closed, at=Nanoseconds(time))]
    if (due := decoder.deadline()) is not None:
        steps += [decoder.advance(due)]
    return [step for step in steps if step]


def clean(detents: int, steps: int, *, start: int = 0, at: int = 0) -> Iterator[Report]:
    """Edges of a clean turn at 1,000 detents/s."""
    way = 1 if detents > 0 else -1
    for number in range(abs(detents) * steps):
        contact, closed = edge(start + way * number, way)
        yield contact, closed, at + number * 1_000_000 // steps


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("steps", [4, 2, 1])
def test_clean_turns_are_exact_at_a_thousand_detents_a_second(steps: int, reverse: bool) -> None:  # noqa: FBT001 (a parametrised case)
    sign = -1 if reverse else 1
    there = clean(1000, steps)
    back = clean(-600, steps, start=1000 * steps, at=2_000_000_000)
    decoder = Quadrature(steps, reverse=reverse)
    assert decode(decoder, there) == [sign] * 1000
    assert decode(decoder, back) == [-sign] * 600


@pytest.mark.parametrize("steps", [4, 2, 1])
def test_a_clean_turn_may_change_direction_at_full_speed(steps: int) -> None:
    decoder = Quadrature(steps)
    back = clean(-3, steps, start=5 * steps, at=5_000_000)
    assert decode(decoder, [*clean(5, steps), *back]) == [1] * 5 + [-1] * 3


def test_a_half_step_back_faster_than_hands_is_withheld_until_the_knob_goes_on() -> None:
    decoder = Quadrature(2)
    there, back = list(clean(1, 2)), list(clean(-2, 2, start=2, at=1_000_000))
    assert decode(decoder, [*there, *back[:2]]) == [1]
    assert decode(decoder, back[2:3]) == [-1]


@pytest.mark.parametrize("steps", [4, 2, 1])
def test_chatter_and_doubled_edges_alone_lose_nothing(steps: int) -> None:
    random = Random(steps)  # noqa: S311 (a simulated knob keeps no secret)
    wear = Wear(0.5, 0.3, 0.0)
    reports = [told for report in clean(2000, steps) for told in chatter(random, wear, report)]
    assert len(reports) > 3 * 2000 * steps
    assert decode(Quadrature(steps), reports) == [1] * 2000


@pytest.mark.parametrize("steps", [4, 2])
def test_one_lost_edge_costs_at_most_three_steps(steps: int) -> None:
    edges = list(clean(10, steps))
    for lost in range(len(edges)):
        seen = decode(Quadrature(steps), edges[:lost] + edges[lost + 1 :])
        assert set(seen) == {1}
        assert len(seen) >= 7


def test_a_full_step_knob_may_rest_with_both_contacts_closed() -> None:
    decoder = Quadrature(4, levels=(True, True))
    assert decode(decoder, clean(3, 4, start=2)) == [1, 1, 1]
    assert decode(decoder, clean(-2, 4, start=14)) == [-1, -1]


def test_a_knob_found_between_two_detents_counts_from_the_next() -> None:
    decoder = Quadrature(2, levels=levels(1))
    assert decode(decoder, list(clean(3, 2))[1:]) == [1, 1]


def test_half_a_detent_and_back_is_nothing() -> None:
    decoder = Quadrature(4)
    reports = [(Contact.A, True, 0), (Contact.B, True, 1), (Contact.B, False, 2)]
    assert decode(decoder, [*reports, (Contact.A, False, 3)]) == []


def test_a_quarter_step_waits_for_its_contact_to_settle() -> None:
    decoder = Quadrature(1, settle=Nanoseconds(200_000))
    assert decoder.feed(Contact.A, closed=True, at=Nanoseconds(0)) == 0
    assert decoder.deadline() == 200_000
    assert decoder.advance(Nanoseconds(199_999)) == 0
    assert decoder.advance(Nanoseconds(200_000)) == 1
    assert decoder.deadline() is None


@pytest.mark.parametrize("steps", [0, 3, 8, -4])
def test_steps_out_of_range_are_refused(steps: int) -> None:
    with pytest.raises(ValueError, match=rf"steps_per_detent \(={steps}\) must be 4, 2 or 1"):
        Quadrature(steps)


@pytest.mark.parametrize("settle", [0, 300_001])
def test_a_settle_time_out_of_range_is_refused(settle: int) -> None:
    with pytest.raises(ValueError, match=rf"settle \(={settle} ns\) must be in \(0, 0.3\] ms"):
        Quadrature(1, settle=Nanoseconds(settle))
