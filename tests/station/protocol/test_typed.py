"""Typed commands: what the language's description shows, and what a person at a terminal sees."""

import json
import re
from typing import Any

import pytest

from rules.registry import DEFAULT
from station.protocol import typed, typed_help, typed_replies
from station.protocol.check import with_check
from station.protocol.errors import MethodError

SHOWN = [
    ("roll 3D+2B-1P vs 9", {"rank": 3, "bonus": 2, "discard_penalty": 1, "difficulty": 9}),
    ("ROLL conflict 5D+1B vs 12", {"kind": "conflict", "rank": 5, "bonus": 1, "difficulty": 12}),
    ("roll wg 6 vs 3", {"system": "wrath-and-glory", "kind": "test", "pool": 6, "dn": 3}),
    ("roll wg attack 3+3+1 vs 4", {"kind": "attack", "attribute": 3, "skill": 3, "bonus_dice": 1}),
    ("roll oa 3 vs 1", {"attacker": {"score": 3}, "defender": {"score": 1}}),
    ("odds 4D+1B vs 9", {"rank": 4, "bonus": 1, "difficulty": 9}),
    ("roll extended 4D vs 9 needed=5 gained=2", {"kind": "extended", "needed": 5, "gained": 2}),
    (
        "roll competition Arya:3D+1B Bran:4D",
        {"contestants": [{"name": "Arya", "rank": 3, "bonus": 1}, {"name": "Bran", "rank": 4}]},
    ),
    ("roll 4D+1B vs 12 wounds=1 aided=yes name=Arya", {"wounds": 1, "aided": True, "name": "Arya"}),
    ("roll wg 6 vs 3 dn_penalty=2", {"dn_penalty": 2}),
]


@pytest.mark.parametrize(("line", "expected"), SHOWN, ids=[line for line, _ in SHOWN])
def test_a_command_of_the_description(line: str, expected: dict[str, Any]) -> None:
    read = typed.read(DEFAULT, line)
    request = read.params["request"]
    assert {name: request[name] for name in expected} == expected
    assert read.method == line.split(maxsplit=1)[0].lower()
    DEFAULT.request(request)


@pytest.mark.parametrize(
    ("line", "method", "params"),
    [
        ("history 5", "history", {"limit": 5}),
        ("history after=800", "history", {"after": 800}),
        ("fairness", "fairness", {}),
        ("health", "health", {}),
        ("hello", "hello", {}),
        ("Hello check=yes client=board", "hello", {"check": True, "client": "board"}),
        ("help", "help", {}),
        ("help roll", "help", {"verb": "roll"}),
        ("systems wrath-and-glory", "systems", {"system": "wrath-and-glory"}),
        ("decide 8 struck=0,3", "decide", {"seq": 8, "choices": {"struck": [0, 3]}}),
        (
            "decide 8 shifts=damage:1,glory:1",
            "decide",
            {"seq": 8, "choices": {"shifts": {"damage": 1, "glory": 1}}},
        ),
        ('void 8 reason="wrong dice"', "void", {"seq": 8, "reason": "wrong dice"}),
        (
            "change wound character=7 count=2",
            "change",
            {"act": "wound", "character": "7", "count": 2},
        ),
        ("change glory count=−1", "change", {"act": "glory", "count": -1}),
        ("change undo", "change", {"act": "undo"}),
        (
            "change add character=Arya scores=Strength:3,Agility:-1",
            "change",
            {"act": "add", "character": "Arya", "scores": {"Strength": 3, "Agility": -1}},
        ),
        ("subscribe rolled,changed", "subscribe", {"events": ["rolled", "changed"]}),
        ("unsubscribe", "unsubscribe", {}),
    ],
)
def test_other_commands(line: str, method: str, params: dict[str, Any]) -> None:
    assert typed.read(DEFAULT, line) == typed.TypedRequest(method, params)


