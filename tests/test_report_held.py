"""No section of the report but the experiment's own tells of its loops: nobody computes their outcome."""

from __future__ import annotations

from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import PASSED, keep, run
from repository import Repo

from chalkgit.store import ledger


def _loop(repo: Repo, loop: str, lesson: str, *, failed: int, shown: bool) -> None:
    """A loop that failed so often and then passed, with a question at each run, as `recall` keeps them."""
    given = int(shown)
    runs = [run(f"{loop}{n}", loop, n, given=given) for n in range(failed)]
    runs.append(run(f"{loop}{failed}", loop, failed, **PASSED))
    asked, showings = [], []
    for n, one in enumerate(runs):
        question = {
            "at": one["at"],
            "id": f"q{loop}{n}",
            "kind": "recall",
            "surface": "recall",
            "ms": 100 + n,
        }
        asked.append({**question, "run": one["run"], "shown": given if n < failed else 0})
        if shown and n < failed:
            row = {"at": one["at"], "id": lesson, "surface": "recall", "asked": f"q{loop}{n}"}
            showings.append({**row, "path": "p", "bytes": 9})
    keep(repo, runs=runs, asked=asked, shown=showings)


def _told(chalk: Inside, *args: str) -> dict[str, Any]:
    found = chalk.json("report", *args)
    del found["at"], found["since"], found["experiment"], found["journal"], found["retries"]["drawn"]
    return found


@pytest.fixture(name="lesson")
def lesson_fixture(repo: Repo) -> str:
    record = repo.record("lesson", failure={"error": "E1: drained"}, resolution="stop the worker")
    repo.commit()
    _loop(repo, "free", record.id, failed=2, shown=True)
    return record.id


@pytest.mark.parametrize("forgotten", [False, True], ids=["kept", "runs dropped"])
def test_nothing_of_an_experiments_loops_is_in_any_other_section(
    repo: Repo, chalk: Inside, lesson: str, forgotten: bool
) -> None:
    before = _told(chalk), _told(chalk, "--days", "30")
    for number, failed in enumerate((1, 3, 2, 4)):
        _loop(repo, f"x{number}", lesson, failed=failed, shown=number % 2 == 0)
    assert _told(chalk)["activity"] != before[0]["activity"]
    arms = ("with", "without")
    keep(repo, trials=[{"loop": f"x{n}", "arm": arms[n % 2], "experiment": "e"} for n in range(4)])
    if forgotten:  # of the runs fewer are kept than of the questions about them
        ledger.change(repo.place, "delete from runs where loop = 'x1'")
    after = _told(chalk), _told(chalk, "--days", "30")
    # a record stays in the list of those that were shown, since commits that cite it count
    assert after == before
    assert chalk.json("report")["retries"]["drawn"] == (3 if forgotten else 4)


def test_a_question_of_a_kind_that_is_not_known_is_in_no_count_and_breaks_nothing(
    repo: Repo, chalk: Inside
) -> None:
    keep(repo, asked=[{"id": "a", "kind": "check", "verdict": "near", "surface": "check"}])
    before = chalk.json("report")["activity"]
    keep(repo, asked=[{"id": "b", "kind": "dream", "ms": 5}, {"id": "c", "kind": None, "bypassed": ""}])
    assert chalk.json("report")["activity"] == before
    assert before["verdicts"]["near"] == 1
