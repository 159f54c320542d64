"""What the tests of the report card stand on: rows of a journal, and an echo that says what it is told."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from repository import Repo

from chalkgit.answers import report_records
from chalkgit.store import ledger

NOW = time.time_ns() // 1_000_000
HOUR, DAY = 3600 * 1000, 24 * 3600 * 1000


@pytest.fixture(name="echoed", autouse=True)
def echoed_fixture(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the echo answers; empty, unless a test fills it."""
    rows: list[dict[str, Any]] = report_records.Echoed()
    monkeypatch.setattr(report_records, "echoed", lambda place, found: rows)
    return rows


def keep(repo: Repo, **tables: Sequence[Mapping[str, Any]]) -> None:
    """Rows of the journal; what is not said of their time is an hour ago."""
    rows = {name: [{"at": NOW - HOUR, **row} for row in found] for name, found in tables.items()}
    assert ledger.add(repo.place, rows) is None


def run(name: str, loop: str, minutes: int, **more: Any) -> dict[str, Any]:
    """A failed run of one test, after some minutes, with a work tree of its own."""
    given = more.get("given")
    said = {
        "tests": json.dumps(["tests/test_a.py::test_one"]),
        "fingerprint": "f1",
        "failing": 1,
        "tree": name,
    }
    return {
        "at": NOW - DAY + minutes * 60_000,
        "surface": "recall",
        "run": name,
        "loop": loop,
        **said,
        "found": given,
        **more,
    }


PASSED = {"tests": "[]", "fingerprint": None, "failing": 0}
