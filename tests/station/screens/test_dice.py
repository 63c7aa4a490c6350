"""Dice as faces: what became of each can be told at a glance."""

from itertools import combinations, product

import pytest
from PIL import Image

from rules.model import Die, Fate, Role
from station.panel import DIE, GAP, WRATH_MARK, WRATH_SPACE, Panel, rows_of, width_of
from station.screens.canvas import Canvas
from station.screens.dice import draw_row

FACES = range(1, 7)


def drawn(*dice: Die, shown: int | None = None, scale: int = 1) -> Image.Image:
    """Return dice in a row at the upper left."""
    canvas = Canvas(Panel())
    draw_row(canvas, (0, 0), dice, len(dice) if shown is None else shown, scale)
    return canvas.image


def kept(face: int, role: str = Role.TEST) -> Die:
    return Die(face, role, Fate.KEPT)


def lit(image: Image.Image) -> int:
    return sum(image.histogram()[1:])


@pytest.mark.parametrize("fate", [Fate.KEPT, Fate.COUNTED, Fate.DROPPED, Fate.STRUCK])
def test_no_two_faces_look_alike(fate: Fate) -> None:
    frames = [drawn(Die(face, Role.TEST, fate)).tobytes() for face in FACES]
    assert len(set(frames)) == 6


def test_each_pip_of_a_die_that_counts_is_dark_on_a_lit_ground() -> None:
    pips = [DIE * DIE - lit(drawn(kept(face))) for face in FACES]
    assert pips == [4 * face for face in FACES]


def test_each_pip_of_a_dropped_die_is_lit_in_an_outline() -> None:
    outline = 4 * DIE - 4
    pips = [lit(drawn(Die(face, Role.TEST, Fate.DROPPED))) - outline for face in FACES]
    assert pips == [4 * face for face in FACES]


@pytest.mark.parametrize("face", FACES)
def test_kept_dropped_struck_and_yet_to_fall_look_different(face: int) -> None:
    frames = [
        drawn(Die(face, Role.TEST, fate)).tobytes()
        for fate in (Fate.KEPT, Fate.DROPPED, Fate.STRUCK)
    ]
    frames.append(drawn(kept(face), shown=0).tobytes())
    assert all(a != b for a, b in combinations(frames, 2))


def test_a_die_that_has_not_fallen_tells_nothing() -> None:
    blanks = {
        drawn(Die(face, Role.TEST, fate), shown=0).tobytes() for face, fate in product(FACES, Fate)
    }
    assert len(blanks) == 1


def test_bonus_and_minus_dice_have_a_corner_cut_off_and_wrath_dice_all_four() -> None:
    plain, bonus, minus = (drawn(kept(1, role)) for role in (Role.TEST, Role.BONUS, Role.MINUS))
    assert bonus.tobytes() == minus.tobytes()
    assert lit(plain) > lit(bonus)
    assert plain.getpixel((DIE - 1, 0))
    assert not bonus.getpixel((DIE - 1, 0))
    wrath = drawn(kept(1, Role.WRATH))
    corners = [(WRATH_MARK + x, y) for x, y in product((0, DIE - 1), repeat=2)]
    assert not any(wrath.getpixel(corner) for corner in corners)


def test_a_wrath_die_has_its_letter_before_it() -> None:
    canvas = Canvas(Panel())
    draw_row(canvas, (0, 0), (kept(6, Role.WRATH), kept(5, Role.ICON)), 2)
    (letter,) = canvas.placed
    assert letter.text == "W"
    assert letter.box[2] <= WRATH_MARK


def test_a_role_that_no_system_here_knows_is_a_plain_die() -> None:
    assert drawn(kept(4, "high")).tobytes() == drawn(kept(4)).tobytes()


@pytest.mark.parametrize("scale", [1, 2])
def test_dice_stand_side_by_side_with_a_gap(scale: int) -> None:
    box = drawn(kept(1), kept(2), kept(3), scale=scale).getbbox()
    side = DIE * scale
    assert box == (0, 0, 3 * side + 2 * GAP, side)


def test_only_the_first_ones_have_fallen() -> None:
    dice = (kept(6), kept(6), kept(6))
    frames = [drawn(*dice, shown=count).tobytes() for count in range(4)]
    assert len(set(frames)) == 4


class TestRows:
    def test_hold_as_many_dice_as_fit(self) -> None:
        rows = rows_of([kept(1)] * 25, 128)
        assert [len(row) for row in rows] == [9, 9, 7]
        assert all(sum(map(width_of, row)) - GAP <= 128 for row in rows)

    def test_a_wrath_die_needs_room_for_its_letter(self) -> None:
        assert width_of(kept(1, Role.WRATH)) == DIE + WRATH_MARK + WRATH_SPACE
        rows = rows_of([kept(1, Role.WRATH), *[kept(1, Role.ICON)] * 9], 128)
        assert [len(row) for row in rows] == [9, 1]

    def test_dice_of_different_people_stand_in_rows_of_their_own(self) -> None:
        own = [Die(1, Role.TEST, Fate.KEPT, contestant=index) for index in (0, 0, 1)]
        sides = [Die(1, Role.PLUS, Fate.COUNTED, side=side) for side in ("attacker", "defender")]
        assert [len(row) for row in rows_of(own, 128)] == [2, 1]
        assert [len(row) for row in rows_of(sides, 128)] == [1, 1]

    def test_are_none_without_dice(self) -> None:
        assert rows_of([], 128) == ()
