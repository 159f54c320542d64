"""A write happens whole or not at all, whichever step of it fails."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faults import Count, failing, until_it_passes
from repository import Repo

from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.store import atomic, worktree, writes

OLD, NEW = b"old\n", b"new\n" * 100
FIELDS = {"kind": "dead-end", "route": "warm the cache", "observation": "no"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
def test_a_replaced_file_is_the_old_or_the_new_one_whichever_call_fails(tmp_path: Path, number: int) -> None:
    file = tmp_path / "x.yaml"

    def run(n: int) -> Count:
        file.write_bytes(OLD)
        with failing(n, number) as count:
            try:
                atomic.replace(str(file), NEW)
                assert file.read_bytes() == NEW
            except ChalkError:
                pass
        assert file.read_bytes() in (OLD, NEW)
        leftover = [name for name in os.listdir(tmp_path) if name != "x.yaml"]
        assert all(name.endswith(".tmp") for name in leftover)
        for name in leftover:
            (tmp_path / name).unlink()
        return count

    assert until_it_passes(run) > 5


def test_a_created_file_is_whole_or_absent_whichever_call_fails(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"

    def run(n: int) -> Count:
        file.unlink(missing_ok=True)
        with failing(n, errno.EIO) as count:
            try:
                atomic.create(str(file), NEW)
                assert file.read_bytes() == NEW
            except ChalkError:
                pass
        assert not file.exists() or file.read_bytes() == NEW
        return count

    assert until_it_passes(run) > 4


def test_a_write_that_takes_a_byte_at_a_time_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actual = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: actual(handle, data[:1]))
    atomic.create(str(tmp_path / "x"), b"word by word")
    assert (tmp_path / "x").read_bytes() == b"word by word"


def test_what_is_there_is_never_overwritten_by_create(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(OLD)
    with pytest.raises(FileExistsError):
        atomic.create(str(file), NEW)
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    with pytest.raises(FileExistsError):
        atomic.create(str(tmp_path / "dangling"), NEW)
    assert file.read_bytes() == OLD
    assert sorted(os.listdir(tmp_path)) == ["dangling", "x"]


def test_without_hard_links_a_file_is_still_created_once(tmp_path: Path) -> None:
    with failing(-1, errno.EPERM, ("link",)):
        atomic.create(str(tmp_path / "x"), NEW)
        with pytest.raises(FileExistsError):
            atomic.create(str(tmp_path / "x"), OLD)
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "x"
    file.write_bytes(OLD)
    file.chmod(mode)
    atomic.replace(str(file), NEW)
    assert file.stat().st_mode & 0o777 == mode


def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(OLD)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    atomic.replace(str(tmp_path / "link"), NEW)
    assert (tmp_path / "real").read_bytes() == OLD
    assert (tmp_path / "link").read_bytes() == NEW


def test_a_folder_is_never_made_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "away")
    with pytest.raises(ChalkError, match="symbolic link"):
        atomic.folder(str(tmp_path), "link/inner")
    assert atomic.folder(str(tmp_path), "plain/inner") == str(tmp_path / "plain/inner")
    assert list((tmp_path / "away").iterdir()) == []


def test_a_record_is_written_whole_or_not_at_all_and_nothing_else_is_lost(repo: Repo) -> None:
    kept = repo.record()

    def run(n: int) -> Count:
        before = sorted(refresh.up_to_date(repo.place).table.ids())
        new = None
        with failing(n) as count:
            try:
                new = writes.add(repo.place, FIELDS, ())
            except ChalkError:
                pass
        looked = worktree.look(repo.place)
        assert kept.path in looked.paths
        assert not [path for path in looked.paths if ".tmp" in path]
        index = refresh.up_to_date(repo.place)
        assert index.table.problems() == []
        assert set(before) <= set(index.table.ids())
        assert new is None or new.id in index.table.ids()
        return count

    assert until_it_passes(run) > 5


def test_a_changed_record_is_the_old_or_the_new_one_whichever_call_fails(repo: Repo) -> None:
    record = repo.record(route="warm the cache", observation="old", tags=["a"])
    file = repo.root / record.path
    before = file.read_bytes()

    def run(n: int) -> Count:
        file.write_bytes(before)
        with failing(n) as count:
            try:
                writes.change(repo.place, record, {"observation": "new"})
            except ChalkError:
                pass
        assert file.read_bytes() in (before, before.replace(b"old", b"new"))
        return count

    until_it_passes(run)


def test_a_killed_writer_leaves_whole_files(repo: Repo) -> None:
    """Records are written as fast as it goes, and the writer is killed: each is whole, none is a remnant."""
    code = (
        "import sys\nfrom chalkgit.store import place, writes\np = place.find(sys.argv[1])\n"
        f"n = 0\nwhile True:\n    n += 1\n    writes.add(p, {FIELDS} | {{'observation': 'x' * 20000}}, ())\n"
    )
    for wait in (0.25, 0.3, 0.4):
        child = subprocess.Popen([sys.executable, "-c", code, str(repo.root)])
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert refresh.up_to_date(repo.place).table.problems() == []
    assert len(refresh.up_to_date(repo.place).table.ids()) > 5


def test_a_commit_of_one_record_leaves_what_is_staged_as_it_was(repo: Repo) -> None:
    repo.write("staged.txt", "x")
    repo.git("add", "staged.txt")
    record = writes.add(repo.place, FIELDS, ())
    oid = writes.commit(repo.place, record.path, "a record")
    assert repo.git("show", "--format=", "--name-only", oid) == record.path
    assert "A  staged.txt" in repo.git("status", "--porcelain")


def test_the_users_hooks_run_as_in_any_commit(repo: Repo) -> None:
    """A hook that names files by pattern finds them, and one that says much is heard to its end."""
    repo.write("a.txt", "x")
    repo.commit()
    hook = repo.write(
        ".git/hooks/pre-commit",
        "#!/bin/sh\ngit ls-files -- '*.txt' > seen\nenv | grep '^GIT_' | sort > variables\n"
        "head -c 300000 /dev/zero | tr '\\0' x >&2\n",
    )
    hook.chmod(0o755)
    record = writes.add(repo.place, FIELDS, ())
    writes.commit(repo.place, record.path, "a record")
    assert (repo.root / "seen").read_text() == "a.txt\n"
    assert "GIT_LITERAL_PATHSPECS" not in (repo.root / "variables").read_text()
    hook.write_text("#!/bin/sh\necho no way >&2\nexit 1\n")
    other = writes.add(repo.place, FIELDS, ())
    with pytest.raises(ChalkError, match="no way"):
        writes.commit(repo.place, other.path, "a record")
    assert (repo.root / other.path).exists()
    assert f"?? {other.path}" in repo.git("status", "--porcelain", "-uall")


@pytest.mark.parametrize(
    "name", ["*.yaml", ":(top)x.yaml", "a b.yaml", "-x.yaml", "[a].yaml", "$(touch ran).yaml"]
)
def test_a_committed_path_is_never_a_pattern(repo: Repo, name: str) -> None:
    other = repo.record(path=".lessons/other.yaml")
    record = repo.record(path=f".lessons/{name}")
    writes.stage(repo.place, record.path)
    writes.commit(repo.place, record.path, "one")
    assert repo.git("ls-files", "-z", "--", ".lessons").split("\0")[:-1] == [record.path]
    assert other.path in repo.git("status", "--porcelain", "-uall")
    assert not list(repo.root.rglob("ran"))
