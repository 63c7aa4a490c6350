"""A verdict for people: the word, the dice with their fates, the arithmetic."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rules.model import (
    AskDice,
    Die,
    Fate,
    Headline,
    Open,
    Outcome,
    Request,
    Rolled,
    RuleSystem,
    Tone,
)
from station.cli.console import bold, cells, padded

_FACES: Mapping[str, str] = {Fate.DROPPED: "({})", Fate.STRUCK: "×{}×"}
"""How a die that does not count is drawn by its fate, as wide as the others."""

_COLOURS: Mapping[Tone, str] = {Tone.SUCCESS: "32", Tone.FAILURE: "31", Tone.NEUTRAL: "33"}
"""Green, red, yellow."""

_LEGEND: Mapping[str, str] = {Fate.DROPPED: "( ) dropped", Fate.STRUCK: "× × struck"}


def asked(system: RuleSystem, request: Request) -> str:
    """Return what was asked, in one line."""
    caption = system.caption(request)
    name = getattr(request, "name", None)
    who = () if name is None else (str(name),)
    return " · ".join((*who, system.title, request.title, caption.pool, caption.target))


def verdict(system: RuleSystem, request: Request, outcome: Outcome, width: int) -> list[str]:
    """Return the lines that tell how a request came out, `width` columns wide at most."""
    headline = system.headline(request, outcome)
    lines = [*_wrapped(asked(system, request), width, ""), _head(headline), *_rows(headline)]
    groups = list(_groups(system, request, outcome.dice))
    labels = max((cells(label) for label, _ in groups), default=0)
    for label, dice in groups:
        lines += _wrapped(f"{padded(label, labels)}  {' '.join(map(_drawn, dice))}", width, "  ")
    fates = {die.fate for die in outcome.dice}
    legend = [text for fate, text in _LEGEND.items() if fate in fates]
    lines += [f"  {', '.join(legend)}"] if legend else []
    if outcome.explanation != headline.detail:
        lines += _wrapped(outcome.explanation, width, "  ")
    lines += [line for each in outcome.open for line in _wrapped(_open(each), width, "  ")]
    return lines


def _head(headline: Headline) -> str:
    reached = ""
    if headline.value is not None and not headline.rows:
        need = "" if headline.need is None else f" vs {headline.need}"
        reached = f"{headline.value}{need}"
    told = " · ".join(part for part in (reached, headline.detail, *headline.marks) if part)
    return f"{bold(headline.word, _COLOURS[headline.tone])}  {told}".rstrip()


def _rows(headline: Headline) -> Iterator[str]:
    names = max((cells(row.name) for row in headline.rows), default=0)
    for row in headline.rows:
        value = "–" if row.value is None else str(row.value).replace("-", "−")
        yield f"  {padded(row.name, names)}  {value:>3}  {row.note}".rstrip()


def _groups(
    system: RuleSystem, request: Request, dice: Sequence[Die]
) -> Iterator[tuple[str, list[Die]]]:
    """Yield the dice as they were asked for: whose and which ones, and how they fell."""
    labels = _labels(system, request, dice)
    for label, group in groupby(zip(labels, dice, strict=True), key=lambda pair: pair[0]):
        yield label, [die for _, die in group]


def _labels(system: RuleSystem, request: Request, dice: Sequence[Die]) -> Iterator[str]:
    answers: tuple[Rolled, ...] = ()
    while isinstance(step := system.advance(request, answers), AskDice):
        for group in step.groups:
            label = f"{group.whose} {group.role}".strip()
            yield from (label for _ in range(group.count))
        first = sum(len(answer.faces) for answer in answers)
        fallen = dice[first : first + step.count]
        answers = (*answers, Rolled(tuple(die.face for die in fallen)))


def _drawn(die: Die) -> str:
    return _FACES.get(die.fate, "[{}]").format(die.face)


def _open(decision: Open) -> str:
    """Return what may still be decided, and how that is said."""
    options = [str(option) for option in decision.options]
    either = " or ".join((", ".join(options[:-1]), options[-1])) if options[1:] else options[0]
    if isinstance(decision.options[0], int):
        which = "which die is" if decision.most == 1 else f"which {decision.most} dice are"
        such = ",".join(options[: decision.most])
        places = f"in place {either}, the first face being 0"
        return f"Still open: {which} {decision.choice}, {places}; such as {decision.choice}={such}"
    count = f"{'up to ' if decision.least < decision.most else ''}{decision.most}"
    such = f"{decision.choice}={options[0]}:{decision.most}"
    return f"Still open: {decision.choice}, {count} for {either}; such as {such}"


def _wrapped(text: str, width: int, margin: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=margin,
        subsequent_indent=f"{margin}  ",
        break_on_hyphens=False,
    )