def test_faces_and_choices_stand_beside_the_request() -> None:
    read = typed.read(DEFAULT, "record wg 6 vs 3 faces=6,6,4,4,2,1 shifts=glory:1 note=hand")
    assert read.params["faces"] == [6, 6, 4, 4, 2, 1]
    assert read.params["choices"] == {"shifts": {"glory": 1}}
    assert read.params["note"] == "hand"


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("@7 state", 7),
        ("@-1 state", -1),
        ("@0000000000000007 state", 7),
        ("@−7 state", "−7"),
        ("@board-0001 state", "board-0001"),
        ("@ state", ""),
    ],
)
def test_a_key_stands_first(line: str, key: object) -> None:
    assert typed.read(DEFAULT, line).key == key


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("roll", 'request is ""; allowed: dice, such as "3D+2B vs 9"; help roll shows all'),
        ("roll 3D vs 9 hidden=perhaps", 'hidden is "perhaps"; allowed: yes or no'),
        ("history all", 'limit is "all"; allowed: a whole number'),
        ("state now", 'arguments is "now"; allowed: nothing after this command'),
        ("health x=1", 'arguments is "x=1"; allowed: nothing after this command'),
        ("echo", 'echo is ""; allowed: on or off'),
        ("decide 8", 'choices is ""; allowed: such as struck=0,3 or shifts=damage:1,glory:1'),
        ("change", 'act is ""; allowed: an act first, such as wound character=Arya'),
        ('roll 3D vs 9 name="Arya', 'the input is "name="Arya"; allowed: quotes in pairs'),
    ],
)
def test_an_error_says_what_would_have_been_right(line: str, sentence: str) -> None:
    with pytest.raises(MethodError) as caught:
        typed.read(DEFAULT, line)
    assert str(caught.value) == sentence
    assert caught.value.code == -32602


@pytest.mark.parametrize("key", ["99999999999999999999", "short", "−7", "x" * 65, ""])
def test_what_is_no_key_rolls_nothing(wire: Any, station: Any, key: str) -> None:
    wire.say("hello")
    (line,) = wire.say(f"@{key} roll 3D vs 9")
    assert "code=-32602" in line
    assert station.rolls == []


def test_an_unknown_command_gets_a_hint(wire: Any) -> None:
    assert wire.say("rol 3D vs 9") == [
        (
            'err code=-32601 message="there is no command \\"rol\\"; did you mean roll? '
            '(help lists all)"'
        )
    ]


