"""What the configured model's answers mean on the user's own records: `chalkgit model calibrate`.

Each record of a sample is asked for twice. By its whole route: the best of all *other* records is as near as
one comes that nobody asked for. By its route in fewer words: whether the record itself is found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from chalkgit import thresholds
from chalkgit.answers import findable
from chalkgit.answers.check import Checker
from chalkgit.errors import ChalkError
from chalkgit.index import texts
from chalkgit.index.calibrations import Kept
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    Report = Callable[[int, int], None]


class Measured:
    """asked: records of the sample, of `records` in all. first, among: how many of their restatements found
    them first, and among the first three. consent, near: the thresholds chosen, a cosine and an order.
    would: of the records' own routes, how many would have had another record near."""

    __slots__ = ("among", "asked", "consent", "first", "near", "records", "would")

    def __init__(self, records: int, asked: int) -> None:
        self.records = records
        self.asked = asked
        self.first = self.among = self.would = 0
        self.consent = self.near = 0.0

    def kept(self, when: str) -> Kept:
        return Kept(self.consent, self.near, self.records, when)


def measure(checker: Checker, report: Report | None = None) -> Measured:
    """The measurement on this work tree's records; ChalkError without a model, or with too few records."""
    semantic = checker.semantic
    if not semantic.ran:
        raise ChalkError(f"there is no model to measure: {semantic.skipped}", hint=semantic.hint)
    source = checker.sources[0]
    asked = sample(findable.may_be_recalled(checker, source))
    if len(asked) < thresholds.CALIBRATION_LEAST:
        raise ChalkError(
            f"{len(asked)} records may be recalled here, and a measurement needs "
            f"{thresholds.CALIBRATION_LEAST}",
            hint="chalkgit model calibrate in the repository with the most records (chalkgit stores list)",
        )
    measured = Measured(source.index.words.count, len(asked))
    orders, cosines = [], []
    for number, record in enumerate(asked, 1):
        route = texts.route(record)
        found = findable.ranked(checker, source, route)
        others = [ruling for ruling in found if ruling.record.id != record.id and ruling.semantic is not None]
        orders.append(max((other.order for other in others), default=0.0))
        cosines.append(max((other.semantic or 0.0 for other in others), default=0.0))
        better = findable.before(findable.ranked(checker, source, restated(route)), record)
        if better is not None:
            measured.first += not better
            measured.among += len(better) < thresholds.AMONG
        if report is not None:
            report(2 * number, 2 * len(asked))
    measured.near = round(quantile(orders, thresholds.CALIBRATION_QUANTILE), 3)
    measured.consent = round(quantile(cosines, thresholds.CALIBRATION_QUANTILE), 3)
    measured.would = sum(order >= measured.near for order in orders)
    return measured


def sample(records: Sequence[Record]) -> list[Record]:
    """The same records in every run, whatever else is written: the first by what their ids hash to."""
    drawn = sorted(records, key=lambda record: hashlib.sha256(record.id.encode()).digest())
    return drawn[: thresholds.CALIBRATION_RECORDS]


def restated(route: str) -> str:
    """A route with every third word left out."""
    words = route.split()
    return " ".join(word for at, word in enumerate(words, 1) if at % 3)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which such a share of them lies, between two neighbours in proportion."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])
