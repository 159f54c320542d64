"""`chalkgit watch` as a process of its own: real saves, signals, and a kernel that gives no watches."""

from __future__ import annotations

import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from repository import Repo

from chalkgit.doors import watch_events

RUN = [sys.executable, "-I", "-m", "chalkgit"]
SECONDS = 20


class Running:
    """`chalkgit watch` as a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._read = {"out": b"", "err": b""}

    def wait_for(self, text: str, stream: str = "out") -> str:
        """All that it has printed, once `text` is in it."""
        pipe = self.process.stdout if stream == "out" else self.process.stderr
        assert pipe is not None
        end = time.monotonic() + SECONDS
        while text.encode() not in self._read[stream]:
            ready, _, _ = select.select([pipe], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} was not printed: {self._read}"
            data = os.read(pipe.fileno(), 1 << 16)
            assert data, f"it ended: {self._read}"
            self._read[stream] += data
        return self._read[stream].decode()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


@contextmanager
def _running(repo: Repo, *args: str, first: tuple[str, ...] = ()) -> Iterator[Running]:
    with subprocess.Popen(
        [*first, *RUN, "watch", *args], cwd=repo.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            running = Running(process)
            running.wait_for("watching", "err")
            yield running
        finally:
            process.kill()


EDITORS = {
    "overwrite": ["sh", "-c", "echo 2 > $0"],
    "rename": ["sh", "-c", "echo 2 > tmp.$$ && mv tmp.$$ $0"],
    "sed": ["sed", "-i", "s/1/2/"],
    "vim": ["vim", "-Nu", "NONE", "-es", "-c", "%s/1/2/ | wq"],
    "vim-rename": ["vim", "-Nu", "NONE", "-es", "-c", "set backup backupcopy=no | %s/1/2/ | wq"],
    "nvim": ["nvim", "--headless", "-u", "NONE", "-es", "-c", "%s/1/2/ | wq"],
    "emacs": [
        "emacs",
        "-Q",
        "--batch",
        "--eval",
        '(progn (find-file (pop argv)) (insert "2") (save-buffer))',
    ],
}


def test_every_way_to_save_is_seen(repo: Repo) -> None:
    repo.record(files=["*.py"])
    for name in [*EDITORS, "touched", "same"]:
        repo.write(f"src/{name}.py", "1\n")
    repo.commit()
    repo.write("save.el", '(find-file (pop command-line-args-left)) (insert "2") (save-buffer)')
    there = [name for name, command in EDITORS.items() if shutil.which(command[0])]
    with _running(repo) as watch:
        (repo.root / "src/touched.py").touch()
        repo.write("src/same.py", "1\n")
        (repo.root / "src/same.py").read_bytes()
        for name in there:
            subprocess.run([*EDITORS[name], f"src/{name}.py"], cwd=repo.root, check=True, capture_output=True)
            out = watch.wait_for(f"src/{name}.py:1:1: note: ")
        repo.write("new/deep/er.py", "1\n")
        out = watch.wait_for("new/deep/er.py:1:1: note: ")
        repo.write("new/deep/er2.py", "1\n")
        out = watch.wait_for("new/deep/er2.py:1:1: note: ")
    names = [f"src/{name}.py" for name in there] + ["new/deep/er.py", "new/deep/er2.py"]
    assert [line.split(":")[0] for line in out.splitlines()] == names


def test_a_checkout_prints_nothing_and_a_save_after_it_does(repo: Repo) -> None:
    repo.record(files=["*.py"])
    repo.write("src/keep", "")
    repo.commit()
    repo.git("switch", "-q", "-c", "side")
    for number in range(300):
        repo.write(f"src/p{number}/m.py", "side\n")
    repo.commit()
    with _running(repo) as watch:
        repo.git("switch", "-q", "main")
        repo.git("switch", "-q", "side")
        repo.write("src/p7/saved.py", "mine\n")
        assert watch.wait_for(":1:1: note: ").startswith("src/p7/saved.py:")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_quietly(repo: Repo, number: int, code: int) -> None:
    with _running(repo) as watch:
        assert watch.end(number) == code
        assert watch.process.stdout is not None
        assert watch.process.stdout.read() == b""
        assert watch.process.stderr is not None
        assert watch.process.stderr.read().strip() == b""


def test_it_ends_when_nobody_reads_it_any_more(repo: Repo) -> None:
    with _running(repo) as watch:
        assert watch.process.stdout is not None
        watch.process.stdout.close()
        assert watch.process.wait(SECONDS) == 141
        assert watch.process.stderr is not None
        assert watch.process.stderr.read() == b""
        watch.process.stdout = None


def test_it_ends_when_the_repository_is_removed_around_it(repo: Repo) -> None:
    repo.write("src/x", "1\n")
    with _running(repo) as watch:
        shutil.rmtree(repo.root)
        assert watch.process.wait(SECONDS) == 2
        watch.wait_for("what was watched is gone", "err")


def test_a_full_disk_ends_it_and_is_said(repo: Repo) -> None:
    repo.record(files=["a.py"])
    with (
        open("/dev/full", "wb") as full,
        subprocess.Popen([*RUN, "watch"], cwd=repo.root, stdout=full, stderr=subprocess.PIPE) as process,
    ):
        watch = Running(process)
        watch.wait_for("watching", "err")
        repo.write("a.py", "1\n")
        assert process.wait(SECONDS) == 2
        watch.wait_for("standard output cannot be written: No space left", "err")


def test_polling_sees_saves_and_new_folders(repo: Repo) -> None:
    repo.record(files=["*.py"])
    repo.write(".gitignore", "cache/\n")
    repo.write("src/a.py", "1\n")
    with _running(repo, "--poll") as watch:
        assert "looking every 1 s" in watch.wait_for("looking", "err")
        repo.write("src/cache/x.py", "1\n")
        repo.write("src/a.py", "20\n")
        repo.write("src/new/b.py", "1\n")
        watch.wait_for("src/a.py:1:1: note: ")
        out = watch.wait_for("src/new/b.py:1:1: note: ")
    assert out.count("\n") == 2


def test_the_observer_of_a_system_without_inotify_tells_of_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "ignored").mkdir()
    events: watch_events.Queue = queue.SimpleQueue()
    tree = watch_events.Tree([str(tmp_path)], events, poll=False)
    tree.add([str(tmp_path), str(tmp_path / "src")])
    (tmp_path / "ignored/b.py").write_text("1\n")
    (tmp_path / "src/a.py").write_text("1\n")
    (tmp_path / "src/new").mkdir()
    wanted = {
        (watch_events.FILE, str(tmp_path / "src/a.py")),
        (watch_events.FOLDER, str(tmp_path / "src/new")),
    }
    seen = set()
    while not wanted <= seen:
        seen.add(events.get(timeout=SECONDS))
    tree.close()
    assert seen == wanted


def _limited(name: str, value: int) -> tuple[str, ...]:
    """Begins a command line with a smaller limit, of a user namespace: the world keeps its own."""
    line = f'echo {value} > /proc/sys/user/{name} && exec "$0" "$@"'
    first = ("unshare", "-Ur", "sh", "-c", line)
    if not shutil.which("unshare") or subprocess.run([*first, "true"], capture_output=True).returncode:
        pytest.skip("no user namespace, or no limit of its own in one")
    return first


@pytest.mark.parametrize(("name", "value"), [("max_inotify_watches", 2), ("max_inotify_instances", 0)])
def test_where_the_kernel_gives_no_watches_it_says_what_helps_and_polls(
    repo: Repo, name: str, value: int
) -> None:
    repo.record(files=["src/a.py"])
    repo.write("src/a.py", "1\n")
    with _running(repo, first=_limited(name, value)) as watch:
        said = watch.wait_for("looking every", "err")
        assert f"the kernel gives no more watches (user.{name} is {value})" in said
        assert f"(hint: sudo sysctl user.{name}=" in said
        repo.write("src/a.py", "20\n")
        watch.wait_for("src/a.py:1:1: note: ")


def test_watches_that_run_out_later_are_polled_from_then_on(repo: Repo) -> None:
    repo.record(files=["a.py"])
    repo.write("src/x", "1\n")
    with _running(repo, first=_limited("max_inotify_watches", 5)) as watch:
        for name in "bcdef":
            repo.write(f"src/{name}/a.py", "1\n")
        watch.wait_for("src/f/a.py:1:1: note: ")
        watch.wait_for("the kernel gives no more watches", "err")
        repo.write("src/f/g/a.py", "1\n")
        watch.wait_for("src/f/g/a.py:1:1: note: ")
