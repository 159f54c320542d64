"""What hostile or damaged repositories did to the doors once, and what they get instead."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from faults import Count, failing, until_it_passes
from repository import Repo

from chalkgit import config, thresholds
from chalkgit.doors import showing
from chalkgit.index import generation, refresh
from chalkgit.store import journal, journal_file, signs, staging
from chalkgit.store.journal import Showing

PROGRAM = (sys.executable, "-I", "-c", "from chalkgit.__main__ import main; main()")


@pytest.fixture(name="ruled")
def ruled_fixture(repo: Repo) -> Repo:
    repo.write("src/a.py", "a\n")
    repo.record(route="cache it", observation="stale", files=["src/a.py"])
    repo.commit()
    return repo


def shown(repo: Repo) -> int:
    return len(showing.about(repo.place, ["src/a.py"], surface="editor").rulings)


def test_a_linked_folder_of_derived_data_is_neither_read_nor_swept(ruled: Repo, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs" / "github-backup"
    theirs.mkdir(parents=True)
    (ruled.root / ".git/chalkgit").symlink_to(tmp_path / "theirs")
    found = showing.about(ruled.place, ["src/a.py"], surface="editor")
    assert len(found.rulings) == 1
    assert "symbolic link" in found.told[0]
    assert os.listdir(tmp_path / "theirs") == ["github-backup"]


def test_only_generations_of_ours_are_swept(ruled: Repo) -> None:
    refresh.up_to_date(ruled.place)
    other = Path(ruled.place.derived) / "github-backup"
    other.mkdir()
    os.mkfifo(Path(ruled.place.derived) / "g123456789abc")
    refresh.up_to_date(ruled.place, rebuild=True)
    assert other.exists()
    assert not (Path(ruled.place.derived) / "g123456789abc").exists()


def test_a_filter_whose_name_holds_an_equals_sign_never_runs(ruled: Repo, tmp_path: Path) -> None:
    assert shown(ruled) == 1
    witness = tmp_path / "ran"
    with (ruled.root / ".git/config").open("a") as file:
        file.write(f'[filter "a=b"]\n\tclean = "touch {witness}; cat"\n')
    ruled.write(".git/info/attributes", "*.yaml filter=a=b\n")
    # an index that looks older than its files: git compares their contents, and asks the filter for that
    os.utime(ruled.root / ".git/index", (1_000_000_000,) * 2)
    ruled.git("diff-files", "--name-only")  # the control
    assert witness.exists()
    witness.unlink()
    assert ruled.run("hook", "save", "src/a.py").out
    assert not witness.exists()


def test_settings_through_the_environment_are_added_to_those_that_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config.claim("/here")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "")
    found = config.git_environment("/here", [("filter.x.clean", "")])
    assert (found["GIT_CONFIG_COUNT"], found["GIT_CONFIG_KEY_1"]) == ("2", "filter.x.clean")
    assert found["GIT_CONFIG_KEY_0"] == "core.hooksPath"


def test_a_user_without_a_home_has_no_settings_in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert config.home("CONFIG") == "/nonexistent/.config/chalkgit"


def test_a_table_that_another_process_holds_is_not_waited_for(ruled: Repo) -> None:
    index = refresh.up_to_date(ruled.place)
    assert index.folder is not None
    with closing(sqlite3.connect(Path(index.folder) / "table.db", isolation_level=None)) as holder:
        holder.execute("begin exclusive")
        began = time.monotonic()
        found = showing.about(ruled.place, ["src/a.py"], surface="editor")
        assert time.monotonic() - began < thresholds.TABLE_SECONDS / 4
    assert len(found.rulings) == 1
    assert "another process is writing the index" in found.told[0]
    assert generation.current(ruled.place) is not None


def test_a_view_without_an_end_is_damage(ruled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    index = refresh.up_to_date(ruled.place)
    assert index.folder is not None
    monkeypatch.setattr(thresholds, "TABLE_SECONDS", 0.3)
    with closing(sqlite3.connect(Path(index.folder) / "table.db", isolation_level=None)) as table:
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i, i from n"
        table.execute("drop table meta")
        table.execute(f"create view meta (key, value) as {endless} where i < 0")
    assert shown(ruled) == 1


def test_manifests_that_are_no_files_are_none(ruled: Repo) -> None:
    manifest = Path(ruled.place.derived) / "manifest.json"
    assert shown(ruled) == 1
    for make in (lambda: os.mkfifo(manifest), lambda: manifest.symlink_to("/dev/zero"), manifest.mkdir):
        manifest.unlink()
        make()
        assert generation.manifest(ruled.place) is None
        if manifest.is_dir() and not manifest.is_symlink():
            manifest.rmdir()
            break
        assert shown(ruled) == 1


def test_globs_are_compared_as_long_as_there_is_time(ruled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = [f"**/*a*a*a*a*a*a*a*a{number}*" for number in range(400)]
    ruled.record(route="slow", files=[*slow, "**/a*"])
    path = "a" * 200 + "/" + "a" * 50
    monkeypatch.setattr(showing, "GLOB_SECONDS", 0.05)
    found = showing.about(ruled.place, [path, "src/a.py"], surface="editor")
    assert "not all globs were compared" in found.told[0]
    assert [ruling.standing.record.text("route") for ruling in found.rulings] == ["cache it"]
    monkeypatch.setattr(showing, "GLOB_SECONDS", 60.0)
    assert len(showing.about(ruled.place, [path, "src/a.py"], surface="editor").rulings) == 3


def test_a_file_monitor_that_never_answers_is_not_waited_for(
    ruled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(ruled) == 1
    monkeypatch.setattr(thresholds, "MONITOR_SECONDS", 0.3)
    monkeypatch.chdir(ruled.root / ".git")  # the path of a socket is short
    with closing(socket.socket(socket.AF_UNIX)) as dead:
        dead.bind("fsmonitor--daemon.ipc")
        assert not signs.is_monitored(ruled.place)  # nobody listens
        dead.listen()
        if len(os.fsencode(ruled.root)) < 80:
            assert signs.is_monitored(ruled.place)
        assert shown(ruled) == 1


def test_a_record_replaced_by_a_folder_of_its_name_is_gone(ruled: Repo) -> None:
    assert shown(ruled) == 1
    [path] = (ruled.root / ".lessons/dead-ends").iterdir()
    path.unlink()
    path.mkdir()
    for _ in range(2):
        found = showing.about(ruled.place, ["src/a.py"], surface="editor")
        assert (found.rulings, found.told) == ([], [])


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_closed_stream_is_no_verdict(ruled: Repo, closed: str) -> None:
    ruled.git("rm", "-q", "--cached", "src/a.py")
    for variable in ("0", "1"):
        done = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *PROGRAM, "hook", "pre-commit"],
            cwd=ruled.root,
            env={**os.environ, "CHALKGIT_BYPASS_RULINGS": variable},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done


def test_what_fails_before_anything_else_is_no_verdict_either(ruled: Repo) -> None:
    command = ["sh", "-c", 'ulimit -n 6; "$@"', "sh", *PROGRAM, "hook", "pre-commit"]
    done = subprocess.run(command, cwd=ruled.root, capture_output=True, text=True, check=False)
    assert done.returncode not in (0, 1)
    assert done.stderr.startswith("chalkgit: ")


def test_a_folder_that_is_gone_costs_a_line(ruled: Repo, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *PROGRAM, "hook", "save", "a.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "chalkgit: nothing is shown: No such file or directory\n")


def test_a_work_tree_of_another_repository_is_foreign(
    ruled: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Repo(tmp_path / "other")
    other.root.mkdir()
    other.git("init", "-q")
    monkeypatch.chdir(other.root)
    monkeypatch.setenv("GIT_WORK_TREE", str(ruled.root))
    place = ruled.place
    found = type(place)(place.root, str(other.root / ".git"), str(other.root / ".git"))
    assert "GIT_WORK_TREE names another repository" in (staging.foreign(found) or "")


def test_a_journal_with_another_table_of_that_name_is_begun_again(ruled: Repo) -> None:
    journal.record(ruled.place, "s", "save", [Showing("src/a.py", "id", "h", 1)])
    with closing(sqlite3.connect(journal_file.path(ruled.place), isolation_level=None)) as table:
        table.execute("drop table shown")
        table.execute("create table shown (other text)")
    assert journal.record(ruled.place, "s", "save", [Showing("src/a.py", "id", "h", 1)]) is None
    assert journal.seen(ruled.place, "s", ["src/a.py", "\udcff"]) == {("src/a.py", "id", "h")}
    raw = Showing("\udcff.py", "id", "h", 1)
    assert journal.record(ruled.place, "s", "save", [raw, Showing("b.py", "id", "h", 1)]) is None
    assert journal.seen(ruled.place, "s", ["b.py"])


def test_an_undone_rename_leaves_no_ruling_behind(ruled: Repo) -> None:
    ruled.write("src/a.py", "a line\n" * 30)
    ruled.commit()
    for old, new in (("src/a.py", "lib/a.py"), ("lib/a.py", "app/a.py")):
        (ruled.root / new).parent.mkdir()
        ruled.git("mv", old, new)
        ruled.commit()
        assert len(showing.about(ruled.place, [new], surface="editor").rulings) == 1
        assert ruled.run("at", new).code == 0
    ruled.git("reset", "-q", "--mixed", "HEAD~1")
    ruled.run("hook", "refresh")
    ruled.git("checkout", "-q", "--", "lib")
    (ruled.root / "app/a.py").unlink()
    assert len(showing.about(ruled.place, ["lib/a.py"], surface="editor").rulings) == 1


def test_many_threads_may_look_at_once(ruled: Repo) -> None:
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(shown(ruled))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [1] * 6


def test_a_disk_that_fails_at_any_write_costs_no_ruling(ruled: Repo) -> None:
    def run(n: int) -> Count:
        shutil.rmtree(ruled.place.derived, ignore_errors=True)
        shutil.rmtree(Path(journal_file.path(ruled.place)).parent, ignore_errors=True)
        with failing(n) as count:
            found = showing.about(ruled.place, ["src/a.py"], surface="editor", session="s")
            found.shown("save")
        assert len(found.rulings) == 1
        assert shown(ruled) == 1
        return count

    assert until_it_passes(run) > 5


@pytest.mark.skipif(
    os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0,
    reason="a file system of its own takes root and mount namespaces",
)
def test_a_commit_on_a_full_disk_goes_as_git_lets_it(ruled: Repo, tmp_path: Path) -> None:
    # all of .git on a disk that is full once the file is staged
    script = """
    mount -t tmpfs -o size=2m none "$1" && cp -a "$2/.git/." "$1/" && mount --bind "$1" "$2/.git" || exit 9
    cd "$2" && echo b >> src/a.py && git add src/a.py || exit 8
    dd if=/dev/zero of=.git/fill bs=1k 2>/dev/null
    shift 2; "$@"
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            script,
            "sh",
            str(disk),
            str(ruled.root),
            *PROGRAM,
            "hook",
            "pre-commit",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert "cache it" in done.stdout
    assert "the index cannot be written" in done.stderr
