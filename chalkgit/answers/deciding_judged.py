"""What became of a decider's answers: which of them people found right, and whether it may act.

It acts only after 20 judged answers of which 90 % were right, of this very URL, model and revision: another
build of a model is another decider. What a person said is of the record, so each answer is counted as it is
at the threshold of now, whatever was chosen then. A journal that is off or cannot be read has no answers.
"""

from __future__ import annotations

import math
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting
from chalkgit.store import ledger

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from chalkgit.store.place import Place

    Identity = tuple[str, str, str]  # url, model, revision

USEFUL, WRONG = "useful", "wrong"
_DAY = 24 * 3600 * 1000


class Gate:
    """judged, right: of the answers of this url, model and revision. why: what keeps it shut, or None."""

    __slots__ = ("judged", "model", "revision", "right", "url", "why")

    def __init__(self, identity: Identity, judged: int, right: int, why: str | None = None) -> None:
        self.url, self.model, self.revision = identity
        self.judged = judged
        self.right = right
        self.why = why or self._short()

    @property
    def met(self) -> bool:
        return self.why is None

    def _short(self) -> str | None:
        least = thresholds.DECIDER_JUDGED
        if self.judged < least:
            return f"{self.judged} of the {least} answers it takes were judged"
        if self.right < thresholds.DECIDER_RIGHT * self.judged:
            return (
                f"{self.right} of {self.judged} judged answers were right, "
                f"less than {thresholds.DECIDER_RIGHT:.0%}"
            )
        return None

    def as_json(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "model": self.model,
            "revision": self.revision or None,
            "judged": self.judged,
            "right": self.right,
            "met": self.met,
            "why": self.why,
        }


def gate(place: Place, identity: Identity, threshold: float) -> Gate:
    """Whether this decider may act here, with a yes from this probability on."""
    try:
        rows = ledger.read(
            place,
            "decided",
            ("probability", "chosen", "judged"),
            "url = ? and model = ? and revision = ? and judged in (0, 1)",
            identity,
        )
    except ChalkError as error:
        return Gate(identity, 0, 0, error.message)
    right = [
        # what was chosen then, and whether that was right, tell what a right answer is
        (probability >= threshold) == ((chosen == 1) == (judged == 1))
        for probability, chosen, judged in rows
        if judged in (0, 1) and chosen in (0, 1) and isinstance(probability, float) and 0 <= probability <= 1
    ]
    return Gate(identity, len(right), right.count(True))


def judge(place: Place, record_id: str, word: str) -> bool | None:
    """Take in what a person said of a record: whether the newest answer about it was right.

    None where no answer of the last 30 days waits to be judged. ChalkError where the journal cannot be
    written.
    """
    if word not in (USEFUL, WRONG):
        raise ChalkError(f"“{word}” is neither {USEFUL} nor {WRONG}")
    since = _now() - thresholds.DECIDER_JUDGED_DAYS * _DAY
    waits = "id = ? and judged is null and probability is not null and at >= ?"
    rows = ledger.read(place, "decided", ("at", "request", "chosen"), waits, (record_id, since))
    if not rows:
        return None
    at, request, chosen = rows[-1]
    right = (chosen == 1) == (word == USEFUL)
    ledger.change(
        place,
        "update decided set judged = ? where rowid = (select max(rowid) from decided where "
        "id = ? and at = ? and request = ? and judged is null and probability is not null)",
        (int(right), record_id, at, request),
    )
    return right


def panel(place: Place, since: int = 0) -> dict[str, Any]:
    """The decider's part of a report, since so many milliseconds. ChalkError for a damaged journal."""
    columns = ("request", "purpose", "url", "model", "revision", "mode", "chosen", "ms", "trouble", "judged")
    rows = [
        dict(zip(columns, row, strict=True))
        for row in ledger.read(place, "decided", columns, "at >= ?", (since,))
    ]
    answers = [row for row in rows if row["trouble"] is None]
    failed = [row for row in rows if row["trouble"] is not None]
    identities = dict.fromkeys(_identity(row) for row in answers)
    threshold = _threshold()
    requests = {row["request"]: row["ms"] for row in answers if isinstance(row["ms"], int)}
    return {
        "requests": len({row["request"] for row in rows}),
        "answers": len(answers),
        "yes": sum(row["chosen"] == 1 for row in answers),
        "yes_share": _share(sum(row["chosen"] == 1 for row in answers), len(answers)),
        "judged": sum(row["judged"] in (0, 1) for row in answers),
        "right": sum(row["judged"] == 1 for row in answers),
        "by_purpose": _counted(row["purpose"] for row in answers),
        "by_mode": _counted(row["mode"] for row in answers),
        "troubles": _counted(str(row["trouble"]).partition(":")[0] for row in failed),
        "ms": {"median": _quantile(requests.values(), 0.5), "p90": _quantile(requests.values(), 0.9)},
        "gates": [gate(place, identity, threshold).as_json() for identity in identities],
    }


def unjudged(place: Place, url: str, model: str) -> list[tuple[str, float, str]]:
    """(record id, probability, purpose): the answers of this model that `judge` would take, newest first."""
    since = _now() - thresholds.DECIDER_JUDGED_DAYS * _DAY
    columns = ("id", "probability", "purpose", "url", "model")
    waits = "id is not null and judged is null and probability is not null and at >= ?"
    newest: dict[str, tuple[Any, ...]] = {}
    for row in reversed(ledger.read(place, "decided", columns, waits, (since,))):
        if isinstance(row[0], str) and isinstance(row[1], float):
            newest.setdefault(row[0], row)  # a word judges the newest answer about a record, whoever gave it
    return [(row[0], row[1], str(row[2])) for row in newest.values() if row[3:] == (url, model)]


def gates(place: Place, url: str, model: str, threshold: float) -> list[Gate]:
    """Of every revision of this model that has answered, the last one first."""
    rows = ledger.read(
        place,
        "decided",
        ("url", "model", "revision"),
        "url = ? and model = ? and trouble is null",
        (url, model),
    )
    seen = dict.fromkeys((str(row[0]), str(row[1]), str(row[2] or "")) for row in reversed(rows))
    return [gate(place, identity, threshold) for identity in seen]


def troubles(place: Place) -> list[dict[str, Any]]:
    """The last requests that came to nothing, newest first."""
    columns = ("at", "purpose", "trouble")
    rows = ledger.read(place, "decided", columns, "trouble is not null")[-thresholds.DECIDER_TROUBLES :]
    return [dict(zip(columns, row, strict=True)) for row in reversed(rows)]


def _threshold() -> float:
    """Of the user's settings; the default where they name no decider that could act."""
    try:
        setting = decider_setting.named()
    except ChalkError:
        setting = None
    return thresholds.DECIDER_THRESHOLD if setting is None else setting.threshold


def _identity(row: dict[str, Any]) -> Identity:
    return str(row["url"] or ""), str(row["model"] or ""), str(row["revision"] or "")


def _counted(words: Iterable[Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[str(word)] = found.get(str(word), 0) + 1
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _quantile(values: Iterable[Any], share: float) -> float | None:
    """By nearest rank; None of nothing."""
    found = sorted(values)
    return found[max(math.ceil(share * len(found)) - 1, 0)] if found else None


def _now() -> int:
    return time.time_ns() // 1_000_000