def test_the_dialogue_of_the_description(wire: Any, station: Any) -> None:
    wire.say("hello")
    # The very roll of the description: faces 2 5 1 and 6 3.
    faces = iter([2, 5, 1, 6, 3])
    station._dice.randint = lambda *_: next(faces)  # noqa: SLF001 - loads the small station's dice
    station.rolls += [{"seq": n} for n in range(811)]
    (line,) = wire.say(with_check(b"@7 roll 3D+2B vs 9"))
    told = (
        "ok @7 seq=812 success=yes total=14 difficulty=9 margin=5 degrees=2 "
        'degree_name="Great Success" kept=6,5,3 dropped=2,1'
    )
    assert line == with_check(told.encode()).decode()
    (again,) = wire.say("@7 roll 3D+2B vs 9")
    assert again == f"{told} replayed=yes"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "resolve 3D+1B-1P vs 9 faces=4,4,2,6",
            "ok success=no total=8 difficulty=9 margin=-1 degrees=0 kept=4,4 dropped=2 struck=6",
        ),
        (
            "resolve 2D vs 9 faces=1,6",
            "ok success=no total=7 difficulty=9 margin=-2 degrees=0 kept=6,1 complication=yes",
        ),
        (
            "resolve 1D vs 21 faces=",
            "ok success=no difficulty=21 degrees=0 attempted=no reason=below_minimum_rank",
        ),
        (
            "resolve 4D vs 0 faces=",
            'ok success=yes difficulty=0 degrees=1 degree_name="Marginal Success" automatic=yes',
        ),
        (
            "resolve extended 4D vs 9 needed=5 gained=2 faces=6,5,3,2",
            (
                "ok success=yes total=16 difficulty=9 margin=7 degrees=2 "
                'degree_name="Great Success" '
                "gained=3 needed=5 complete=no kept=6,5,3,2"
            ),
        ),
        (
            "resolve wg 6 vs 3 faces=6,6,4,4,2,1",
            (
                "ok success=yes icons=6 dn=3 wrath=6 shifts_available=1 glory=1 faces=6,6,4,4,2,1 "
                "wrath_critical=yes open=shifts"
            ),
        ),
        (
            "resolve wg 6 vs 3 faces=6,6,4,4,2,1 shifts=glory:1",
            (
                "ok success=yes icons=6 dn=3 wrath=6 shifts_available=1 shifts=glory:1 glory=2 "
                "faces=6,6,4,4,2,1 wrath_critical=yes"
            ),
        ),
        (
            "resolve oa 3 vs 1 faces=1,1,3,4,2,1,3,4",
            (
                "ok winner=attacker attacker_roll=-5 attacker_degree=-2 attacker_success=no "
                "attacker_reserve_damage=2 defender_roll=-4 defender_degree=-3 defender_success=no "
                "defender_reserve_damage=3 faces=1,1,3,4,2,1,3,4"
            ),
        ),
        (
            'resolve competition Arya:2D "Bran S":2D faces=1,2,4,5',
            (
                'ok winner=1 margin=6 degrees=2 degree_name="Great Success" '
                'contestants_name="Arya,Bran S" contestants_total=3,9 contestants_place=2,1 '
                "contestants_complication=yes,no kept=2,1/5,4"
            ),
        ),
        (
            "resolve competition :1D :1D faces=4,4",
            (
                "ok winner=none tied=0,1 margin=0 degrees=0 contestants_name=none,none "
                "contestants_total=4,4 contestants_place=1,1 contestants_complication=no,no "
                "kept=4/4"
            ),
        ),
    ],
)
def test_each_kind_of_outcome_has_its_order(wire: Any, line: str, told: str) -> None:
    assert wire.say(line) == [told]


def test_a_system_that_is_not_named_here_is_told_in_its_own_order(toy_registry: Any) -> None:
    outcome = {"attempted": True, "high": 6, "success": False, "dice": [{"face": 6, "fate": "x"}]}
    pairs = typed_replies.told({"seq": 4, "outcome": outcome, "faces": [6]}, toy_registry)
    assert pairs == [("seq", "4"), ("high", "6"), ("success", "no"), ("faces", "6")]


def test_odds_are_decimal_numbers(wire: Any) -> None:
    assert wire.say("odds 3D+2B vs 9") == [
        "ok success=0.95859 complication=0.038709 degrees=1:0.433,2:0.52559,3:0,4:0"
    ]
    assert wire.say("odds competition :1D :1D") == ["ok win=0.41667,0.41667 tie=0.16667"]


def test_a_request_is_told_as_it_is_typed(wire: Any) -> None:
    assert wire.say("selection") == ['ok request="wg 6 vs 3"']


def test_a_part_that_says_how_it_is_goes_by_its_own_name() -> None:
    health = {
        "entropy": {"state": "ok", "reason": ""},
        "display": {"state": "lost", "reason": "no answer at 0x3C"},
    }
    assert typed_replies.ok(None, typed_replies.told(health, DEFAULT)) == (
        b'ok entropy=ok display=lost display_reason="no answer at 0x3C"'
    )


def test_systems_are_told_on_one_line(wire: Any) -> None:
    assert wire.say("systems") == ["ok systems=seven-kingdoms,wrath-and-glory,opposed-attribute"]
    assert wire.say("systems wrath-and-glory") == [
        'ok systems=wrath-and-glory title="Wrath & Glory" alias=wg kinds=test,attack'
    ]


def test_history_is_told_in_columns(wire: Any) -> None:
    for line in ("roll 3D+2B vs 9", "roll 10D+5B vs 21", "roll wg 6 vs 3"):
        wire.say(line)
    *body, last = wire.say("history")
    assert last == "ok"
    assert [line.split()[2] for line in body] == ["seq=3", "seq=2", "seq=1"]
    assert all(line.startswith("ok . ") for line in body)
    assert body[1].index("difficulty=") == body[2].index("difficulty=")


