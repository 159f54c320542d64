"""Intervals of rates and of differences, as they were published, and how large an A/A run has to be."""

from __future__ import annotations

import math
import random

import pytest

from chalkgit import thresholds
from chalkgit.answers import experiment_stats as stats

Z = 1.959964
# R. G. Newcombe, Two-sided confidence intervals for the single proportion (Statistics in Medicine 17, 1998),
# table I, method 3
SINGLE = {
    (81, 263): (0.2553, 0.3662),
    (15, 148): (0.0624, 0.1605),
    (0, 20): (0, 0.1611),
    (1, 29): (0.0061, 0.1718),
}
# the same, Interval estimation for the difference between independent proportions, table II, method 10
DIFFERENCES = {
    ((56, 70), (48, 80)): (0.0524, 0.3339),
    ((9, 10), (3, 10)): (0.1705, 0.8090),
    ((6, 7), (2, 7)): (0.0582, 0.8062),
    ((5, 56), (0, 29)): (-0.0381, 0.1926),
    ((0, 10), (0, 20)): (-0.1611, 0.2775),
    ((0, 10), (0, 10)): (-0.2775, 0.2775),
    ((10, 10), (0, 20)): (0.6791, 1.0),
    ((10, 10), (0, 10)): (0.6075, 1.0),
}


@pytest.mark.parametrize("counts", SINGLE, ids=str)
def test_an_interval_of_one_rate_is_the_published_one(counts: tuple[int, int]) -> None:
    assert stats.wilson(*counts, Z) == pytest.approx(SINGLE[counts], abs=0.00006)


@pytest.mark.parametrize("counts", DIFFERENCES, ids=str)
def test_an_interval_of_a_difference_is_the_published_one(
    counts: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    difference, low, high = stats.newcombe(*counts, Z)
    (one, n), (other, m) = counts
    assert difference == pytest.approx(one / n - other / m)
    assert (low, high) == pytest.approx(DIFFERENCES[counts], abs=0.00006)


def test_intervals_hold_their_rate_and_turn_with_the_arms() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        n, m = chance.randint(1, 500), chance.randint(1, 500)
        one, other = (chance.randint(0, n), n), (chance.randint(0, m), m)
        low, high = stats.wilson(*one)
        assert 0 <= low <= one[0] / one[1] <= high <= 1
        difference, below, above = stats.newcombe(one, other)
        assert -1 <= below <= difference <= above <= 1
        turned = stats.newcombe(other, one)
        assert turned == pytest.approx((-difference, -above, -below))
        wider = stats.newcombe(one, other, 2.797)
        assert wider[1] <= below
        assert wider[2] >= above


def test_of_no_loops_nothing_is_known() -> None:
    assert stats.wilson(0, 0) == (0, 1)
    assert stats.newcombe((0, 0), (5, 10)) == (0, -1, 1)
    assert not stats.within((0, 0), (0, 0))


def test_the_looks_are_equally_far_apart() -> None:
    assert stats.looks(100) == ((50, 2.899), (100, 2.05))
    assert [n for n, _ in stats.looks(501)] == [250, 501]
    # O'Brien and Fleming's shape, no less strict than theirs at 5 %
    shape = math.sqrt(2) * thresholds.EXPERIMENT_Z_WHOLE
    assert pytest.approx(shape, abs=0.001) == thresholds.EXPERIMENT_Z_HALF
    assert thresholds.EXPERIMENT_Z_WHOLE >= 1.977
    assert thresholds.EXPERIMENT_DECISION // 2 >= thresholds.EXPERIMENT_DIRECTION


def test_three_points_are_within_three_points_and_more_are_not() -> None:
    assert 0.53 - 0.50 > 0.03  # which is why it is not computed so
    assert stats.within((53, 100), (50, 100))
    assert stats.within((50, 100), (53, 100))
    assert not stats.within((54, 100), (50, 100))
    assert not stats.within((531, 1000), (50, 100))


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.7])
def test_an_honest_aa_run_of_the_size_advised_misses_once_in_twenty(rate: float) -> None:
    loops = stats.needed(rate)
    assert stats.missed(rate, loops) == pytest.approx(0.05, abs=0.0005)
    chance = random.Random(7)
    runs = 400
    error = math.sqrt(rate * (1 - rate) / loops)
    fixed = [[round(loops * chance.gauss(rate, error)) for _ in range(2)] for _ in range(runs)]
    missed = sum(not stats.within((one, loops), (other, loops)) for one, other in fixed)
    assert 0.02 < missed / runs < 0.08


def test_at_a_hundred_an_arm_two_thirds_miss_and_at_2_100_one_in_twenty() -> None:
    assert stats.missed(0.5, 100) == pytest.approx(2 / 3, abs=0.01)
    assert stats.needed(0.5) == 2135
    # where one arm is four times the other, the smaller needs fewer, and both together more
    assert stats.needed(0.5, 0.2) == stats.needed(0.5, 0.8) == 1334
    assert stats.needed(0.0) == thresholds.EXPERIMENT_AA_LOOPS
    assert stats.missed(0.0, 100) == 0
