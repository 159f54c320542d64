"""`watch`: events are hints, so what `take` and `saved` make of them is tested directly."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.doors.watch import Watch
from chalkgit.doors.watch_events import CLOSED, FILE, FOLDER, GONE, LOST
from chalkgit.doors.watch_folders import Folders
from chalkgit.doors.watch_saves import Saves, is_noise
from chalkgit.thresholds import WATCH_BYTES, WATCH_LINES

SECONDS = 20


class Taken:
    """A watch in this process: `taken(FILE, path…)` gives the lines that such events make it print."""

    def __init__(self, repo: Repo, scope: str = ".") -> None:
        self.lines: list[str] = []
        self.told: list[str] = []
        self.repo = repo
        self.watch = Watch(
            repo.place, [scope], str(repo.root), "watch:test", self.lines.append, self.told.append
        )
        self.watch.begin()

    def __call__(self, kind: str, *paths: str) -> list[str]:
        before = len(self.lines)
        self.watch.take([(kind, str(self.repo.root / path)) for path in paths])
        return [line.split(":")[0] for line in self.lines[before:]]

    @property
    def folders(self) -> set[str]:
        assert self.watch._source is not None
        return {os.path.relpath(folder, self.repo.root) for folder in self.watch._source.folders}


@pytest.fixture(name="begun")
def begun_fixture(repo: Repo) -> Iterator[Callable[..., Taken]]:
    """Starts a watch on `repo`, which ends with the test."""
    started: list[Taken] = []

    def begin(scope: str = ".") -> Taken:
        started.append(Taken(repo, scope))
        return started[-1]

    yield begin
    for taken in started:
        taken.watch.close()


def _saves(repo: Repo) -> Saves:
    saves = Saves(repo.place)
    saves.begin()
    return saves


def test_a_save_is_one_only_where_the_content_is_new(repo: Repo) -> None:
    for name in ("tracked", "dirty"):
        repo.write(name, "1\n")
    repo.commit()
    repo.write("dirty", "2\n")
    repo.write("untracked", "1\n")
    saves = _saves(repo)
    names = ["tracked", "dirty", "untracked"]
    for name in names:
        repo.write(name, (repo.root / name).read_bytes())
    assert saves.saved(names) == []
    for name in names:
        repo.write(name, "3\n")
    assert saves.saved(names) == names
    assert saves.saved(names) == []
    repo.write("new", "1\n")
    assert saves.saved(["new", "gone"]) == ["new"]


@pytest.mark.parametrize(
    "name",
    [".a.py.swp", "a.py~", ".#a.py", "#a.py#", "4913", "a.py___jb_tmp___", "x.swx"],
)
def test_what_an_editor_writes_for_itself_is_noise(repo: Repo, name: str) -> None:
    saves = _saves(repo)
    repo.write(f"src/{name}", "x")
    repo.write("src/a.py", "x")
    assert is_noise(f"src/{name}")
    assert saves.saved([f"src/{name}", "src/a.py"]) == ["src/a.py"]


def test_ignored_files_links_and_other_repositories_are_nobodys_save(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n")
    other = Repo(tmp_path / "other")
    other.write("x", "1\n")
    for command in (["init", "-q"], ["add", "x"], ["commit", "-q", "-m", "x"]):
        other.git(*command)
    repo.git("submodule", "--quiet", "add", str(other.root), "sub")
    shutil.copytree(other.root, repo.root / "nested")
    saves = _saves(repo)
    for name in ("a.log", "build/x", "sub/x", "nested/x", "src/a.py"):
        repo.write(name, "2\n")
    os.symlink("src/a.py", repo.root / "link")
    os.mkfifo(repo.root / "fifo")
    asked = ["a.log", "build/x", "sub/x", "nested/x", "link", "fifo", "src/a.py"]
    assert saves.saved(asked) == ["src/a.py"]
    assert _relative(repo, Folders(repo.place, ["."]).all()) >= {".", "src", ".lessons"}
    assert not _relative(repo, Folders(repo.place, ["."]).all()) & {"build", "sub", "nested", ".git"}
    assert (
        Folders(repo.place, ["."]).below([str(repo.root / name) for name in ("nested", "sub", "build")]) == []
    )


def _relative(repo: Repo, folders: list[str]) -> set[str]:
    return {os.path.relpath(folder, repo.root) for folder in folders}


def test_of_a_very_large_file_its_size_and_time_stand_for_the_content(repo: Repo) -> None:
    saves = _saves(repo)
    repo.write("big", b"x" * (WATCH_BYTES + 1))
    assert saves.saved(["big"]) == ["big"]
    assert saves.saved(["big"]) == []
    os.utime(repo.root / "big", (1, 1))
    assert saves.saved(["big"]) == ["big"]


def test_what_git_writes_is_nobodys_save(repo: Repo) -> None:
    repo.write("a", "1\n")
    repo.write(".gitattributes", "crlf eol=crlf\n")
    repo.write("crlf", "1\r\n")
    repo.commit()
    repo.git("switch", "-q", "-c", "side")
    repo.write("a", "side\n")
    repo.write("crlf", "side\r\n")
    repo.write("b/new", "side\n")
    repo.commit()
    saves = _saves(repo)
    names = ["a", "b/new", "crlf"]

    def after(*command: str) -> list[str]:
        repo.git(*command)
        return saves.saved(names)

    assert after("switch", "-q", "main") == []
    assert after("merge", "-q", "--no-commit", "--no-ff", "side") == []
    assert after("merge", "--abort") == []
    repo.write("a", "mine\n")
    assert saves.saved(names) == ["a"]  # the positive control
    assert after("stash") == []
    repo.write("a", "main\n")
    repo.git("commit", "-q", "-am", "main")
    with pytest.raises(AssertionError):
        repo.git("rebase", "-q", "side")
    assert b"<<<<<<<" in (repo.root / "a").read_bytes()
    assert saves.saved(names) == []  # both sides of a conflict
    repo.write("a", "resolved\n")
    assert saves.saved(names) == ["a"]
    repo.git("add", "a")
    assert after("commit", "-q", "-m", "main") == []
    assert after("rebase", "--continue") == []


def test_while_git_holds_its_lock_nothing_is_judged(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["a"])
    repo.write("a", "1\n")
    repo.commit()
    taken = begun()
    lock, index = repo.root / ".git/index.lock", repo.root / ".git/index"
    repo.write("a", "2\n")
    repo.git("add", "a")
    after = index.read_bytes()
    repo.git("reset", "-q")
    lock.touch()
    thread = threading.Thread(target=taken, args=(FILE, "a"))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    lock.write_bytes(after)
    lock.replace(index)
    thread.join(SECONDS)
    assert taken.lines == []
    lock.touch()
    os.utime(lock, (1, 1))  # left behind by a crash
    repo.write("a", "3\n")
    assert taken(FILE, "a") == ["a"]


def test_a_saved_file_prints_what_hook_save_prints_once(repo: Repo, begun: Callable[..., Taken]) -> None:
    record = repo.record(route="cache it", observation="stale", files=["src/*.py"])
    repo.write("src/a.py", "1\n")
    taken = begun()
    repo.write("src/a.py", "2\n")
    assert taken(FILE, "src/a.py") == ["src/a.py"]
    line = f"src/a.py:1:1: note: Tried before, and failed: cache it; why: stale; unreviewed [{record.id}]"
    assert taken.lines == [line]
    repo.write("src/a.py", "3\n")
    assert taken(FILE, "src/a.py") == []
    repo.run("correct", record.id, "--alternative", "by hand")
    repo.write("src/a.py", "4\n")
    assert taken(FILE, "src/a.py") == ["src/a.py"]
    assert "by hand" in taken.lines[-1]
    assert taken.told == [f"watching 4 folders of {repo.root}"]


def test_a_saved_record_with_a_mistake_is_an_error_and_a_new_one_counts_at_once(
    repo: Repo, begun: Callable[..., Taken]
) -> None:
    repo.write("src/a.py", "1\n")
    taken = begun()
    repo.write("src/a.py", "2\n")
    assert taken(FILE, "src/a.py") == []
    record = repo.record(files=["src/a.py"])
    bad = repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    assert taken(FILE, record.path, ".lessons/bad.yaml") == [".lessons/bad.yaml"]
    assert ": error: " in taken.lines[-1]
    bad.unlink()
    repo.write("src/a.py", "3\n")
    assert taken(FILE, "src/a.py") == ["src/a.py"]


def test_a_burst_is_one_lookup_and_prints_a_screenful(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["src/*.py"])
    names = [f"src/m{number}.py" for number in range(2000)]
    repo.write("src/keep", "")
    taken = begun()
    for name in names:
        repo.write(name, "x\n")
    began = time.monotonic()
    assert len(taken(FILE, *names)) == WATCH_LINES
    assert time.monotonic() - began < SECONDS
    assert taken.told[-1].startswith("1,980 more rulings on files saved at once (hint: chalkgit at src/m")
    repo.write(names[-1], "y\n")
    assert taken(FILE, names[-1]) == [names[-1]]  # what was counted alone was not shown


def test_folders_that_come_are_watched_and_those_that_go_are_not(
    repo: Repo, begun: Callable[..., Taken]
) -> None:
    repo.record(files=["a.py"])
    repo.write(".gitignore", "cache/\n")
    repo.write("src/x", "")
    (repo.root / "empty/inner").mkdir(parents=True)
    taken = begun()
    assert {"src", "empty", "empty/inner"} <= taken.folders
    repo.write("src/deep/er/a.py", "1\n")  # before anything of it was watched
    repo.write("src/cache/a.py", "1\n")
    assert taken(FOLDER, "src/deep", "src/cache") == ["src/deep/er/a.py"]
    assert "src/deep/er" in taken.folders
    assert "src/cache" not in taken.folders
    (repo.root / "src/deep").rename(repo.root / "moved")
    assert taken(GONE, "src/deep") + taken(FOLDER, "moved") == ["moved/er/a.py"]
    assert "src/deep/er" not in taken.folders
    shutil.rmtree(repo.root / "moved")
    taken(GONE, "moved")
    assert not {"moved", "moved/er"} & taken.folders
    repo.write(".gitignore", "")
    assert taken(FILE, ".gitignore") == ["src/cache/a.py"]
    assert "src/cache" in taken.folders


def test_lost_events_are_made_up_for(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["*.py"])
    repo.write("src/a.py", "1\n")
    repo.commit()
    taken = begun()
    repo.write("src/a.py", "2\n")
    repo.write("new/b.py", "2\n")
    assert taken(LOST, "src") == ["new/b.py", "src/a.py"]


def test_what_is_asked_for_is_watched_alone(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["a.py"])
    for name in ("src/sub/a.py", "lib/a.py"):
        repo.write(name, "1\n")
    taken = begun("src")
    assert taken.folders == {"src", "src/sub"}
    for name in ("src/sub/a.py", "lib/a.py"):
        repo.write(name, "2\n")
    assert taken(FILE, "src/sub/a.py", "lib/a.py") == ["src/sub/a.py"]


def test_a_path_is_printed_as_it_is_reached_from_where_the_watch_began(repo: Repo) -> None:
    repo.record(files=["*.py"])
    repo.write("src/x", "1\n")
    lines: list[str] = []
    watch = Watch(repo.place, ["."], str(repo.root / "src"), "watch:test", lines.append, lambda said: None)
    watch.begin()
    for name in ("src/a.py", "b.py"):
        repo.write(name, "1\n")
        watch.take([(FILE, str(repo.root / name))])
    watch.close()
    assert [line.split(":")[0] for line in lines] == ["a.py", "../b.py"]


def test_a_name_that_a_terminal_would_obey_is_made_harmless(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["src/"])
    repo.write("src/x", "1\n")
    taken = begun()
    names = ["src/\x1b[31m.py", "src/a\nb.py", os.fsdecode(b"src/\xff.py"), "src/two  spaces.py"]
    for name in names:
        repo.write(name, "1\n")
    taken(FILE, *names)
    assert len(taken.lines) == len(names), taken.told
    assert not [line for line in taken.lines if "\x1b" in line or "\n" in line]
    assert any(line.startswith("src/two  spaces.py:1:1: ") for line in taken.lines)


def test_trouble_is_said_once_and_the_watch_goes_on(repo: Repo, begun: Callable[..., Taken]) -> None:
    repo.record(files=["a.py"])
    repo.write("a.py", "1\n")
    taken = begun()
    (repo.root / ".lessons").rename(repo.root / "away")
    for number in (2, 3):
        repo.write("a.py", f"{number}\n")
        assert taken(FILE, "a.py") == []
    assert len(taken.told) == 2
    assert taken.told[1] == "nothing is shown for what was saved now: no .lessons/ here"
    (repo.root / "away").rename(repo.root / ".lessons")
    repo.write("a.py", "4\n")
    assert taken(FILE, "a.py") == ["a.py"]
    with pytest.raises(BrokenPipeError):
        taken(CLOSED, "")


def test_mistakes_of_the_user_are_said(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    def refused(*args: str) -> str:
        result = chalk("watch", *args)
        assert (result.code, result.out) == (2, "")
        return result.err

    assert "no such file or folder: nowhere" in refused("nowhere")
    assert "outside this repository" in refused(str(tmp_path))
    off = chalk("watch", env={"CHALKGIT_BYPASS_RULINGS": "1"})
    assert off == (0, "", "chalkgit: CHALKGIT_BYPASS_RULINGS is set: nothing is watched\n")
    shutil.rmtree(repo.root / ".lessons")
    assert "no .lessons/ here" in refused()
    assert "hint: chalkgit init" in refused()
