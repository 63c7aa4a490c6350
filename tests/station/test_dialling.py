"""The dial: where its cursor can stand, and what a turn does there."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.fields import number
from rules.frozen import frozen
from rules.model import Request, RuleSystem
from rules.registry import DEFAULT, Registry, request_plain
from station.dialling import (
    Dial,
    Stop,
    expand,
    first_dial,
    next_stop,
    stops,
    turn,
    with_kind,
    with_request,
    with_system,
)

KINDS = [(place, kind) for place, system in enumerate(DEFAULT) for kind in system.kinds]


def dial(*, roll_button: bool = True) -> Dial:
    return first_dial(DEFAULT, roll_button=roll_button)


def labels(of: Dial) -> list[str]:
    """Return what the cursor shows on its way round."""
    shown = []
    for _ in stops(of):
        shown.append(of.control.label if of.control else str(of.focus))
        of = next_stop(of)
    return shown


def at(of: Dial, label: str) -> Dial:
    """Return the dial with its cursor on a value."""
    while of.control is None or of.control.label != label:
        of = next_stop(of)
    return of


def test_a_station_never_used_shows_the_usual_test_of_the_first_system_at_its_pool() -> None:
    fresh = dial()
    assert (fresh.request.system, fresh.request.kind) == ("seven-kingdoms", "basic")
    assert fresh.focus == ("rank",)
    assert len(fresh.requests) == len(tuple(DEFAULT))


def test_what_every_roll_is_dialled_by_comes_first_and_the_rest_waits_behind_more() -> None:
    assert labels(dial()) == ["Rank", "Bonus", "Difficulty", str(Stop.MORE)]


def test_without_a_roll_button_the_last_stop_rolls() -> None:
    assert stops(dial())[-1] is Stop.MORE
    assert stops(dial(roll_button=False))[-2:] == (Stop.MORE, Stop.ROLL)


def test_the_cursor_goes_round_and_round_both_ways() -> None:
    fresh = dial()
    places = stops(fresh)
    assert next_stop(fresh, len(places)) == fresh
    assert next_stop(fresh, -1).focus == places[-1]
    assert next_stop(next_stop(fresh, -1)) == fresh


def test_a_turn_changes_the_value_under_the_cursor_and_stops_at_its_ends() -> None:
    assert turn(dial(), 2).request.rank == 5
    assert turn(dial(), 999).request.rank == 20
    assert turn(dial(), -999).request.rank == 1


def test_a_turn_on_a_stop_moves_the_cursor_one_place_however_fast() -> None:
    more = next_stop(dial(roll_button=False), 3)
    assert more.focus is Stop.MORE
    assert turn(more, 5).focus is Stop.ROLL
    assert turn(more, -5).focus == ("difficulty",)
    assert turn(more, 5).request == more.request


def test_more_unfolds_every_value_and_stands_on_the_first_of_them() -> None:
    wide = expand(dial())
    assert wide.control is not None
    assert wide.control.label == "Pool penalty"
    assert "Injuries" in labels(wide)
    assert Stop.MORE not in stops(wide)


def test_where_there_is_no_more_to_unfold_the_cursor_stays() -> None:
    wide = expand(dial())
    assert expand(wide) == wide


def test_a_rare_value_that_was_dialled_stays_among_the_others() -> None:
    wounded = turn(at(expand(dial()), "Wounds"), 2)
    folded = with_system(wounded, 0)
    assert "Wounds" in labels(folded)
    assert "Injuries" not in labels(folded)


def test_another_kind_of_test_keeps_what_both_have_and_begins_at_its_first_value() -> None:
    strong = turn(dial(), 4)
    kinds = DEFAULT.of(strong.request).kinds
    extended = with_kind(next_stop(strong), kinds[1])
    assert isinstance(extended.request, kinds[1])
    assert extended.request.rank == 7
    assert extended.focus == ("rank",)


def test_each_system_keeps_its_own_request_while_another_shows() -> None:
    strong = turn(dial(), 4)
    away = turn(with_system(strong, 1), 3)
    assert away.request.pool == 9
    back = with_system(away, 0)
    assert back.request == strong.request
    assert back.requests[1] == away.request


def test_a_request_from_elsewhere_shows_with_its_system_and_leaves_the_cursor_if_it_can() -> None:
    fresh = at(dial(), "Bonus")
    basic = DEFAULT.request(
        {"system": "seven-kingdoms", "kind": "basic", "rank": 9, "difficulty": 3}
    )
    assert with_request(fresh, basic).focus == ("bonus",)
    attack = DEFAULT.request({"system": "wrath-and-glory", "kind": "attack", "pool": 4})
    moved = with_request(fresh, attack)
    assert (moved.request, moved.active, moved.focus) == (attack, 1, ("pool",))


def test_a_cursor_that_lost_its_place_goes_on_from_the_first() -> None:
    lost = Dial(dial().requests, 0, ("no", "such"))
    assert lost.control is None
    assert next_stop(lost).focus == ("rank",)


@frozen(kw_only=True)
class Plain(Request):
    """A request of which nothing is marked as usual."""

    system: ClassVar[str] = "plain"
    kind: ClassVar[str] = "plain"
    title: ClassVar[str] = "Plain"

    first: int = number("First", 0, 3, default=0)
    second: int = number("Second", 0, 3, default=0)


def test_where_no_value_is_the_usual_one_all_are_offered_at_once(high_die: RuleSystem) -> None:
    own: dict[str, Any] = {name: getattr(high_die, name) for name in RuleSystem.__slots__}
    registry = Registry((RuleSystem(**(own | {"id": "plain", "kinds": (Plain,)})),))
    assert labels(first_dial(registry, roll_button=True)) == ["First", "Second"]


@pytest.mark.parametrize(("place", "kind"), KINDS, ids=lambda each: getattr(each, "kind", ""))
@given(data=st.data())
def test_whatever_is_turned_the_cursor_stands_on_a_stop_and_the_request_is_valid(
    place: int, kind: type[Request], data: st.DataObject
) -> None:
    acts: dict[str, Callable[[Dial, int], Dial]] = {
        "turn": turn,
        "next": next_stop,
        "expand": lambda of, _: expand(of),
    }
    dialled = with_kind(with_system(dial(roll_button=data.draw(st.booleans())), place), kind)
    moves = st.tuples(st.sampled_from(sorted(acts)), st.sampled_from([-99, -5, -1, 1, 2, 7, 99]))
    for act, count in data.draw(st.lists(moves, max_size=25)):
        dialled = acts[act](dialled, count)
        assert dialled.focus in stops(dialled)
        assert (dialled.control is None) == isinstance(dialled.focus, Stop)
        # Rebuilding it checks every range again.
        assert DEFAULT.request(request_plain(dialled.request)) == dialled.request
