"""Difficulties, minimum ranks and degrees of success of the Seven Kingdoms.

"Difficulties & Minimum Ranks" and "Degrees of Success" of the text, as tables.
"""

from bisect import bisect_right

from rules.frozen import frozen

HIGHEST = 99
"""The highest difficulty that can be asked; "Heroic (21+)" has no end of its own."""


@frozen
class Difficulty:
    """A row of the table: from which number it holds, its name, and the minimum rank in dice."""

    number: int
    name: str
    minimum_rank: int


DIFFICULTIES = (
    Difficulty(0, "Automatic", 1),
    Difficulty(3, "Easy", 1),
    Difficulty(6, "Routine", 1),
    Difficulty(9, "Challenging", 2),
    Difficulty(12, "Formidable", 2),
    Difficulty(15, "Hard", 3),
    Difficulty(18, "Very Hard", 3),
    Difficulty(21, "Heroic", 4),
)

DEGREES = ("Marginal Success", "Great Success", "Incredible Success", "Astonishing Success")
"""Names of 1 to 4 degrees of success."""

MARGIN_OF_A_DEGREE = 5
"""Points of margin in each band of the degree table: 0–4, 5–9, 10–14, 15+."""


def difficulty_row(number: int) -> Difficulty:
    """Return the row at or below a difficulty (0–99): 10 is Challenging, 2 is Automatic."""
    return DIFFICULTIES[bisect_right(DIFFICULTIES, number, key=lambda row: row.number) - 1]


def degrees_of(margin: int) -> int:
    """Return the degrees of success of a margin: 0 below 0, else 1–4."""
    return 0 if margin < 0 else min(len(DEGREES), 1 + margin // MARGIN_OF_A_DEGREE)


def degree_name(degrees: int) -> str | None:
    """Return the name of 1–4 degrees, or None for a failure's 0."""
    return DEGREES[degrees - 1] if degrees else None


def signed(points: int) -> str:
    """Return points with a sign, the true minus: ``+5``, ``−2``, ``0``."""
    return f"{points:+d}".replace("-", "−") if points else "0"
