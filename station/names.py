"""The free texts in a request: all that a panel may shorten, as people can do with less of them."""

from collections.abc import Iterable, Iterator

from rules.fields import Fielded, specs
from rules.leaves import Text

SHORTEST_NAME = 5
"""Characters that a shortened name still has, its ellipsis included."""


def names_in(part: Fielded) -> tuple[str, ...]:
    """Return every free text in a request, the longest first."""
    return longest_first(_texts(part))


def longest_first(names: Iterable[str]) -> tuple[str, ...]:
    """Return names once each, the longest first."""
    return tuple(sorted(dict.fromkeys(names), key=len, reverse=True))


def least(text: str, names: tuple[str, ...] = ()) -> int:
    """Return how many characters a text takes at least once its longest name is shortened."""
    longest = max((len(name) for name in names if name in text), default=0)
    return len(text) - max(0, longest - SHORTEST_NAME)


def _texts(part: Fielded) -> Iterator[str]:
    for name, spec in specs(type(part)).items():
        value = getattr(part, name)
        if isinstance(spec, Text) and value is not None:
            yield value
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Fielded):
                yield from _texts(inner)
