"""The statistics agree with scipy and with naive counting, and say no more than they know."""

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from station.ledger.fairness import (
    ENOUGH_DICE,
    assess,
    chi_square,
    one_in,
    runs,
    serial,
    survival,
    two_sided,
    wording,
)
from station.ledger.rows import rolled
from station.ledger.store import Ledger
from station.ledger.tally import EVERYTHING, HAND_ROLLED, Tallies, Tally

FACES = st.lists(st.integers(1, 6), max_size=80)


def fair(seed: int, dice: int) -> list[int]:
    return random.Random(seed).choices(range(1, 7), k=dice)  # noqa: S311 - the same dice each time


class TestAgainstScipy:
    @given(st.floats(0, 500))
    def test_survival_of_chi_square(self, x: float) -> None:
        assert survival(x) == pytest.approx(stats.chi2.sf(x, 5), rel=1e-9, abs=1e-300)

    @given(st.lists(st.integers(1, 5000), min_size=6, max_size=6))
    def test_chi_square_and_its_p(self, counts: list[int]) -> None:
        wanted = stats.chisquare(counts)
        found = chi_square(tuple(counts))
        assert found == pytest.approx(wanted.statistic, rel=1e-9, abs=1e-9)
        assert survival(found) == pytest.approx(wanted.pvalue, rel=1e-6, abs=1e-12)

    @given(st.floats(-30, 30))
    def test_two_sided_normal(self, z: float) -> None:
        assert two_sided(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)

    def test_serial_correlation_is_numpy_s_of_the_faces_and_the_faces_moved_by_one(self) -> None:
        faces = fair(3, 500)
        found = serial(Tally.of(faces))
        assert found is not None
        wanted = np.corrcoef(faces, [*faces[1:], faces[0]])[0, 1]
        assert found.value == pytest.approx(wanted)


class TestTally:
    @given(FACES)
    def test_it_counts_what_a_naive_count_gives(self, faces: list[int]) -> None:
        tally = Tally.of(faces)
        assert tally.counts == tuple(faces.count(face) for face in range(1, 7))
        assert tally.dice == len(faces)
        high = [face >= 4 for face in faces]
        assert tally.runs == (1 + sum(a != b for a, b in pairwise(high)) if faces else 0)
        assert tally.products == sum(a * b for a, b in pairwise(faces))

    @given(FACES, FACES, FACES)
    def test_parts_add_up_to_the_whole_however_they_are_put_together(
        self, a: list[int], b: list[int], c: list[int]
    ) -> None:
        whole = Tally.of(a + b + c)
        assert (Tally.of(a) + Tally.of(b)) + Tally.of(c) == whole
        assert Tally.of(a) + (Tally.of(b) + Tally.of(c)) == whole

    @given(st.lists(st.tuples(st.sampled_from(["urandom", "hwrng", HAND_ROLLED]), FACES)))
    def test_each_source_is_kept_apart_and_hand_rolled_faces_are_in_no_sum(
        self, rolls: list[tuple[str, list[int]]]
    ) -> None:
        tallies = Tallies()
        for source, faces in rolls:
            tallies.add(source, faces)
        by_name = {
            name: [face for source, faces in rolls if source == name for face in faces]
            for name in ("urandom", "hwrng", HAND_ROLLED)
        }
        by_name[EVERYTHING] = [f for source, faces in rolls if source != HAND_ROLLED for f in faces]
        wanted = {name: Tally.of(faces) for name, faces in by_name.items() if faces}
        assert tallies.sums() == wanted


