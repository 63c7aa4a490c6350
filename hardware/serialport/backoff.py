"""How long to wait before a lost line is opened again."""

FIRST = 0.2
MOST = 2.0


class Backoff:
    """Waits that double from `first` to `most` seconds, until what was tried works."""

    def __init__(self, first: float = FIRST, most: float = MOST) -> None:
        self._first = first
        self._most = most
        self._next = first

    def next(self) -> float:
        """Return how many seconds to wait now."""
        now, self._next = self._next, min(2 * self._next, self._most)
        return now

    def reset(self) -> None:
        """Begin anew, as the line is there."""
        self._next = self._first
