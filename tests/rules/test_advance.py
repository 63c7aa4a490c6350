"""What every system of rules keeps to, those of the station and a fourth one alike.

Requests are made by turning the dial at random; dice fall and options are taken at random.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dial import controls, fresh, turned
from rules.engine import faces_of, play, resolve
from rules.errors import RulesError
from rules.fields import Fielded, Group, Series, specs
from rules.leaves import Choice, Number, Text
from rules.model import (
    Answer,
    AskChoice,
    AskDice,
    Caption,
    Chosen,
    Consequence,
    Fate,
    Headline,
    Outcome,
    Request,
    Rolled,
    RuleSystem,
    Tone,
    Verdict,
    odds_plain,
    outcome_plain,
)
from rules.registry import SYSTEMS, Registry, request_plain, system_plain

MOST_STEPS = 100
"""Steps in which any test here comes to its end: a Shift for each of 40 dice is the longest."""

NAMES = (
    *((system.id, kind.kind) for system in SYSTEMS for kind in system.kinds),
    ("high-die", "draw"),
    ("high-die", "duel"),
)

every_kind = pytest.mark.parametrize(("system_id", "kind"), NAMES)


@pytest.fixture
def system(toy_registry: Registry, system_id: str) -> RuleSystem:
    return toy_registry.system(system_id)


def test_no_kind_is_left_out(toy_registry: Registry) -> None:
    assert {(s.id, k.kind) for s in toy_registry for k in s.kinds} == set(NAMES)


def kind_of(system: RuleSystem, name: str) -> type[Request]:
    return next(kind for kind in system.kinds if kind.kind == name)


def alternatives(kind: type[Request]) -> list[Request]:
    """Return what walks start from: the fresh dial, and each way to leave an optional number."""
    start = fresh(kind)
    found = [start]
    optional = {
        name: spec
        for name, spec in specs(kind).items()
        if isinstance(spec, Number) and spec.optional
    }
    set_now = {name for name in optional if getattr(start, name) is not None}
    others: dict[str, Any] = {
        n: spec.low + (spec.high - spec.low) // 4 for n, spec in optional.items()
    }
    for changed in (others, {**others, **dict.fromkeys(set_now)}):
        try:
            found.append(replace(start, **changed))
        except RulesError:
            continue
    return found


def places_of(part: Fielded, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path and the declaration of all text and named values, which no knob turns."""
    for name, spec in specs(type(part)).items():
        value = getattr(part, name)
        match spec:
            case Text() | Choice():
                yield (*path, name), spec
            case Group():
                yield from places_of(value, (*path, name))
            case Series():
                for place, item in enumerate(value):
                    yield from places_of(item, (*path, name, place))
            case _:
                pass


def with_value(part: Any, path: tuple[Any, ...], value: object) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], with_value(part[step], rest, value), *part[step + 1 :])
    return replace(part, **{step: with_value(getattr(part, step), rest, value)})


PRINTABLE = st.characters(min_codepoint=32, max_codepoint=0x2FF).filter(str.isprintable)


def values_of(spec: Text | Choice) -> st.SearchStrategy[str | None]:
    if isinstance(spec, Choice):
        return st.sampled_from(spec.values)
    texts = st.text(PRINTABLE, min_size=1, max_size=spec.longest).filter(lambda t: bool(t.strip()))
    return texts if spec.default else st.none() | texts


@st.composite
def dialled(draw: st.DrawFn, kind: type[Request]) -> Request:
    """Draw a request as a table might dial it: a few turns, a name here and there."""
    request = draw(st.sampled_from(alternatives(kind)))
    for _ in range(draw(st.integers(0, 10))):
        control = draw(st.sampled_from(controls(request)))
        # mostly a few detents, as at a table; now and then as far as it goes
        near = draw(st.sampled_from([1, 2, -1, 3, -2, None]))
        detents = draw(st.integers(-control.span, control.span)) if near is None else near
        request = turned(request, control.path, detents)
    for path, spec in places_of(request):
        if draw(st.integers(0, 3)) == 0:
            try:
                request = with_value(request, path, draw(values_of(spec)))
            except RulesError:  # it contradicts another field
                continue
    return request


