"""What became of a decider's answers: which of them people found right, and a report's panel.

A person says whether the record applies to what was asked about. That judges one answer, the newest about
the record, and another word of the same person replaces it: no word is carried on to an older answer. Where
people disagree the majority has it, and where they are even the answer waits.
"""

from __future__ import annotations

import json
import math
import time

from chalkgit import thresholds
from chalkgit.answers import deciding_gate
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting
from chalkgit.store import ledger

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from chalkgit.answers.deciding_gate import Identity
    from chalkgit.store.place import Place

    Row = dict[str, Any]

USEFUL, WRONG = "useful", "wrong"
# Where a record is shown that a decider was asked about, by what it was asked for.
SHOWN_BY = {"recall": ("recall", "pytest"), "check": ("check",)}
_DAY = 24 * 3600 * 1000
_COLUMNS = "at request purpose url model revision id hash probability chosen judged question votes".split()
# Rows of one question, of one decider, about one record as it was.
_SAME = ("purpose", "url", "model", "revision", "id", "hash", "question")
_WAITS = "probability is not null and chosen in (0, 1) and at >= ?"


class Waiting:
    """An answer that nobody judged. at: milliseconds since 1970. failed: the error that it was about, as the
    journal keeps it of the run; None where it does not, and of proposals."""

    __slots__ = ("at", "failed", "id", "probability", "purpose")

    def __init__(self, row: Row, failed: str | None) -> None:
        self.id: str = row["id"]
        self.probability: float = row["probability"]
        self.purpose = str(row["purpose"])
        self.at: int = row["at"]
        self.failed = failed


def judge(place: Place, record_id: str, word: str, who: str | None = None) -> bool | None:
    """Take in what a person said of a record that was shown: whether the newest answer about it was right.

    None where no answer of the last 30 days is about it, where the record was not shown with that answer or
    was shown again since (then the word is of something else), or where people are even. ChalkError where the
    journal cannot be written.
    """
    if word not in (USEFUL, WRONG):
        raise ChalkError(f"“{word}” is neither {USEFUL} nor {WRONG}")
    rows = _answers(place, record_id)
    if not rows:
        return None
    if not _shown_with(place, rows[-1]):
        return None
    return _judged(place, rows, word == USEFUL, who)


def answered(place: Place, record_id: str, applies: bool, who: str | None) -> tuple[bool, bool | None]:
    """The same of somebody who says so of the answer, and nothing of the record: (whether the answer is yes,
    whether it was right). ChalkError where there is no answer."""
    rows = _answers(place, record_id)
    if not rows:
        days = thresholds.DECIDER_JUDGED_DAYS
        raise ChalkError(
            f"no answer of a decider in the last {days} days is about {record_id}",
            hint="chalkgit decider status",
        )
    return rows[-1]["chosen"] == 1, _judged(place, rows, applies, who)


def withdraw(place: Place, record_id: str, who: str | None) -> None:
    """Take back what a person said, of every answer about the record."""
    for row in _rows(place, "id = ?", (record_id,)):
        votes = _votes(row)
        if votes.pop(who or "", None) is not None:
            _write(place, row, votes)


def asked(place: Place) -> list[str]:
    """The records of which an answer can be judged."""
    return sorted({str(row["id"]) for row in _rows(place, _WAITS, (_since(),))})


def unjudged(place: Place, url: str, model: str) -> list[Waiting]:
    """The newest answer of this model about each record of which none was judged, the newest first."""
    newest: dict[str, Row] = {}
    counted = set()
    for row in reversed(_rows(place, _WAITS, (_since(),))):
        ours = (row["url"], row["model"]) == (url, model)
        if row["judged"] in (0, 1) and ours:
            counted.add(row["id"])
        newest.setdefault(row["id"], row)  # a word judges the newest answer about a record, whoever gave it
    waits = [row for name, row in newest.items() if name not in counted]
    waits = [row for row in waits if (row["url"], row["model"]) == (url, model)]
    failed = _failed(place) if waits else {}
    return [Waiting(row, failed.get(row["question"])) for row in waits]


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
        "gates": [deciding_gate.gate(place, identity, threshold).as_json() for identity in identities],
    }


