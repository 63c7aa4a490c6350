"""The pool of a Seven Kingdoms test, and its notation both ways."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import pools
from rules.errors import RulesError
from rules.fields import specs
from rules.pools import Notated, Pool


@given(
    st.builds(
        Notated,
        rank=st.integers(1, 20),
        bonus=st.integers(0, 20),
        pool_penalty=st.integers(0, 20),
        discard_penalty=st.integers(0, 20),
    )
)
def test_a_pool_written_and_read_is_the_same_pool(pool: Notated) -> None:
    assert pools.read(pools.written(pool)) == pool
    own = {name: getattr(pool, name) for name in specs(Notated)}
    assert pools.read(pools.shown(Pool(**own))) == pool


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "3D+2B"),
        ({"wounds": 1}, "3D−1D+2B"),
        ({"wounds": 1, "pool_penalty": 1}, "3D−2D+2B"),
        ({"aided": True}, "3D+3B"),
        ({"injuries": 2}, "3D+2B−2"),
        ({"injuries": 1, "modifier": 3}, "3D+2B+2"),
        ({"injuries": 1, "modifier": 1, "discard_penalty": 1}, "3D+2B−1P"),
    ],
)
def test_a_pool_is_shown_with_all_that_changes_what_it_gives(
    more: dict[str, Any], text: str
) -> None:
    assert pools.shown(Pool(rank=3, bonus=2, **more)) == text


@pytest.mark.parametrize(
    ("text", "rank", "bonus", "pool_penalty", "discard_penalty"),
    [
        ("3D", 3, 0, 0, 0),
        ("3D+2B", 3, 2, 0, 0),
        ("3D + 2B", 3, 2, 0, 0),
        ("4D+1B-1P", 4, 1, 0, 1),
        ("3D + 1B − 1P", 3, 1, 0, 1),
        ("3d+1b–1p", 3, 1, 0, 1),
        ("4D-1D+2B", 4, 2, 1, 0),
        ("  20D+20B-20P-20D  ", 20, 20, 20, 20),
        ("5D-1P+2B-1D-1P+1B-1D", 5, 3, 2, 2),
        ("3 D + 2 B", 3, 2, 0, 0),
        ("3D+0B-0P", 3, 0, 0, 0),
    ],
)
def test_notation_as_players_write_it(
    text: str, rank: int, bonus: int, pool_penalty: int, discard_penalty: int
) -> None:
    assert pools.read(text) == Notated(
        rank=rank, bonus=bonus, pool_penalty=pool_penalty, discard_penalty=discard_penalty
    )


@pytest.mark.parametrize(
    "text",
    ["", " ", "D", "3", "2B", "+3D", "3D+", "3D 2B", "3D++2B", "3D+2X", "3.5D", "3D+2B vs 9", "٣D"],
)
def test_what_is_no_pool_is_refused(text: str) -> None:
    with pytest.raises(RulesError) as caught:
        pools.parse(text)
    assert str(caught.value) == f'pool is "{text}"; allowed: dice like 3D, 3D+2B or 4D-1D+1B-1P'


@pytest.mark.parametrize(
    ("text", "term"), [("3D+1D", "+1D"), ("3D-2B", "-2B"), ("3D+1P", "+1P"), ("3D−2b", "-2B")]
)
def test_a_sign_that_means_nothing_is_named(text: str, term: str) -> None:
    """Penalties never take bonus dice directly, so there is no −2B."""
    with pytest.raises(RulesError) as caught:
        pools.parse(text)
    assert caught.value.because == f"{term} has no meaning"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("0D", "rank"),
        ("21D", "rank"),
        ("999999D", "rank"),
        ("3D+21B", "bonus"),
        ("3D+20B+1B", "bonus"),
        ("3D-21P", "discard_penalty"),
        ("3D-21D", "pool_penalty"),
    ],
)
def test_a_count_out_of_range_names_its_field(text: str, field: str) -> None:
    with pytest.raises(RulesError) as caught:
        pools.read(text)
    assert caught.value.field == field


def test_wounds_and_penalties_take_test_dice_and_never_bonus_dice() -> None:
    pool = Pool(rank=3, bonus=2, pool_penalty=1, wounds=1, aided=True)
    assert (pool.test_dice, pool.bonus_dice, pool.dice) == (1, 3, 4)
    worse = Pool(rank=3, bonus=2, pool_penalty=2, wounds=5)
    assert (worse.test_dice, worse.bonus_dice) == (0, 2)


def test_injuries_and_modifier_go_to_the_total_once() -> None:
    assert Pool(rank=3, injuries=2, modifier=5).flat == 3
    assert Pool(rank=3, injuries=20, modifier=-99).flat == -119


@pytest.mark.parametrize(
    ("endurance", "wounds", "dead"), [(3, 2, False), (3, 3, True), (3, 4, True), (None, 20, False)]
)
def test_death_comes_when_wounds_reach_endurance(
    endurance: int | None, wounds: int, *, dead: bool
) -> None:
    assert Pool(rank=3, endurance=endurance, wounds=wounds).dead is dead


def test_injuries_never_exceed_endurance() -> None:
    assert Pool(rank=3, endurance=2, injuries=2).injuries == 2
    with pytest.raises(RulesError) as caught:
        Pool(rank=3, endurance=2, injuries=3)
    assert str(caught.value) == "injuries is 3 (Endurance is the limit); allowed: 0–2"


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("3D vs 9", ("3D", "9")),
        ("3D+2B  VS.  9 ", ("3D+2B", "9")),
        ("3D against 9", ("3D", "9")),
        ("3D", ("3D", None)),
        ("3D vs", ("3D", "")),
        ("3Dvs9", ("3Dvs9", None)),
    ],
)
def test_the_halves_of_a_pool_against_a_number(text: str, halves: tuple[str, str | None]) -> None:
    assert pools.parse_versus(text) == halves