def fall(draw: st.DrawFn, count: int) -> tuple[int, ...]:
    """Draw faces, often of few kinds, so that ties and sixes are not as rare as they are."""
    among = draw(st.sampled_from([(1, 2, 3, 4, 5, 6), (6,), (5, 6), (1, 6), (3, 4)]))
    # one number for all of them: a draw for each die would take most of the time
    number = draw(st.integers(0, len(among) ** count - 1))
    return tuple(among[number // len(among) ** place % len(among)] for place in range(count))


Walk = tuple[tuple[Answer, ...], Outcome, tuple[AskChoice, ...]]


def walked(draw: st.DrawFn, system: RuleSystem, request: Request) -> Walk:
    """Play a request to its end at random; return answers, outcome and the choices on the way."""
    answers: tuple[Answer, ...] = ()
    choices: list[AskChoice] = []
    for _ in range(MOST_STEPS):
        match system.advance(request, answers):
            case Verdict(outcome):
                return answers, outcome, tuple(choices)
            case AskDice() as asked:
                assert asked.count > 0
                answers = (*answers, Rolled(fall(draw, asked.count)))
            case AskChoice() as asked:
                check_each_option(system, request, answers, asked)
                choices.append(asked)
                answers = (*answers, Chosen(draw(st.sampled_from(asked.options)).id))
    raise AssertionError(f"no verdict in {MOST_STEPS} steps")


def check_each_option(
    system: RuleSystem, request: Request, answers: tuple[Answer, ...], asked: AskChoice
) -> None:
    """Every option offered leads on, and no other does."""
    ids = [option.id for option in asked.options]
    assert len(set(ids)) == len(ids) > 1
    assert asked.prompt.isprintable()
    for option in asked.options:
        assert option.label.strip()
        assert system.advance(request, (*answers, Chosen(option.id))) != asked
    assert {decision.choice for decision in asked.standing.open} == {asked.choice}
    assert asked.choice in type(request).decisions
    with pytest.raises(RulesError):
        system.advance(request, (*answers, Chosen("no such option")))


@st.composite
def games(draw: st.DrawFn, system: RuleSystem, kind: str) -> tuple[Request, Walk]:
    request = draw(dialled(kind_of(system, kind)))
    return request, walked(draw, system, request)


def over(system: RuleSystem, kind: str, examples: int, check: Any) -> None:
    """Run a check over random games of one kind."""
    settings(max_examples=examples)(given(games(system, kind))(check))()


@every_kind
def test_random_games_meet_what_they_are_to_test(system: RuleSystem, kind: str) -> None:
    """Rolled dice everywhere, and open decisions where the kind has any."""
    seen: list[Walk] = []

    def check(game: tuple[Request, Walk]) -> None:
        seen.append(game[1])

    # What hypothesis draws depends on the modules that happen to be loaded, so: many, and any.
    settings(max_examples=400, derandomize=True, database=None)(given(games(system, kind))(check))()
    assert any(faces_of(answers) for answers, _, _ in seen)
    if kind_of(system, kind).decisions:
        assert any(asked for _, _, asked in seen)


@every_kind
def test_it_comes_to_one_verdict_and_what_is_stored_gives_it_again(
    system: RuleSystem, kind: str
) -> None:
    def check(game: tuple[Request, Walk]) -> None:
        request, (answers, outcome, asked) = game
        assert system.advance(request, answers) == Verdict(outcome)
        # stored are the request and the choices as JSON, and the faces
        stored = json.loads(json.dumps(request_plain(request)))
        again = Registry((system,)).request(stored)
        assert again == request
        assert system.advance(again, list(answers)) == Verdict(outcome)
        faces = faces_of(answers)
        undecided = resolve(system, again, faces)
        assert undecided == (asked[0].standing if asked else outcome)
        options = [answer.option for answer in answers if isinstance(answer, Chosen)]
        choices = json.loads(json.dumps(system.choices(options))) if asked else {}
        decided = play(system, again, faces, choices)
        assert decided.outcome == outcome
        assert system.advance(request, decided.answers) == Verdict(outcome)

    over(system, kind, 80, check)


@every_kind
def test_an_outcome_is_told_in_full_in_one_line_and_at_a_glance(
    system: RuleSystem, kind: str
) -> None:
    def check(game: tuple[Request, Walk]) -> None:
        request, (answers, outcome, asked) = game
        for told in (outcome, *(choice.standing for choice in asked)):
            check_told(told, faces_of(answers))
            check_headline(system.headline(request, told))
        assert outcome.open == ()
        for consequence in system.consequences(request, outcome):
            assert isinstance(consequence, Consequence)
            assert json.dumps(consequence.detail)
        for value in (request, outcome):
            assert hash(value) == hash(replace(value))
            assert list(lists_in(value)) == []

    over(system, kind, 30, check)


def check_told(outcome: Outcome, faces: tuple[int, ...]) -> None:
    assert tuple(die.face for die in outcome.dice) == faces
    assert {die.fate for die in outcome.dice} <= set(Fate)
    assert outcome.explanation
    assert outcome.explanation.isprintable()
    assert outcome.attempted is (outcome.reason is None)
    plain = outcome_plain(outcome)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {"attempted", "reason", "dice", "open", "explanation"} <= set(plain)


def check_headline(head: Headline) -> None:
    assert head.word
    assert isinstance(head.tone, Tone)
    assert all(mark.strip() for mark in head.marks)
    assert all(row.name.strip() for row in head.rows)


def lists_in(value: Any) -> Iterator[object]:
    """Yield whatever could be changed in a value that should be frozen."""
    if isinstance(value, list | dict | set):
        yield value
    parts: Sequence[Any] = value if isinstance(value, tuple) else ()
    if is_dataclass(value):
        parts = [getattr(value, name) for name in value.__dataclass_fields__]
    for part in parts:
        yield from lists_in(part)


@every_kind
def test_a_request_has_whole_odds_and_is_told_by_caption_and_notation(
    system: RuleSystem, kind: str
) -> None:
    @settings(max_examples=25)
    @given(dialled(kind_of(system, kind)))
    def check(request: Request) -> None:
        check_odds(system, request)
        caption = system.caption(request)
        assert isinstance(caption, Caption)
        assert caption.pool
        assert caption.target
        written = system.format(request)
        assert written.isprintable()
        told = system.parse(kind, written)
        assert told
        assert matches(request, told)
        again = Registry((system,)).request({"system": system.id, "kind": kind, **told})
        assert system.format(again) == written

    check()


def check_odds(system: RuleSystem, request: Request) -> None:
    odds = system.odds(request)
    plain = odds_plain(odds)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert odds == system.odds(replace(request))
    bars = system.spread(request).bars
    for chance in (*system.chances(request), *bars):
        assert isinstance(chance.probability, int | Fraction)
        assert 0 <= chance.probability <= 1
        assert chance.label.strip()
    # where nothing is rolled there is nothing to distribute
    assert sum(bar.probability for bar in bars) == int(any(bar.probability for bar in bars))


def matches(part: Any, told: Any) -> bool:
    """Whether fields as JSON agree with a request; those not told do not count."""
    if isinstance(told, dict):
        return all(matches(getattr(part, name), value) for name, value in told.items())
    if isinstance(told, list):
        return len(part) == len(told) and all(map(matches, part, told))
    return bool(part == told)


@every_kind
def test_each_control_turns_to_both_ends_of_its_range(system: RuleSystem, kind: str) -> None:
    @settings(max_examples=15)
    @given(dialled(kind_of(system, kind)))
    def check(request: Request) -> None:
        for control in controls(request):
            for way in (-1, 1):
                end = turned(request, control.path, way * (control.span + 1))
                assert type(end) is type(request)
                assert replace(end) == end
                assert turned(end, control.path, way) == end, control

    check()


@every_kind
def test_choices_that_no_one_offered_are_refused(system: RuleSystem, kind: str) -> None:
    def check(game: tuple[Request, Walk]) -> None:
        request, (answers, _, _) = game
        resolved = partial(resolve, system, request, faces_of(answers))
        nonsense: Any
        for nonsense in ({"nonsense": 1}, [], "x", 3, *({d: None} for d in request.decisions)):
            with pytest.raises(RulesError):
                resolved(nonsense)

    over(system, kind, 10, check)


def test_every_system_describes_itself_in_json(toy_registry: Registry) -> None:
    for system in toy_registry:
        told = system_plain(system)
        assert json.loads(json.dumps(told, allow_nan=False)) == told
