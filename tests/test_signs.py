"""Which entries of git's index changed, told from its bytes as `git ls-files` tells it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repository import Repo

from chalkgit.store import signs

FOLDERS = (".lessons/", ".lessons/a/", ".lessons/.lessons/")
NAMES = [f"{folder}{name}.yaml" for folder in FOLDERS for name in ("b", "bb" * 30, "é")]
STATES = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["one\n", "two\n", "longer text\n"]))


def told(repo: Repo) -> set[tuple[str, ...]]:
    """(path, about) of each entry that git lists."""
    listed = repo.git("-c", "core.quotePath=false", "ls-files", "--stage", "-v", "-z", "--", ".lessons")
    rows = listed.strip("\0").split("\0")
    return {tuple(reversed(row.split("\t", 1))) for row in rows if row}


def stage(repo: Repo, files: dict[str, str]) -> bytes:
    repo.git("rm", "-rqf", "--cached", "--ignore-unmatch", ".lessons")
    for path in NAMES:
        (repo.root / path).unlink(missing_ok=True)
    for path, text in files.items():
        repo.write(path, text)
    repo.git("add", "-f", "--", ".lessons", "src")
    return signs.entries(repo.place)


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_the_entries_that_changed_are_those_that_git_lists_otherwise(
    sealed: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(dir=sealed))
    made = subprocess.run(["git", "init", "-q", f"--object-format={form}", folder], check=False)
    if made.returncode and form == "sha256":
        pytest.skip("this git is older than 2.29 and has no repositories of SHA-256")
    assert made.returncode == 0
    repo = Repo(folder)
    repo.write("src/a.py", "1\n")

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STATES, STATES)
    def alike(before: dict[str, str], after: dict[str, str]) -> None:
        before, after = {NAMES[0]: "kept\n", **before}, {NAMES[0]: "kept\n", **after}
        first = stage(repo, before)
        listed = told(repo)
        second = stage(repo, after)
        changed = {row[0] for row in listed ^ told(repo)}
        assert signs.changed_entries(first, second) == (changed, False)
        assert signs.changed_entries(second, first) == (changed, False)

    alike()
    # far apart from the first difference on: the rest is taken apart at once
    monkeypatch.setattr(signs, "_FAR_APART", 1)

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STATES, STATES)
    def alike_at_once(before: dict[str, str], after: dict[str, str]) -> None:
        first, listed = stage(repo, {NAMES[0]: "kept\n", **before}), told(repo)
        second = stage(repo, {NAMES[0]: "kept\n", **after})
        assert signs.changed_entries(first, second)[0] == {row[0] for row in listed ^ told(repo)}

    alike_at_once()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_an_entry_that_git_was_told_not_to_look_at_is_another_one(repo: Repo, flag: str) -> None:
    record, other = repo.record(route="warm the cache"), repo.record(route="sort the queue")
    repo.commit()
    before = signs.entries(repo.place)
    repo.git("update-index", flag, record.path)
    assert signs.changed_entries(before, signs.entries(repo.place))[0] == {record.path}
    repo.git("update-index", flag, other.path)
    assert signs.changed_entries(before, signs.entries(repo.place)) == ({record.path, other.path}, False)


def test_other_times_of_a_file_change_no_entry(repo: Repo) -> None:
    record = repo.record()
    repo.commit()
    before = signs.entries(repo.place)
    os.utime(repo.root / record.path, (10**9, 10**9))
    repo.git("update-index", "--refresh")
    assert signs.entries(repo.place) != before
    assert signs.changed_entries(before, signs.entries(repo.place)) == (set(), False)


def test_what_a_folder_lists_otherwise_is_named() -> None:
    folders = [".lessons", ".lessons/a"]
    before, now = b"config.yaml/a\0b.yaml/c.yaml", b"a/config.yaml/d.yaml\0c.yaml"
    assert signs.moved(folders, before, before) == set()
    assert signs.moved(folders, before, now) == {".lessons/d.yaml", ".lessons/a/b.yaml"}
