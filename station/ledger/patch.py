"""How a JSON document changed, as data, so that the rows alone lead to the table's state.

A patch is a list of places: ``[path, value]`` sets a value, ``[path]`` takes it away. A path is
the list of member names and list positions from the outside in; the empty path is the whole.
"""

from collections.abc import Iterator
from typing import Any


def difference(before: Any, after: Any) -> list[list[Any]]:
    """Return the patch that leads from one document to another."""
    return list(_places(before, after, []))


def _places(before: Any, after: Any, path: list[str | int]) -> Iterator[list[Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            if name not in after:
                yield [[*path, name]]
            elif name not in before:
                yield [[*path, name], after[name]]
            else:
                yield from _places(before[name], after[name], [*path, name])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _places(old, new, [*path, place])
    elif type(before) is not type(after) or before != after:
        yield [path, after]


def patched(document: Any, patch: list[list[Any]]) -> Any:
    """Return a document after a patch; the parts that change are copied.

    Raises:
        ValueError: the patch is none of this document.
    """
    try:
        for path, *value in patch:
            document = _put(document, path, value)
    except (AttributeError, TypeError, LookupError) as error:
        raise ValueError(f"a patch that does not fit: {error}") from error
    return document


def _put(document: Any, path: list[str | int], value: list[Any]) -> Any:
    if not path:
        return value[0]
    copy, step = document.copy(), path[0]
    if len(path) > 1:
        copy[step] = _put(copy[step], path[1:], value)
    elif value:
        copy[step] = value[0]
    else:
        del copy[step]
    return copy
