"""What the rarer screens say: covered rolls, dice by hand, history, fairness, facts, spelling."""

from typing import assert_never

from rules.model import AskChoice, Die, Fate, Verdict
from rules.registry import Registry
from station import people, words
from station.flow.setting import wheel
from station.ledger.fairness import ENOUGH_DICE
from station.names import longest_first, names_in
from station.pages import badge
from station.panel import Panel, told_lines
from station.people import scored
from station.percent import signed
from station.rolls import Roll
from station.state import (
    Changes,
    Covered,
    Entering,
    Facts,
    Greeting,
    Measure,
    Notice,
    Offering,
    Past,
    Purpose,
    Setting,
    Spelling,
    State,
    Tallies,
)
from station.views import (
    ChoiceView,
    CoverView,
    EntryView,
    FairnessView,
    MenuView,
    NumberView,
    SpellView,
    TextView,
)

LOOKS_FAIR, SUSPICIOUS = 0.05, 0.001
"""A p-value from which on faces look fair, and one below which fair dice hardly ever fall so."""

FIGURES = 5
"""Characters of a number beside the bars."""

OLDER = "Older rolls"
"""The last line of a page of history, where there are more."""


def covered(screen: Covered) -> CoverView:
    """Return what a covered roll says of itself: that it was made."""
    return CoverView(badge(screen.roll), "push: on hold: reveal")


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
        hint="push: take  hold: ←" if entered else "push: take hold: back",
    )


def offering(screen: Offering) -> ChoiceView:
    """Return what can be done with a roll."""
    options = tuple(offer.label for offer in screen.offers)
    does = next((offer.told for offer in screen.offers if offer.told), "")
    names = names_in(screen.reading.roll.request)
    heading = f"Roll {badge(screen.reading.roll)}"
    return ChoiceView(heading, "", options, screen.cursor, does, names)


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
            two_sided = headline.success is None and headline.need is not None
            value = None if two_sided else headline.value
            reached = "" if value is None else f" {signed(value)}"
            return label, "void" if roll.void else f"{headline.word}{reached}"
        case _:
            return label, "unfinished"


def tallies(screen: Tallies) -> FairnessView:
    """Return how often each face fell from one source, and what that says."""
    shown = screen.fairness[screen.place]
    judged = (
        _judged(shown.p),
        f"chi² {_in_short(shown.chi_square)}",
        f"p = {shown.p:.3f}",
    )
    told = judged if shown.dice >= ENOUGH_DICE else ("too few", "to judge")
    return FairnessView(shown.source or "All dice", shown.counts, (f"{shown.dice:,} dice", *told))


def _in_short(number: float) -> str:
    """Return a number with two decimals where there is room for them."""
    exact = f"{number:.2f}"
    return exact if len(exact) <= FIGURES else f"{number:.0f}"


def _judged(p: float) -> str:
    """Return what a p-value (0–1) says: how rarely fair dice fall so unevenly."""
    if p >= LOOKS_FAIR:
        return "looks fair"
    return "unusual" if p >= SUSPICIOUS else "suspicious"


def facts(screen: Facts, panel: Panel) -> TextView:
    """Return what the station says of itself, from the line at the top on."""
    lines = told_lines("\n".join(screen.lines), panel)
    return TextView("About", "\n".join(lines[screen.top : screen.top + panel.lines]))


def greeting(screen: Greeting, panel: Panel) -> TextView:
    """Return what the station says once it has started."""
    title, *told = screen.lines
    return TextView(title, "\n".join(screen.lines if panel.low else told))


def notice(screen: Notice, panel: Panel) -> TextView:
    """Return what is told, from the line at the top on."""
    lines = told_lines(screen.text, panel)[screen.top :] if screen.top else (screen.text,)
    return TextView(screen.title, "\n".join(lines))


def spelling(state: State, screen: Spelling) -> SpellView:
    """Return the word so far, and the letters around the one under the knob."""
    choices = wheel(screen.text)
    here = choices[screen.letter]
    aside = range(-2, 3) if here == " " else range(-3, 4)
    around = tuple(choices[(screen.letter + step) % len(choices)] for step in aside)
    keys = tuple("space" if key == " " else key for key in around)
    hint = "push: take  hold: ←" if screen.text else "push: take hold: back"
    return SpellView(_spelled(state, screen), screen.text, keys, hint)


def _spelled(state: State, screen: Spelling) -> str:
    match screen.purpose:
        case Purpose.CHARACTER:
            return "Name of the character"
        case Purpose.RENAMED:
            return "New name"
        case Purpose.ATTRIBUTE:
            return "Name of the attribute"
        case Purpose.WORD:
            return words.label(state, screen.back.detail)
        case _:
            assert_never(screen.purpose)


MEASURES = {
    Measure.ENDURANCE: "Endurance",
    Measure.SCORE: "Score",
    Measure.LOSS: "lost",
    Measure.HEALING: "healed",
}
"""What each number that is set is called."""


def setting(screen: Setting) -> NumberView:
    """Return the number that is set."""
    quantity = screen.quantity
    names = longest_first(each for each in (quantity.character, quantity.attribute) if each)
    value = scored(screen.value) if quantity.low < 0 else str(screen.value)
    label = f"{quantity.attribute} {MEASURES[quantity.measure]}".strip()
    return NumberView(quantity.character, label, value, "push: set  hold: back", names)


def changes(state: State, screen: Changes) -> MenuView:
    """Return the changes that can be undone, a line each, the newest first."""
    lines = tuple((change.told, "") for change in screen.changes)
    listed = (name for change in screen.changes for name in change.names)
    known = longest_first((*people.names(state), *listed))
    return MenuView("Undo which change?", lines, screen.cursor, known)
