"""The report card: failed runs and what came of them, and what became of records that were shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import journal_story
import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import DAY, NOW, PASSED, echoed_fixture, keep, run  # noqa: F401
from repository import Repo

from chalkgit.answers import report_records
from chalkgit.store import journal_file

# --- after a failed run ---------------------------------------------------------------------------


def test_retries_are_told_by_what_the_next_run_shows(repo: Repo, chalk: Inside) -> None:
    same = {"tree": "t"}
    keep(
        repo,
        runs=[
            run("a1", "a1", 0, given=1),
            run("a2", "a1", 5, given=0, **PASSED),
            run("b1", "b1", 0, given=0, **same),
            run("b2", "b1", 5, given=0, **same, **PASSED),  # it passed, and nothing was changed
            run("c1", "c1", 0, given=0),
            run("c2", "c1", 5, given=0),  # the same failure
            run("d1", "d1", 0, given=1),  # nobody knows what came of it
            run("e1", "e1", 0),  # nobody told what it was given
        ],
    )
    found = chalk.json("report")["retries"]
    names = ("runs", "followed", "gone", "fixed", "loops", "passed", "runs_until_passed")
    assert {name: found["with"][name] for name in names} == dict(
        zip(names, (2, 1, 1, 1, 2, 1, 1), strict=True)
    )
    without = dict(zip(names, (3, 2, 1, 0, 2, 1, 1), strict=True))
    assert {name: found["without"][name] for name in names} == without
    assert (found["untold"], found["with"]["fixed_share"]) == (1, 1.0)
    said = chalk("report").out
    assert "Lessons appear only where something similar failed before" in said
    assert "Of the 1 of 2 failed runs with lessons that another run followed, 100 % were fixed" in said
    assert "failed runs until one passed, the median of loops" in said


def test_an_exit_code_alone_is_no_outcome(repo: Repo, chalk: Inside) -> None:
    bare = {"tests": "[]", "fingerprint": None, "error": None, "failing": None, "code": 1}
    keep(repo, runs=[run("a1", "a1", 0, given=0), run("a2", "a1", 5, **bare)])
    assert chalk.json("report")["retries"]["without"]["followed"] == 0
    keep(repo, runs=[run("a3", "a1", 9, given=0, **PASSED)])
    found = chalk.json("report")["retries"]["without"]
    assert (found["followed"], found["fixed"]) == (1, 1)


@pytest.mark.parametrize("arm", ["with", "without"])
def test_what_came_of_the_loops_of_an_experiment_is_left_to_it(repo: Repo, chalk: Inside, arm: str) -> None:
    given = int(arm == "with")
    keep(repo, runs=[run("a1", "a1", 0, given=given), run("a2", "a1", 5, **PASSED)])
    plain = chalk.json("report")["retries"]
    assert (plain[arm]["followed"], plain["loops"], plain["runs"], plain["drawn"]) == (1, 1, 1, 0)
    keep(repo, trials=[{"loop": "a1", "arm": "b", "experiment": "y"}])  # of an A/A run nothing is withheld
    assert chalk.json("report")["retries"] == plain
    # drawn before the time that the report is about
    keep(repo, trials=[{"loop": "a1", "arm": arm, "experiment": "x", "at": NOW - 3 * DAY}])
    found = chalk.json("report", "--days", "2")["retries"]
    assert (found[arm]["followed"], found["loops"], found["runs"], found["drawn"]) == (0, 0, 0, 1)
    assert not any(one["failed"] or one["passed"] for one in found["buckets"])
    assert "Loops of experiments, with and without lessons, are left to these: 1." in chalk("report").out


def test_a_test_that_fails_in_two_loops_fails_again_and_again(repo: Repo, chalk: Inside) -> None:
    one, two = "tests/test_a.py::test_one", "tests/test_a.py::test_two"
    keep(
        repo,
        runs=[
            run("a1", "a1", 0, tests=json.dumps([one, two])),
            run("a2", "a1", 5, tests=json.dumps([one, two])),
            run("b1", "b1", 90, tests=json.dumps([one])),
        ],
    )
    found = chalk.json("report")["failing"]
    assert (found["failed"], found["again"]) == (2, 1)
    assert [(t["test"], t["loops"], t["runs"]) for t in found["tests"]] == [(one, 2, 3)]


# --- records and people ---------------------------------------------------------------------------


def test_a_record_earns_its_keep_or_not(repo: Repo, chalk: Inside, echoed: list[dict[str, Any]]) -> None:
    cited, alarm, unused, new = (repo.record(route=f"way {n}", observation="no way").id for n in range(4))
    shown = [
        (name, n) for name, times in ((cited, 5), (alarm, 5), (unused, 5), (new, 4)) for n in range(times)
    ]
    keep(
        repo,
        shown=[{"id": i, "surface": "check", "asked": f"q{n}", "path": "a"} for i, n in shown],
        feedback=[
            {"id": alarm, "word": "useful", "who": "Ada", "surface": "check"},
            {"id": alarm, "word": "wrong", "who": "Ada", "surface": "check"},  # her last word
        ],
    )
    none = dict.fromkeys(("cited", "adopted", "before_fix", "drawn"), 0)
    uses = {"shown": 5, **none, "proposed_again": 1, "last_shown": None, "surface": "check"}
    echoed += [{"id": cited, **uses, "cited": 2}, {"id": unused, **uses}]
    found = chalk.json("report")
    verdicts = {one["id"]: one["verdict"] for one in found["records"]["records"]}
    assert verdicts == {
        cited: "earns its keep",
        alarm: "false alarm",
        unused: "never used",
        new: "too early to say",
    }
    assert (found["alarms"]["wrong"], found["alarms"]["useful"]) == (1, 0)
    assert found["alarms"]["marked"][0]["title"] == "way 1"
    assert (found["echo"]["records"], found["echo"]["used"]) == (2, 1)
    assert found["echo"]["surfaces"] == [
        {"surface": "check", "shown": 10, "cited": 2, "adopted": 0, "proposed_again": 2, "before_fix": 0}
    ]


def test_what_the_echo_cannot_tell_is_held_against_no_record(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalkgit.errors import ChalkError

    def silent(place: object, rows: object) -> Iterator[Any]:
        raise ChalkError("git does not answer")

    name = repo.record(route="a way", observation="no way").id
    keep(repo, shown=[{"id": name, "surface": "check", "asked": f"q{n}", "path": "a"} for n in range(9)])
    assert chalk.json("report")["records"]["records"][0]["verdict"] == "never used"
    monkeypatch.setattr(report_records, "echoed", silent)
    found = chalk.json("report")
    assert found["records"]["records"][0]["verdict"] == "too early to say"
    assert found["records"]["records"][0]["cited"] is None
    assert (found["whole"], found["echo"]["trouble"]) == (False, "git does not answer")


def test_open_lessons_are_told_with_how_long_they_are_open(repo: Repo, chalk: Inside) -> None:
    repo.record(
        "lesson", failure={"error": "E: one", "ticket": "T-1"}, valid_from=journal_story.day(NOW - 40 * DAY)
    )
    repo.record("lesson", failure={"error": "E: two"}, valid_from=journal_story.day(NOW - 2 * DAY))
    repo.record("lesson", failure={"error": "E: three"}, resolution="stop the workers first")
    repo.record("lesson", failure={"error": "E: four"}, retired={"because": "no more", "on": "2026-01-01"})
    found = chalk.json("report")["lessons"]
    assert (found["open"], found["resolved"], found["oldest_days"]) == (2, 1, 40)
    assert [(one["ticket"], one["days"]) for one in found["lessons"]] == [("T-1", 40), (None, 2)]
    assert [(age["from"], age["to"], age["lessons"]) for age in found["ages"]] == [
        (0, 7, 1),
        (7, 30, 0),
        (30, 90, 1),
        (90, None, 0),
    ]


def test_what_records_and_tests_say_is_harmless_in_the_terminal(repo: Repo, chalk: Inside) -> None:
    evil = "\x1b[31mred\x07 \u202e line"
    name = repo.record(route="quiet way", observation="no way").id
    keep(
        repo,
        shown=[{"id": name, "surface": evil, "asked": "q", "path": "a"}],
        asked=[{"kind": "check", "surface": evil, "verdict": evil, "ms": 3}],
        feedback=[{"id": evil, "word": "wrong", "who": evil, "surface": evil}],
        runs=[run("a", "a", 0, tests=json.dumps([evil])), run("b", "b", 9, tests=json.dumps([evil]))],
        decided=[{"request": "r", "model": evil, "url": evil, "trouble": evil}],
    )
    said = chalk("report").out
    assert "red" in said
    assert not [c for c in said if c != "\n" and not c.isprintable()]


def test_what_the_echo_could_not_look_at_is_said(
    repo: Repo, chalk: Inside, echoed: list[dict[str, Any]]
) -> None:
    none = dict.fromkeys(("cited", "adopted", "proposed_again", "before_fix", "drawn"), 0)
    uses = {"surface": "check", "shown": 9, **none, "last_shown": None}
    echoed += [{"id": "abcdefgh", **uses}]
    assert "Not looked at" not in chalk("report").out
    echoed.notes += ["the messages of 9 commits"]  # type: ignore[attr-defined]
    assert "Not looked at: the messages of 9 commits." in chalk("report").out
    assert chalk.json("report")["echo"]["notes"] == ["the messages of 9 commits"]


@pytest.mark.parametrize("table", ["runs", "asked", "trials"])
def test_a_table_that_cannot_be_read_costs_its_sections_alone(repo: Repo, chalk: Inside, table: str) -> None:
    chalk("check", "cache the parsed manifest")
    keep(repo, runs=[run("a", "a", 1)])
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        database.execute(f"drop table if exists {table}")
        database.execute(f"create table {table} (z)")
    found = chalk("report")
    assert found.code == 0
    assert "not whole" in found.out + found.err
