"""What a screen says, before any pixel: plain data that every panel size lays out for itself.

`names` are the free texts in a view, the longest first: where there is too little room for a
line, only these are shortened.
"""

from typing import TypeAlias

from rules.frozen import frozen
from rules.model import Die, Tone


@frozen
class DialView:
    """The dial: the request at a glance, the value under the cursor, and the exact chance.

    The cursor stands at `place` (from 0) of `places`; on a stop that has no value `value` names
    the stop, and `label` what leads on from it. `hint` says what can be done, once nobody does
    anything. `kind` is the kind of test, where it is another than the system's usual one.
    """

    heading: str
    place: int
    places: int
    pool: str
    target: str
    warning: str
    whose: str
    label: str
    value: str
    chance_label: str
    chance: str
    names: tuple[str, ...] = ()
    hint: str = ""
    kind: str = ""


@frozen
class BusyView:
    """Something is under way that takes no input; one line."""

    text: str


@frozen
class DiceView:
    """Dice alone under a heading, the first `shown` of them fallen, and a prompt below."""

    heading: str
    dice: tuple[Die, ...]
    shown: int
    prompt: str = ""
    names: tuple[str, ...] = ()


@frozen
class EntryView:
    """Faces of dice rolled by hand, entered one by one: those so far, and the one under the knob.

    `die` is the face that is being set; `place` says which of how many it is.
    """

    heading: str
    place: str
    entered: tuple[Die, ...]
    die: Die
    hint: str = ""


@frozen
class CoverView:
    """A hidden roll: that it was made, and how to look at it."""

    badge: str
    hint: str


@frozen
class FairnessView:
    """How often each face fell: counts of the faces 1–6, and what they say, in two lines."""

    heading: str
    counts: tuple[int, ...]
    told: tuple[str, ...]


@frozen
class ChoiceView:
    """A decision: what is asked, what can be taken, and where the cursor stands.

    `told` is what there is to know before it; where there is anything, it stands for the prompt.
    """

    prompt: str
    note: str
    options: tuple[str, ...]
    cursor: int
    told: str = ""
    names: tuple[str, ...] = ()


@frozen
class SummaryView:
    """A verdict at a glance.

    `badge` makes each roll visibly new; `side` holds up to two short lines that belong beside the
    numbers, `below` what has no room there; `marks` are what else must be seen at once; `hint`
    says what can be done, where there is nothing else to say; there are `further` pages. Where two
    sides are compared, `sides` has the name of each and how it fared.
    """

    word: str
    tone: Tone
    badge: str
    value: int | None
    need: int | None
    side: tuple[str, ...]
    marks: tuple[str, ...]
    dice: tuple[Die, ...]
    names: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    hint: str = ""
    sides: tuple[tuple[str, str], ...] = ()
    further: bool = False

    @property
    def foot(self) -> str:
        """The line below the numbers: what has no room beside them, and the marks."""
        return foot(self.below, self.marks)


def foot(below: tuple[str, ...], marks: tuple[str, ...]) -> str:
    """Return the line below a verdict's numbers."""
    marked = f"! {', '.join(marks)}" if marks else ""
    return " ".join(part for part in (" · ".join(below), marked) if part)


@frozen
class TableView:
    """Names with numbers and notes, a line each."""

    heading: str
    rows: tuple[tuple[str, str, str], ...]
    names: tuple[str, ...] = ()


@frozen
class TextView:
    """A heading and running text."""

    heading: str
    text: str


@frozen
class MenuView:
    """Items with their values, a line each, and where the cursor stands."""

    heading: str
    items: tuple[tuple[str, str], ...]
    cursor: int
    names: tuple[str, ...] = ()


@frozen
class SpellView:
    """A word as it is spelled, and the keys around the middle one, which is under the knob."""

    heading: str
    text: str
    keys: tuple[str, ...]
    hint: str = ""


@frozen
class NumberView:
    """A number that is set: what it is, its value, and what can be done."""

    heading: str
    label: str
    value: str
    hint: str
    names: tuple[str, ...] = ()


View: TypeAlias = (
    DialView
    | BusyView
    | DiceView
    | EntryView
    | CoverView
    | FairnessView
    | ChoiceView
    | SummaryView
    | TableView
    | TextView
    | MenuView
    | SpellView
    | NumberView
)
"""Everything that can be shown."""
