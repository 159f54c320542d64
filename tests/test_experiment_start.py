"""Starting and stopping an experiment: one at a time, whole or not at all, and a way out of every damage."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import Count, failing, until_it_passes
from repository import Repo
from trialling import folder, start

from chalkgit.errors import ChalkError
from chalkgit.store import experiment_file, experiment_manifest, experiments
from chalkgit.store.experiment_manifest import Manifest


@pytest.mark.parametrize("damage", ["edited", "missing", "pointer", "journal"])
def test_whatever_is_damaged_stop_ends_it_and_another_can_start(repo: Repo, damage: str) -> None:
    manifest = start(repo)
    file = Path(experiment_manifest.path(repo.place, manifest.id))
    file.unlink()
    if damage == "edited":
        file.write_text("{}")
    elif damage == "pointer":
        (folder(repo) / experiment_file.FILE).write_text("?")
    elif damage == "journal":
        (folder(repo) / "journal.db").unlink()
    with pytest.raises(ChalkError) as refused:
        start(repo)
    assert refused.value.hint == "chalkgit experiment stop"
    experiment_file.stop(repo.place)
    assert experiments.running(repo.place) is None
    running = start(repo)
    found = experiments.running(repo.place)
    assert found is not None
    assert found.id == running.id


def test_a_second_one_is_refused_while_one_runs(repo: Repo) -> None:
    first = start(repo)
    with pytest.raises(ChalkError, match=f"experiment {first.id} runs already"):
        start(repo, aa=True)
    assert experiment_file.stop(repo.place) == first.id
    with pytest.raises(ChalkError, match="no experiment runs here"):
        experiment_file.stop(repo.place)
    assert start(repo).id != first.id


def test_of_many_that_start_at_once_one_runs(repo: Repo) -> None:
    started: list[Manifest] = []
    refused: list[str] = []

    def one() -> None:
        try:
            started.append(start(repo))
        except ChalkError as error:
            refused.append(error.message)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == 1, refused
    assert len(refused) == 5
    running = experiments.running(repo.place)
    assert running is not None
    assert running.id == started[0].id


def test_one_that_needs_more_loops_than_the_journal_keeps_is_refused(repo: Repo) -> None:
    with pytest.raises(ChalkError, match="the journal keeps 50,000"):
        start(repo, size=10_001, holdout=0.2)
    start(repo, size=10_000, holdout=0.2)


def _fails(run: Callable[[], object]) -> None:
    try:
        run()
    except ChalkError:
        pass


def test_whichever_write_of_a_start_fails_no_half_of_it_runs(repo: Repo) -> None:
    def run(n: int) -> Count:
        with failing(n) as count:
            try:
                started = start(repo)
            except ChalkError:
                started = None
        running = experiments.running(repo.place)
        # after the last write its folder is flushed: one that failed there has started all the same
        if started is not None:
            assert running is not None
            assert running.id == started.id
        if running is not None:
            assert experiment_file.stop(repo.place) == running.id
        assert experiments.running(repo.place) is None
        for file in folder(repo).glob(".*.tmp"):
            file.unlink()
        return count

    assert until_it_passes(run) > 8
    assert experiments.running(repo.place) is None
    last = start(repo)
    known = experiment_file.every(repo.place)
    assert [one.id for one in known if one.ended is None] == [last.id]


def test_a_start_that_was_killed_between_any_two_writes_is_begun_anew(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, module in (
        ("keep", experiment_manifest),
        ("_written_down", experiment_file),
        ("_point", experiment_file),
    ):
        with monkeypatch.context() as patch:
            actual = getattr(module, name)

            def killed(*args: Any, actual: Callable[..., object] = actual) -> None:
                actual(*args)
                raise KeyboardInterrupt

            patch.setattr(module, name, killed)
            with pytest.raises(KeyboardInterrupt):
                start(repo)
        if name == "_point":  # it had started
            assert experiments.running(repo.place) is not None
            experiment_file.stop(repo.place)
        assert experiments.running(repo.place) is None
    start(repo)
    assert [one.why for one in experiment_file.every(repo.place)] == [
        "its start was broken off",
        "stopped",
        None,
    ]


def test_a_stop_whose_write_fails_says_so_and_can_be_repeated(repo: Repo) -> None:
    manifest = start(repo)
    with failing(-1):
        _fails(lambda: experiment_file.stop(repo.place))
    if experiments.running(repo.place) is not None:
        assert experiment_file.stop(repo.place) == manifest.id
    assert experiments.running(repo.place) is None


def test_everything_is_private(repo: Repo) -> None:
    umask = os.umask(0)
    try:
        start(repo)
    finally:
        os.umask(umask)
    for file in folder(repo).iterdir():
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077 or file.suffix == ".lock", file
    assert stat.S_IMODE(folder(repo).stat().st_mode) == 0o700
