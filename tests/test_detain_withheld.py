"""`detain` names the fix of the same failure only to those whom `recall` would show it."""

from __future__ import annotations

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from looping import recall
from pool import RULE, output
from repository import Repo, Result

from chalkgit.store import experiment_file
from chalkgit.store.experiment_manifest import Manifest

BEFORE = "the same failure was resolved before"


def _lesson(repo: Repo, chalk: Inside) -> None:
    assert chalk("lesson", RULE, "--output", "-", "--exit-code", "1", stdin=output()).code == 0
    repo.commit()


def _started(repo: Repo, chalk: Inside, *, aa: bool = False) -> Manifest:
    _lesson(repo, chalk)
    return experiment_file.start(repo.place, holdout=0.5, size=100, aa=aa)


def _detain(chalk: Inside, ticket: str, line: int = 12) -> Result:
    words = ("detain", "--output", "-", "--exit-code", "1", "--ticket", ticket)
    result = chalk(*words, stdin=output(line=line))
    assert result.code == 0, result
    return result


@pytest.mark.parametrize("recalled", [True, False])
def test_detain_names_the_fix_to_loops_with_lessons_alone(repo: Repo, chalk: Inside, recalled: bool) -> None:
    manifest = _started(repo, chalk)
    arms = set()
    for number in range(16):
        ticket = f"L{number}"
        if recalled:
            recall(chalk, output(line=number), "--exit-code", "1", "--ticket", ticket)
        result = _detain(chalk, ticket, number)
        (trial,) = [row for row in rows(repo, "trials") if row["loop"] == rows(repo, "runs")[-1]["loop"]]
        arms.add(trial["arm"])
        shown = trial["arm"] == "with"
        assert (RULE in result.out + result.err) == shown
        withheld = f"{BEFORE}; 1 lesson is withheld by experiment {manifest.id} (chalkgit experiment status)"
        assert (withheld in result.err) == (not shown)
        assert (trial["given"], bool(trial["bytes"]), trial["again"]) == (int(shown), shown, None)
        again = _detain(chalk, ticket, number)
        assert (RULE in again.out + again.err) == shown
    assert arms == {"with", "without"}
    assert len(rows(repo, "trials")) == 16
    assert len({row["run"] for row in rows(repo, "runs")}) == 16
    assert rows(repo, "experiments")[0]["ended"] is None
    experiment_file.stop(repo.place)
    assert all(RULE in _detain(chalk, f"L{number}", number).err for number in range(16))


def test_an_a_a_run_withholds_nothing_from_detain(repo: Repo, chalk: Inside) -> None:
    _started(repo, chalk, aa=True)
    assert all(f"{BEFORE}, by " in _detain(chalk, f"L{number}", number).err for number in range(8))
    assert {row["given"] for row in rows(repo, "trials")} == {1}


def test_with_recall_switched_off_detain_names_no_fix(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lesson(repo, chalk)
    with monkeypatch.context() as patch:
        patch.setenv("CHALKGIT_BYPASS_RECALL", "1")
        assert BEFORE not in _detain(chalk, "T").err
    assert f"{BEFORE}, by " in _detain(chalk, "U").err
    assert [row["given"] for row in rows(repo, "runs")] == [None, 1]
