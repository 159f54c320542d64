"""Lessons that reach a loop which an experiment has go without, by whatever way, are seen."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from looping import recall
from pool import RULE, output
from repository import Repo
from trialling import standing

from chalkgit.answers.experiment_tally import SPOILT
from chalkgit.store import experiment_file, experiment_manifest, experiments, ledger
from chalkgit.store.experiment_manifest import Manifest

Held = tuple[Manifest, str, str]


@pytest.fixture(name="held")
def held_fixture(repo: Repo, chalk: Inside) -> Held:
    """An experiment, and of a loop that goes without: its ticket, and what its run printed."""
    made = chalk("lesson", RULE, "--output", "-", "--exit-code", "1", stdin=output())
    assert made.code == 0
    repo.commit()
    manifest = experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    for number in range(40):
        text, ticket = output(line=number), f"T-{number}"
        if recall(chalk, text, "--exit-code", "1", "--ticket", ticket)["withheld_by"] is not None:
            return manifest, ticket, text
    raise AssertionError("chance has no such luck")


def _shown(chalk: Inside, held: Held, by: str) -> bool:
    """Whether a command that is told of the same run shows the lesson."""
    _, ticket, text = held
    result = chalk(by, "--output", "-", "--exit-code", "1", "--ticket", ticket, stdin=text)
    assert result.code == 0, result
    return RULE in result.out + result.err


def _trial(repo: Repo, held: Held) -> dict[str, object]:
    loop = next(row["loop"] for row in rows(repo, "runs") if row["ticket"] == held[1])
    (found,) = [row for row in rows(repo, "trials") if row["loop"] == loop]
    return found


def _solved(repo: Repo, chalk: Inside, held: Held) -> None:
    repo.write("pool.py", f"changed {os.urandom(4).hex()}\n")
    recall(chalk, output("test_refill"), "--exit-code", "1", "--ticket", held[1])


@pytest.mark.parametrize("by", ["recall", "detain"])
def test_where_the_manifest_was_away_for_a_while_the_experiment_is_aborted(
    repo: Repo, chalk: Inside, held: Held, by: str
) -> None:
    assert not _shown(chalk, held, by)
    assert experiments.running(repo.place) is not None
    file = experiment_manifest.path(repo.place, held[0].id)
    os.rename(file, file + ".away")
    assert _shown(chalk, held, by)
    os.rename(file + ".away", file)
    assert experiments.running(repo.place) is None
    assert standing(repo).line == "no claim: aborted: lessons reached 1 loop that was to go without"
    assert (_trial(repo, held)["spoilt"], _trial(repo, held)["again"]) == ("leaked", None)


def test_after_its_outcome_a_loop_may_be_shown_lessons(repo: Repo, chalk: Inside, held: Held) -> None:
    _solved(repo, chalk, held)
    file = experiment_manifest.path(repo.place, held[0].id)
    os.rename(file, file + ".away")
    assert _shown(chalk, held, "recall")
    os.rename(file + ".away", file)
    assert experiments.running(repo.place) is not None
    assert (_trial(repo, held)["spoilt"], _trial(repo, held)["gone"]) == (None, 1)


def _ended(repo: Repo, chalk: Inside, held: Held) -> None:
    experiment_file.stop(repo.place)
    assert _shown(chalk, held, "detain")


def _off_and_on(repo: Repo, chalk: Inside, held: Held) -> None:
    assert chalk("journal", "off").code == 0
    assert _shown(chalk, held, "recall")
    assert chalk("journal", "on").code == 0


def _nothing(repo: Repo, chalk: Inside, held: Held) -> None:
    experiment_file.stop(repo.place)


@pytest.mark.parametrize(
    ("meanwhile", "why"),
    [(_ended, experiments.LATE), (_off_and_on, experiments.UNSEEN), (_nothing, None)],
    ids=["ended", "off", "nothing"],
)
def test_a_loop_that_was_shown_lessons_out_of_its_sight_is_excluded(
    repo: Repo,
    chalk: Inside,
    held: Held,
    meanwhile: Callable[[Repo, Inside, Held], None],
    why: str | None,
) -> None:
    meanwhile(repo, chalk, held)
    _solved(repo, chalk, held)
    assert _trial(repo, held)["spoilt"] == why
    found = standing(repo).experiment
    assert found is not None
    (without,) = [arm for arm in found.facts.counts.arms if arm.name == "without"]
    assert without.excluded == ({} if why is None else {SPOILT[why]: 1})
    assert (without.counted, without.injected) == (int(why is None), 0)
    assert "aborted" not in found.line


def test_a_journal_of_an_earlier_version_learns_the_column(repo: Repo, chalk: Inside, held: Held) -> None:
    ledger.change(repo.place, "alter table trials drop column spoilt")
    assert chalk("journal", "off").code == 0
    assert chalk("journal", "on").code == 0
    assert _trial(repo, held)["spoilt"] == "off"


def test_switching_off_a_journal_that_takes_no_writes_says_what_cannot_be_trusted(
    repo: Repo, chalk: Inside, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise ledger.ChalkError("the journal cannot be written: disk full", hint="chalkgit doctor")

    monkeypatch.setattr(ledger, "change", full)
    result = chalk("journal", "off")
    assert result.code == 2
    assert "the journal is off, and what an experiment finds now cannot be trusted" in result.err
    assert ledger.is_off(repo.place)
