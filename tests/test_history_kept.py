"""The kept table of history: on a disk that fails or takes no writes, killed, and written by two at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest
from faults import Count, failing, until_it_passes
from repository import Repo
from telling import records_fixture, said, table  # noqa: F401

from chalkgit.records.record import Record
from chalkgit.store import history, history_file

ASK = """
import sys
from chalkgit.store import history, place
told = history.opened(place.find(sys.argv[1]))
print(told.tip, len(told.moments()), len(told.versions()), told.unkept)
"""


def test_a_disk_that_fails_costs_the_table_and_not_the_answer(repo: Repo, records: list[Record]) -> None:
    right = said(repo)
    table(repo).unlink()
    unkept: list[str | None] = []

    def attempt(n: int) -> Count:
        with failing(n) as count:
            told = history.opened(repo.place)
        assert len(told.versions()) == len(right) // 2
        assert table(repo).exists() is (told.unkept is None)
        unkept.append(told.unkept)
        table(repo).unlink(missing_ok=True)
        assert [f for f in os.listdir(table(repo).parent) if f.endswith(".tmp")] == []
        return count

    until_it_passes(attempt)
    # opening, writing twice, putting in place; a folder or a scratch file that fails has another way
    assert len([why for why in unkept if why == "No space left on device"]) == 4
    assert unkept[-1] is None
    assert said(repo) == right


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="only root can mount")
@pytest.mark.parametrize("built", [True, False])
def test_a_read_only_git_directory_is_answered_from_memory(
    repo: Repo, records: list[Record], built: bool
) -> None:
    if built:
        said(repo)
    tip = repo.commit("more")
    mount = "mount --bind .git .git && mount -o remount,ro,bind .git"
    ask = f"'{sys.executable}' -c '{ASK}' '{repo.root}'"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"{mount} || exit 77\n{ask}"],
        cwd=repo.root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("mounting is not allowed here")
    assert done.stdout.split(None, 3) == [tip, "14", str(len(said(repo)) // 2), "Read-only file system\n"]


KILLED = """
import os, signal
left = [int(sys.argv[2])]
def deadly(real):
    def call(*args, **rest):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **rest)
    return call
for name in ("open", "write", "replace", "makedirs", "unlink", "posix_spawn"):
    setattr(os, name, deadly(getattr(os, name)))
"""


def test_a_process_that_is_killed_leaves_a_table_that_is_whole_or_none(
    repo: Repo, records: list[Record]
) -> None:
    said(repo)
    repo.commit("more")
    code = "import sys\n" + "from chalkgit.store import history, place\n" + KILLED + ASK
    old = table(repo).read_bytes()
    killed = 0
    for n in range(1, 40):
        table(repo).write_bytes(old)
        command = [sys.executable, "-c", code, str(repo.root), str(n)]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode == 0:
            break
        killed += 1
        kept = history_file.read(repo.place)
        assert kept is not None
        assert kept.tip in (repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD~1"))
    assert killed >= 5
    left = [f for f in table(repo).parent.iterdir() if f.name.endswith(".tmp")]
    assert left
    right = said(repo)
    for file in left:
        os.utime(file, (time.time() - 9999,) * 2)
    repo.commit("again")
    assert said(repo) == right
    assert [f for f in table(repo).parent.iterdir() if f.name.endswith(".tmp")] == []


def test_processes_at_once_each_answer_for_one_commit(repo: Repo, records: list[Record]) -> None:
    tips = repo.git("rev-list", "HEAD").split()
    expected = {
        tip: (len(tips) - n, len(history.opened(repo.place, tip).versions())) for n, tip in enumerate(tips)
    }
    lines = [f"    {line}" for line in ASK.strip().splitlines()]
    loop = "\n".join(["for _ in range(40):", *lines])
    children = [
        subprocess.Popen([sys.executable, "-c", loop, str(repo.root)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    turn = 0
    while any(child.poll() is None for child in children):
        turn += 1
        (repo.root / ".git/refs/heads/main").with_suffix(".new").write_text(tips[turn % 7] + "\n")
        os.replace(repo.root / ".git/refs/heads/main.new", repo.root / ".git/refs/heads/main")
        time.sleep(0.003)
        if turn % 9 == 0:
            table(repo).unlink(missing_ok=True)
    answers = [line for child in children for line in child.communicate()[0].splitlines()]
    assert len(answers) == 120
    for line in answers:
        tip, commits, versions, unkept = line.split(None, 3)
        assert ((int(commits), int(versions)), unkept) == (expected[tip], "None")
    assert len({line.split()[0] for line in answers}) > 1


def test_a_half_written_table_that_another_process_has_put_in_place_meanwhile_is_no_reason_not_to_keep(
    repo: Repo, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: [*listed(folder), "history.db.1.00000000.tmp"])
    assert history.opened(repo.place).unkept is None
    assert table(repo).exists()
