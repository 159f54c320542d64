"""What was asked and what was shown, over time: verdicts of `check`, and records by where they were met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from chalkgit.answers.report_rows import Buckets, Row, Rows, quantile

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

VERDICTS = ("tried", "near", "clear", "empty", "unknown")
# Where a record was met: because somebody asked, or unasked at one of these doors.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "asked": ("check", "at", "recall", "detain"),
    "git": ("commit", "message"),
    "editor": ("save", "lsp", "watch"),
    "agent": ("agent",),
    "tests": ("pytest",),
}
_GROUP = {surface: group for group, surfaces in GROUPS.items() for surface in surfaces}
# a question's own switch: of what else was switched off beside it, it was answered all the same
_SWITCH = {"check": "check", "at": "rulings", "rulings": "rulings", "recall": "recall"}


def section(rows: Rows, buckets: Buckets) -> dict[str, Any]:
    asked = rows.of("asked", "kind", "surface", "verdict", "shown", "bytes", "bypassed")
    shown = records(rows)
    answered = [row for row in asked if not off(row)]
    verdicts = Counter(_verdict(row) for row in answered if row["kind"] == "check")
    recalls = [row for row in answered if row["kind"] == "recall"]
    return {
        "data": bool(asked or shown),
        "questions": {kind: sum(row["kind"] == kind for row in asked) for kind in ("check", "at", "recall")},
        "unasked": sum(row["kind"] == "rulings" for row in asked),
        "switched_off": dict(Counter(_SWITCH[row["kind"]] for row in asked if off(row))),
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "recalls_with_lessons": sum(bool(row["shown"]) for row in recalls),
        "shown": len(shown),
        "records": len({row["id"] for row in shown}),
        "bytes": sum(row["bytes"] or 0 for row in shown),
        "by_group": _counted(shown),
        "buckets": _over_time(answered, shown, buckets),
    }


def waits(rows: Rows) -> dict[str, Any]:
    """How long people waited, by where: from the process's start to the last line, where that is known."""
    columns = rows.of("asked", "kind", "surface", "ms", "bypassed")
    felt: dict[str, list[int]] = {}
    for row in columns:
        if isinstance(row["ms"], int) and row["ms"] >= 0 and not off(row):
            felt.setdefault(str(row["surface"] or "unknown"), []).append(row["ms"])
    order = [surface for surfaces in GROUPS.values() for surface in surfaces]
    names = [*filter(felt.__contains__, order), *sorted(set(felt) - set(order))]
    every = [ms for found in felt.values() for ms in found]
    return {
        "data": bool(felt),
        "all": _waited(every),
        "surfaces": [{"surface": name, **_waited(felt[name])} for name in names],
    }


def records(rows: Rows) -> list[Row]:
    """Each record once for each time it was shown, whatever number of files it was shown for."""
    return rows.once("records", lambda: _records(rows))


def _records(rows: Rows) -> list[Row]:
    seen: dict[tuple[object, ...], Row] = {}
    for row in rows.of("shown", "id", "surface", "asked", "session", "path", "bytes"):
        if row["id"]:  # a row without is a mark, and no record that reached anybody
            # a row of an earlier version belongs to no question
            key = (row["asked"],) if row["asked"] else (row["at"], row["session"])
            seen.setdefault((*key, row["id"]), row)
    return list(seen.values())


def off(row: Row) -> bool:
    """Whether the question's own switch answered it."""
    switch = _SWITCH.get(row["kind"])  # a later version may ask in ways that this one does not know
    return switch is not None and switch in str(row["bypassed"] or "").split(",")


def _verdict(row: Row) -> str:
    return row["verdict"] if row["verdict"] in VERDICTS else "unknown"


def _group(row: Row) -> str:
    return _GROUP.get(row["surface"] or "", "other")


def _counted(shown: list[Row]) -> dict[str, int]:
    found = Counter(_group(row) for row in shown)
    return {group: found[group] for group in (*GROUPS, "other")}


def _over_time(asked: list[Row], shown: list[Row], buckets: Buckets) -> list[dict[str, Any]]:
    verdicts = Counter((buckets.start(row["at"]), _verdict(row)) for row in asked if row["kind"] == "check")
    groups = Counter((buckets.start(row["at"]), _group(row)) for row in shown)
    return [
        {
            "from": start,
            "verdicts": {verdict: verdicts[start, verdict] for verdict in VERDICTS},
            "shown": {group: groups[start, group] for group in (*GROUPS, "other")},
        }
        for start in buckets.starts
    ]


def _waited(felt: list[int]) -> dict[str, int | None]:
    return {
        "answers": len(felt),
        "median": quantile(felt, 0.5),
        "p90": quantile(felt, 0.9),
        "p99": quantile(felt, 0.99),
    }
