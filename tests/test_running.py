"""One command of the user's: in its folder, with its own files, bounded; nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.errors import ChalkError
from chalkgit.store import running, spawning
from chalkgit.store.running import Ran


def _run(words: list[str], cwd: Path | str = "/", **how: Any) -> Ran:
    return running.run(words, cwd=str(cwd), **{"seconds": 30, "most_bytes": 10_000, **how})


def _sh(text: str, cwd: Path | str = "/", **how: Any) -> Ran:
    return _run(running.shell(text), cwd, **how)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # a zombie that its new parent has not yet looked at is over
    status = Path(f"/proc/{pid}/stat")
    try:
        return not status.exists() or status.read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def _over(pid: int) -> bool:
    for _ in range(2_000):
        if not _alive(pid):
            return True
        time.sleep(0.01)
    return False


def test_it_runs_in_its_folder_and_says_what_it_exited_with(tmp_path: Path) -> None:
    folder = tmp_path / "a folder with $(words) 'in' it"
    folder.mkdir()
    done = _sh("pwd; echo no >&2; exit 3", folder)
    assert (done.code, done.out, done.err) == (3, f"{folder}\n".encode(), b"no\n")
    assert [done.timed_out, done.cut, done.trouble] == [False, False, None]
    assert str(tmp_path) != os.getcwd()


def test_words_are_no_shell_text(tmp_path: Path) -> None:
    words = ["$(touch made)", "; touch made", "a  b", "`touch made`", "", "*", "-n"]
    done = _run([sys.executable, "-c", "import sys; print(sys.argv[1:])", *words], tmp_path)
    assert done.out.decode().strip() == repr(words)
    assert list(tmp_path.iterdir()) == []
    _sh("touch made", tmp_path)  # shell text is
    assert (tmp_path / "made").exists()


@given(data=st.binary(max_size=300_000), most=st.integers(0, 400_000), tail=st.booleans())
def test_it_hears_all_and_of_what_it_says_a_bounded_part_is_kept(data: bytes, most: int, tail: bool) -> None:
    done = _run(["cat"], stdin=data, most_bytes=most, tail=tail)
    assert done.code == 0
    assert done.out == (data[len(data) - min(most, len(data)) :] if tail else data[:most])
    assert done.cut == (len(data) > most)


def test_a_command_that_does_not_listen_may_end(tmp_path: Path) -> None:
    assert _sh("exit 4", stdin=b"x" * 5_000_000).code == 4
    assert _sh("exec <&-; sleep .1; exit 5", stdin=b"x" * 5_000_000).code == 5


def test_what_it_says_on_both_streams_can_come_as_one() -> None:
    said = "echo a; echo b >&2; echo c"
    assert _sh(said, merged=True).out == b"a\nb\nc\n"
    assert (_sh(said).out, _sh(said).err) == (b"a\nc\n", b"b\n")


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM INT HUP; "])
def test_at_the_limit_it_ends_with_all_it_started(tmp_path: Path, stubborn: str) -> None:
    done = _sh(f"{stubborn}sleep 100 & echo $!; sleep 100 | sleep 100", tmp_path, seconds=0.3)
    assert done.timed_out
    assert done.code is None
    assert done.trouble == "took longer than 0.3 s, and was ended"
    assert _over(int(done.out))  # what it had said is kept


def test_it_may_tidy_up_at_the_limit(tmp_path: Path) -> None:
    done = _sh("trap 'echo tidy; exit 0' TERM; while :; do sleep .01; done", tmp_path, seconds=0.3)
    assert done.timed_out
    assert done.out == b"tidy\n"


def test_what_it_leaves_running_ends_with_it_and_holds_nobody_up() -> None:
    before = time.monotonic()
    done = _sh("sleep 100 & echo $!")
    assert time.monotonic() - before < 20
    assert done.code == 0
    assert _over(int(done.out))


def test_one_that_closes_its_output_is_waited_for() -> None:
    assert _sh("exec >&- 2>&-; sleep .3; exit 4").code == 4


def test_one_that_never_stops_talking_is_bounded_and_ended() -> None:
    for tail in (False, True):
        done = _sh("yes", seconds=0.3, most_bytes=1_001, tail=tail)
        assert done.timed_out
        assert done.cut
        assert len(done.out) == 1_001


@pytest.mark.parametrize(
    ("text", "code", "trouble"),
    [
        ("exit 126", 126, "could not be run (exit 126)"),
        ("no-such-program-anywhere", 127, "was not found (exit 127)"),
        ("kill -KILL $$", -9, "was ended by signal SIGKILL"),
        ("exit 125", 125, None),
        ("exit 128", 128, None),
    ],
)
def test_an_exit_code_that_is_no_answer_of_its_own_says_so(text: str, code: int, trouble: str | None) -> None:
    done = _sh(text)
    assert (done.code, done.trouble) == (code, trouble)


def test_a_program_that_is_not_there_is_told_and_a_folder_too(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    for word in ("no-such-program-anywhere", "./text", "./nothing", "/", "text"):
        done = _run([word], tmp_path)
        assert done.code is None
        assert done.trouble == f"{word} was not found, or may not be run"
    assert _run(["cat"], tmp_path / "nowhere").code == 126
    assert "could not be started" in (_run(["cat", "x" * 10_000_000]).trouble or "")


@pytest.mark.parametrize("words", [[], [""], ["cat", "a\0b"]])
def test_words_that_no_program_can_be_given_are_refused(words: list[str]) -> None:
    with pytest.raises(ChalkError, match="no such command"):
        _run(words)


def test_a_program_of_the_folder_it_runs_in_is_not_found_by_name(tmp_path: Path) -> None:
    program = tmp_path / "tidy"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    for path in (".:/usr/bin:/bin", ":/usr/bin:/bin", "bin::/usr/bin"):
        assert _run(["tidy"], tmp_path, environment={"PATH": path}).code is None
    assert _run(["tidy"], "/", environment={"PATH": f"/usr/bin:/bin:{tmp_path}"}).out == b"found\n"
    assert _run(["./tidy"], tmp_path, environment={"PATH": "/usr/bin:/bin"}).out == b"found\n"


def test_no_file_of_ours_is_open_in_it(tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        listed = (
            f"ls -l /proc/self/fd 2>/dev/null || lsof -p $$; test -e /dev/fd/{ours.fileno()} && echo open"
        )
        assert "ours" not in _sh(listed).out.decode()
        # the same in a child that inherits
        done = subprocess.run(["sh", "-c", listed], close_fds=False, capture_output=True, check=False)
    assert b"ours" in done.stdout


def test_nothing_of_ours_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    for text in ("true", "yes", "exec >&- 2>&- <&-; sleep .01", "sleep 100 &"):
        _sh(text, seconds=0.2, stdin=b"x" * 1_000_000)
    _run(["no-such-program-anywhere"])
    _run(["cat", "x" * 10_000_000])
    assert len(os.listdir("/dev/fd")) == before


def test_it_cannot_ask_at_a_terminal_of_ours() -> None:
    assert _sh("read word < /dev/tty; echo $?").out != b"0\n"


def test_it_obeys_a_closed_pipe_as_programs_do() -> None:
    assert _sh("yes | head -n 1").out == b"y\n"
    assert _sh("(yes; echo $? >&2) | head -n 1").err in (b"141\n", b"")


def test_a_signal_that_we_ignore_or_block_reaches_it() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        assert _sh("kill -USR1 $$; sleep .1").code == -signal.SIGUSR1
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])


def test_it_has_the_users_environment_and_none_of_a_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/index")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("OF_THE_USER", "a b")
    said = _sh("env").out.decode().splitlines()
    assert {"LC_ALL=de_DE.UTF-8", "OF_THE_USER=a b"} <= set(said)
    assert not [line for line in said if line.startswith(("GIT_INDEX_FILE", "GIT_OPTIONAL_LOCKS"))]
    assert "OF_THE_USER" not in _sh("env", environment={"PATH": "/usr/bin:/bin"}).out.decode()


def test_it_runs_from_any_thread() -> None:
    found: list[Ran] = []
    threads = [threading.Thread(target=lambda: found.append(_sh("echo a"))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [done.out for done in found] == [b"a\n"] * 5


_OURS = """
import os, sys
from chalkgit.store import running
running.run(running.shell("echo $$ > pid; sleep 100"), cwd=sys.argv[1], seconds=60, most_bytes=9)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_when_we_are_ended_it_is_too(tmp_path: Path, how: int) -> None:
    ours = subprocess.Popen([sys.executable, "-c", _OURS, str(tmp_path)], stderr=subprocess.DEVNULL)
    file = tmp_path / "pid"
    while not (file.exists() and file.read_text().strip()):
        time.sleep(0.01)
        assert ours.poll() is None
    assert _alive(int(file.read_text()))
    ours.send_signal(how)
    assert ours.wait(20) != 0
    assert _over(int(file.read_text()))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_whoever_started_us_may_have_closed_the_standard_streams(tmp_path: Path, closed: str) -> None:
    program = (
        "from chalkgit.store import running\n"
        "done = running.run(['cat'], cwd='/', stdin=b'heard', seconds=30, most_bytes=9)\n"
        f"open({str(tmp_path / 'said')!r}, 'wb').write(done.out)\n"
    )
    command = ["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, program]
    subprocess.run(command, check=True)
    assert (tmp_path / "said").read_bytes() == b"heard"


def test_where_there_are_no_sessions_its_group_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.posix_spawn

    def spawn(*args: Any, **how: Any) -> int:
        if how.pop("setsid", False):
            raise NotImplementedError
        return real(*args, **how)

    monkeypatch.setattr(spawning.os, "posix_spawn", spawn)
    done = _sh("sleep 100 & echo $!; ps -o pgid= -p $$ 2>/dev/null; sleep 100", seconds=0.3)
    assert done.timed_out
    assert _over(int(done.out.split()[0]))


def test_where_children_cannot_be_looked_at_without_being_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid")
    assert _sh("echo a; exit 3").code == 3
    assert _sh("sleep 100", seconds=0.2).timed_out
