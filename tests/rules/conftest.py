"""Requests of any kind as hypothesis strategies, drawn from what their fields declare."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rules.errors import RulesError
from rules.fields import Fielded, Group, Series, Spec, specs
from rules.leaves import Choice, Flag, Number, Text
from rules.model import Request

Requests = Callable[[type[Request]], SearchStrategy[Any]]


def _printable(longest: int) -> SearchStrategy[str]:
    alphabet = st.one_of(
        st.sampled_from('abcXYZ 019"\\=[].:+-−*@'),
        st.characters(exclude_categories=("C", "Z")).filter(str.isprintable),
    )
    return st.text(alphabet, min_size=1, max_size=longest).filter(lambda text: bool(text.strip()))


def _values(spec: Spec) -> SearchStrategy[Any]:
    match spec:
        case Number():
            values: SearchStrategy[Any] = st.integers(spec.low, spec.high)
            return st.none() | values if spec.optional else values
        case Flag():
            return st.booleans()
        case Choice():
            return st.sampled_from(spec.values)
        case Text():
            return st.none() | _printable(spec.longest)
        case Group():
            return _parts(spec.part)
        case Series():
            high = min(spec.high, spec.low + 2)
            return st.lists(_parts(spec.part), min_size=spec.low, max_size=high).map(tuple)


def _built(part: type[Fielded], values: dict[str, Any]) -> Fielded | None:
    try:
        return part(**values)
    except RulesError:
        return None


def _parts(part: type[Fielded]) -> SearchStrategy[Any]:
    values = st.fixed_dictionaries({name: _values(spec) for name, spec in specs(part).items()})
    return values.map(lambda drawn: _built(part, drawn)).filter(lambda made: made is not None)


def _pool_or_parts(kind: type[Request]) -> SearchStrategy[Any]:
    """Return tests of a pool that is given whole or as attribute, skill and bonus dice."""
    rest = {
        name: _values(spec)
        for name, spec in specs(kind).items()
        if name not in ("pool", "attribute", "skill", "bonus_dice")
    }
    whole = st.fixed_dictionaries({"pool": st.integers(1, 40), **rest})
    sizes = {"attribute": (1, 14), "skill": (0, 13), "bonus_dice": (0, 13)}
    few = {name: st.integers(low, high) for name, (low, high) in sizes.items()}
    return st.one_of(whole, st.fixed_dictionaries({**few, **rest})).map(lambda v: kind(**v))


@pytest.fixture(scope="session")
def requests() -> Requests:
    """Strategies for valid requests of a kind, names and texts of every sort included."""
    return lambda kind: _pool_or_parts(kind) if "pool" in specs(kind) else _parts(kind)
