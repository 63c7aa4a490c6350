from hypothesis import given
from hypothesis import strategies as st

from hardware.display.differ import Differ, Window

LENGTH = 16
sparse = st.lists(st.tuples(st.integers(0, 8 * LENGTH - 1), st.integers(0, 255)), max_size=24)
base = st.binary(min_size=8 * LENGTH, max_size=8 * LENGTH)
single_row = st.booleans()


def _changed(old: bytes, edits: list[tuple[int, int]]) -> bytes:
    new = bytearray(old)
    for place, value in edits:
        new[place] = value
    return bytes(new)


def _applied(old: bytes, new: bytes, windows: tuple[Window, ...]) -> bytes:
    memory = bytearray(old)
    for window in windows:
        contents = iter(window.cut(new, LENGTH))
        for row in range(window.top, window.bottom + 1):
            for column in range(window.left, window.right + 1):
                memory[row * LENGTH + column] = next(contents)
    return bytes(memory)


@given(old=base, edits=sparse, single=single_row)
def test_the_windows_turn_the_old_memory_into_the_new(
    old: bytes, edits: list[tuple[int, int]], *, single: bool
) -> None:
    new = _changed(old, edits)
    windows = Differ(LENGTH, 10, single_row=single).windows(old, new)
    assert _applied(old, new, windows) == new
    assert (windows == ()) == (old == new)
    if single:
        assert all(window.top == window.bottom for window in windows)


@given(old=base, edits=sparse, single=single_row, overhead=st.integers(2, 14))
def test_no_plan_costs_more_than_a_window_a_changed_run_or_than_the_whole(
    old: bytes, edits: list[tuple[int, int]], *, single: bool, overhead: int
) -> None:
    new = _changed(old, edits)
    windows = Differ(LENGTH, overhead, single_row=single).windows(old, new)
    cost = sum(window.area + overhead for window in windows)
    marks = [a != b for a, b in zip(old, new, strict=True)]
    runs = sum(
        mark and (place % LENGTH == 0 or not marks[place - 1]) for place, mark in enumerate(marks)
    )
    assert cost <= sum(marks) + overhead * runs
    assert cost <= 8 * (LENGTH + overhead)


def test_a_gap_is_sent_where_a_second_window_would_cost_more() -> None:
    old = bytes(8 * LENGTH)
    differ = Differ(LENGTH, 4, single_row=True)
    near, far = _changed(old, [(2, 1), (6, 1)]), _changed(old, [(2, 1), (7, 1)])
    assert differ.windows(old, near) == (Window(2, 6, 0, 0),)
    assert differ.windows(old, far) == (Window(2, 2, 0, 0), Window(7, 7, 0, 0))


def test_a_block_over_several_rows_is_one_window() -> None:
    old = bytes(8 * LENGTH)
    block = [(row * LENGTH + column, 1) for row in range(2, 6) for column in range(5, 11)]
    assert Differ(LENGTH, 10, single_row=False).windows(old, _changed(old, block)) == (
        Window(5, 10, 2, 5),
    )
    assert len(Differ(LENGTH, 10, single_row=True).windows(old, _changed(old, block))) == 4


def test_distant_changes_are_windows_of_their_own() -> None:
    old = bytes(8 * LENGTH)
    new = _changed(old, [(0, 1), (8 * LENGTH - 1, 1)])
    assert set(Differ(LENGTH, 10, single_row=False).windows(old, new)) == {
        Window(0, 0, 0, 0),
        Window(LENGTH - 1, LENGTH - 1, 7, 7),
    }
