"""What the lessons' failures are found by: fingerprint, first error line, failing tests. Part of the table.

A refresh only notes which files changed (hooks wait for it); `recall` reads those before it asks. What a
record stores is raw, so everything here is computed anew by the rules of today, whatever version wrote the
record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.failures import fingerprint, naming, reading, rules, trigrams
from chalkgit.index import alike, refresh
from chalkgit.index.generation import Index
from chalkgit.records.record import Record, is_open
from chalkgit.store import sqlite

ERROR, OUTPUT, SPEC = 0, 1, 2  # what a stored string is
# Most of the strings are of lessons that were edited or removed since: all are written anew.
_EMPTIED = [
    (f"delete from {name} where ?", [(1,)])
    for name in ("lessons", "failing", "alike_strings", "alike_sizes", "alike_trigrams")
]
_ALL_LESSONS = ("insert into unread_lessons select path from files where kind = 'lesson' and ?", [(1,)])
# to pg_trgm they would be words that unrelated lines share
_PLACEHOLDER = re.compile(r"<[a-z]{1,12}>")


Close = tuple[list[tuple[str, float]], bool]


class Failed:
    """A lesson's failure as it is compared. tests: canonical ids. error: the line its likeness goes by, ""
    where it is none or says too little. specs: the phrases a specification may hold."""

    __slots__ = ("computed", "error", "output", "specs", "stated", "tests")

    def __init__(self, fields: dict[str, Any]) -> None:
        failure = fields.get("failure") or {}
        tests, error, code = _stored(failure)
        found = fingerprint.of_record(tests, error, code)
        stated = failure.get("fingerprint")
        # of today's rules the computed one counts; one of other rules is what its own writer looks for
        foreign = isinstance(stated, str) and not stated.startswith(f"{rules.VERSION}:")
        self.stated = stated if foreign else None
        self.computed = found.value
        self.tests = [rules.mask_id(test) for test in tests]
        self.error = likeness(found.normalized)
        self.output = "" if error else failure.get("output") or ""
        reason, rule = failure.get("reason"), fields.get("lesson") or fields.get("resolution")
        situation = _situation(rule) if isinstance(rule, str) else None
        said = dict.fromkeys(text for text in (self.error, reason, situation) if text)
        # a phrase of a few letters is in every text
        self.specs = [text for text in said if len(trigrams.of(text)) >= thresholds.SPEC_LEAST]


def likeness(normalized: str) -> str:
    """The text that a first error line is compared in: normalised, without what stands for volatile spans.

    "" for a line that many failures have: `AssertionError`, `WARNING: DATA RACE`.
    """
    if "\n" not in normalized and rules.generic(normalized):
        return ""
    return " ".join(_PLACEHOLDER.sub(" ", normalized).split())


def last_line(tail: Sequence[str]) -> str:
    """What an output without a known error is compared by; "" where that says too little."""
    said = next((line for line in reversed(tail) if line.strip()), "")
    return likeness(rules.normal(said, None))


def _situation(rule: str) -> str | None:
    """S of “When S, do Y, because Z”."""
    first, sign, _ = rule.partition(",")
    return first[5:].strip() if sign and first[:5].lower() == "when " else None


def _stored(failure: dict[str, Any]) -> tuple[list[str], str | None, int | None]:
    """(tests, error, exit code) as the record has them, or as its output does, where it holds that alone."""
    tests = [_canonical(test) for test in failure.get("tests") or () if isinstance(test, str)]
    error, output = failure.get("error"), failure.get("output")
    code = number(failure.get("exit-code"))
    if not error and isinstance(output, str) and output:
        run = reading.read(None, output.encode("utf-8", "replace"), exit_code=code)
        return tests or list(run.tests), run.text, code
    return tests, error if isinstance(error, str) else None, code


def _canonical(test: str) -> str:
    """The id as the readers write it, where a record has pytest's own form: `tests/test_a.py::test_b`."""
    return naming.python_node(test) if ".py::" in test or test.endswith(".py") else test


def number(text: object) -> int | None:
    """An exit code as a record has it; None for what is none."""
    try:
        return int(str(text)[:20]) if text is not None else None
    except ValueError:
        return None


def fill(index: Index, report: refresh.Progress | None = None) -> None:
    """Read what changed since the last time, under a refresh's lock; ChalkError where that is busy."""
    if not index.table.rows("select 1 from unread_lessons limit 1"):
        return
    if index.folder is None:
        _read(index, report)
        return
    try:
        with refresh.lock(index.place):
            _read(index, report)
    except OSError as error:  # another user's, or a disk that takes no writes
        raise ChalkError(f"the index cannot be written: {error.strerror}") from error


