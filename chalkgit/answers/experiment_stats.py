"""Intervals for rates and for the difference of two, and how many loops an A/A run needs. Pure arithmetic.

A rate is a share between 0 and 1, `fixed` of `loops` (both counts, 0 <= fixed <= loops), a difference is one
rate minus another, between -1 and 1, and z is the number of standard errors on each side. No loops, no
knowledge: the interval is all that is possible, never an error.

E. B. Wilson, Probable inference, the law of succession, and statistical inference (J. Am. Stat. Assoc. 22,
1927), and R. G. Newcombe, Interval estimation for the difference between independent proportions: comparison
of eleven methods (Statistics in Medicine 17, 1998), method 10. Tests hold the values of Newcombe's tables.
"""

from __future__ import annotations

import math

from chalkgit import thresholds


def wilson(fixed: int, loops: int, z: float = thresholds.EXPERIMENT_Z) -> tuple[float, float]:
    """(low, high) of a rate, Wilson's score interval without correction for continuity."""
    if loops == 0:
        return 0.0, 1.0
    rate = fixed / loops
    middle = fixed + z * z / 2
    spread = z * math.sqrt(loops * rate * (1 - rate) + z * z / 4)
    low, high = (middle - spread) / (loops + z * z), (middle + spread) / (loops + z * z)
    # at the ends it is exact, and arithmetic is not
    return 0.0 if fixed == 0 else low, 1.0 if fixed == loops else high


def newcombe(
    one: tuple[int, int], other: tuple[int, int], z: float = thresholds.EXPERIMENT_Z
) -> tuple[float, float, float]:
    """(difference, low, high) of one rate minus another, each given as (fixed, loops).

    Newcombe's method 10: the distances to the ends of the two Wilson intervals, added as errors are.
    """
    if one[1] == 0 or other[1] == 0:
        return 0.0, -1.0, 1.0
    rates = one[0] / one[1], other[0] / other[1]
    (low, high), (other_low, other_high) = wilson(*one, z), wilson(*other, z)
    difference = rates[0] - rates[1]
    below = math.hypot(rates[0] - low, other_high - rates[1])
    above = math.hypot(high - rates[0], rates[1] - other_low)
    return difference, max(-1.0, difference - below), min(1.0, difference + above)


def looks(size: int) -> tuple[tuple[int, float], tuple[int, float]]:
    """The two looks of an experiment that is planned for `size` loops in each arm: (loops in each arm, z).

    The first is at half of them, since the boundaries are those of two looks equally far apart.
    """
    return (size // 2, thresholds.EXPERIMENT_Z_HALF), (size, thresholds.EXPERIMENT_Z_WHOLE)


def within(one: tuple[int, int], other: tuple[int, int], most: float = thresholds.EXPERIMENT_AA) -> bool:
    """Whether two rates, each (fixed, loops), are at most so far apart, and exactly: 53 and 50 of 100 are."""
    if one[1] == 0 or other[1] == 0:
        return False
    apart = abs(one[0] * other[1] - other[0] * one[1])
    return apart * 1_000_000 <= round(most * 1_000_000) * one[1] * other[1]


def missed(rate: float, loops: float, share: float = 0.5, most: float = thresholds.EXPERIMENT_AA) -> float:
    """The share of honest A/A runs whose arms are further apart than that by chance alone (normal law).

    loops: in the smaller arm. share: of all loops that go to the first arm.
    """
    error = math.sqrt(_variance(rate, share) / loops)
    return math.erfc(most / error / math.sqrt(2)) if error else 0.0


def needed(
    rate: float,
    share: float = 0.5,
    most: float = thresholds.EXPERIMENT_AA,
    chance: float = thresholds.EXPERIMENT_AA_MISSED,
) -> int:
    """How many loops the smaller arm of an A/A run needs, so that honest ones miss with this chance."""
    z = _quantile(chance)
    wanted = math.ceil(_variance(rate, share) * (z / most) ** 2)
    return max(wanted, thresholds.EXPERIMENT_AA_LOOPS)


def _variance(rate: float, share: float) -> float:
    """Of the difference of two equal rates, times the loops in the smaller arm."""
    smaller = min(share, 1 - share)
    return rate * (1 - rate) * (1 + smaller / (1 - smaller))


def _quantile(chance: float) -> float:
    """The z that a normal value exceeds, on either side, with this chance; by halving."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        if math.erfc(middle / math.sqrt(2)) > chance:
            low = middle
        else:
            high = middle
    return high
