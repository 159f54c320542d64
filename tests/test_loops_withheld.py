"""What an experiment withholds of the lessons for a loop, and what comes of it."""

from __future__ import annotations

import os

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from looping import GREEN, PASSED, recall
from pool import RULE, output
from pytesting import SEEN, Runs, installed
from repository import Repo

from chalkgit.store import experiment_file, experiment_manifest


def _arms(repo: Repo, chalk: Inside, most: int = 40) -> dict[str, str]:
    """A ticket whose loop got into each arm, once a run of it was told of."""
    found: dict[str, str] = {}
    for number in range(most):
        ticket = f"T-{number}"
        recall(chalk, output(line=number), "--exit-code", "1", "--ticket", ticket)
        found.setdefault(rows(repo, "trials")[-1]["arm"], ticket)
        if len(found) == 2:
            return found
    raise AssertionError("chance has no such luck")


@pytest.fixture(name="tried")
def tried_fixture(repo: Repo, chalk: Inside) -> Repo:
    """A repository with a lesson, in which an experiment runs."""
    made = chalk("lesson", RULE, "--output", "-", "--exit-code", "1", "--json", stdin=output())
    assert made.code == 0
    repo.commit()
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    return repo


def test_in_an_experiment_half_of_the_loops_are_shown_no_lessons_and_told_so(
    tried: Repo, chalk: Inside
) -> None:
    arms = _arms(tried, chalk)
    (trial,) = {row["experiment"] for row in rows(tried, "trials")}
    with_ = chalk("recall", "--output", "-", "--ticket", arms["with"], stdin=output(line=90))
    assert RULE in with_.out
    assert "withheld" not in with_.err
    without = chalk("recall", "--output", "-", "--ticket", arms["without"], stdin=output(line=91))
    assert without.out == ""
    assert f"1 lesson is withheld by experiment {trial} (chalkgit experiment status)" in without.err
    answer = recall(chalk, output(line=92), "--ticket", arms["without"])
    assert (answer["lessons"], answer["withheld_by"]) == ([], trial)
    assert recall(chalk, output(line=93), "--ticket", arms["with"])["withheld_by"] is None
    arm = {row["loop"]: row["arm"] for row in rows(tried, "trials")}
    for row in rows(tried, "runs"):
        given = arm[row["loop"]] == "with"
        assert (row["found"], row["given"], bool(row["bytes"])) == (1, int(given), given)
    for trial_row in rows(tried, "trials"):
        assert (trial_row["found"], trial_row["given"]) == (1, int(trial_row["arm"] == "with"))
    shown = [row for row in asked(tried) if row[0] == "recall"]
    assert {row[2] for row in shown} == {"fingerprint"}
    assert {row[3] for row in shown} == {0, 1}


def test_what_came_of_a_trial_is_what_the_next_run_shows(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    chalk("detain", "--output", "-", "--ticket", arms["with"], stdin=output(line=1))
    tried.write("pool.py", "changed\n")
    recall(chalk, output("test_refill"), "--ticket", arms["with"])
    recall(chalk, PASSED, "--ticket", arms["without"])
    found = {row["loop"]: row for row in rows(tried, "trials")}
    loop = {row["ticket"]: row["loop"] for row in rows(tried, "runs")}
    with_, without = found[loop[arms["with"]]], found[loop[arms["without"]]]
    assert (without["gone"], without["fewer"], without["changed"], without["failing"]) == (1, 1, 1, 0)
    assert with_["again"] is not None
    others = [row for row in found.values() if row not in (with_, without)]
    assert all(row["again"] is None for row in others)


def test_the_same_run_told_of_again_is_no_outcome(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    text = output(line=[row["ticket"] for row in rows(tried, "runs")].index(arms["with"]))
    assert chalk("detain", "--output", "-", "--ticket", arms["with"], stdin=text).code == 0
    recall(chalk, text, "--exit-code", "1", "--ticket", arms["with"])
    assert all(row["again"] is None for row in rows(tried, "trials"))
    recall(chalk, output(line=95), "--ticket", arms["with"])
    assert [row["gone"] for row in rows(tried, "trials") if row["again"] is not None] == [0]


def test_pytest_withholds_too_and_says_it_in_one_line(repo: Repo) -> None:
    pytests = Runs(repo, installed(repo.root.parent / "site"))
    pytests.files()
    pytests.lesson()
    repo.commit()
    manifest = experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    wanted = {"with", "without"}
    for _ in range(40):
        _, out = pytests.run()
        row = rows(repo, "trials")[-1]
        withheld = f"chalkgit: 1 lesson is withheld by experiment {manifest.id} (chalkgit experiment status)"
        assert (SEEN in out, withheld in out) == (row["arm"] == "with", row["arm"] == "without")
        assert (row["given"], bool(row["bytes"])) == (int(row["arm"] == "with"), row["arm"] == "with")
        wanted.discard(row["arm"])
        pytests.files(GREEN)
        pytests.run()
        assert [rows(repo, "trials")[-1][name] for name in ("gone", "fewer", "changed")] == [1, 1, 1]
        pytests.files()
        if not wanted:
            break
    assert not wanted


def test_recall_behind_pytest_is_no_outcome_of_the_run_that_both_tell_of(repo: Repo, chalk: Inside) -> None:
    pytests = Runs(repo, installed(repo.root.parent / "site"))
    pytests.files()
    pytests.lesson()
    repo.commit()
    experiment_file.start(repo.place, holdout=0.95, size=100, aa=False)

    def told() -> None:
        code, out = pytests.run("--junit-xml=junit.xml")
        repo.write("run.log", out)  # no file that git ignores: the work tree is another one to the second
        words = ("--report", "junit.xml", "--output", "run.log", "--exit-code", str(code))
        assert chalk("recall", *words).code == 0

    told()
    assert len({row["tree"] for row in rows(repo, "runs")}) == 2
    assert [row["again"] for row in rows(repo, "trials")] == [None]
    told()
    assert [row["gone"] for row in rows(repo, "trials")] == [0]
    assert len({row["run"] for row in rows(repo, "runs")}) == 2


def test_a_manifest_that_was_edited_withholds_nothing_and_says_so(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    (trial,) = {row["experiment"] for row in rows(tried, "trials")}
    file = experiment_manifest.path(tried.place, trial)

    os.chmod(file, 0o600)
    with open(file, "a") as opened:
        opened.write(" ")
    result = chalk("recall", "--output", "-", "--ticket", arms["without"], stdin=output(line=96))
    assert RULE in result.out
    assert "edited" in result.err


def test_without_an_experiment_git_lists_no_tree_for_a_run(repo: Repo, chalk: Inside) -> None:
    chalk("lesson", RULE, "--output", "-", "--exit-code", "1", stdin=output())
    recall(chalk, output())
    assert rows(repo, "runs")[0]["tree"] is None
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=True)
    recall(chalk, output(line=2))
    assert rows(repo, "runs")[1]["tree"] is not None
