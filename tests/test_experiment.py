"""What may be said of an experiment: each forbidden quote is refused, beside one that is permitted."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from repository import Repo
from trialling import (
    SHOWN,
    WITHHELD,
    aa_run,
    broken,
    keep,
    loops,
    result,
    rows,
    standing,
    start,
    trial,
)

from chalkgit.answers.experiment import HELPS, NO_CLAIM
from chalkgit.store import experiment_file, experiment_manifest, ledger

HELPED = "with lessons 30 points more often fixed (95 %: 16 to 42 points; 80 of 100 with, 50 of 100 without)"
EFFECT = re.compile(r"\bhelp|\bharm|more often|less often", re.I)


def refused(repo: Repo, *names: str) -> str:
    """Why nothing is claimed; nothing is said of an effect, anywhere."""
    found = standing(repo)
    assert found.experiment is not None
    assert broken(found.experiment) == list(names)
    assert found.experiment.verdict == NO_CLAIM
    assert found.experiment.difference is found.experiment.fewer is None
    assert found.line.startswith("no claim: ")
    assert not EFFECT.search(found.line)
    return found.line.removeprefix("no claim: ")


def permitted(repo: Repo, tries: str = "") -> None:
    assert standing(repo).line == HELPED + tries
    assert broken(result(repo)) == []


def test_an_experiment_that_keeps_every_rule_may_be_quoted(repo: Repo) -> None:
    aa_run(repo)
    trial(repo)
    permitted(repo)
    found = result(repo)
    assert found.verdict == HELPS
    assert found.decided
    assert found.difference is not None
    assert found.difference == pytest.approx((0.30, 0.163, 0.422), abs=0.001)


def test_without_an_aa_run_nothing_is_quoted(repo: Repo, another: Any) -> None:
    trial(repo)
    assert refused(repo, "a/a") == "no A/A run came before it"
    other = another("other")
    aa_run(other)
    trial(other)
    permitted(other)


def test_an_aa_run_after_the_experiment_comes_too_late(repo: Repo) -> None:
    trial(repo)
    experiment_file.stop(repo.place)
    aa_run(repo)
    assert refused(repo, "a/a") == "no A/A run came before it"
    trial(repo)
    permitted(repo, "; experiment number 2 here")


def test_an_aa_run_that_differs_or_is_small_does_not_count_and_the_last_one_does(repo: Repo) -> None:
    aa_run(repo)
    aa_run(repo, (54, 100), (50, 100))
    trial(repo)
    why = refused(repo, "a/a")
    assert "4.00 points apart (54 of 100 fixed in a, 50 of 100 fixed in b)" in why
    assert "with 100 an arm 67 % of honest runs miss by chance; about 2,100 in the smaller arm" in why
    experiment_file.stop(repo.place)
    aa_run(repo, (50, 99), (51, 100))
    trial(repo)
    assert "too few: 99 a and 100 b, of 100" in refused(repo, "a/a")
    experiment_file.stop(repo.place)
    aa_run(repo, (53, 100), (50, 100))
    trial(repo)
    permitted(repo, "; experiment number 3 here; 2 A/A runs before the last did not pass")
    (rule,) = [rule for rule in result(repo).rules if rule.name == "a/a"]
    assert rule.figures.endswith("; A/A run number 4 here; 2 A/A runs before the last did not pass")
    aa = standing(repo).aa
    assert aa is not None
    assert aa.line.endswith("within ±3; A/A run number 4 here; 2 A/A runs before the last did not pass")


def test_an_aa_run_whose_own_rules_are_broken_does_not_count(repo: Repo) -> None:
    aa_run(repo, **WITHHELD)
    trial(repo)
    assert "nothing was injected into the arm “b”" in refused(repo, "a/a")
    experiment_file.stop(repo.place)
    manifest = aa_run(repo)
    trial(repo)
    permitted(repo, "; experiment number 2 here; 1 A/A run before the last did not pass")
    _edit(repo, manifest.id, '"aa":true', '"aa":false')
    assert "its manifest was edited after the start" in refused(repo, "a/a")


def test_an_arm_into_which_nothing_was_injected_aborts_it(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    for different in (WITHHELD, {"given": 3, "bytes": 0}):
        ledger.change(repo.place, "delete from trials where experiment = ?", (manifest.id,))
        keep(repo, rows(manifest, "with", (80, 100), **different), rows(manifest, "without", (50, 100)))
        why = refused(repo, "injected", "exclusions", "size")
        assert why == "aborted: nothing was injected into the arm “with” (100 loops, 0 bytes)"
    ledger.change(repo.place, "delete from trials where experiment = ?", (manifest.id,))
    keep(repo, rows(manifest, "with", (80, 100)), rows(manifest, "without", (50, 100)))
    permitted(repo)


def test_a_holdout_that_was_given_lessons_aborts_it(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    permitted(repo)
    one = loops(manifest, "without", 100)[40]
    for column in SHOWN:
        ledger.change(repo.place, f"update trials set {column} = 1 where loop = ?", (one,))
        assert refused(repo, "injected").startswith("aborted: lessons reached ")
        ledger.change(repo.place, f"update trials set {column} = 0 where loop = ?", (one,))
    permitted(repo)


def test_too_few_loops_are_refused_and_the_size_that_was_planned_counts(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo, size=120)
    keep(repo, rows(manifest, "with", (110, 119)), rows(manifest, "without", (1, 59)))
    why = refused(repo, "size")
    assert why == "too few: 119 with and 59 without, of 60 for a direction and 120 to decide"
    keep(repo, rows(manifest, "without", (1, 60))[59:])
    found = result(repo)
    assert not found.decided
    assert found.line.startswith("a direction, no decision: with lessons 88 points more often fixed")
    assert found.line.endswith("it is decided at 120")
    keep(repo, rows(manifest, "without", (2, 120))[60:], rows(manifest, "with", (111, 120))[119:])
    assert result(repo).decided


def test_an_edited_or_missing_manifest_is_refused(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    permitted(repo)
    was = _edit(repo, manifest.id, '"size":100', '"size":101')
    found = standing(repo)
    assert found.line == f"no claim: experiment {manifest.id}: its manifest was edited after the start"
    assert refused(repo, "manifest")
    experiment_file.stop(repo.place)
    assert refused(repo, "manifest") == "its manifest was edited after the start"
    file = Path(experiment_manifest.path(repo.place, manifest.id))
    file.unlink()
    assert refused(repo, "manifest") == "its manifest is missing"
    (repo.root / "elsewhere").write_bytes(was)
    file.symlink_to(repo.root / "elsewhere")
    assert "cannot be read" in refused(repo, "manifest")
    file.unlink()
    os.mkfifo(file)
    assert "cannot be read" in refused(repo, "manifest")
    file.unlink()
    file.write_bytes(was)
    permitted(repo)


def test_a_manifest_edited_in_the_journal_is_refused(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    said = experiment_manifest.text(manifest)
    for wrong in (said.replace('"size":100', '"size":101'), "no manifest", None):
        ledger.change(repo.place, "update experiments set manifest = ? where id = ?", (wrong, manifest.id))
        assert standing(repo).line.startswith("no claim: ")
        assert manifest.id in standing(repo).line
    ledger.change(repo.place, "update experiments set manifest = ? where id = ?", (said, manifest.id))
    permitted(repo)


def test_other_rules_or_thresholds_than_at_the_start_are_refused(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalkgit import thresholds

    aa_run(repo)
    trial(repo)
    with monkeypatch.context() as patch:
        patch.setattr(thresholds, "EXPERIMENT_EXCLUDED", 0.5)
        assert "not those it was started under" in refused(repo, "manifest", "a/a")
    with monkeypatch.context() as patch:
        patch.setattr(experiment_manifest, "RULES", 99)
        assert "not those it was started under" in refused(repo, "manifest", "a/a")
    permitted(repo)


def test_loops_of_another_manifest_or_in_an_arm_that_chance_did_not_give_are_refused(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    one = loops(manifest, "without", 1)[0]
    ledger.change(repo.place, "update trials set digest = 'another' where loop = ?", (one,))
    assert refused(repo, "manifest") == "1 loop ran under another manifest"
    ledger.change(repo.place, "update trials set digest = ? where loop = ?", (manifest.digest, one))
    permitted(repo)
    ledger.change(repo.place, "update trials set arm = 'with', given = 1, bytes = 9 where loop = ?", (one,))
    assert refused(repo, "chance").startswith("1 of 200 loops in another arm")


def test_an_exit_code_alone_is_no_outcome(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    permitted(repo)
    one = loops(manifest, "with", 1)[0]
    ledger.change(repo.place, "update trials set gone = null where loop = ?", (one,))
    assert refused(repo, "outcomes") == "of 1 loop only an exit code is known"


@pytest.mark.parametrize("different", [{"gone": None, "again": None}, {"given": None, "bytes": None}])
def test_more_than_a_tenth_excluded_makes_it_void(repo: Repo, different: dict[str, Any]) -> None:
    """The loops that nobody heard of again, and those of which nobody said what was shown."""
    aa_run(repo)
    manifest = start(repo)
    lost = rows(manifest, "without", (5, 12), **different)
    kept = rows(manifest, "without", (56, 112))[12:]
    keep(repo, rows(manifest, "with", (80, 100)), lost[:11], kept)
    permitted_line = standing(repo).line
    assert permitted_line.startswith("with lessons 30 points more often fixed")
    keep(repo, lost[11:])
    assert refused(repo, "exclusions").startswith("void: without 12 of 112 loops (11 %: 12 ")


def test_a_loop_into_which_nothing_was_injected_is_not_counted_as_one_with_lessons(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    made = rows(manifest, "with", (88, 110))
    for row in made[:10]:
        row.update(WITHHELD)
    keep(repo, made, rows(manifest, "without", (50, 100)))
    assert result(repo).verdict == HELPS
    assert result(repo).facts.counts.arms[0].counted == 100
    assert result(repo).facts.counts.arms[0].excluded == {"in which nothing reached the reader": 10}


def _edit(repo: Repo, experiment: str, old: str, new: str) -> bytes:
    """Edit a manifest as whoever may write there can; what it was."""
    file = Path(experiment_manifest.path(repo.place, experiment))
    was = file.read_bytes()
    assert old.encode() in was
    file.unlink()
    file.write_bytes(was.replace(old.encode(), new.encode()))
    return was
