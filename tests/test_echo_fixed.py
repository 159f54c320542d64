"""A lesson that was shown before a fix: counted beside its uses, and for no experiment."""

from __future__ import annotations

import json
from typing import Any

import pytest
from curating import ids, sections, store_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from looping import PASSED as GREEN
from looping import recall
from pool import output, resolved
from reporting import NOW, PASSED, keep, run
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import echo, echo_unused
from chalkgit.store import experiment_file

OFTEN = thresholds.REPORT_OFTEN
SAME: dict[str, Any] = {}


def _lesson(repo: Repo, number: int = 0) -> str:
    record = repo.record(
        "lesson", failure={"error": f"E{number}: drained"}, resolution=f"stop worker {number}"
    )
    repo.commit()
    return record.id


def _loop(
    repo: Repo, loop: str, record: str, after: dict[str, Any] | None, *, surface: str = "recall"
) -> None:
    """A failed run that a lesson was shown for, and the next run of its loop."""
    first, at = run(f"{loop}1", loop, 0, given=1), NOW - 3_600_000
    asked = {"at": at, "id": f"q{loop}", "kind": "recall", "surface": surface, "run": f"{loop}1", "shown": 1}
    shown = {"at": at, "id": record, "surface": surface, "asked": f"q{loop}", "path": "p", "bytes": 9}
    then = [] if after is None else [run(f"{loop}2", loop, 5, **after)]
    keep(repo, runs=[first, *then], asked=[asked], shown=[shown])


def _fixes(repo: Repo) -> dict[tuple[str, str], int]:
    return {(row.id, row.surface): row.before_fix for row in echo.of(repo.place)}


def _verdicts(chalk: Inside) -> dict[str, str]:
    return {row["id"]: row["verdict"] for row in chalk.json("report")["records"]["records"]}


def test_recall_shows_a_lesson_and_the_next_run_passes(repo: Repo, chalk: Inside) -> None:
    name = resolved(chalk)
    recall(chalk, output(), "--exit-code", "1", "--ticket", "A")
    assert _fixes(repo) == {(name, "recall"): 0}
    recall(chalk, output(line=40), "--exit-code", "1", "--ticket", "A")  # the same failure: no fix
    assert _fixes(repo) == {(name, "recall"): 0}
    recall(chalk, GREEN, "--exit-code", "0", "--ticket", "A")
    assert _fixes(repo) == {(name, "recall"): 1}
    told = chalk.json("report")
    assert told["echo"]["surfaces"][0]["before_fix"] == 1
    assert (told["echo"]["used"], told["records"]["records"][0]["cited"]) == (0, 0)
    assert _verdicts(chalk) == {name: "shown before a fix"}
    said = " ".join(chalk("report").out.split())
    assert "Whether the lesson did it, that does not say" in said


def test_detain_counts_as_any_surface_that_shows_a_lesson(repo: Repo, chalk: Inside) -> None:
    name = resolved(chalk)
    words = ("detain", "--output", "-", "--exit-code", "1", "--ticket", "B")
    assert chalk(*words, stdin=output()).code == 0
    recall(chalk, GREEN, "--exit-code", "0", "--ticket", "B")
    assert _fixes(repo) == {(name, "detain"): 1}


@pytest.mark.parametrize(
    ("after", "fixes"),
    [
        (PASSED, 1),
        ({"fingerprint": "f2", "tests": json.dumps(["t.other"]), "failing": 0}, 1),
        ({**PASSED, "tree": "a1"}, 0),  # the same files, run again
        ({"fingerprint": "f2", "tests": json.dumps(["t.other"])}, 0),  # another failure in its place
        (SAME, 0),
        ({"tests": "[]", "fingerprint": None, "error": None, "failing": None, "code": 0}, 0),  # an exit code
        (None, 0),
    ],
)
def test_a_fix_is_what_it_is_everywhere(repo: Repo, after: dict[str, Any] | None, fixes: int) -> None:
    name, other = _lesson(repo), _lesson(repo, 1)
    _loop(repo, "a", name, after)
    _loop(repo, "b", other, PASSED)
    assert _fixes(repo) == {(name, "recall"): fixes, (other, "recall"): 1}


def test_a_run_that_two_surfaces_showed_it_for_is_one_fix(repo: Repo) -> None:
    name = _lesson(repo)
    _loop(repo, "a", name, PASSED, surface="pytest")
    asked = {"id": "again", "kind": "recall", "surface": "recall", "run": "a1", "shown": 1, "at": NOW}
    keep(repo, asked=[asked], shown=[{"id": name, "surface": "recall", "asked": "again", "at": NOW}])
    assert _fixes(repo) == {(name, "pytest"): 0, (name, "recall"): 1}


def test_a_lesson_that_was_shown_before_fixes_is_not_called_unused(store: Repo, chalk: Inside) -> None:
    fixed, not_fixed = _lesson(store), _lesson(store, 1)
    for number in range(OFTEN):
        _loop(store, f"a{number}", fixed, PASSED)
        _loop(store, f"b{number}", not_fixed, SAME)
    assert [one.id for one in echo_unused.of(store.place)] == [not_fixed]
    assert ids(sections(chalk), "unused") == [{not_fixed}]
    assert "no fix came right after" in sections(chalk)["unused"][0]["why"]
    assert _verdicts(chalk) == {fixed: "shown before a fix", not_fixed: "never used"}
    assert chalk.json("report")["records"]["verdicts"] == {
        "earns its keep": 0,
        "false alarm": 0,
        "shown before a fix": 1,
        "never used": 1,
        "too early to say": 0,
    }


