"""The pages of a verdict: at a glance, then the dice, the ranking and the arithmetic."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from textwrap import wrap

from rules.model import AskChoice, AskDice, Die, Headline, Outcome, Tone, Verdict
from rules.registry import Registry
from station.handfuls import owners
from station.names import least, names_in
from station.panel import (
    BESIDE,
    BESIDE_GAP,
    PANEL_WIDTH,
    SMALL_WIDTH,
    VERSUS_WIDTH,
    Panel,
    figures_width,
    rows_of,
)
from station.percent import signed
from station.rolls import Roll
from station.views import DiceView, SummaryView, TableView, TextView, View

MORE_PAGES = "turn: more  push: on"
"""What can be done in front of a verdict with further pages."""

ON = "push: on"
"""What can be done in front of one without."""

VOID = "Void"
"""The word of a roll that does not count."""

SIDE_LINES = 2
"""Lines that fit beside a verdict's numbers."""


def verdict_pages(registry: Registry, roll: Roll, panel: Panel) -> tuple[View, ...]:
    """Return every page of a roll's verdict, the summary first.

    Args:
        registry: the systems.
        roll: a roll whose dice have all been rolled.
        panel: the panel they are laid out for.
    """
    outcome = settled(registry, roll)
    headline = registry.of(roll.request).headline(roll.request, outcome)
    if roll.void:
        headline = replace(headline, word=VOID, tone=Tone.NEUTRAL)
    told = (roll.void.lower(), *headline.marks, roll.notice)
    marks = tuple(mark for mark in told if mark)
    summary = _summary(roll, outcome, headline, marks)
    further = (
        *_ranking(roll, headline, summary.names, panel),
        *_notes(summary, panel),
        *_all_dice(outcome.dice, owners(registry, roll), panel, summary.names),
        *_arithmetic(outcome, panel),
    )
    return replace(summary, hint=MORE_PAGES if further else ON, further=bool(further)), *further


def page_count(registry: Registry, roll: Roll, panel: Panel) -> int:
    """Return how many pages a roll's verdict has, 1 or more."""
    return len(verdict_pages(registry, roll, panel))


def settled(registry: Registry, roll: Roll) -> Outcome:
    """Return the outcome of a roll as it stands; it must not wait for dice."""
    match registry.of(roll.request).advance(roll.request, roll.answers):
        case Verdict(outcome=outcome) | AskChoice(standing=outcome):
            return outcome
        case AskDice():
            raise ValueError("a roll that waits for dice has no verdict yet")


def badge(roll: Roll) -> str:
    """Return what tells this roll from every other: its number in the ledger."""
    number = roll.first if roll.seq is None else roll.seq
    return "test dice" if roll.foretold else "" if number is None else f"#{number}"


def _summary(
    roll: Roll, outcome: Outcome, headline: Headline, marks: tuple[str, ...]
) -> SummaryView:
    split = headline.detail.split(" · ") if outcome.attempted else (headline.detail,)
    told, names = tuple(part for part in split if part), names_in(roll.request)
    if headline.value is not None and outcome.attempted:
        room = _room_beside(headline)
        beside = tuple(part for part in told if least(part, names) <= room)[:SIDE_LINES]
    else:
        beside = told[:SIDE_LINES]
    return SummaryView(
        headline.word,
        headline.tone,
        badge(roll),
        headline.value if outcome.attempted else None,
        headline.need if outcome.attempted else None,
        side=beside,
        marks=marks,
        dice=outcome.dice,
        names=names,
        below=tuple(part for part in told if part not in beside),
        sides=_sides(headline),
    )


def _sides(headline: Headline) -> tuple[tuple[str, str], ...]:
    """Return how both sides fared where two are compared: each one's name and note."""
    compared = headline.value is not None and headline.need is not None
    if not compared or len(headline.rows) != SIDE_LINES or headline.success is not None:
        return ()
    return tuple((row.name, row.note) for row in headline.rows)


def _room_beside(headline: Headline) -> int:
    """Return how many characters fit beside a verdict's numbers."""
    numbers = (headline.value, headline.need)
    figures = sum(figures_width(signed(number)) for number in numbers if number is not None)
    versus = 0 if headline.need is None else VERSUS_WIDTH
    return (PANEL_WIDTH - figures - versus - BESIDE_GAP) // SMALL_WIDTH


def _ranking(
    roll: Roll, headline: Headline, names: tuple[str, ...], panel: Panel
) -> tuple[View, ...]:
    # How far a longer test has come stands below its name: its last roll alone decides nothing.
    heading = headline.word if headline.success is None else roll.request.title
    compared = headline.success is None and headline.need is not None
    told = ((row.name, "" if compared else _told(row.value), row.note) for row in headline.rows)
    rows = tuple((name, value, _fitted(name, value, note, names)) for name, value, note in told)
    return tuple(
        TableView(heading, rows[start : start + panel.lines], names)
        for start in range(0, len(rows), panel.lines)
    )


def _fitted(name: str, value: str, note: str, names: tuple[str, ...]) -> str:
    """Return a note abbreviated to the room that it has where only names are ever shortened."""
    room = PANEL_WIDTH // SMALL_WIDTH - least(name, names) - len(value) - 2
    return note if least(note, names) <= room else f"{note[: room - 1]}."


def _told(value: int | None) -> str:
    return "–" if value is None else signed(value)


def _notes(summary: SummaryView, panel: Panel) -> tuple[View, ...]:
    """Return pages with all that the summary has no room for."""
    if panel.low:
        told = (*summary.side, *summary.below, *summary.marks)
        crowded = len(told) > 1 or len("".join(told)) > BESIDE
        return _text("Also", ", ".join(told), panel) if crowded else ()
    crowded = len(summary.foot) > panel.columns
    return _text("Also", ", ".join((*summary.below, *summary.marks)), panel) if crowded else ()


def _all_dice(
    dice: tuple[Die, ...], owned: tuple[str, ...], panel: Panel, names: tuple[str, ...]
) -> Iterator[DiceView]:
    """Yield pages of dice; where they are several people's, each has pages of their own."""
    pairs = zip(dice, owned, strict=True)
    for whose, group in groupby(pairs, key=itemgetter(1)):
        lines = panel.lines - (1 if panel.low and whose else 0)
        rows = rows_of(tuple(die for die, _ in group), panel.width)
        for first in range(0, len(rows), lines):
            page = tuple(die for row in rows[first : first + lines] for die in row)
            prompt = whose if panel.low else ""
            yield DiceView(whose or "Dice", page, len(page), prompt, names)


def _arithmetic(outcome: Outcome, panel: Panel) -> tuple[View, ...]:
    told = outcome.explanation if outcome.attempted else ""
    return _text("Arithmetic", told, panel)


def _text(heading: str, text: str, panel: Panel) -> tuple[View, ...]:
    lines = wrap(text, panel.columns)
    return tuple(
        TextView(heading, "\n".join(lines[first : first + panel.lines]))
        for first in range(0, len(lines), panel.lines)
    )
