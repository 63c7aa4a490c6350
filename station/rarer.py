"""What the rarer screens say: covered rolls, dice by hand, history, fairness, facts, spelling."""

from rules.model import AskChoice, Die, Fate, Verdict
from rules.registry import Registry
from station.flow.looking import KEYS
from station.ledger.fairness import ENOUGH_DICE
from station.names import names_in
from station.pages import badge
from station.panel import Panel
from station.percent import signed
from station.state import Covered, Entering, Facts, Offering, Past, Roll, Spelling, Tallies
from station.views import (
    ChoiceView,
    CoverView,
    EntryView,
    FairnessView,
    MenuView,
    SpellView,
    TextView,
)

OLDER = "Older rolls"
"""The last line of a page of history, where there are more."""


def covered(screen: Covered) -> CoverView:
    """Return what a covered roll says of itself: that it was made."""
    return CoverView(badge(screen.roll), "hold: reveal")


def entering(registry: Registry, screen: Entering) -> EntryView:
    """Return the faces entered so far, and the one under the knob."""
    roles = [group.role for group in screen.ask.groups for _ in range(group.count)]
    place = len(screen.entered)
    whose = next((group.whose for group in screen.ask.groups if group.whose), "")
    caption = registry.of(screen.roll.request).caption(screen.roll.request)
    entered = tuple(
        Die(face, role, Fate.COUNTED)
        for face, role in zip(screen.entered, roles[:place], strict=True)
    )
    return EntryView(
        heading=whose or caption.pool,
        place=f"{place + 1}/{len(roles)}",
        entered=entered,
        die=Die(screen.face, roles[place], Fate.COUNTED),
    )


def offering(screen: Offering) -> ChoiceView:
    """Return what can be done with a roll."""
    options = tuple(offer.label for offer in screen.offers)
    return ChoiceView(f"Roll {badge(screen.reading.roll)}", "", options, screen.cursor)


def past(registry: Registry, screen: Past) -> MenuView:
    """Return recorded rolls, a line each, the newest first."""
    lines = tuple(_line(registry, roll) for roll in screen.rolls)
    named = tuple(name for roll in screen.rolls for name in names_in(roll.request))
    more = ((OLDER, ">"),) if screen.older else ()
    return MenuView("History", (*lines, *more), screen.cursor, named)


def _line(registry: Registry, roll: Roll) -> tuple[str, str]:
    name = getattr(roll.request, "name", None) or ""
    label = f"{badge(roll)} {name}".strip()
    if roll.hidden:
        return label, "hidden"
    system = registry.of(roll.request)
    match system.advance(roll.request, roll.answers):
        case Verdict(outcome=outcome) | AskChoice(standing=outcome):
            headline = system.headline(roll.request, outcome)
            reached = "" if headline.value is None else f" {signed(headline.value)}"
            return label, "void" if roll.void else f"{headline.word}{reached}"
        case _:
            return label, "unfinished"


def tallies(screen: Tallies) -> FairnessView:
    """Return how often each face fell from one source, and what that says."""
    shown = screen.fairness[screen.place]
    judged = (f"chi² {shown.chi_square:.2f}", f"p = {shown.p:.3f}")
    told = judged if shown.dice >= ENOUGH_DICE else ("too few", "to judge")
    return FairnessView(shown.source or "All dice", shown.counts, (f"{shown.dice:,} dice", *told))


def facts(screen: Facts, panel: Panel) -> TextView:
    """Return what the station says of itself, from the line at the top on."""
    return TextView("About", "\n".join(screen.lines[screen.top : screen.top + panel.lines]))


def spelling(screen: Spelling) -> SpellView:
    """Return the name so far, and the letters around the one under the knob."""
    around = tuple(KEYS[(screen.letter + step) % len(KEYS)] for step in range(-3, 4))
    return SpellView(screen.text, tuple("space" if key == " " else key for key in around))
