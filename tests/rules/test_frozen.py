"""What `frozen` makes is to its users what ``dataclass(frozen=True, slots=True)`` makes."""

import copy
from collections.abc import Callable
from dataclasses import (
    FrozenInstanceError,
    asdict,
    astuple,
    dataclass,
    field,
    fields,
    is_dataclass,
    replace,
)
from typing import Any, ClassVar

import pytest

from rules.frozen import frozen


def family(made: Callable[..., Any], named: Callable[..., Any]) -> tuple[type[Any], type[Any]]:
    """Return a class with every sort of field, and a subclass with fields given by name."""

    @made
    class Pool:
        size: int
        words: tuple[str, ...] = ()
        notes: list[str] = field(default_factory=list)
        known: bool = field(default=False, compare=False)
        limit: ClassVar[int] = 9

        def __post_init__(self) -> None:
            if self.size > self.limit:
                raise ValueError(self.size)

        @property
        def twice(self) -> int:
            return 2 * self.size

    @named
    class Named(Pool):
        name: str
        side: int = 1

    return Pool, Named


OURS = family(frozen, frozen(kw_only=True))
THEIRS = family(
    dataclass(frozen=True, slots=True), dataclass(frozen=True, slots=True, kw_only=True)
)
BOTH = pytest.mark.parametrize(("pool", "named"), [OURS, THEIRS], ids=["frozen", "dataclass"])


@frozen
class Point:
    """Two numbers."""

    x: int
    y: int = 2


@frozen
class Nothing:
    """No field at all."""


@BOTH
def test_fields_are_given_by_place_or_by_name(pool: Any, named: Any) -> None:
    one = pool(3, ("a",))
    assert (one.size, one.words, one.notes, one.known, one.twice) == (3, ("a",), [], False, 6)
    assert one.notes is not pool(3).notes
    assert pool(size=3, notes=["x"]).notes == ["x"]
    assert named(3, name="b").side == 1
    with pytest.raises(TypeError):
        named(3, (), [], False, "b")  # noqa: FBT003 - any value
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'size'"):
        pool()


@BOTH
def test_it_is_checked_once_it_is_made(pool: Any, named: Any) -> None:
    for make in (lambda: pool(10), lambda: named(10, name="b"), lambda: replace(pool(1), size=10)):
        with pytest.raises(ValueError, match="10"):
            make()


@BOTH
def test_nothing_can_be_changed(pool: Any, named: Any) -> None:
    for one in (pool(3), named(3, name="b")):
        with pytest.raises(FrozenInstanceError):
            one.size = 4
        with pytest.raises(FrozenInstanceError):
            del one.size
        assert one.size == 3
        assert not hasattr(one, "__dict__")


@BOTH
def test_equal_are_those_of_one_class_with_equal_fields(pool: Any, named: Any) -> None:
    other = THEIRS[0] if pool is OURS[0] else OURS[0]
    assert pool(3) == pool(3, known=True)
    assert pool(3) != pool(4)
    assert pool(3) != named(3, name="b")
    assert pool(3) != other(3)
    assert pool(3) != (3, (), [])
    assert named(3, name="b") != named(3, name="c")


def test_hashes_agree_where_values_are_equal() -> None:
    assert len({Point(1), Point(1, 2), Point(1, 3), Nothing(), Nothing()}) == 3
    assert Nothing() == Nothing() != Point(1)


@BOTH
def test_it_is_a_dataclass_to_others(pool: Any, named: Any) -> None:
    assert is_dataclass(pool)
    assert [each.name for each in fields(named)] == [
        *("size", "words", "notes", "known", "name", "side")
    ]
    assert asdict(pool(3)) == {"size": 3, "words": (), "notes": [], "known": False}
    assert astuple(named(3, name="b")) == (3, (), [], False, "b", 1)
    assert replace(named(3, name="b"), name="c") == named(3, name="c")
    assert repr(pool(3)).endswith("Pool(size=3, words=(), notes=[], known=False)")
    match pool(3, ("a",)):
        case pool(size, words):
            assert (size, words) == (3, ("a",))
        case _:
            pytest.fail("its fields have no places")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_equal(copied: Callable[[Any], Any]) -> None:
    assert copied(Point(1)) == Point(1)
    assert copied(Nothing()) == Nothing()


def test_what_a_class_says_of_itself_goes_before() -> None:
    @frozen
    class Loud:
        x: int

        def __repr__(self) -> str:
            return "loud"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud)

        def __hash__(self) -> int:
            return 7

    assert repr(Loud(1)) == "loud"
    assert Loud(1) == Loud(2)
    assert hash(Loud(1)) == 7
