"""What a hook does where the index is far behind: it says so, and the background mends it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from committing import edit, git, hooked_fixture, shown  # noqa: F401
from repository import Repo

from chalkgit import thresholds
from chalkgit.doors import background, commit, showing
from chalkgit.index import generation, refresh


def finished(repo: Repo) -> None:
    """Wait for the background process of this one."""
    os.waitpid(background._begun.pop(str(repo.root)), 0)


@pytest.fixture(name="few", autouse=True)
def few_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "HURRIED_FILES", 3)
    monkeypatch.setattr(background, "_begun", {})


def test_an_index_that_is_not_there_is_written_in_the_background(repo: Repo) -> None:
    for number in range(4):
        repo.record(route=f"rule {number}", files=["src/a.py"])
    found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert found.rulings == []
    assert found.told == [
        "4 record files are new to the index, which is being written: they are not shown here"
    ]
    finished(repo)
    found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert len(found.rulings) == 4
    assert found.told == []


def test_few_records_are_read_at_once(repo: Repo) -> None:
    repo.record(files=["src/a.py"])
    assert len(showing.about(repo.place, ["src/a.py"], surface="editor").rulings) == 1
    assert background._begun == {}


def test_an_index_far_behind_answers_as_it_is_and_says_so(repo: Repo) -> None:
    old = repo.record(files=["src/a.py"])
    refresh.up_to_date(repo.place)
    time.sleep(0.15)
    for number in range(80):  # more than git vouches for one by one
        repo.record(route=f"rule {number}", files=["src/a.py"])
    time.sleep(0.15)  # a younger file is read again
    found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert [ruling.standing.record.id for ruling in found.rulings] == [old.id]
    assert "record files are new to the index" in found.told[0]
    finished(repo)
    found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert len(found.rulings) == 81
    assert found.told == []


def test_a_disk_that_takes_no_index_is_said_where_reading_all_would_take_long(repo: Repo) -> None:
    for number in range(4):
        repo.record(route=f"rule {number}", files=["src/a.py"])
    derived = Path(repo.place.derived)
    shutil.rmtree(derived, ignore_errors=True)
    derived.write_text("in the place of our folder")
    found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert found.rulings == []
    assert found.told[0].startswith("4 records were not looked up: the index cannot be written (")


def test_a_refresh_that_somebody_else_is_at_is_not_waited_for(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "HURRIED_SECONDS", 0.05)
    for number in range(4):
        repo.record(route=f"rule {number}", files=["src/a.py"])
    Path(repo.place.derived).mkdir()
    with refresh.lock(repo.place):
        found = showing.about(repo.place, ["src/a.py"], surface="editor")
    assert "another process holds the index's lock" in found.told[0]


def test_two_background_processes_are_one(repo: Repo) -> None:
    repo.record(files=["src/a.py"])
    assert repo.run("hook", "refresh") == (0, "", "")
    assert generation.current(repo.place) is not None
    background.start(repo.place)
    background.start(repo.place)
    assert len(background._begun) == 1
    finished(repo)


def test_the_background_survives_a_repository_without_a_store(another: object, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    repo = Repo(bare)
    repo.git("init", "-q")
    assert repo.run("hook", "refresh") == (0, "", "")
    assert repo.run("hook", "refresh", cwd=tmp_path) == (0, "", "")


def test_a_commit_of_records_alone_says_that_their_ids_were_not_compared(repo: Repo) -> None:
    repo.commit()
    for number in range(5):
        repo.record(route=f"rule {number}", files=["src/a.py"])
    repo.git("add", "-A")
    out: list[str] = []
    told: list[str] = []
    assert commit.commit(str(repo.root), out=out.append, tell=told.append) == 0
    assert out == []
    assert told == [
        "the staged records were not all looked at: 5 record files are new to the index: no ids were compared"
    ]
    refresh.up_to_date(repo.place)
    assert commit.commit(str(repo.root), out=out.append, tell=told.append) == 0
    assert len(told) == 1