def _read(index: Index, report: refresh.Progress | None) -> None:
    _read_changed(index, report)
    if alike.worn(index.table):
        index.table.write([*_EMPTIED, _ALL_LESSONS])
        _read_changed(index, report)


def _read_changed(index: Index, report: refresh.Progress | None) -> None:
    count = int(index.table.rows("select count(*) from unread_lessons")[0][0])
    done = 0
    while rows := index.table.rows(
        "select path from unread_lessons order by path limit ?", thresholds.LESSONS_AT_ONCE
    ):
        paths = [row[0] for row in rows]
        bodies = index.table.fields(paths)
        found = {path: Failed(fields) for path, fields in bodies.items() if fields.get("kind") == "lesson"}
        unspoken = {path for path in found if not _speaks(bodies[path])}
        index.table.change(_writing(paths, found, unspoken))
        done += len(paths)
        if report is not None:
            report(done, count)


def _speaks(fields: dict[str, Any]) -> bool:
    """Whether it may ever be recalled as its file stands: resolved, and not withdrawn."""
    return not is_open(Record(fields)) and fields.get("retired") is None and fields.get("settled") is None


def _writing(paths: Sequence[str], found: dict[str, Failed], unspoken: Collection[str]) -> Any:
    def work(database: sqlite.Connection) -> None:
        for path in paths:
            keys = [row[0] for row in database.execute("select key from lessons where path = ?", (path,))]
            alike.forget(database, keys)
            for key in keys:
                database.execute("delete from failing where key = ?", (key,))
                database.execute("delete from lessons where key = ?", (key,))
        strings: list[tuple[int, str, int]] = []
        for path, failed in found.items():
            row = (path, failed.computed, failed.stated, json.dumps(failed.tests))
            key = database.execute(
                "insert into lessons (path, computed, stated, tests) values (?, ?, ?, ?)", row
            ).lastrowid
            assert key is not None
            database.executemany(
                "insert or ignore into failing values (?, ?)", [(test, key) for test in failed.tests]
            )
            if path in unspoken:  # it would only take the places of those that may be recalled
                continue
            strings += [(key, failed.error, ERROR)] if failed.error else []
            strings += [(key, failed.output, OUTPUT)] if failed.output else []
            strings += [(key, text, SPEC) for text in failed.specs]
        alike.add(database, strings)
        database.executemany("delete from unread_lessons where path = ?", [(path,) for path in paths])

    return work


def paths(index: Index) -> list[str]:
    """The files of all lessons that `fill` has read."""
    return [row[0] for row in index.table.rows("select path from lessons order by path")]


def with_fingerprint(index: Index, value: str) -> list[str]:
    """The paths of the lessons with this fingerprint."""
    rows = index.table.rows("select path from lessons where computed = ?1 or stated = ?1", value)
    return [row[0] for row in rows]


def alike_error(index: Index, line: str, least: float, most: int = alike.MOST) -> Close:
    """The lessons whose first error line is alike: (path, similarity), and whether these are all."""
    return _by_path(index, *alike.alike(index.table, line, ERROR, least, most))


def alike_output(index: Index, text: str, least: float, most: int = alike.MOST) -> Close:
    """The same of lessons that hold no error line but an output."""
    return _by_path(index, *alike.alike(index.table, text, OUTPUT, least, most))


def spoken_of(index: Index, spec: str, least: float, most: int = alike.MOST) -> Close:
    """The lessons of which a specification has a phrase: (path, closeness), and if these are all."""
    return _by_path(index, *alike.contained(index.table, spec, SPEC, least, most))


def _by_path(index: Index, close: Sequence[tuple[int, float]], whole: bool) -> Close:
    keys = dict(close)
    rows: list[tuple[Any, ...]] = []
    for start in range(0, len(keys), 500):
        part = list(keys)[start : start + 500]
        marks = ",".join("?" * len(part))
        rows += index.table.rows(f"select path, key from lessons where key in ({marks})", *part)
    return [(path, keys[key]) for path, key in rows], whole


def with_tests(index: Index, tests: Sequence[str]) -> list[tuple[str, float]]:
    """(path, share) of the lessons with any of these failing tests; 1 where all are the same."""
    query = "select l.path, l.tests from failing f join lessons l using (key) where f.test in"
    ours = set(tests)
    found = []
    for path, stored in dict(index.table.some(query, tests)).items():
        theirs = set(json.loads(stored))
        found.append((path, len(theirs & ours) / len(theirs | ours)))
    return found