def troubles(place: Place) -> list[dict[str, Any]]:
    """The last requests that came to nothing, newest first."""
    columns = ("at", "purpose", "trouble")
    rows = ledger.read(place, "decided", columns, "trouble is not null")[-thresholds.DECIDER_TROUBLES :]
    return [dict(zip(columns, row, strict=True)) for row in reversed(rows)]


def _answers(place: Place, record_id: str) -> list[Row]:
    """Of the last 30 days those to the question that was put last about a record, the oldest first."""
    rows = _rows(place, f"id = ? and {_WAITS}", (record_id, _since()))
    return [row for row in rows if all(row[name] == rows[-1][name] for name in _SAME)]


def _shown_with(place: Place, row: Row) -> bool:
    """Whether the last that a reader saw of the record came with this answer."""
    shown = ledger.read(place, "shown", ("surface", "at"), "id = ? and at >= ?", (row["id"], row["at"]))
    if not shown:
        return False
    surface, at = shown[-1]
    late = row["at"] + 1000 * thresholds.DECIDER_SHOWN_SECONDS
    return surface in SHOWN_BY.get(row["purpose"], ()) and isinstance(at, int) and at <= late


def _judged(place: Place, rows: Sequence[Row], applies: bool, who: str | None) -> bool | None:
    """Count a word beside others on the same question; whether the answer was right, None where even."""
    votes: dict[str, bool] = {}
    for row in rows:
        votes |= _votes(row)
    return _write(place, rows[-1], {**votes, who or "": applies})


def _write(place: Place, row: Row, votes: dict[str, bool]) -> bool | None:
    yes = sum(votes.values())
    no = len(votes) - yes
    right = None if yes == no else (row["chosen"] == 1) == (yes > no)
    ledger.change(
        place,
        "update decided set judged = ?, votes = ? where rowid = (select max(rowid) from decided where "
        "id = ? and at = ? and request is ? and probability is not null)",
        (
            None if right is None else int(right),
            json.dumps({name: int(vote) for name, vote in votes.items()}) if votes else None,
            *(row[name] for name in ("id", "at", "request")),
        ),
        grown="decided",
    )
    return right


def _votes(row: Row) -> dict[str, bool]:
    """By person, whether it applies; {} of what nobody could have written."""
    try:
        found = json.loads(row["votes"] or "{}")
    except (ValueError, RecursionError):
        return {}
    return {name: bool(vote) for name, vote in found.items()} if isinstance(found, dict) else {}


def _rows(place: Place, where: str, values: Sequence[ledger.Value]) -> list[Row]:
    """Answers, the oldest first, without what nobody could have written."""
    found = [
        dict(zip(_COLUMNS, row, strict=True))
        for row in ledger.read(place, "decided", _COLUMNS, where, values)
    ]
    return [
        row
        for row in found
        if all(
            isinstance(row[name], kind) for name, kind in (("at", int), ("id", str), ("probability", float))
        )
    ]


def _failed(place: Place) -> dict[object, str]:
    """The error of the newest run of each fingerprint."""
    rows = ledger.read(place, "runs", ("fingerprint", "error"), "fingerprint is not null")
    return {fingerprint: error for fingerprint, error in rows if isinstance(error, str) and error}


def _since() -> int:
    return time.time_ns() // 1_000_000 - thresholds.DECIDER_JUDGED_DAYS * _DAY


def _threshold() -> float:
    """Of the user's settings; the default where they name no decider that could act."""
    try:
        setting = decider_setting.named()
    except ChalkError:
        setting = None
    return thresholds.DECIDER_THRESHOLD if setting is None else setting.threshold


def _identity(row: Row) -> Identity:
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