def test_help_explains_itself_in_80_columns(wire: Any) -> None:
    for asked in ("help", *(f"help {verb}" for verb in typed.VERBS)):
        *body, last = wire.say(asked)
        assert last == "ok"
        assert body
        assert all(line.startswith("ok .") and len(line) < 80 for line in body)


def test_help_lists_every_command_once(wire: Any) -> None:
    body = wire.say("help")
    listed = [line.split()[2] for line in body if len(line.split()) > 3]
    assert sorted(listed[: len(typed.VERBS)]) == sorted(typed.VERBS)


def test_what_help_shows_can_be_typed(wire: Any) -> None:
    shown = re.findall("^ok [.]   (?! )(.*)", "\n".join(wire.say("help resolve")), re.MULTILINE)
    requests = [
        words for words in shown if re.match(r"[\w ]*[:+\d]", words) and "faces" not in words
    ]
    assert len(requests) == sum(len(system.kinds) for system in DEFAULT)
    for words in requests:
        DEFAULT.request(typed.read(DEFAULT, f"resolve {words}").params["request"])


def test_help_knows_a_system_that_is_registered(toy_registry: Any) -> None:
    assert any("High Die" in line for line in typed_help.lines(toy_registry, "roll"))


def test_help_for_no_command_hints(wire: Any) -> None:
    (line,) = wire.say("help rol")
    assert line == 'err code=-32602 message="verb is \\"rol\\"; allowed: roll, perhaps"'


def test_help_is_there_for_programs_too(wire: Any) -> None:
    (line,) = wire.say('{"jsonrpc":"2.0","method":"help","id":1}')
    assert json.loads(line)["result"]["help"][0].startswith("roll DICE")


def test_typography_becomes_ascii() -> None:
    assert typed_replies.to_ascii("1–20 … −5 → ×") == "1-20 ... -5 -> x"
    assert typed_replies.value_text("Zoë") == '"Zo\\u00eb"'
    assert typed_replies.value_text('say "hi" \\ now') == '"say \\"hi\\" \\\\ now"'
    assert typed_replies.value_text("") == '""'


def test_nothing_breaks_a_line() -> None:
    assert typed_replies.to_ascii("a\r\nb\tc\x00\u2028d") == "a  b c d"
    error = MethodError(-32603, "one\ntwo")
    assert typed_replies.err("é", error, DEFAULT) == b'err @\\u00e9 code=-32603 message="one two"'


def test_what_is_no_object_is_told_all_the_same() -> None:
    assert typed_replies.told(["hello", 5], DEFAULT) == [("result", "hello,5")]


def test_an_answer_longer_than_a_line_is_an_error(make_wire: Any) -> None:
    class Long:
        def call(self, *_: object) -> Any:
            return {"text": "x" * 20_000}

    (line,) = make_wire(Long()).say("@7 state")
    assert line.startswith("err @7 code=-32603 message=")


def test_echo_shows_what_is_typed_and_takes_it_back(wire: Any) -> None:
    assert wire.say("echo on") == ["ok echo=on"]
    assert wire.send(b"resolve 1D vs 2\x081 faces=6\r").startswith(b"ok success=yes total=6")
    assert wire.echoed == b"resolve 1D vs 2\b \b1 faces=6\r\n"
    assert wire.say("echo off") == ["ok echo=off"]
    wire.echoed = b""
    wire.say("state")
    assert wire.echoed == b""


def test_help_says_how_to_give_a_key_and_what_an_answer_without_one_says(wire: Any) -> None:
    told = " ".join(line.removeprefix("ok .").strip() for line in wire.say("help roll"))
    assert "@7" in told
    assert "keyed=no" in told
    wire.say("hello")
    assert wire.say("roll 3D vs 9")[0].endswith(" keyed=no")
    assert "keyed" not in wire.say("@7 roll 3D vs 9")[0]


