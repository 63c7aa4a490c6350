"""Whatever is wrong with a command line is one sentence and exit status 2."""

import shlex
from typing import Any

import pytest


@pytest.mark.parametrize("command", ["roll", "odds", "resolve"])
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", 'request is missing; allowed: "3D+2B vs 9", "wg 6 vs 3" or "oa 3 vs 1"'),
        ("'  '", "request is missing"),
        ("0D vs 9", "rank is 0; allowed: a whole number 1–20"),
        ("21D vs 9", "rank is 21; allowed: a whole number 1–20"),
        ("3D+21B vs 9", "bonus is 21; allowed: a whole number 0–20"),
        ("3D vs 100", "difficulty is 100; allowed: a whole number 0–99"),
        ("3D", "difficulty is missing"),
        ("vs 9", "allowed: "),
        ("3D vs nan", 'difficulty is "nan"'),
        ("3D vs 9.5", 'difficulty is "9.5"'),
        ("3D vs 9 wounds=true", 'wounds is "true"; allowed: a whole number 0–20'),
        ("3D vs 9 wounds=nan", 'wounds is "nan"'),
        ("3D vs 9 wounds=3.0", 'wounds is "3.0"'),
        ("3D vs 9 wounds=" + "9" * 3000, 'wounds is "999'),
        ("9" * 3000 + "D vs 9", "allowed: "),
        ("9" * 9000 + "D vs 9", "up to 4096 characters"),
        ("3D vs 9 aided=1", 'aided is "1"; allowed: true or false'),
        ("3D vs 9 name=", 'name is ""; allowed: text of 1–24 printable characters'),
        ("3D vs 9 name=x name=y", 'name is "y" (given twice)'),
        ("3D vs 9 bogus=1", "bogus is no field of this request"),
        ("3D vs 9 rnak=1", "did you mean rank?"),
        ("xx 3 vs 1", 'the input is "xx"'),
        ("bassic 3D vs 9", "did you mean basic?"),
        ("wg 0 vs 3", "pool is 0; allowed: a whole number 1–40"),
        ("wg 41 vs 3", "pool is 41"),
        ("wg", "pool is missing"),
        ("wg 6 vs 0", "dn is 0"),
        ("wg attribute=3", "skill is missing"),
        ("oa 11 vs 1", "attacker.score is 11; allowed: a whole number −10…+10"),
        ("oa 3", "two Scores"),
        ("competition Arya:3D", "contestants is "),
        ("3D+2X vs 9", "pool is "),
        ("3D vs 9 --bogus", "unknown option --bogus"),
        ("3D vs 9 -x", "unknown option -x"),
        ("3D vs 9 --js", "unknown option --js"),
    ],
)
def test_a_request_that_can_not_be(run: Any, command: str, words: str, sentence: str) -> None:
    ran = run(command, *shlex.split(words))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("dice-station: ")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 400


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("3D vs 9 6 5", "faces is [6, 5] (2 given); allowed: exactly 3 faces"),
        ("3D vs 9", "faces is [] (0 given); allowed: exactly 3 faces"),
        ("3D vs 9 6 5 1 1", "exactly 3 faces"),
        ("3D vs 9 6 5 7", "faces[2] is 7; allowed: a whole number 1–6"),
        ("3D vs 9 0 5 1", "faces[0] is 0"),
        ("3D vs 9 -1 5 1", "faces[0] is -1"),
        ("3D vs 9 6 nan 1", 'faces[1] is "nan"'),
        ("3D vs 9 6 true 1", 'faces[1] is "true"'),
        ("3D vs 9 6 3.0 1", 'faces[1] is "3.0"'),
        ("3D vs 9 6 5 " + "9" * 5000, 'faces[2] is "999'),
        ("3D vs 9 faces=6,5,x", 'faces[2] is "x"'),
        ("3D vs 9 faces=6,5,1 4", 'faces is "4" (given twice)'),
        ("3D vs 9 faces=6,5,1 faces=6,5,1", "faces is"),
        ("3D vs 0 6 5 1", "allowed: no faces"),
        ("3D vs 9 6 5 1 --choices 5", "choices is 5; allowed: an object"),
        ("3D vs 9 6 5 1 --choices {", 'choices is "{"'),
        ("3D vs 9 6 5 1 --choices '{\"struck\":[0]}'", "nothing, as no dice tie"),
        (
            'wg 3 vs 3 6 6 6 --choices \'{"shifts":{"glory":1,"detail":1}}\'',
            "choices.shifts.detail",
        ),
        ('wg 3 vs 3 6 6 6 --choices \'{"shifts":{"damage":1}}\'', "bought on an attack only"),
        ('wg 3 vs 3 6 6 6 --choices \'{"shifts":{"glory":NaN}}\'', "choices.shifts.glory is NaN"),
        ('wg 3 vs 3 6 6 6 --choices \'{"shifts":{},"shifts":{}}\'', "choices.shifts is"),
        ("--jsonl 3D vs 9", "--jsonl reads the requests from standard input, not 3D"),
        ("--jsonl --choices {}", "--choices belongs into the lines"),
        ("--json --jsonl", "not allowed with argument"),
        ("3D vs 9 --choices", "expected one argument"),
    ],
)
def test_faces_and_choices_that_do_not_fit(run: Any, words: str, sentence: str) -> None:
    ran = run("resolve", *shlex.split(words))
    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "required: COMMAND"),
        (("bogus",), "invalid choice: 'bogus'"),
        (("--bogus",), "required: COMMAND"),
        (("odds", "--jsonl", "3D"), "not 3D"),
        (("roll", "--jsonl", "3D"), "unknown option --jsonl"),
    ],
)
def test_a_command_line_that_can_not_be(run: Any, words: tuple[str, ...], sentence: str) -> None:
    ran = run(*words)
    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_nothing_in_a_complaint_acts_on_the_terminal(run: Any) -> None:
    for words in (("roll", "3D vs 9", "x\x1b[2J=1"), ("roll", "--\x1b[2J"), ("\x1b]0;x\x07",)):
        ran = run(*words)
        assert ran.status == 2
        assert ran.err.removesuffix("\n").isprintable()


def test_a_complaint_fits_a_stream_of_ascii(run: Any) -> None:
    ran = run("odds", "0D vs 9", encoding="ascii")
    assert ran.err == "dice-station: rank is 0; allowed: a whole number 1-20\n"
