"""Taking part in an experiment: who is entered, what is withheld, and what ends it by itself."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from typing import Any

import pytest
from repository import Repo
from trialling import DAY, aa_run, broken, folder, loops, now, result, rows, standing, start

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import experiment_file, experiment_manifest, experiments, journal_file, ledger
from chalkgit.store.experiments import Entry


def enter(repo: Repo, loop: str, **given: Any) -> Entry | None:
    return experiments.enter(
        repo.place, loop, given.pop("run", f"run-{loop}"), given.pop("found", 2), **given
    )


def test_where_no_experiment_runs_nothing_is_asked_and_nothing_made(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("the journal was opened")

    monkeypatch.setattr(journal_file, "opened", asked)
    assert experiments.running(repo.place) is None
    assert enter(repo, "a") is None
    experiments.injected(repo.place, "a", 1, 1)
    experiments.outcome(repo.place, "a", True)
    assert not folder(repo).exists()


def test_the_manifest_is_locked_at_the_start_and_says_what_was_decided(repo: Repo) -> None:
    manifest = start(repo, size=150, holdout=0.3)
    file = Path(experiment_manifest.path(repo.place, manifest.id))
    assert file.name == f"experiment-{manifest.id}.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o400
    said = file.read_text()
    assert hashlib.sha256(said.encode()).hexdigest() == manifest.digest
    assert ledger.read(repo.place, "experiments", ("id", "digest")) == [(manifest.id, manifest.digest)]
    again = experiment_manifest.parsed(said)
    assert experiment_manifest.text(again) == said
    assert (again.size, again.holdout, again.aa, len(again.seed)) == (150, 0.3, False, 32)
    running = experiments.running(repo.place)
    assert running is not None
    assert running.digest == manifest.digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"size":', '"size" :'),
        ('"aa":false', '"aa":0'),
        ('"holdout":0.2', '"holdout":2.0'),
        ('"format":1', '"format":2'),
        ('"aa"', '"bb"'),
        ("{", "["),
    ],
)
def test_what_is_not_written_as_a_manifest_is_none(repo: Repo, old: str, new: str) -> None:
    said = experiment_manifest.text(start(repo, holdout=0.2))
    assert experiment_manifest.parsed(said).size == 100
    assert old in said
    with pytest.raises(ValueError, match=r"."):
        experiment_manifest.parsed(said.replace(old, new))


def test_arms_are_drawn_by_seed_and_loop_alone_in_the_share_that_was_decided(repo: Repo) -> None:
    manifest = start(repo, holdout=0.2)
    ids = [f"{n:016x}" for n in range(20_000)]
    drawn = [experiment_manifest.arm(manifest, loop) for loop in ids]
    assert drawn == [experiment_manifest.arm(manifest, loop) for loop in ids]
    assert drawn.count("without") / len(drawn) == pytest.approx(0.2, abs=0.012)
    experiment_file.stop(repo.place)
    other = start(repo, holdout=0.2)
    same = sum(experiment_manifest.arm(other, loop) == one for loop, one in zip(ids, drawn, strict=True))
    assert same / len(ids) == pytest.approx(0.68, abs=0.02)
    experiment_file.stop(repo.place)
    aa = start(repo, aa=True)
    assert {experiment_manifest.arm(aa, loop) for loop in ids} == {"a", "b"}


def test_a_loop_is_entered_once_and_its_rows_are_what_the_other_tests_write(repo: Repo) -> None:
    manifest = start(repo)
    for name in ("with", "without"):
        (row,) = rows(manifest, name, (1, 1))
        loop, at = str(row["loop"]), now()
        for _ in range(2):
            entry = enter(repo, loop, at=at)
            assert entry is not None
            assert (entry.arm, entry.withheld, entry.trouble) == (name, name == "without", None)
            assert entry.experiment == manifest.id
        assert enter(repo, loop, found=0) is None
        experiments.injected(repo.place, loop, row["given"], row["bytes"])
        experiments.injected(repo.place, loop, 9, 9)  # of a later run of the loop
        experiments.outcome(repo.place, loop, True, True, True, 1, at + 60_000)
        experiments.outcome(repo.place, loop, False, False, True, 1, at + 70_000)
        columns = tuple(row)
        (kept,) = ledger.read(repo.place, "trials", columns, "loop = ?", (loop,))
        assert dict(zip(columns, kept, strict=True)) == {**row, "at": at, "again": at + 60_000}


def test_an_outcome_of_nothing_but_an_exit_code_or_of_another_day_is_none(repo: Repo) -> None:
    start(repo)
    at = now()
    enter(repo, "a", at=at)
    experiments.outcome(repo.place, "a", None, at=at + 1)
    experiments.outcome(repo.place, "a", True, at=at + DAY + 1)
    experiments.outcome(repo.place, "b", True, at=at + 1)
    assert ledger.read(repo.place, "trials", ("gone",)) == [(None,)]
    experiments.outcome(repo.place, "a", False, at=at + DAY)
    assert ledger.read(repo.place, "trials", ("gone", "changed")) == [(0, None)]


def test_an_outcome_that_comes_after_the_end_still_counts(repo: Repo) -> None:
    start(repo)
    enter(repo, "a")
    experiment_file.stop(repo.place)
    assert enter(repo, "b") is None
    experiments.outcome(repo.place, "a", True)
    assert ledger.read(repo.place, "trials", ("loop", "gone")) == [("a", 1)]


def test_a_loop_that_was_shown_lessons_before_it_was_drawn_takes_no_part(repo: Repo) -> None:
    ledger.add(repo.place, {"runs": [{"run": "r1", "loop": "old", "found": 2}]})
    ledger.add(repo.place, {"runs": [{"run": "r2", "loop": "new", "found": 0}]})
    ledger.add(repo.place, {"runs": [{"run": "run-self", "loop": "self", "found": 2}]})
    start(repo)
    assert enter(repo, "old") is None
    assert enter(repo, "self") is None  # another command was told of this very run, and showed what it found
    assert enter(repo, "new") is not None


def test_where_it_is_not_written_down_nothing_is_withheld(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = start(repo)
    held = loops(manifest, "without", 2)
    first = enter(repo, held[0])
    assert first is not None
    assert first.withheld
    monkeypatch.setattr(ledger, "add", lambda *_: "no space left on device")
    entry = enter(repo, held[1])
    assert entry is not None
    assert (entry.arm, entry.withheld) == (None, False)
    assert "no space left" in (entry.trouble or "")


def test_where_the_journal_is_off_or_damaged_nothing_is_withheld_and_nothing_raises(repo: Repo) -> None:
    manifest = start(repo)
    (loop,) = loops(manifest, "without", 1)
    off = folder(repo) / ledger.OFF
    off.touch()
    assert enter(repo, loop) is None
    off.unlink()
    journal = folder(repo) / "journal.db"
    was = journal.read_bytes()
    for damaged in (b"no database at all" * 100, b""):
        journal.write_bytes(damaged)
        entry = enter(repo, loop)
        assert entry is not None
        assert (entry.withheld, entry.arm) == (False, None)
        assert entry.trouble
        experiments.injected(repo.place, loop, 1, 1)
        experiments.outcome(repo.place, loop, True)
        with pytest.raises(ChalkError):
            experiments.running(repo.place)
    journal.write_bytes(was)
    entry = enter(repo, loop)
    assert entry is not None
    assert entry.withheld


@pytest.mark.parametrize("damage", ["edited", "missing", "link", "pointer"])
def test_an_edited_or_missing_manifest_fails_closed(repo: Repo, damage: str) -> None:
    manifest = start(repo)
    (loop,) = loops(manifest, "without", 1)
    file = Path(experiment_manifest.path(repo.place, manifest.id))
    pointer = folder(repo) / experiment_file.FILE
    was = file.read_text(), pointer.read_text()
    changed = pointer if damage == "pointer" else file
    changed.unlink()
    if damage == "edited":
        file.write_text(was[0].replace('"holdout":0.5', '"holdout":0.9'))
    elif damage == "link":
        (repo.root / "kept.json").write_text(was[0])
        file.symlink_to(repo.root / "kept.json")
    elif damage == "pointer":
        pointer.write_text("nothing of ours, and more words\n")
    entry = enter(repo, loop)
    assert entry is not None
    assert not entry.withheld
    assert "nothing is withheld" in (entry.trouble or "")
    assert standing(repo).line.startswith("no claim: ")
    with pytest.raises(ChalkError, match="nothing is withheld"):
        experiments.running(repo.place)
    changed.unlink(missing_ok=True)
    changed.write_text(was[1] if damage == "pointer" else was[0])
    entry = enter(repo, loop)
    assert entry is not None
    assert entry.withheld


def test_a_leak_ends_the_experiment(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    shown, held = loops(manifest, "with", 1)[0], loops(manifest, "without", 1)[0]
    for loop, given in ((shown, 2), (held, 0)):
        enter(repo, loop)
        experiments.injected(repo.place, loop, given, 100 * given)
    assert experiments.running(repo.place) is not None
    other = loops(manifest, "without", 2)[1]
    enter(repo, other)
    experiments.injected(repo.place, other, 0, 1)
    assert experiments.running(repo.place) is None
    assert "injected" in broken(result(repo))
    assert standing(repo).line == "no claim: aborted: lessons reached 1 loop that was to go without"


@pytest.mark.parametrize("aa", [False, True])
def test_an_arm_that_stays_empty_ends_the_experiment(repo: Repo, aa: bool) -> None:
    name = "b" if aa else "with"
    for first in (0, 1):
        manifest = start(repo, aa=aa)
        for n, loop in enumerate(loops(manifest, name, thresholds.EXPERIMENT_EMPTY)):
            assert experiments.running(repo.place) is not None
            enter(repo, loop)
            experiments.injected(repo.place, loop, first * (n == 0), first * (n == 0))
        runs = experiments.running(repo.place) is not None
        assert runs is bool(first)
    experiment_file.stop(repo.place)
    kept = experiment_file.every(repo.place)
    assert [one.why for one in kept] == [
        f"aborted: nothing was injected into any loop of the arm “{name}”",
        "stopped",
    ]


def test_rows_that_are_none_of_ours_are_passed_over(repo: Repo) -> None:
    manifest = start(repo)
    (good,) = rows(manifest, "with", (1, 1))
    odd = [{**good, "loop": None}, {**good, "at": "soon"}, {**good, "arm": 7.5, "loop": "x"}, good]
    ledger.add(repo.place, {"trials": [*odd, {**good, "gone": 0}]})
    found = experiments.trials(repo.place, manifest.id)
    assert [(one.loop, one.gone) for one in found if one.arm == "with"] == [(good["loop"], True)]
