"""The menu's pages about the words of a request: who rolls, which attribute, what a roll costs."""

from rules.errors import Path, RulesError
from rules.model import Request
from rules.registry import Registry
from rules.seats import ATTRIBUTE, NAME, taken, worded, words
from station.actions import CHOSEN, FURTHER, Item, Open, SetWord, Spell
from station.people import names, reseated, seated
from station.state import Page, Purpose, State

COSTS = ("time", "risk", "resources")
"""What each roll of an extended test costs, as the rules name it."""

COST = "cost"
"""The field of a request that says what a roll costs."""

NOBODY = "none"
"""What stands for a word that is not set."""


def written(path: Path) -> str:
    """Return a path as a menu's page names it."""
    return ".".join(map(str, path))


def read(text: str) -> Path:
    """Return the path that a menu's page names."""
    return tuple(int(step) if step.isdecimal() else step for step in text.split("."))


def listed(state: State) -> tuple[Item, ...]:
    """Return the page of all words of what is dialled."""
    found = tuple(
        Item(word.label, word.text or NOBODY, Open(Page.WORD, "", written(word.path)))
        for word in words(state.dial.request)
    )
    return (*found, Item("Back", "", Open(Page.TOP)))


def offered(registry: Registry, state: State, detail: str) -> tuple[Item, ...]:
    """Return the page of what one word can be."""
    path = read(detail)
    now = next((word for word in words(state.dial.request) if word.path == path), None)
    back = Item("Back", "", Open(Page.WORDS))
    if now is None:
        return (back,)
    known = dict.fromkeys((*_known(state, path), *((now.text,) if now.text else ())))
    choices = (None, *known)
    return (
        *(
            Item(text or NOBODY, CHOSEN if text == now.text else "", SetWord(request))
            for text in choices
            if (request := chosen(registry, state, path, text)) is not None
        ),
        Item("Spell it", FURTHER, Spell(Purpose.WORD)),
        back,
    )


def label(state: State, detail: str) -> str:
    """Return what a word is called."""
    path = read(detail)
    return next((word.label for word in words(state.dial.request) if word.path == path), "")


def _known(state: State, path: Path) -> tuple[str, ...]:
    """Return the words that the table already uses for such a thing."""
    match path[-1]:
        case "name":
            return names(state)
        case "attribute":
            own = (reserve for each in state.table.characters for reserve in each.reserves)
            return tuple(sorted({reserve.attribute for reserve in own}))
        case "cost":
            return COSTS
        case _:
            return ()


def chosen(registry: Registry, state: State, path: Path, text: str | None) -> Request | None:
    """Return what is dialled with a word chosen; None where the rules refuse it.

    A name brings who bears it, as they are at the table; an attribute brings everyone's Score.
    """
    request = state.dial.request
    if all(word.path != path for word in words(request)):
        return None  # another program dialled something else meanwhile
    who = seated(state, text or "") if path[-1] == NAME else None
    try:
        if who is not None and len(path) == 1 and not _has_sides(request):
            found: Request = registry.of(request).played_by(request, who)
            return found
        if who is not None and len(path) > 1:
            return taken(request, path, who)
        changed = worded(request, path, text)
    except RulesError:
        return None
    return reseated(state, changed) if path == (ATTRIBUTE,) else changed


def _has_sides(request: Request) -> bool:
    """Return whether others are named in a request than the one who rolls."""
    return any(word.path[-1] == NAME and len(word.path) > 1 for word in words(request))
