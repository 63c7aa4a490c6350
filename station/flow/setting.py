"""Setting by knob what is no value of the dial: a word letter by letter, a number of someone's."""

from dataclasses import replace
from typing import assert_never

from rules.acts import (
    Act,
    AddCharacter,
    EditCharacter,
    HealReserve,
    LoseReserve,
    Score,
)
from station import dialling, words
from station.effects import Change
from station.flow.context import Context, Result, dialled, just, moved, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.state import (
    Browsing,
    Measure,
    Notice,
    Page,
    Purpose,
    Quantity,
    Setting,
    Spelling,
    State,
)

DONE = "OK"
LETTERS = (*"abcdefghijklmnopqrstuvwxyz", " ", *"0123456789'-")
"""What the knob chooses from while a word is spelled; each word in it begins with a capital."""

LONGEST_WORD = 24
"""Characters of a name, and of all else that is spelled."""


def wheel(text: str) -> tuple[str, ...]:
    """Return what the knob chooses from behind a text: the end stands next to its last letter."""
    capital = not text or not text[-1].isalnum()
    letters = tuple(letter.upper() for letter in LETTERS) if capital else LETTERS
    if not text:
        return letters
    place = _place(text[-1]) + 1
    return (*letters[:place], DONE, *letters[place:])


def _place(letter: str) -> int:
    """Return where a letter stands on the wheel; one that is not on it counts as the first."""
    return LETTERS.index(letter.lower()) if letter.lower() in LETTERS else 0


def begun(page: Browsing, purpose: Purpose) -> Spelling:
    """Return a word about to be spelled; a new name begins as the old one."""
    text = page.subject if purpose is Purpose.RENAMED else ""
    return Spelling(page, purpose, text, _place(text[-1]) if text else 0)


def spell(context: Context, state: State, screen: Spelling, intent: Intent) -> Result:
    """Take what a person does while a word is spelled.

    A push takes the letter; a hold takes the last one back, and leaves where there is none.
    """
    keys = wheel(screen.text)
    match intent:
        case Turn(places=places):
            return just(state, replace(screen, letter=(screen.letter + places) % len(keys)))
        case Push() | Press() | LongPress():
            return _key(context, state, screen, keys[screen.letter])
        case Back() if screen.text:
            return just(state, _erased(screen))
        case Back():
            return just(state, screen.back)
        case _:
            assert_never(intent)


def _erased(screen: Spelling) -> Spelling:
    """Return the word without its last letter, the knob at the letter that was taken back."""
    kept, letter = screen.text[:-1], screen.text[-1].lower()
    keys = [key.lower() for key in wheel(kept)]
    return replace(screen, text=kept, letter=keys.index(letter) if letter in keys else 0)


def _reading(screen: Spelling, text: str) -> Spelling:
    """Return the word as it reads now, the knob at its last letter."""
    return replace(screen, text=text, letter=_place(text[-1]))


def _key(context: Context, state: State, screen: Spelling, key: str) -> Result:
    if key != DONE:
        return just(state, _reading(screen, (screen.text + key)[:LONGEST_WORD]))
    word = screen.text.strip()
    after = show(state, screen.back)
    return _spelled(context, after, screen, word) if word else (after, ())


def _spelled(context: Context, state: State, screen: Spelling, word: str) -> Result:
    who = screen.back.subject
    match screen.purpose:
        case Purpose.CHARACTER:
            page = Browsing(Page.CHARACTER, 0, word)
            return show(state, page), (Change(AddCharacter(character=word)),)
        case Purpose.RENAMED:
            page = replace(screen.back, subject=word)
            return show(state, page), (Change(EditCharacter(character=who, name=word)),)
        case Purpose.ATTRIBUTE:
            score = (Score(attribute=word, score=0),)
            page = Browsing(Page.RESERVE, 0, who, word)
            return show(state, page), (Change(EditCharacter(character=who, scores=score)),)
        case Purpose.WORD:
            return _worded(context, state, screen.back, word)
        case _:
            assert_never(screen.purpose)


def _worded(context: Context, state: State, page: Browsing, word: str) -> Result:
    request = words.chosen(context.registry, state, words.read(page.detail), word)
    if request is None:
        return just(state, Notice("Not possible", f"“{word}” can't stand there.", page))
    changed, effects = dialled(state, dialling.with_request(state.dial, request))
    return show(changed, Browsing(Page.WORDS)), effects


def adjust(state: State, screen: Setting, intent: Intent) -> Result:
    """Take what a person does while a number is set: a push takes it, a hold leaves it."""
    quantity = screen.quantity
    match intent:
        case Turn(detents=detents):
            span = quantity.high - quantity.low + 1
            value = quantity.low + moved(screen.value - quantity.low, detents, span)
            return just(state, replace(screen, value=value))
        case Push() | Press() | LongPress():
            return show(state, screen.back), (Change(act_for(quantity, screen.value)),)
        case Back():
            return just(state, screen.back)
        case _:
            assert_never(intent)


def act_for(quantity: Quantity, value: int) -> Act:
    """Return the act that sets a number to a value.

    Raises:
        RulesError: the value is out of range.
    """
    who, attribute = quantity.character, quantity.attribute
    match quantity.measure:
        case Measure.ENDURANCE:
            return EditCharacter(character=who, endurance=value, scores=())
        case Measure.SCORE:
            score = (Score(attribute=attribute, score=value),)
            return EditCharacter(character=who, scores=score)
        case Measure.LOSS:
            return LoseReserve(character=who, attribute=attribute, count=value)
        case Measure.HEALING:
            return HealReserve(character=who, attribute=attribute, count=value)
        case _:
            assert_never(quantity.measure)
