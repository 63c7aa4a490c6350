"""One thing that was looked at, how it is, and the one command or line that mends it."""

from enum import StrEnum

from rules.frozen import frozen


class Level(StrEnum):
    """How a thing is."""

    OK = "ok"
    WARN = "warn"
    """The station runs, with something less."""
    FAIL = "fail"
    """What the configuration asks for cannot work."""


@frozen
class Finding:
    """What was found.

    Attributes:
        topic: what was looked at, in a word.
        level: how it is.
        text: one sentence.
        mend: the command or the line that mends it; empty where nothing needs to be.
    """

    topic: str
    level: Level
    text: str
    mend: str = ""

    def plain(self) -> dict[str, str]:
        """Return the finding as JSON-able data."""
        return {
            "topic": self.topic,
            "level": str(self.level),
            "text": self.text,
            "mend": self.mend,
        }


def good(topic: str, text: str) -> Finding:
    """Return a finding that nothing need be done about."""
    return Finding(topic, Level.OK, text)


def weak(topic: str, text: str, mend: str) -> Finding:
    """Return a finding with which the station runs all the same."""
    return Finding(topic, Level.WARN, text, mend)


def bad(topic: str, text: str, mend: str) -> Finding:
    """Return a finding with which what is configured cannot work."""
    return Finding(topic, Level.FAIL, text, mend)