@pytest.mark.parametrize("arm", ["a", "b"])
def test_loops_of_an_a_a_run_count_as_any_other_since_nothing_is_withheld(
    store: Repo, chalk: Inside, arm: str
) -> None:
    name = _lesson(store)
    for number in range(OFTEN):
        _loop(store, f"a{number}", name, PASSED)
    found = _fixes(store), _verdicts(chalk)
    keep(store, trials=[{"loop": f"a{number}", "arm": arm, "experiment": "x"} for number in range(OFTEN)])
    assert (
        (_fixes(store), _verdicts(chalk))
        == found
        == ({(name, "recall"): OFTEN}, {name: "shown before a fix"})
    )


@pytest.mark.parametrize("arm", ["with", "without"])
def test_loops_of_an_experiment_are_in_no_count_and_tell_nothing_of_it(
    store: Repo, chalk: Inside, arm: str
) -> None:
    name = _lesson(store)
    for number in range(OFTEN):
        _loop(store, f"a{number}", name, PASSED)
    assert _fixes(store) == {(name, "recall"): OFTEN}
    trials = [{"loop": f"a{number}", "arm": arm, "experiment": "x"} for number in range(OFTEN)]
    keep(store, trials=trials)
    assert _fixes(store) == {(name, "recall"): 0}
    # what nobody may tell is held against nobody
    assert _verdicts(chalk) == {name: "too early to say"}
    assert "unused" not in sections(chalk)
    # and the same where none of them was fixed
    other = _lesson(store, 1)
    for number in range(OFTEN):
        _loop(store, f"b{number}", other, SAME)
    assert _verdicts(chalk)[other] == "never used"
    keep(store, trials=[{"loop": f"b{number}", "arm": arm, "experiment": "x"} for number in range(OFTEN)])
    rows = {row["id"]: row for row in chalk.json("report")["records"]["records"]}
    own = ("id", "title", "last_shown")
    same = [{key: value for key, value in row.items() if key not in own} for row in rows.values()]
    assert len(same) == 2
    assert same[0] == same[1]


def test_in_a_real_experiment_the_report_counts_no_fix(repo: Repo, chalk: Inside) -> None:
    name = resolved(chalk)
    repo.commit()
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    for number in range(8):
        ticket = ("--ticket", f"L{number}")
        recall(chalk, output(line=number), "--exit-code", "1", *ticket)
        repo.write("src/a.py", f"{number}\n")
        recall(chalk, GREEN, "--exit-code", "0", *ticket)
    [row] = echo.of(repo.place)
    assert (row.before_fix, row.shown) == (0, 0)
    experiment_file.stop(repo.place)
    recall(chalk, output(line=90), "--exit-code", "1", "--ticket", "after")
    repo.write("src/a.py", "after\n")
    recall(chalk, GREEN, "--exit-code", "0", "--ticket", "after")
    assert _fixes(repo) == {(name, "recall"): 1}


def test_marks_of_an_earlier_text_are_told_apart_as_check_counts_them(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="cache the parsed manifest between runs", observation="the tests went stale")
    assert chalk("feedback", record.id, "wrong").code == 0
    asked = ("check", "cache the parsed manifest between runs", "--lexical")
    assert chalk.json(*asked)["verdict"] == "near"

    def row() -> dict[str, Any]:
        [found] = chalk.json("report")["records"]["records"]
        return {key: found[key] for key in ("wrong", "useful", "earlier", "verdict")}

    none = {"useful": 0, "wrong": 0}
    assert row() == {"wrong": 1, "useful": 0, "earlier": none, "verdict": "false alarm"}
    assert "of an earlier text" not in chalk("report").out
    assert chalk("correct", record.id, "--because", "the tests went stale on Mondays").code == 0
    assert chalk.json(*asked, code=1)["verdict"] == "tried"
    assert row() == {"wrong": 0, "useful": 0, "earlier": {**none, "wrong": 1}, "verdict": "too early to say"}
    assert "1 mark of an earlier text of a record is not counted here" in " ".join(
        chalk("report").out.split()
    )
    # the alarm happened all the same
    assert chalk.json("report")["alarms"]["wrong"] == 1
    assert chalk("feedback", record.id, "useful").code == 0
    assert row() == {"wrong": 0, "useful": 1, "earlier": {**none, "wrong": 1}, "verdict": "earns its keep"}


def test_what_was_useful_before_an_edit_is_not_called_unused_after_it(store: Repo, chalk: Inside) -> None:
    name, other = _lesson(store), _lesson(store, 1)
    for number in range(OFTEN):
        _loop(store, f"a{number}", name, SAME)
        _loop(store, f"b{number}", other, SAME)
    assert chalk("feedback", name, "useful").code == 0
    assert chalk("correct", name, "--tag", "pool").code == 0
    assert _verdicts(chalk) == {name: "too early to say", other: "never used"}
    assert ids(sections(chalk), "unused") == [{other}]
