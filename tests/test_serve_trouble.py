"""A helper is never required: whatever becomes of it, or stands in its place, `check` answers in time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repository import Repo
from serving import RUN, SECONDS, Helper, answers, helper_fixture, helping, until  # noqa: F401

from chalkgit.doors import helper as clients
from chalkgit.thresholds import HELPER_SECONDS

ROUTE = "cache the parsed manifest between test runs"


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="it went stale")
    repo.commit()
    return repo


def _stopped(number: int, repo: Repo, helper: Helper) -> None:
    assert helper.process is not None
    helper.process.send_signal(number)
    assert helper.process.wait(SECONDS) == {signal.SIGTERM: 0, signal.SIGINT: 130, signal.SIGKILL: -9}[number]
    assert helper.socket.exists() == (number == signal.SIGKILL)
    answers(repo, ROUTE)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_helper_that_was_ended_is_not_missed_and_may_be_followed_by_another(
    told: Repo, helper: Helper, number: int
) -> None:
    helper.alike(ROUTE)
    _stopped(number, told, helper)
    if number == signal.SIGKILL:
        old = helper.socket.lstat().st_ino
        with subprocess.Popen([*RUN, "serve"], cwd=told.root, stderr=subprocess.DEVNULL) as process:
            until(lambda: helper.socket.lstat().st_ino != old, process)
            helper.alike(ROUTE)
            process.kill()
    else:
        with helping(told) as another:
            another.alike(ROUTE)


def test_a_work_tree_has_one_helper(told: Repo, helper: Helper) -> None:
    second = told.run("serve")
    assert (second.code, second.out) == (2, "")
    assert "a helper runs here already" in second.err
    helper.alike(ROUTE)


def test_a_helper_that_hangs_or_is_killed_meanwhile_costs_a_bounded_time(told: Repo, helper: Helper) -> None:
    assert helper.process is not None
    alone = answers(told, ROUTE)
    helper.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    assert told.run("check", ROUTE) == alone
    assert HELPER_SECONDS <= time.monotonic() - began < HELPER_SECONDS + SECONDS
    assert "hangs" in told.run("serve", "--status").out
    with subprocess.Popen([*RUN, "check", ROUTE], cwd=told.root, stdout=subprocess.PIPE) as asking:
        time.sleep(HELPER_SECONDS / 2)
        helper.process.kill()
        out, _ = asking.communicate(timeout=SECONDS)
    assert (asking.returncode, out.decode()) == (1, alone.out)


def test_one_that_hangs_can_be_stopped(told: Repo, helper: Helper) -> None:
    assert helper.process is not None
    helper.process.send_signal(signal.SIGSTOP)
    assert told.run("serve", "--stop").out == "the helper has ended\n"
    assert helper.process.wait(SECONDS) == -signal.SIGKILL
    answers(told, ROUTE)


def test_two_who_ask_at_once_are_both_answered(told: Repo, helper: Helper) -> None:
    alone = answers(told, ROUTE)
    before = helper.counts()
    command = [*RUN, "check", ROUTE]
    asking = [subprocess.Popen(command, cwd=told.root, stdout=subprocess.PIPE) for _ in range(6)]
    for one in asking:
        out, _ = one.communicate(timeout=SECONDS)
        assert (one.returncode, out.decode()) == (1, alone.out)
    assert helper.counts() == (before[0] + 6, before[1])


def test_a_switched_off_check_asks_nobody(told: Repo, helper: Helper) -> None:
    said = told.run("check", ROUTE, env={"CHALKGIT_BYPASS_CHECK": "1"})
    assert "Not checked" in said.out
    assert helper.counts() == (0, 0)


def test_a_git_directory_too_deep_for_a_socket_has_one_all_the_same(template: Repo, tmp_path: Path) -> None:
    root = tmp_path / "/".join(["a-folder-with-quite-a-long-name"] * 5)
    shutil.copytree(template.root, root)
    deep = Repo(root)
    deep.record(route=ROUTE, observation="it went stale")
    deep.commit()
    deep.run("check", ROUTE)
    if not Path("/proc/self/fd").exists():
        assert "too long for a socket" in deep.run("serve").err
        return
    with helping(deep) as helper:
        helper.alike(ROUTE)
        assert deep.run("serve", "--stop").code == 0
    assert not helper.socket.exists()


def _installed(folder: Path) -> list[str]:
    """Runs a copy of this package in `folder`."""
    package = Path(clients.__file__).parents[1]
    shutil.copytree(package, folder / "chalkgit", ignore=shutil.ignore_patterns("__pycache__"))
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from chalkgit.__main__ import main; main()"
    return [sys.executable, "-I", "-c", code]


def test_an_upgraded_client_is_not_answered_by_the_version_before(told: Repo, tmp_path: Path) -> None:
    program = _installed(tmp_path)
    expected = answers(told, ROUTE)

    def check() -> tuple[int, str]:
        done = subprocess.run(
            [*program, "check", ROUTE], cwd=told.root, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout

    socket_ = told.root / ".git/chalkgit/helper.sock"
    with subprocess.Popen([*program, "serve"], cwd=told.root, stderr=subprocess.DEVNULL) as process:
        until(socket_.exists, process)
        assert check() == (1, expected.out)
        answers(told, ROUTE)  # another installation answers by itself
        assert process.poll() is None
        name = tmp_path / "chalkgit/__init__.py"
        name.write_text(name.read_text().replace('__version__ = "', '__version__ = "9.'))
        text = tmp_path / "chalkgit/render/text.py"
        text.write_text(text.read_text().replace("This was tried before", "It was tried"))
        code, out = check()
        assert (code, "It was tried" in out) == (1, True)
        assert process.wait(SECONDS) == 0
    assert not socket_.exists()


@pytest.mark.parametrize("gone", ["the socket", "the derived data", "the git directory", "the repository"])
def test_a_helper_whose_place_is_gone_ends(told: Repo, gone: str) -> None:
    told.run("check", ROUTE)
    paths = {"the socket": ".git/chalkgit/helper.sock", "the derived data": ".git/chalkgit"}
    with helping(told) as helper:
        path = told.root / (paths | {"the git directory": ".git", "the repository": "."})[gone]
        path.unlink() if gone == "the socket" else shutil.rmtree(path)
        assert helper.process is not None
        assert helper.process.wait(SECONDS) == 0
    if gone in paths:
        answers(told, ROUTE)


def test_a_helper_nobody_asks_ends(told: Repo) -> None:
    told.run("check", ROUTE)
    with helping(told, "--idle", "0.5") as helper:
        assert helper.process is not None
        assert helper.process.wait(SECONDS) == 0
    assert not helper.socket.exists()


def test_without_watches_it_looks_at_the_files_each_time(told: Repo) -> None:
    line = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"'
    first = ("unshare", "-Ur", "sh", "-c", line)
    if (
        not shutil.which("unshare")
        or subprocess.run([*first, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no user namespace can be made here, and outside of one the limit is the machine's")
    told.run("check", ROUTE)
    with helping(told, first=first) as helper:
        assert "looks at the files each time" in told.run("serve", "--status").out
        for number in range(3):
            new = told.record(route=f"{ROUTE} {number}", observation="it went stale")
            assert new.id in helper.alike("--json", ROUTE).out


# --- begun on demand ------------------------------------------------------------------------------


def _settings(text: str) -> None:
    settings = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    settings.write_text(settings.read_text() + text)


def test_it_is_begun_by_a_check_where_the_users_settings_say_so(told: Repo) -> None:
    path = told.root / ".git/chalkgit/helper.sock"
    told.run("check", ROUTE)
    assert not (path.parent / "helper.lock").exists()
    _settings("serve: false\n")
    told.run("check", ROUTE)
    assert not (path.parent / "helper.lock").exists()
    _settings("serve_too: true\n")
    settings = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    settings.write_text(settings.read_text().replace("serve: false", "serve: true"))
    try:
        told.run("at", "src/a.py")
        told.run("check", ROUTE, env={"CHALKGIT_BYPASS_CHECK": "1"})
        assert not (path.parent / "helper.lock").exists()
        said = told.run("check", ROUTE)
        until(path.exists)
        helper = Helper(told, None)
        assert told.run("check", ROUTE) == said
        helper.alike(ROUTE)
        assert helper.counts()[0] == 2
    finally:
        told.run("serve", "--stop")
    assert not path.exists()
    told.run("check", ROUTE)
    assert not path.exists()  # one was begun a moment ago, and it ended: the next try is in a minute


def test_status_and_stop_say_what_there_is(told: Repo, helper: Helper) -> None:
    said = told.run("serve", "--status").out
    assert said.startswith(f"process {helper.process.pid}, for 0 min")  # type: ignore[union-attr]
    for part in ("MB of memory", "0 answered, 0 left", "model: none", "ends after 900 s"):
        assert part in said
    assert told.run("serve", "--status", "--stop").code == 2
    assert told.run("serve", "--stop").out == "the helper has ended\n"
    assert told.run("serve", "--stop").out == "no helper runs here\n"
    assert told.run("serve", "--status").out.startswith("no helper runs here")
