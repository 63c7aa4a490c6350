"""Bytes become the same lines in whatever pieces they come."""

import itertools
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.clock import SECOND, Nanoseconds
from station.protocol.lines import MAX_IN, BadLine, Line, LineReader

OVERLONG = "the line is longer than 4096 bytes"
START = Nanoseconds(0)

noise = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"\r", b"\n", b"\r\n", b"\x08", b"\x7f", b"{", b" ", "é".encode()]),
    ),
    max_size=30,
).map(b"".join)


def taken(reader: LineReader) -> list[Line | BadLine]:
    found = []
    while (line := reader.next()) is not None:
        found.append(line)
    return found


def read(*chunks: bytes, echo: bool = False, limit: int = MAX_IN) -> tuple[list, bytes]:
    reader = LineReader(limit)
    reader.echo = echo
    found = []
    for chunk in chunks:
        reader.push(chunk, START)
        found += taken(reader)
    return found, reader.take_echo()


@given(data=noise, cuts=st.lists(st.integers(0, 400), max_size=8), echo=st.booleans())
@example(data=b"x" * 17 + b"\r", cuts=[17], echo=False)
def test_how_bytes_are_cut_never_matters(data: bytes, cuts: list[int], *, echo: bool) -> None:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(places)]
    assert read(*chunks, echo=echo, limit=16) == read(data, echo=echo, limit=16)


@given(data=noise, echo=st.booleans())
def test_the_next_good_line_is_always_understood(data: bytes, *, echo: bool) -> None:
    found, _ = read(data, b"\r", b"roll 3D vs 9\r\n", echo=echo)
    assert found[-1] == Line(b"roll 3D vs 9")


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n"])
def test_any_end_ends_a_line_and_empty_lines_are_nothing(end: bytes) -> None:
    assert read(b"one" + end + b" \t " + end + b"two" + end)[0] == [Line(b"one"), Line(b"two")]


def test_a_line_may_have_4096_bytes_and_no_more() -> None:
    assert read(b"x" * 4096 + b"\r")[0] == [Line(b"x" * 4096)]
    assert read(b"{" * 4097 + b"\r")[0] == [BadLine(OVERLONG, b"{" * 64)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"roll\x003D", "character 5 of the line is the control character 0x00"),
        (b"roll\x1b[A", "character 5 of the line is the control character 0x1B"),
        ("roll\x85".encode(), "character 5 of the line is the control character 0x85"),
        (b"roll\xff", "byte 5 of the line is not UTF-8"),
        (b"roll\xc3", "byte 5 of the line is not UTF-8"),
    ],
)
def test_what_is_no_clean_text_is_dropped_whole(line: bytes, reason: str) -> None:
    assert read(line + b"\rstate\r")[0] == [BadLine(reason, line), Line(b"state")]


def test_a_tab_is_no_control_character_here() -> None:
    assert read(b"roll\t3D vs 9\r")[0] == [Line(b"roll\t3D vs 9")]


def test_a_bad_line_still_shows_that_it_was_checked() -> None:
    assert read(b"{\xff}*31C3\r")[0][0].checked


@pytest.mark.parametrize(("start", "patience"), [(b'{"id"', 5), (b"[", 5), (b"rol", 60)])
def test_a_half_line_is_forgotten_after_its_silence(start: bytes, patience: int) -> None:
    for wait, kept in ((patience, True), (patience + 1, False)):
        reader = LineReader()
        reader.push(start, START)
        assert taken(reader) == []
        reader.push(b"x\r", Nanoseconds(wait * SECOND))
        assert taken(reader) == [Line((start if kept else b"") + b"x")]


def test_the_silence_of_an_overlong_line_forgets_it_too() -> None:
    reader = LineReader()
    reader.push(b"{" * 5000, START)
    assert taken(reader) == []
    reader.push(b"state\r", Nanoseconds(6 * SECOND))
    assert taken(reader) == [Line(b"state")]


