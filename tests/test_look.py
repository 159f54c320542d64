"""The look at the work tree: exact, whatever lies there; nothing is followed, waited for or run."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from repository import Repo

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.store import snapshot, worktree
from chalkgit.store.worktree import UNSURE

BODY = "id: {}\nkind: dead-end\nroute: warm the cache at night\nobservation: no\n"
ODD = [
    "a\nb",
    'say "hi"',
    "it's",
    "\x1b[31mred\x1b]0;title\x07",
    "$(touch ran)",
    "`touch ran`;touch ran",
    "-rf",
    "*",
    ":(top)x",
    " ",
    "é",
    "\\",
]


def rest() -> None:
    """Let every file grow older than the clock's grain."""
    time.sleep(thresholds.RACY_NS / 1e9 + 0.02)


def problems(repo: Repo) -> list[tuple[str, str]]:
    index = refresh.up_to_date(repo.place)
    return [(row[0], row[2]) for row in index.table.problems()]


def bodies(repo: Repo) -> dict[str, str]:
    return refresh.up_to_date(repo.place).table.ids()


def test_every_yaml_at_any_depth_is_a_record_but_the_configuration(repo: Repo) -> None:
    first = repo.record()
    second = repo.record(path=".lessons/a/b/c/d.yaml")
    third = repo.record(path=".lessons/deep/config.yaml")
    repo.write(".lessons/notes.yml", "x")
    repo.write(".lessons/.hidden.yaml.123.tmp", "x")
    looked = worktree.look(repo.place)
    assert sorted(looked.paths) == sorted([first.path, second.path, third.path])
    assert sorted(bodies(repo)) == sorted([first.id, second.id, third.id])


def test_a_linked_record_and_a_linked_folder_are_named_and_not_followed(repo: Repo, tmp_path: Path) -> None:
    real = repo.record()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text(BODY.format("a2345678"))
    (repo.root / ".lessons/link.yaml").symlink_to(outside / "secret.yaml")
    (repo.root / ".lessons/folder").symlink_to(outside)
    (repo.root / ".lessons/loop.yaml").symlink_to("loop.yaml")
    assert bodies(repo) == {real.id: real.path}
    assert {path for path, _ in problems(repo)} == {
        ".lessons/link.yaml",
        ".lessons/folder",
        ".lessons/loop.yaml",
    }
    assert {said for _, said in problems(repo)} == {"is a symbolic link, which is not followed"}
    answer = repo.run("check", "warm the cache at night", "--here")
    assert "a2345678" not in answer.out


def test_a_fifo_is_not_waited_for(repo: Repo) -> None:
    real = repo.record()
    os.mkfifo(repo.root / ".lessons/pipe.yaml")
    assert bodies(repo) == {real.id: real.path}
    assert problems(repo) == [(".lessons/pipe.yaml", "is no regular file")]


def test_a_folder_with_a_records_name_is_looked_into(repo: Repo) -> None:
    inner = repo.record(path=".lessons/x.yaml/y.yaml")
    rest()
    assert worktree.look(repo.place).paths == [inner.path]
    assert worktree.look(repo.place).sure
    assert problems(repo) == []


def test_a_file_of_fifty_megabytes_costs_no_memory_and_itself_alone(repo: Repo) -> None:
    real = repo.record()
    with open(repo.root / ".lessons/big.yaml", "wb") as file:
        file.truncate(50_000_000)
    started = time.monotonic()
    assert bodies(repo) == {real.id: real.path}
    assert time.monotonic() - started < 2
    [(path, said)] = problems(repo)
    assert (path, said) == (
        ".lessons/big.yaml",
        "is 50,000,000 bytes long, and a record has at most 256 KiB",
    )


def test_a_record_of_the_largest_size_is_read(repo: Repo) -> None:
    body = BODY.format("a2345678").encode()
    file = repo.write(".lessons/x.yaml", body + b"#" * (thresholds.RECORD_BYTES - len(body) - 1) + b"\n")
    assert file.stat().st_size == thresholds.RECORD_BYTES
    assert list(bodies(repo)) == ["a2345678"]
    file.write_bytes(file.read_bytes() + b"\n")
    assert list(bodies(repo)) == []


def test_what_may_not_be_read_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    real, closed = repo.record(), repo.record()
    actual = os.open

    def refusing(path: str, *args: object, **rest: object) -> int:
        if str(path).endswith((closed.path, "locked")):
            raise PermissionError(13, "Permission denied", path)
        return actual(path, *args, **rest)  # type: ignore[arg-type]

    (repo.root / ".lessons/locked").mkdir()
    monkeypatch.setattr(os, "open", refusing)
    index = refresh.up_to_date(repo.place)
    assert index.table.ids() == {real.id: real.path}
    assert [(row[0], row[2]) for row in index.table.problems()] == sorted(
        [
            (closed.path, "cannot be read: Permission denied"),
            (".lessons/locked", "cannot be read: Permission denied"),
        ]
    )
    monkeypatch.setattr(os, "open", actual)
    assert sorted(refresh.up_to_date(repo.place).table.ids()) == sorted([real.id, closed.id])
    assert problems(repo) == []


def test_any_name_is_data(repo: Repo) -> None:
    records = [
        repo.record(path=f".lessons/{name}{n}/{name}.yaml", route=f"r{n}") for n, name in enumerate(ODD)
    ]
    assert bodies(repo) == {record.id: record.path for record in records}
    repo.commit()
    for source in (
        snapshot.of_work_tree,
        snapshot.of_index,
        lambda place: snapshot.of_revision(place, "HEAD"),
    ):
        found = source(repo.place)
        assert {i: record.path for i, record in found.records.items()} == bodies(repo)
        assert found.problems == []
    for _ in range(2):
        result = repo.run("list")
        assert (result.code, result.err) == (0, "")
        assert "\x1b" not in repo.run("check", "r3", "--here").out
    assert not list(repo.root.rglob("ran"))


