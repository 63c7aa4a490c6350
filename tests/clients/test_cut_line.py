"""The cable is cut at every byte of a roll with a key: each is rolled exactly once.

The station, its ledger, both ports and the client are the real ones; only the cable is ours.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from station.client import Station

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}

NOTE = "as long as a note may be, for the line to have many bytes .."

REQUEST = 300
"""Bytes of the request with its check, and a few more."""


@pytest.fixture
def client(cable: Any, table: Any) -> Iterator[Station]:
    assert table.rolls() == []
    with Station(cable.client, timeout=0.5, attempts=20) as client:
        yield client


def cut_and_roll(client: Station, cable: Any, table: Any, places: range, *, replug: bool) -> int:
    """Roll with a cut at each place; return how many rolls were cut."""
    seqs: list[int | None] = []
    cuts = 0
    for place in places:
        cable.cut_request(place, replug=replug)
        roll = client.roll(BASIC, note=NOTE)
        cuts += cable.has_cut
        seqs.append(roll.seq)
        assert [row.seq for row in table.rolls()] == seqs
        row = table.rolls()[-1]
        assert (list(roll.faces), roll.outcome) == (list(row.pips), row.document("outcome"))
    return cuts


@pytest.mark.parametrize("replug", [True, False], ids=["plugged in again", "unnoticed"])
def test_cut_here_and_there_a_roll_is_rolled_once(
    client: Station, cable: Any, table: Any, *, replug: bool
) -> None:
    assert cut_and_roll(client, cable, table, range(1, REQUEST - 70, 49), replug=replug) == 5


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("replug", [True, False], ids=["plugged in again", "unnoticed"])
def test_cut_at_every_byte_a_roll_is_rolled_once(
    client: Station, cable: Any, table: Any, *, replug: bool
) -> None:
    cuts = cut_and_roll(client, cable, table, range(REQUEST), replug=replug)
    assert 250 < cuts < REQUEST