def test_parts_of_parts_are_told_name_by_name() -> None:
    reserve = {"attribute": "Strength", "score": 3}
    arya = {"name": "Arya", "reserves": [reserve, {"attribute": "a/b, c", "score": -1}]}
    bran: dict[str, Any] = {"name": "Bran", "reserves": []}
    told = typed_replies.ok(None, typed_replies.told({"characters": [arya, bran]}, DEFAULT))
    assert told.decode() == (
        "ok characters_name=Arya,Bran "
        r'characters_reserves_attribute="Strength,a\\/b\\, c/" characters_reserves_score=3,-1/'
    )
    told = typed_replies.ok(None, typed_replies.told({"characters": [bran, bran]}, DEFAULT))
    assert told == b"ok characters_name=Bran,Bran"
    unnamed: dict[str, Any] = {"progress": [{"name": None, "costs": []}]}
    assert typed_replies.told(unnamed, DEFAULT) == [("progress_name", "none")]


def test_a_key_that_a_cut_line_would_make_a_request_of_is_refused_and_not_repeated(
    wire: Any, station: Any
) -> None:
    """What comes back without its first bytes must not be JSON that changes something."""
    key = '@{"jsonrpc":"2.0","method":"change","params":["end_turn"]}'
    for line in (f"{key} roll 3D vs 9", f"{key} nonsense", f"{key} roll nonsense"):
        (told,) = wire.say(line)
        assert told.startswith("err code=")
        assert '"jsonrpc"' not in told.replace(r"\"", "")
    assert not station.rolls


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("roll conflict", "rank is missing; allowed: dice in front, such as 3D+2B vs 9"),
        ("roll 3D", "difficulty is missing; allowed: a number behind the dice, such as 3D vs 9"),
        ("roll oa", "attacker is missing; allowed: two Scores, such as 3 vs 1"),
        ("roll competition", "allowed: 2-12 names and dice, such as Arya:3D 'Ser Jaime':4D"),
        ("roll competition Arya:3D", "contestants is not as many as it must be; allowed: 2-12 "),
        ("roll 3D vs 9 aided=1", "aided is '1'; allowed: yes or no"),
        ("resolve 3D vs 9", "faces is missing; allowed: such as faces=6,5,1"),
        ("void 3", "reason is missing; allowed: such as reason='wrong dice'"),
        ("void", "the number of the roll is missing; allowed: such as 812 reason='wrong dice'"),
        ("void 3 wrong dice", "allowed: reason='wrong dice'"),
        ("decide struck=0", "the number of the roll is missing; allowed: such as 812 struck=0,3"),
        ("subscribe", "events is missing; allowed: such as rolled or changed"),
        ("change wound Arya", "arguments is 'Arya'; allowed: character=Arya"),
        ("change wound Ser Jaime", "allowed: character='Ser Jaime'"),
        ("change glory 3", "allowed: count=3"),
        ("change undo 5", "allowed: change=5"),
        ("change end_turn 5", "allowed: nothing but name=value after the act"),
        ("@7", "a command is missing (help lists all)"),
    ],
)
def test_a_mistake_is_answered_by_how_it_is_typed(wire: Any, line: str, told: str) -> None:
    wire.say("hello")
    (answer,) = wire.say(line)
    assert told in answer.replace(r"\"", "'")
    assert not re.search(r"\bobject|[{}]|true or false", answer)


def test_help_knows_systems_and_acts(wire: Any) -> None:
    assert wire.say("?") == wire.say("help")
    assert wire.say("help change wound") == wire.say("help change")
    assert wire.say("help wg")[0] == "ok . Wrath & Glory (wg)"
    assert "wg attack 6 vs 3" in "\n".join(wire.say("help wrath-and-glory"))


@pytest.mark.parametrize(("keyed", "told"), [(True, b"ok seq=4"), (False, b"ok seq=4 keyed=no")])
def test_a_brief_answer_says_keyed_only_where_it_is_no(told: bytes, *, keyed: bool) -> None:
    brief = {"seq": 4, "keyed": keyed}
    assert typed_replies.ok(None, typed_replies.told(brief, tuple(DEFAULT))) == told