class TestDice:
    def test_fair_dice_are_doubted_as_often_as_p_says(self) -> None:
        """Of 400 fair series, p < 0.05 about 20 times, for each of the three tests."""
        findings = [assess("", Tally.of(fair(seed, 600))) for seed in range(400)]
        for ps in (
            [finding.p for finding in findings],
            [finding.runs.p for finding in findings if finding.runs],
            [finding.serial.p for finding in findings if finding.serial],
        ):
            assert len(ps) == 400
            assert 8 <= sum(p < 0.05 for p in ps) <= 36
            assert stats.kstest(ps, "uniform").pvalue > 0.001

    def test_a_loaded_die_is_found(self) -> None:
        chance = random.Random(1)  # noqa: S311 - the same dice each time
        faces = chance.choices(range(1, 7), weights=(10, 10, 10, 10, 10, 13), k=6000)
        finding = assess("", Tally.of(faces))
        assert finding.p < 1e-6
        assert "check the entropy source" in finding.words

    def test_dice_in_order_are_found_by_the_second_opinions_alone(self) -> None:
        finding = assess("", Tally.of(sorted([1, 2, 3, 4, 5, 6] * 50)))
        assert finding.chi_square == 0
        assert finding.runs is not None
        assert finding.serial is not None
        assert finding.runs.p < 1e-6
        assert finding.serial.p < 1e-6
        assert "more even than all but" in finding.words

    def test_too_few_dice_have_no_second_opinion(self) -> None:
        finding = assess("", Tally.of(fair(1, ENOUGH_DICE - 1)))
        assert finding.runs is None
        assert finding.serial is None
        assert finding.words == "29 dice are too few to tell; ask again after 30"

    @pytest.mark.parametrize("faces", [[6] * 50, [1] * 50])
    def test_one_face_alone_leaves_no_order_to_judge(self, faces: list[int]) -> None:
        assert runs(Tally.of(faces)) is None
        assert serial(Tally.of(faces)) is None


class TestWords:
    @pytest.mark.parametrize(
        ("p", "words"),
        [
            (0.43, "as fair dice fall: 43 of 100 such series are at least this uneven"),
            (0.05, "as fair dice fall: 5 of 100 such series are at least this uneven"),
            (
                0.03,
                (
                    "a little uneven, as 1 in 33 series of fair dice: no reason to doubt them, "
                    "and whoever looks often sees it now and then"
                ),
            ),
            (0.0005, "uneven as only 1 in 2,000 series of fair dice: look again after more rolls"),
            (
                1e-9,
                "more uneven than chance explains: check the entropy source before you trust it",
            ),
            (
                0.9995,
                "more even than all but 1 in 2,000 such series of fair dice; curious, but no fault",
            ),
        ],
    )
    def test_they_say_what_p_means(self, p: float, words: str) -> None:
        assert wording(600, p) == words

    @given(st.floats(0.001, 0.998), st.integers(ENOUGH_DICE, 10**6))
    def test_they_accuse_nobody_of_what_happens_by_chance(self, p: float, dice: int) -> None:
        words = wording(dice, p)
        for accusation in ("cursed", "biased", "loaded", "unfair", "cheat", "check"):
            assert accusation not in words

    def test_no_chance_is_too_small_for_words(self) -> None:
        assert one_in(0.0) == "1 in a million"


class TestKept:
    def test_each_roll_adds_its_faces_to_its_source(
        self, ledger: Ledger, requests: Any, now: Any
    ) -> None:
        for source, faces in (("urandom", (1, 2, 2)), ("hwrng", (6,)), (HAND_ROLLED, (3, 3))):
            ledger.append(rolled(requests[0], faces, source, {}), now)
        everything, hwrng, table, urandom = ledger.fairness_all()
        assert (everything.source, everything.counts) == ("", (1, 2, 0, 0, 0, 1))
        assert (hwrng.source, hwrng.counts) == ("hwrng", (0, 0, 0, 0, 0, 1))
        assert (table.source, table.counts) == (HAND_ROLLED, (0, 0, 2, 0, 0, 0))
        assert (urandom.source, urandom.counts) == ("urandom", (1, 2, 0, 0, 0, 0))
        assert ledger.fairness("urandom") == urandom
        assert ledger.fairness("dongle") is None

    def test_before_the_first_roll_there_is_nothing_to_tell(self, ledger: Ledger) -> None:
        finding = ledger.fairness()
        assert finding is not None
        assert finding.plain() == {
            "source": None,
            "dice": 0,
            "counts": [0] * 6,
            "chi_square": 0.0,
            "degrees_of_freedom": 5,
            "p": 1.0,
            "runs": None,
            "serial": None,
            "words": "0 dice are too few to tell; ask again after 30",
        }

    def test_it_is_told_as_plain_data(self, ledger: Ledger, table: Any) -> None:
        table.fill(ledger, 60)
        finding = ledger.fairness()
        assert finding is not None
        told = finding.plain()
        assert told["dice"] == sum(told["counts"])
        assert told["runs"]["z"] == pytest.approx(
            (told["runs"]["value"] - told["runs"]["expected"])
            / math.sqrt(variance_of_runs(finding.counts))
        )


def variance_of_runs(counts: tuple[int, ...]) -> float:
    low, high = sum(counts[:3]), sum(counts[3:])
    mean = 2 * low * high / (low + high) + 1
    return (mean - 1) * (mean - 2) / (low + high - 1)
