"""The runs of a journal's window: each once, whatever told of it, and by their loops."""

from __future__ import annotations

import json

from chalkgit.answers.report_rows import Row, Rows
from chalkgit.store.runs import Past

_WORDS = ("ticket", "fingerprint", "error", "tree", "digest", "run", "loop")
_NUMBERS = ("code", "failing", "found", "given", "bytes")


def loops(every: list[Past]) -> dict[str, list[Past]]:
    """By the id of their first run; runs of a journal that knew no loops are in none."""
    found: dict[str, list[Past]] = {}
    for run in every:
        if run.loop is not None:
            found.setdefault(run.loop, []).append(run)
    return {name: runs for name, runs in found.items() if not all(run.passed for run in runs)}


def every(rows: Rows) -> list[Past]:
    """Each run once, whatever told of it, oldest first."""
    found: dict[object, Past] = {}
    for row in rows.of("runs", "surface", "tests", *_WORDS, *_NUMBERS):
        run = _past(row)
        known = found.setdefault(run.run or object(), run)
        if known is not run:
            known.given = _most(known.given, run.given)
            known.found = _most(known.found, run.found)
    return list(found.values())


def _most(one: int | None, other: int | None) -> int | None:
    return max((n for n in (one, other) if n is not None), default=None)


def _past(row: Row) -> Past:
    try:
        tests = json.loads(row["tests"] or "[]")
    except (ValueError, RecursionError):
        tests = []
    named = [test for test in tests if isinstance(test, str)] if isinstance(tests, list) else []
    more = {name: row[name] for name in (*_WORDS, *_NUMBERS)}
    return Past(row["surface"] or "", at=row["at"], tests=named, **more)
