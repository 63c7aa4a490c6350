"""A frame to draw on, and text that fits it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.names import SHORTEST_NAME, least
from station.panel import SMALL, SMALL_WIDTH, Panel
from station.screens.canvas import (
    SIZES,
    Canvas,
    Placed,
    advance_width,
    fitting,
    font,
    shortened,
)

TEXTS = st.text("abcdefgh ", max_size=60)


@pytest.fixture
def canvas() -> Canvas:
    return Canvas(Panel())


def lit(canvas: Canvas) -> int:
    return sum(canvas.image.histogram()[1:])


def test_a_frame_is_black_and_of_the_panels_size() -> None:
    for panel in (Panel(128, 64), Panel(128, 32)):
        canvas = Canvas(panel)
        assert (canvas.image.mode, canvas.image.size) == ("1", panel.size)
        assert lit(canvas) == 0


@pytest.mark.parametrize("size", SIZES)
def test_every_character_takes_the_same_width_and_stays_in_its_box(size: int) -> None:
    width = advance_width(size)
    assert all(font(size).getlength(char) == width for char in "1WiМ−–…·vÄß")
    canvas = Canvas(Panel(width, size))
    canvas.text((0, 0), "W", size)
    assert lit(canvas) > size


def test_small_text_is_as_wide_as_pages_are_laid_out_for() -> None:
    assert advance_width(SMALL) == SMALL_WIDTH


def test_text_ends_where_it_says_and_is_on_record(canvas: Canvas) -> None:
    end = canvas.text((3, 5), "Bran")
    assert end == 3 + 4 * SMALL_WIDTH
    assert canvas.placed == [Placed("Bran", (3, 5, end, 5 + SMALL), "Bran")]
    assert not canvas.placed[0].cut
    box = canvas.image.getbbox()
    assert box is not None
    assert box[0] >= 3
    assert box[2] <= end


def test_dark_text_on_a_lit_ground(canvas: Canvas) -> None:
    canvas.fill((0, 0, 128, 64))
    ground = lit(canvas)
    assert ground == 128 * 64
    canvas.text((0, 0), "Bran", lit=False)
    assert lit(canvas) < ground


def test_text_keeps_to_its_room_and_says_that_it_was_cut(canvas: Canvas) -> None:
    end = canvas.text((10, 0), "Daenerys", room=5 * SMALL_WIDTH + 3)
    assert end == 10 + 5 * SMALL_WIDTH
    assert (canvas.placed[0].text, canvas.placed[0].cut) == ("Daen…", True)


def test_text_ends_at_the_edge_of_the_panel(canvas: Canvas) -> None:
    assert canvas.text((100, 0), "Daenerys") <= 128
    assert canvas.placed[0].cut


def test_of_a_text_with_a_name_only_the_name_is_cut() -> None:
    canvas = Canvas(Panel(), ("Daenerys Targaryen",))
    canvas.text((0, 0), "Daenerys Targaryen +10 (−10)")
    assert canvas.placed[0].text == "Daenerys T… +10 (−10)"


def test_text_to_the_right_ends_at_the_edge(canvas: Canvas) -> None:
    left = canvas.right(0, "9")
    assert left == 128 - SMALL_WIDTH
    assert canvas.placed[0].box[2] == 128
    assert canvas.right(12, "x" * 30) == 0


def test_text_in_the_middle_has_as_much_on_either_side(canvas: Canvas) -> None:
    canvas.centred(20, "Rolling")
    left, _, right, _ = canvas.placed[0].box
    assert abs(left - (128 - right)) <= 1


def test_boxes_are_filled_and_framed_up_to_their_edges(canvas: Canvas) -> None:
    canvas.fill((10, 10, 20, 15))
    assert (canvas.image.getbbox(), lit(canvas)) == ((10, 10, 20, 15), 50)
    framed = Canvas(Panel())
    framed.frame((10, 10, 20, 15))
    assert (framed.image.getbbox(), lit(framed)) == ((10, 10, 20, 15), 2 * 10 + 2 * 3)


@given(TEXTS, st.integers(1, 40), st.lists(st.text("abcdefgh", min_size=1), max_size=3))
def test_a_shortened_text_has_room_and_one_that_has_room_is_whole(
    text: str, most: int, names: list[str]
) -> None:
    short = shortened(text, most, tuple(names))
    assert len(short) <= most
    assert (short == text) == (len(text) <= most)


@given(st.text("abc", min_size=3, max_size=24), TEXTS, st.integers(5, 40))
def test_what_stands_behind_a_long_enough_name_is_kept(name: str, rest: str, most: int) -> None:
    text = f"{name.upper()}{rest}"
    if len(text) > most and len(name) > len(text) - most + 1:
        assert shortened(text, most, (name.upper(),)).endswith(f"…{rest}")


def test_the_least_a_text_takes_is_with_its_name_at_its_shortest() -> None:
    assert least("Daenerys wins", ("Daenerys",)) == len(" wins") + SHORTEST_NAME
    assert least("Ann wins", ("Ann",)) == len("Ann wins")
    assert least("Success") == 7


@pytest.mark.parametrize(
    ("text", "room", "largest", "size"),
    [("9", 128, 24, 24), ("100%", 40, 24, 20), ("Formidable", 60, 24, 12), ("x" * 99, 60, 24, 12)],
)
def test_text_is_as_large_as_its_room_allows(text: str, room: int, largest: int, size: int) -> None:
    assert fitting(text, room, largest) == size
