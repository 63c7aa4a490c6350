"""Bytes become faces without favour, proved over every byte there is."""

from collections import Counter

import pytest

from hardware.entropy.faces import (
    REJECTED_IN_A_ROW,
    SIDES,
    USABLE,
    Gathering,
    NoUsableByte,
    face_of,
)

EVERY_BYTE = bytes(range(256))


def test_over_all_256_bytes_each_face_has_exactly_42_and_four_bytes_are_thrown_away() -> None:
    counts = Counter(face_of(byte) for byte in EVERY_BYTE)
    assert counts == {1: 42, 2: 42, 3: 42, 4: 42, 5: 42, 6: 42, None: 4}


def test_only_the_top_four_bytes_are_thrown_away() -> None:
    assert [byte for byte in EVERY_BYTE if face_of(byte) is None] == [252, 253, 254, 255]
    assert USABLE % SIDES == 0
    assert USABLE + SIDES > 256


def test_faces_keep_the_order_of_their_bytes_and_skip_the_rejected() -> None:
    gathering = Gathering(4)
    gathering.feed(bytes([0, 255, 5, 251]))
    assert gathering.faces == (1, 6, 6)
    assert gathering.missing == 1
    gathering.feed(bytes([8]))
    assert gathering.faces == (1, 6, 6, 3)
    assert gathering.missing == 0


def test_bytes_beyond_the_wanted_faces_are_not_used() -> None:
    gathering = Gathering(1)
    gathering.feed(bytes([3, 4, 5]))
    assert gathering.faces == (4,)


def test_a_source_without_usable_bytes_is_given_up_over_all_calls_together() -> None:
    gathering = Gathering(REJECTED_IN_A_ROW)
    for _ in range(REJECTED_IN_A_ROW - 1):
        gathering.feed(b"\xff")
    with pytest.raises(NoUsableByte, match="16 bytes in a row were 252 or more"):
        gathering.feed(b"\xfc")


def test_one_usable_byte_starts_the_count_of_rejected_ones_again() -> None:
    gathering = Gathering(100)
    gathering.feed(b"\xff" * (REJECTED_IN_A_ROW - 1) + b"\x00" + b"\xff" * (REJECTED_IN_A_ROW - 1))
    assert gathering.faces == (1,)