def test_time_in_which_nobody_could_be_heard_is_no_silence() -> None:
    reader = LineReader()
    reader.push(b'{"id":1', START)
    assert taken(reader) == []
    reader.listen(Nanoseconds(30 * SECOND))
    reader.push(b"}\r", Nanoseconds(34 * SECOND))
    assert taken(reader) == [Line(b'{"id":1}')]


def test_dropping_to_the_end_of_the_line_drops_no_more() -> None:
    reader = LineReader()
    reader.push(b"half a li", START)
    reader.drop_to_end()
    reader.push(b"ne\rstate\r", START)
    assert taken(reader) == [Line(b"state")]


def test_backspace_and_delete_take_back_whole_characters_once_echo_is_on() -> None:
    typed = "rolé\x08\x7fll 3D vs 8\x089\r".encode()
    lines, echoed = read(typed, echo=True)
    assert lines == [Line(b"roll 3D vs 9")]
    assert echoed == "rolé\b \b\b \bll 3D vs 8\b \b9\r\n".encode()


def test_taking_back_stops_at_the_line_s_beginning() -> None:
    assert read(b"\x08\x08x\x08\x08state\r", echo=True) == ([Line(b"state")], b"x\b \bstate\r\n")


def test_without_echo_a_backspace_is_a_control_character() -> None:
    lines, echoed = read(b"rolk\x08l\r")
    assert isinstance(lines[0], BadLine)
    assert echoed == b""


def test_crlf_is_one_end_for_the_eye_also_where_echo_begins_between() -> None:
    reader = LineReader()
    reader.push(b"echo on\r\nx", START)
    assert reader.next() == Line(b"echo on")
    reader.echo = True
    assert reader.next() is None
    assert reader.take_echo() == b"x"


def test_ten_megabytes_without_an_end_need_little_memory() -> None:
    reader = LineReader()
    chunk = b"x" * 4096
    tracemalloc.start()
    try:
        for _ in range(10 * 1024 * 1024 // len(chunk)):
            reader.push(chunk, START)
            assert reader.next() is None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 1024
    reader.push(b"\rstate\r", START)
    assert [type(line) for line in taken(reader)] == [BadLine, Line]


@pytest.mark.parametrize(
    "keys",
    [b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1bx", b"\x1b[3~", b"\x1b\x1b[D", b"\x1b[200~"],
)
def test_arrows_and_other_such_keys_do_nothing_once_echo_is_on(keys: bytes) -> None:
    typed = b"st" + keys + b"ate\r"
    assert read(typed, echo=True) == ([Line(b"state")], b"state\r\n")
    one_by_one = [bytes([byte]) for byte in typed]
    assert read(*one_by_one, echo=True) == ([Line(b"state")], b"state\r\n")
    assert isinstance(read(typed)[0][0], BadLine)


def test_a_lone_escape_swallows_no_end_of_a_line() -> None:
    assert read(b"state\x1b\rhealth\x1b[\r", echo=True)[0] == [Line(b"state"), Line(b"health")]
    assert read(b"a\x1b\xc3\xa9\x1b[\x7fb\r", echo=True)[0] == [Line(b"ab")]


def test_ctrl_c_takes_the_line_back_once_echo_is_on() -> None:
    lines, echoed = read(b"roll 3D vs 9\x03state\r", echo=True)
    assert (lines, echoed) == ([Line(b"state")], b"roll 3D vs 9^C\r\nstate\r\n")
    assert read(b"x" * 5000 + b"\x03state\r", echo=True)[0] == [Line(b"state")]
    assert isinstance(read(b"roll 3D vs 9\x03\r")[0][0], BadLine)


def test_blanks_around_a_line_do_not_choose_what_it_is() -> None:
    assert [line.is_json for line in read(b" \t{}\r[]  \r  roll\r")[0]] == [True, True, False]
    assert read(b"state \t\r   \r")[0] == [Line(b"state")]
    (bad,) = read(b"  {\xff\r")[0]
    assert bad.is_json
    reader = LineReader()
    reader.push(b" " * 20 + b'{"id":', START)
    assert taken(reader) == []
    reader.push(b"state\r", Nanoseconds(6 * SECOND))
    assert taken(reader) == [Line(b"state")]
