"""git's stat cache may vouch for the records; what it cannot is looked at, and nothing is missed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import gits
import pytest
from repository import Repo

from chalkgit import thresholds
from chalkgit.index import refresh
from chalkgit.records.record import Record
from chalkgit.store import ahead, signs, worktree
from chalkgit.store.place import Place


class Looks:
    """Counts the exact looks, and asks the index."""

    def __init__(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self.count = 0
        self.look = worktree.look
        monkeypatch.setattr(worktree, "look", self._look)

    def _look(self, place: Place, young: int = thresholds.RACY_NS) -> worktree.Look:
        self.count += 1
        return self.look(place, young)

    def ask(self) -> dict[str, str]:
        """Path to body, which is what an index from nothing holds too."""
        index = refresh.up_to_date(self.repo.place)
        found = dict(index.table.rows("select path, body from files order by path"))
        fresh = refresh.in_memory(self.repo.place, self.look(self.repo.place), OSError())
        assert found == dict(fresh.table.rows("select path, body from files order by path"))
        assert index.table.problems() == fresh.table.problems()
        assert {row[0] for row in index.words.search("warm cache", 99)} == {
            row[0] for row in fresh.words.search("warm cache", 99)
        }
        return found

    def vouched(self) -> bool:
        """Whether a question now is answered without an exact look."""
        before = self.count
        self.ask()
        return self.count == before

    def settle(self) -> None:
        """Let all be old enough, and be looked at once."""
        time.sleep(0.25)
        self.ask()


@pytest.fixture(name="looks")
def looks_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Looks:
    monkeypatch.setattr(thresholds, "GIT_GRAIN_NS", thresholds.RACY_NS)
    repo.record(route="warm the cache at night")
    repo.record(kind="lesson")
    repo.commit()
    looks = Looks(repo, monkeypatch)
    looks.ask()
    looks.settle()
    assert looks.vouched()
    return looks


def edit(repo: Repo, record: Record, old: str = "night", new: str = "dawn!") -> None:
    file = repo.root / record.path
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))


def one(repo: Repo) -> Record:
    [path] = (repo.root / ".lessons/dead-ends").iterdir()
    return Record({}, os.path.relpath(path, repo.root))


def test_an_unchanged_store_is_vouched_for_again_and_again(looks: Looks) -> None:
    assert [looks.vouched() for _ in range(3)] == [True] * 3


def test_an_edit_is_seen_staged_or_not(repo: Repo, looks: Looks) -> None:
    edit(repo, one(repo))
    assert looks.vouched()  # for all others: the one is read
    assert any("dawn!" in str(body) for body in looks.ask().values())
    repo.git("add", "-A")
    assert looks.vouched()
    edit(repo, one(repo), "dawn!", "noon!")
    repo.git("add", "-A")  # git finds nothing to say of this one
    assert any("noon!" in str(body) for body in looks.ask().values())


def test_a_new_untracked_record_is_seen(repo: Repo, looks: Looks) -> None:
    new = repo.record(route="sort the queue by age")
    assert new.path in looks.ask()
    deep = repo.record(path=".lessons/a/b/new.yaml")
    assert deep.path in looks.ask()
    assert looks.vouched()
    edit(repo, new, "age", "AGE")
    assert "AGE" in looks.ask()[new.path]
    repo.commit()
    assert looks.vouched()


def test_a_new_record_in_a_folder_that_had_none_is_seen(repo: Repo, looks: Looks) -> None:
    (repo.root / ".lessons/empty/inner").mkdir(parents=True)
    looks.ask()
    looks.settle()
    assert looks.vouched()
    new = repo.record(path=".lessons/empty/inner/new.yaml")
    assert new.path in looks.ask()


def test_an_ignored_record_is_a_record(repo: Repo, looks: Looks) -> None:
    repo.write(".git/info/exclude", "*.yaml\n")
    new = repo.record(route="sort the queue by age")
    assert new.path in looks.ask()
    looks.settle()
    edit(repo, new, "age", "AGE")
    assert "AGE" in looks.ask()[new.path]


def test_a_removed_record_is_seen(repo: Repo, looks: Looks) -> None:
    gone = one(repo)
    (repo.root / gone.path).unlink()
    assert gone.path not in looks.ask()
    repo.git("rm", "-q", gone.path)
    assert gone.path not in looks.ask()
    looks.settle()
    assert looks.vouched()
    repo.git("reset", "-q", "--hard")
    assert gone.path in looks.ask()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_flag_that_blinds_git_blinds_nobody_else(repo: Repo, looks: Looks, flag: str) -> None:
    repo.git("update-index", flag, one(repo).path)
    edit(repo, one(repo))
    assert repo.git("diff-files") == ""
    assert any("dawn!" in str(body) for body in looks.ask().values())
    looks.settle()
    edit(repo, one(repo), "dawn!", "noon!")
    assert any("noon!" in str(body) for body in looks.ask().values())


def test_another_index_or_none_hides_nothing(repo: Repo, looks: Looks) -> None:
    edit(repo, one(repo))
    other = Repo(repo.root)
    index = repo.root / ".git/index"
    saved = index.read_bytes()
    other.git("add", "-A")
    index.write_bytes(saved)
    index.unlink()
    assert any("dawn!" in str(body) for body in looks.ask().values())
    other.git("add", "-A")
    assert looks.vouched()
    index.unlink()
    edit(repo, one(repo), "dawn!", "noon!")
    assert any("noon!" in str(body) for body in looks.ask().values())


def test_more_than_some_dozen_files_in_doubt_are_looked_at(
    repo: Repo, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "DOUBTFUL", 3)
    for number in range(3):
        repo.record(route=f"sort the queue {number} by age")
    looks.ask()
    assert looks.vouched()
    repo.record(route="sort the queue by name")
    looks.ask()
    looks.settle()
    assert not looks.vouched()
    repo.commit()
    looks.ask()
    looks.settle()
    assert looks.vouched()


@pytest.mark.parametrize(
    "setting",
    ["core.checkStat=minimal", "core.trustctime=false", "core.ignoreStat=true"],
)
def test_a_lax_setting_hides_no_edit(repo: Repo, looks: Looks, setting: str) -> None:
    repo.git("config", *setting.split("=", 1))
    file = repo.root / one(repo).path
    os.utime(file, ns=(10**18, 10**18))
    repo.git("add", "-A")
    time.sleep(1.1)  # git compares seconds, and GIT_GRAIN_NS is short here
    looks.settle()
    edit(repo, one(repo))
    os.utime(file, ns=(10**18, 10**18))
    assert any("dawn!" in str(body) for body in looks.ask().values())


def test_an_edit_within_gits_second_that_keeps_size_and_times_is_seen(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = repo.record(route="warm the cache at night")
    file = repo.root / record.path
    os.utime(file, ns=(10**18, 10**18))
    repo.commit()
    looks = Looks(repo, monkeypatch)
    looks.ask()
    # to the start of a second, then all within it: git, comparing seconds, is blind to the last edit
    time.sleep(1.02 - time.time() % 1)
    os.utime(file, ns=(10**18, 10**18))
    repo.git("update-index", "--refresh")
    looks.settle()
    looks.ask()
    edit(repo, record)
    os.utime(file, ns=(10**18, 10**18))
    assert "dawn!" in looks.ask()[record.path]
    time.sleep(1.3)
    looks.ask()
    edit(repo, record, "dawn!", "noon!")
    os.utime(file, ns=(10**18, 10**18))
    assert "noon!" in looks.ask()[record.path]


@pytest.mark.parametrize("name", ["core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"])
def test_no_program_that_the_repository_names_is_run(
    repo: Repo, looks: Looks, name: str, tmp_path: Path
) -> None:
    spy = repo.write("spy.sh", f"#!/bin/sh\ntouch '{tmp_path}/ran'\nexit 1\n")
    spy.chmod(0o755)
    repo.git("config", name, str(spy))
    if name == "core.fsmonitor":
        subprocess.run(["git", "status"], cwd=repo.root, capture_output=True, check=False)
        assert (tmp_path / "ran").exists()  # the spy works: git by itself runs it
        (tmp_path / "ran").unlink()
    looks.settle()
    edit(repo, one(repo))
    assert any("dawn!" in str(body) for body in looks.ask().values())
    for command in (["check", "warm the cache", "--here"], ["at", "x.py"], ["list"]):
        repo.run(*command)
    assert not (tmp_path / "ran").exists()


def test_the_index_of_a_commit_under_way_hides_nothing(repo: Repo, looks: Looks) -> None:
    """`git commit -a` stages into an index of its own, beside one that did not change."""
    edit(repo, one(repo))
    ask = f"'{sys.executable}' -I -m chalkgit check --here 'warm the cache at dawn!' > hook.out 2>&1; true"
    hook = repo.write(".git/hooks/pre-commit", f"#!/bin/sh\n{ask}\n")
    hook.chmod(0o755)
    repo.git("commit", "-qam", "x")
    assert "dawn!" in (repo.root / "hook.out").read_text()


def test_working_notes_are_looked_at_beside_what_git_vouches_for(repo: Repo, looks: Looks) -> None:
    assert repo.run("note", "noted: prune the tree").code == 0
    assert any("prune the tree" in str(body) for body in looks.ask().values())
    looks.settle()
    assert looks.vouched()
    [note] = (repo.root / ".git/chalkgit-notes").rglob("*.yaml")
    note.write_text(note.read_text().replace("prune the tree", "prune the TREE"))
    assert any("prune the TREE" in str(body) for body in looks.ask().values())


def test_a_look_by_git_that_is_never_read_hurts_nobody(repo: Repo) -> None:
    begun = [ahead.Ahead(repo.place) for _ in range(5)]
    assert refresh.up_to_date(repo.place, ahead=begun[0]).table.ids() == {}
    assert begun[1].differing() == set()


def test_a_content_filter_that_the_repository_itself_names_never_runs(repo: Repo) -> None:
    record = repo.record(route="switch the cache off", observation="slow", files=["src/a.py"])
    repo.write(".lessons/.gitattributes", "*.yaml filter=evil\n")
    repo.commit("records")
    witness = repo.root / "ran"
    repo.git("config", "filter.evil.clean", f"sh -c 'touch {witness}; cat'")
    for path in (repo.root / record.path, repo.root / ".git" / "index"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # equal times: git compares by content
    repo.git("diff-files", "--name-only")
    assert witness.exists(), "the control: plain git runs it"
    witness.unlink()
    os.utime(repo.root / record.path, (1_700_000_000, 1_700_000_000))
    os.utime(repo.root / ".git" / "index", (1_700_000_000, 1_700_000_000))
    assert record.id in repo.run("at", "src/a.py").out
    assert record.id in repo.run("at", "src/a.py").out
    assert not witness.exists()


def test_gits_own_file_monitor_is_believed_where_it_runs(
    repo: Repo, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("config", monkeypatch)
    repo.git("config", "core.fsmonitor", "true")
    repo.git("fsmonitor--daemon", "start")
    try:
        repo.git("status")
        assert signs.is_monitored(repo.place)
        looks.settle()
        assert looks.vouched()
        first = one(repo)
        edit(repo, first)
        assert any("dawn!" in str(body) for body in looks.ask().values())
        new = repo.record(route="sort the queue by age")
        assert new.path in looks.ask()
        repo.git("commit", "-qam", "x")
        edit(repo, first, "dawn!", "noon!")
        assert any("noon!" in str(body) for body in looks.ask().values())
    finally:
        repo.git("fsmonitor--daemon", "stop")
    assert not signs.is_monitored(repo.place)


def test_a_file_that_is_no_socket_is_no_monitor(repo: Repo) -> None:
    repo.write(".git/fsmonitor--daemon.ipc", "")
    assert not signs.is_monitored(repo.place)
    assert refresh.up_to_date(repo.place).table.ids() == {}


def test_an_index_that_shares_prefixes_or_is_split_is_told_by_git(repo: Repo, looks: Looks) -> None:
    assert signs.entries(repo.place)
    for change in (("--index-version", "4"), ("--index-version", "2"), ("--split-index",)):
        repo.git("update-index", *change)
        looks.settle()
        assert looks.vouched()
        assert bool(signs.entries(repo.place)) == (change[-1] == "2")
        new = repo.record(route=f"sort the queue by {change[-1]}")
        repo.git("add", "-A")
        assert new.path in looks.ask()
        edit(repo, new, "queue", "QUEUE")
        assert "QUEUE" in looks.ask()[new.path]


def test_another_file_in_the_index_leaves_the_entries_of_the_records_as_they_are(repo: Repo) -> None:
    before = signs.entries(repo.place)
    repo.write("src/a.py", "1\n")
    repo.write(".a", "1\n")
    repo.git("add", "src", ".a")
    assert signs.entries(repo.place) == before
    repo.record()
    repo.git("add", ".lessons")
    assert signs.entries(repo.place) != before
