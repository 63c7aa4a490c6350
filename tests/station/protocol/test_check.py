"""The check at the end of a line."""

import pytest

from station.protocol.check import Check, crc, split, with_check


def test_the_catalogue_s_check_value() -> None:
    assert crc(b"123456789") == "31C3"


def test_a_line_with_its_check_is_right_in_either_case() -> None:
    assert with_check(b"123456789") == b"123456789*31C3"
    assert split(b"123456789*31C3") == (b"123456789", Check.RIGHT)
    assert split(b"123456789*31c3") == (b"123456789", Check.RIGHT)


def test_any_damaged_byte_makes_it_wrong_or_absent() -> None:
    line = with_check(b"@7 roll 3D+2B vs 9")
    for place in range(len(line)):
        for flip in range(1, 256):
            damaged = bytearray(line)
            damaged[place] ^= flip
            if bytes(damaged).upper() != line.upper():
                assert split(bytes(damaged))[1] is not Check.RIGHT


@pytest.mark.parametrize("line", [b"", b"*", b"*31C", b"123456789*31C3 ", b"x*31G3", b"*IDN?"])
def test_what_does_not_end_so_has_no_check(line: bytes) -> None:
    assert split(line) == (line, Check.ABSENT)


def test_the_last_star_counts() -> None:
    line = with_check(b"note=*31C3")
    assert split(line) == (b"note=*31C3", Check.RIGHT)