def test_a_damaged_file_with_such_a_name_is_told_on_one_line(repo: Repo) -> None:
    for name in ODD:
        repo.write(f".lessons/{name}.yaml", "id: [\n")
    result = repo.run("check", "x", "--here")
    assert result.code == 0
    assert "\x1b" not in result.err
    assert "\x07" not in result.err
    assert not list(repo.root.rglob("ran"))


def test_a_name_that_is_not_utf8_costs_itself_alone(repo: Repo) -> None:
    real = repo.record(route="warm the cache at night")
    odd = os.path.join(os.fsencode(repo.root), b".lessons", b"b\xff.yaml")
    folder = os.path.join(os.fsencode(repo.root), b".lessons", b"f\xfe")
    os.mkdir(folder)
    for file in (odd, os.path.join(folder, b"c.yaml")):
        with open(file, "wb") as opened:
            opened.write(BODY.format("a2345678").encode())
    said = "the file's name is not UTF-8"
    expected = [(".lessons/b\\udcff.yaml", said), (".lessons/f\\udcfe/c.yaml", said)]
    assert problems(repo) == expected
    assert bodies(repo) == {real.id: real.path}
    with open(odd, "ab") as opened:
        opened.write(b"# more\n")
    assert problems(repo) == expected
    result = repo.run("check", "warm the cache at night", "--here")
    assert result.code == 1
    assert "not UTF-8" in result.err
    rest()
    commit = repo.commit()
    assert refresh.of_revision(repo.place, commit).table.ids() == {real.id: real.path}
    assert refresh.up_to_date(repo.place, rebuild=True).table.ids() == {real.id: real.path}
    os.unlink(odd)
    assert problems(repo) == expected[1:]


def test_a_question_about_a_path_that_is_not_utf8_is_answered(repo: Repo) -> None:
    repo.record(route="warm the cache", files=["*.py"])
    repo.commit()
    result = repo.run("at", os.fsdecode(b"b\xff.py"))
    assert result.code == 0
    assert "warm the cache" in result.out
    assert repo.run("check", os.fsdecode(b"warm the cache \xff"), "--here").code == 1


def test_folders_nested_deeper_than_python_calls_are_looked_into(repo: Repo) -> None:
    handle = os.open(repo.root / ".lessons", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    with open(os.open("x.yaml", os.O_WRONLY | os.O_CREAT, dir_fd=handle), "w") as file:
        file.write(BODY.format("a2345678"))
    os.close(handle)
    try:
        real = repo.record()
        assert sorted(bodies(repo)) == sorted([real.id, "a2345678"])
        rest()
        assert sorted(bodies(repo)) == sorted([real.id, "a2345678"])
    finally:  # pytest's own cleaning is a recursion
        subprocess.run(["rm", "-r", str(repo.root / ".lessons")], check=True)


def test_an_edit_that_keeps_size_and_times_is_seen(repo: Repo) -> None:
    record = repo.record(route="warm the cache", observation="aaaa")
    file = repo.root / record.path
    os.utime(file, ns=(10**18, 10**18))
    rest()
    assert "aaaa" in refresh.up_to_date(repo.place).table.bodies([record.path])[record.path]
    rest()
    assert "aaaa" in refresh.up_to_date(repo.place).table.bodies([record.path])[record.path]
    before = file.stat()
    with open(file, "r+b") as opened:  # in place: the same inode
        text = opened.read().replace(b"aaaa", b"bbbb")
        opened.seek(0)
        opened.write(text)
    os.utime(file, ns=(10**18, 10**18))
    after = file.stat()
    assert (before.st_size, before.st_mtime_ns, before.st_ino) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ino,
    )
    assert "bbbb" in refresh.up_to_date(repo.place).table.bodies([record.path])[record.path]


def test_edits_within_the_clocks_grain_are_seen(repo: Repo) -> None:
    record = repo.record(route="warm the cache", observation="a000")
    file = repo.root / record.path
    text = file.read_bytes()
    for n in range(60):
        file.write_bytes(text.replace(b"a000", b"a%03d" % n))
        assert f"a{n:03}" in refresh.up_to_date(repo.place).table.bodies([record.path])[record.path]


def test_a_young_file_is_unsure_and_an_old_one_is_not(repo: Repo) -> None:
    repo.record()
    assert worktree.look(repo.place).signatures == [UNSURE]
    rest()
    [signature] = worktree.look(repo.place).signatures
    assert signature != UNSURE
    assert worktree.look(repo.place).signatures == [signature]


def test_a_look_packs_and_unpacks_to_itself(repo: Repo) -> None:
    for name in ODD:
        repo.record(path=f".lessons/{name}.yaml")
    rest()
    looked = worktree.look(repo.place)
    assert worktree.unpacked(*looked.packed()) == looked.by_path()
    assert worktree.unpacked(b"", b"") == {}


def test_a_file_swapped_for_a_link_between_look_and_read_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    record = repo.record()
    file = repo.root / record.path
    file.rename(tmp_path / "away.yaml")
    file.symlink_to(tmp_path / "away.yaml")
    with pytest.raises(ChalkError, match="symbolic link"):
        worktree.read(repo.place, record.path)
    file.unlink()
    with pytest.raises(ChalkError, match="cannot be read: No such file"):
        worktree.read(repo.place, record.path)
    subprocess.run(["cp", str(tmp_path / "away.yaml"), str(file)], check=True)
    assert worktree.read(repo.place, record.path).startswith(b"# yaml")
