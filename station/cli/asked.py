"""What the words of a command line ask for: a request, and faces rolled by hand."""

import re
from collections.abc import Sequence

from rules.errors import MissingFieldError, RulesError
from rules.model import Request
from rules.notation import Typed, choices_apart, request_from_text, taken_apart
from rules.registry import DEFAULT

EXAMPLES = '"3D+2B vs 9", "wg 6 vs 3" or "oa 3 vs 1"'
"""Notation of the three systems, for people who have seen none."""

_PAIR = re.compile(r"([A-Za-z_][\w.\[\]]*)=(.*)", re.ASCII | re.DOTALL)
_NAMED_POOL = re.compile(r'[^":=]*\s[^":=]*:[^":=]+')
_VERSUS = (["vs"], ["vs."], ["against"])
_NUMBERS = re.compile(r"[-+−]?\d[\d,]*", re.ASCII)
_FACE = re.compile(r"[-+]?\d{1,9}", re.ASCII)


def request_of(words: Sequence[str]) -> Request:
    """Return the request that words stand for.

    Raises:
        RulesError: there are none, or they make no request.
    """
    return _request(_typed(words))


def request_and_faces(
    words: Sequence[str],
) -> tuple[Request, tuple[object, ...], dict[str, object]]:
    """Return the request that words stand for, and faces and decisions (unchecked) beside it.

    Faces are given as ``faces=2,5,1`` or as words of their own after the notation: numbers that
    do not follow one of its words, such as the 9 in ``vs 9``.

    Decisions are given as on a typed line: ``struck=0,3`` or ``shifts=damage:1,glory:1``.

    Raises:
        RulesError: there is no request, or the faces or a decision are given twice.
    """
    notation, apart = _faces_apart(words)
    named, typed = _typed(notation).without("faces")
    if named is not None and apart:
        raise RulesError(
            "faces", " ".join(apart), "faces=2,5,1 or words of their own", "given twice"
        )
    told = apart if named is None else [named]
    choices, typed = choices_apart(DEFAULT, typed)
    faces = tuple(_face(each) for word in told for each in _listed(word))
    return _request(typed), faces, choices


def _typed(words: Sequence[str]) -> Typed:
    if not any(word.strip() for word in words):
        raise MissingFieldError("request", None, EXAMPLES)
    return taken_apart(" ".join(_quoted(word, first=not place) for place, word in enumerate(words)))


def _request(typed: Typed) -> Request:
    return request_from_text(DEFAULT, typed)


def _quoted(word: str, *, first: bool) -> str:
    """Return a word with the quotes that the shell took away from a value or a name with spaces."""
    if not first and _NAMED_POOL.fullmatch(word):
        return f'"{word}"'
    pair = _PAIR.fullmatch(word)
    if pair is None or not re.search(r"\s", pair[2]):
        return word
    if pair[2].startswith('"') or re.search(r"\s[\w.\[\]]+=", pair[2]):
        return word
    return f'{pair[1]}="' + re.sub(r'(["\\])', r"\\\1", pair[2]) + '"'


def _faces_apart(words: Sequence[str]) -> tuple[list[str], list[str]]:
    notation: list[str] = []
    faces: list[str] = []
    for word in words:
        if _PAIR.fullmatch(word):
            notation.append(word)
        elif faces or (notation and _starts_faces(notation, word)):
            faces.append(word)
        else:
            notation.append(word)
    return notation, faces


def _starts_faces(notation: Sequence[str], word: str) -> bool:
    """Return whether a word is the first face, since all else stands before it.

    That is after a quoted notation, a ``name=value`` or a target (``vs 9``); otherwise a number
    that follows one or a pool, and not a word or a sign.
    """
    *earlier, before = notation
    if earlier and _NAMED_POOL.fullmatch(before):
        return bool(_NUMBERS.fullmatch(word))
    if " " in before.strip() or _PAIR.fullmatch(before) or earlier[-1:] in _VERSUS:
        return True
    return bool(_NUMBERS.fullmatch(word)) and any(char.isdigit() for char in before)


def _listed(word: str) -> list[str]:
    return [each for each in re.split(r"[,\s]+", word) if each]


def _face(word: str) -> object:
    """Return a face as a number; what is none stays text, which no die shows."""
    return int(word) if _FACE.fullmatch(word) else word
