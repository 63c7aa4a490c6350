"""Programs that others wrote, and the examples that need other people's tools, at a real station.

Each rolls, is told of a roll pressed at the table, and asks again with its key where the answer
was cut, which rolls nothing more.
"""

import re
import shutil
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.clients

CLIENTS = Path(__file__).parent
ROOT = CLIENTS.parents[1]
EXAMPLES = ROOT / "examples"
TOOLS = ROOT / ".venv" / "clients"

FLAGS = ("-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")


def program(name: str) -> str:
    found = shutil.which(name)
    assert found, f"{name} is not installed; `make clients-test` does it"
    return found


@pytest.fixture
def in_node(run: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Run a script in Node, beside copies of further files and what npm installed."""

    def start(script: Path, *arguments: str | Path, beside: tuple[Path, ...] = ()) -> Any:
        (tmp_path / "node_modules").symlink_to(TOOLS / "node" / "node_modules")
        for file in (script, *beside):
            shutil.copy(file, tmp_path)
        return run(program("node"), tmp_path / script.name, *arguments)

    return start


def test_pyvisa_at_its_default_settings(run: Callable[..., Any], cable: Any, table: Any) -> None:
    visa = run(TOOLS / "visa" / "bin" / "python", CLIENTS / "visa_client.py", cable.client)
    visa.expect("open: ")

    visa.sendline("query *IDN?")
    visa.expect(r"told: dice-station,[^,]+,[^,]+,[0-9.]+\r\n")

    visa.sendline("query roll 3D+2B vs 9")
    visa.expect(r"told: ok seq=(\d+) success=(yes|no) ")
    (typed,) = table.rolls()
    assert typed.seq == int(visa.match[1])

    request = '{"system":"wrath-and-glory","kind":"test","pool":6}'
    asking = f'{{"jsonrpc":"2.0","id":1,"method":"roll","params":{{"request":{request}}}}}'
    visa.sendline(f"query {asking}")
    visa.expect(r'told: {"jsonrpc":"2.0","result":{"seq":(\d+),')
    assert table.rolls()[1].seq == int(visa.match[1])

    visa.sendline("query subscribe rolled")
    visa.expect("told: ok events=rolled")
    pressed = table.roll()
    visa.sendline("read")
    visa.expect(rf"told: ev event=rolled seq={pressed.seq} ")

    key = uuid.uuid4()
    cable.cut_next_reply()
    visa.sendline(f"ask @{key} roll wg 6 vs 3")
    visa.expect("again: VI_ERROR_TMO")
    visa.expect(rf"told: ok @{key} seq=(\d+) .* replayed=yes")
    assert cable.has_cut
    assert [roll.seq for roll in table.rolls()][3:] == [int(visa.match[1])]


def test_node_with_serialport_and_json_rpc_2(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    script = EXAMPLES / "node" / "roll.mjs"
    node = in_node(script, cable.client, beside=(script.with_name("dice-station.mjs"),))
    node.expect("knows seven-kingdoms, .*; Enter rolls")

    node.sendline("")
    node.expect(r"here #(\d+): [1-6 ]+ - ")
    assert [roll.seq for roll in table.rolls()] == [int(node.match[1])]

    pressed = table.roll()
    node.expect(rf"at the table #{pressed.seq}: ")

    cable.cut_next_reply()
    node.sendline("")
    node.expect(r"here #(\d+): [1-6 ]+ - .*\(asked again\)")
    assert cable.has_cut
    assert [roll.seq for roll in table.rolls()][2:] == [int(node.match[1])]

    cable.unplug()
    # Mostly at once; where serialport does not notice, when the next greeting is not answered.
    node.expect("the line is gone", timeout=30)
    cable.plug()
    node.expect("the line is back")
    pressed = table.roll()
    node.expect(rf"at the table #{pressed.seq}: ")
    node.sendline("")
    node.expect(r"here #(\d+): ")
    assert len(table.rolls()) == 5


def test_node_opens_its_port_anew_where_nobody_answers(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    library = EXAMPLES / "node" / "dice-station.mjs"
    node = in_node(CLIENTS / "silence.mjs", cable.client, beside=(library,))
    node.expect("open")
    cable.be_noisy(1)
    node.expect("lost")
    cable.be_noisy(0)
    node.expect("back")
    pressed = table.roll()
    node.expect(f"rolled {pressed.seq}")


def test_micropython_rolls_by_its_button(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    example = EXAMPLES / "micropython" / "dice_station.py"
    pico = in_node(
        CLIENTS / "micropython.mjs", example, CLIENTS / "pico" / "machine.py", cable.client
    )
    rolled = r"\{[^}]*'seq': (\d+)[^}]*\}"

    pico.sendline("press")
    pico.expect(rolled)
    assert [f"'seq': {roll.seq}" in pico.after for roll in table.rolls()] == [True]

    pressed = table.roll()
    pico.expect(rolled)
    assert f"'seq': {pressed.seq}" in pico.after

    cable.cut_next_reply()
    pico.sendline("press")
    pico.expect(rolled)
    assert "'replayed': True" in pico.after
    assert cable.has_cut
    assert [f"'seq': {roll.seq}" in pico.after for roll in table.rolls()] == [False, False, True]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The sketch, compiled for this machine with stubs for the board."""
    sketch = EXAMPLES / "arduino" / "dice_button" / "dice_button.ino"
    binary = tmp_path / "board"
    folders = ("-I", CLIENTS / "board", "-I", sketch.parent)
    source = (*folders, "-include", "Arduino.h", "-x", "c++", sketch)
    built = subprocess.run(  # noqa: S603 - nothing here comes from outside
        [program("g++"), *FLAGS, *source, CLIENTS / "board" / "board.cpp", "-o", binary],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return binary


def lamp_tells(board: Any, roll: Any) -> None:
    """Check that the lamp tells a roll: lit once on a success, three flashes on a failure."""
    success = roll.document("outcome")["success"]
    for _ in range(1 if success else 3):
        board.expect("lamp on")
        board.expect("lamp off")


def test_the_arduino_sketch_rolls_by_its_button(
    run: Callable[..., Any], board: Path, cable: Any, table: Any
) -> None:
    arduino = run(board, cable.client)
    arduino.expect("lamp off")
    arduino.sendline("press")
    arduino.expect("lamp on")
    (first,) = table.rolls()
    assert first.document("request")["difficulty"] == 9
    if first.document("outcome")["success"]:
        arduino.expect("lamp off")

    lamp_tells(arduino, table.roll())

    cable.cut_next_reply()
    arduino.sendline("press")
    wait = len(table.rolls())
    arduino.expect("lamp on")
    assert cable.has_cut
    assert len(table.rolls()) == 3, wait


def test_the_page_in_chromium(
    in_node: Callable[..., Any], cable: Any, table: Any, tmp_path: Path
) -> None:
    page = EXAMPLES / "web" / "dice-table.html"
    web = in_node(CLIENTS / "web.mjs", page, cable.client, program("chromium"))
    web.expect("ready")
    web.sendline("connect")
    web.expect("done connect")

    web.sendline("choose wrath-and-glory test")
    web.sendline("fill pool 6")
    web.expect("done fill")
    web.sendline("odds")
    web.expect(r"0\.786\r\n")

    web.sendline("roll")
    web.expect(r"log here #(\d+) ")
    (rolled,) = table.rolls()
    assert rolled.seq == int(web.match[1])
    assert rolled.document("request")["pool"] == 6

    pressed = table.roll()
    web.expect(rf"log table #{pressed.seq} ")

    cable.cut_next_reply()
    web.sendline("roll")
    web.expect(r"log here #(\d+) ")
    assert cable.has_cut
    assert [roll.seq for roll in table.rolls()][2:] == [int(web.match[1])]

    web.sendline("unplug")
    web.expect("done unplug")
    pressed = table.roll()
    web.expect(rf"log table #{pressed.seq} ")

    web.sendline(f"shot {tmp_path / 'page.png'}")
    web.expect("done shot")
    assert (tmp_path / "page.png").stat().st_size > 0


def test_the_page_decides_for_one_contestant_after_the_other(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    page = EXAMPLES / "web" / "dice-table.html"
    web = in_node(CLIENTS / "web.mjs", page, cable.client, program("chromium"))
    web.expect("ready")
    for line in (
        "connect",
        "choose seven-kingdoms competition",
        "set rank 20",
        "set discard_penalty 10",
    ):
        web.sendline(line)
        web.expect(f"done {line.split()[0]}")
    ties: list[Any] = []
    while len(ties) != 2:
        web.sendline("roll")
        web.expect(r"log here #(\d+) ")
        roll = table.rolls()[-1]
        ties = roll.document("outcome")["open"]
        assert roll.seq == int(web.match[1])
    for left in (1, 0):
        web.sendline("decide")
        web.expect(rf"open {left}\r\n")
    assert [row.of for row in table.rows("decision")] == [roll.seq, roll.seq]


def test_over_a_bad_line_node_rolls_once_each_time(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    script = EXAMPLES / "node" / "roll.mjs"
    node = in_node(script, cable.client, beside=(script.with_name("dice-station.mjs"),))
    node.expect("Enter rolls")
    cable.be_noisy(1 / 1000)
    seqs = []
    for _ in range(20):
        node.sendline("")
        node.expect(r"here #(\d+): ")
        seqs.append(int(node.match[1]))
    assert [roll.seq for roll in table.rolls()] == seqs


def test_over_a_bad_line_micropython_rolls_once_each_time(
    in_node: Callable[..., Any], cable: Any, table: Any
) -> None:
    example = EXAMPLES / "micropython" / "dice_station.py"
    pico = in_node(
        CLIENTS / "micropython.mjs", example, CLIENTS / "pico" / "machine.py", cable.client
    )
    cable.be_noisy(1 / 1000)
    seqs = []
    for _ in range(12):
        pico.sendline("press")
        pico.expect(r"'seq': (\d+)")
        seqs.append(int(pico.match[1]))
    assert [roll.seq for roll in table.rolls()] == seqs


def test_over_a_bad_line_the_sketch_rolls_once_each_time(
    run: Callable[..., Any], board: Path, cable: Any, table: Any
) -> None:
    arduino = run(board, cable.client)
    arduino.expect("lamp off")
    cable.be_noisy(1 / 300)
    for press in range(1, 11):
        arduino.sendline("press")
        arduino.expect("busy")
        arduino.expect("idle")
        assert len(table.rolls()) == press


def test_the_examples_ask_for_what_was_tested() -> None:
    asked, tested = (
        re.findall(r'"(json-rpc-2\.0|serialport)": "([^"]+)"', file.read_text())
        for file in (EXAMPLES / "node" / "package.json", CLIENTS / "package.json")
    )
    assert asked == tested
    assert len(asked) == 2
