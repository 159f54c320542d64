"""The program as a process: exit codes, streams, signals, colour, completion, and both ways in alike."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import check
from chalkgit.cli import app, quick
from chalkgit.render.clean import escaped

ROUTE = "cache the parsed manifest between test runs"
RUN = [sys.executable, "-I", "-m", "chalkgit"]


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="it went stale", files=["src/a.py"])
    repo.commit()
    return repo


BATTERY = (
    ["check", ROUTE],
    ["check", ROUTE, "--json"],
    ["check", "--json", ROUTE, "--lexical", "--here"],
    ["check", "--here", "--here", ROUTE],
    ["check", "add dark mode"],
    ["check", ""],
    ["check", " "],
    ["check"],
    ["check", "--", "--json"],
    ["check", "two", "words"],
    ["check", ROUTE, "--limit", "1"],
    ["check", ROUTE, "--limit=1"],
    ["check", ROUTE, "--jso"],
    ["check", "-h"],
    ["at", "src/a.py"],
    ["at", "src/a.py", "src/b.py", "--json"],
    ["at", "./src/a.py"],
    ["at", "../outside"],
    ["at", ""],
    ["at", "."],
    ["at"],
    ["at", "--json"],
    ["at", "src/a.py", "--lexical"],
    ["-C", "src", "at", "a.py"],
    ["-C", "nowhere", "at", "a.py"],
    ["-C", "nowhere", "check", ROUTE],
    ["-C", "", "check", ROUTE],
    ["-C", "src"],
    ["-C"],
    ["--color", "never", "check", ROUTE],
    ["--version"],
    ["--help"],
    ["nonsense"],
    ["check", ROUTE, "--nonsense"],
    [],
)


@pytest.mark.parametrize("args", BATTERY, ids=" ".join)
def test_the_short_way_in_answers_like_the_long_one(
    told: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    told.write("src/a.py", "1\n")
    taken = chalk(*args)
    with monkeypatch.context() as patch:
        patch.setattr(quick, "run", lambda arguments: None)
        assert chalk(*args) == taken
    assert taken.code in (0, 1, 2)


def test_the_short_way_in_is_taken_where_it_matters(told: Repo, chalk: Inside) -> None:
    code = (
        "import sys; from chalkgit.cli import quick; quick.run(sys.argv[1:]); print('click' in sys.modules)"
    )
    for args in (["check", ROUTE, "--lexical"], ["at", "src/a.py"]):
        done = subprocess.run(
            [sys.executable, "-I", "-c", code, *args],
            cwd=told.root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("name", app.COMMANDS)
def test_every_command_has_help(chalk: Inside, name: str) -> None:
    result = chalk(name, "--help")
    assert result.code == 0
    assert f"Usage: chalkgit {name}" in result.out


def test_the_process_exits_as_promised(told: Repo, tmp_path: Path) -> None:
    assert told.run("check", ROUTE).code == 1
    assert told.run("check", "add dark mode").code == 0
    mistake = told.run("show", "zzzzzzzz")
    assert mistake == (2, "", "chalkgit: no record has the id “zzzzzzzz”\nhint: chalkgit list\n")
    assert told.run("model", "-h").out == told.run("model", "--help").out != ""
    assert told.run("nonsense").code == 2
    assert "No such command" in told.run("nonsense").err
    (tmp_path / "bare").mkdir()
    told.git("init", "-q", str(tmp_path / "bare"))
    empty = told.run("check", ROUTE, cwd=tmp_path / "bare")
    assert (empty.code, empty.out) == (2, "")
    assert "hint: chalkgit init" in empty.err
    assert not (tmp_path / "bare/.lessons").exists()


def test_a_bug_exits_3_and_says_where_the_log_is(
    told: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError("a \x1b[31mbug")

    monkeypatch.setattr(check.Checker, "ask", broken)
    monkeypatch.setattr(app.importlib, "import_module", broken)
    for args in (["check", ROUTE], ["list"]):
        result = chalk(*args)
        assert (result.code, result.out) == (3, "")
        assert "this is a bug in chalkgit" in result.err
        assert "\x1b" not in result.err
        log = result.err.split("the log is ")[1].strip()
        assert "Traceback" in Path(log).read_text()


def test_a_reader_that_has_enough_is_no_error(repo: Repo) -> None:
    for number in range(400):
        repo.record(route=f"{ROUTE} {number} " + "x" * 300, observation="no")
    for command in ("list --json", "export"):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"{' '.join(RUN)} {command} | head -1"],
            cwd=repo.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 141
        assert (done.stderr, done.stdout.count("\n")) == ("", 1)


@pytest.mark.parametrize("command", [f"check '{ROUTE}'", "list", "export", "check --batch -", "import -"])
def test_a_full_disk_is_said_and_closed_streams_are_no_bug(told: Repo, command: str) -> None:
    def shell(redirection: str) -> subprocess.CompletedProcess[str]:
        line = f"{' '.join(RUN)} {command} {redirection}"
        return subprocess.run(
            ["bash", "-c", line], cwd=told.root, capture_output=True, text=True, check=False
        )

    full = shell("> /dev/full < .lessons/README.md")
    assert full.returncode == 2, full
    assert full.stderr.startswith("chalkgit: standard output cannot be written: No space left")
    closed = shell(">&- <&-")
    assert closed.returncode == (1 if command.startswith("check '") else 0), closed
    assert "Traceback" not in closed.stderr
    assert "bug" not in closed.stderr


@pytest.mark.skipif(not Path("/proc/self/wchan").exists(), reason="nothing tells what a process waits for")
@pytest.mark.parametrize("args", [["check", "--batch", "-"], ["import", "-"]])
def test_an_interrupt_exits_130_without_a_traceback(told: Repo, args: list[str]) -> None:
    with subprocess.Popen(
        [*RUN, *args], cwd=told.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 20
        while _state(process.pid) != "S" or not _reads(process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def _reads(pid: int) -> bool:
    """Whether the process waits for its standard input."""
    place = Path(f"/proc/{pid}/wchan").read_text()
    return "pipe_read" in place or "pipe_wait" in place or (place in ("", "0") and _slept(pid))


def _slept(pid: int) -> bool:
    time.sleep(1.0)  # a kernel that does not tell: long enough to have started
    return True


def test_colour_follows_option_then_no_color_then_force_color_then_the_terminal(
    told: Repo, chalk: Inside
) -> None:
    def coloured(*args: str, **env: str) -> bool:
        return "\x1b[" in chalk(*args, "check", ROUTE, env=env).out

    assert not coloured()
    assert coloured(FORCE_COLOR="1")
    assert not coloured(FORCE_COLOR="0")
    assert not coloured(FORCE_COLOR="1", NO_COLOR="1")
    assert coloured("--color", "always", NO_COLOR="1")
    assert not coloured("--color", "never", FORCE_COLOR="1")
    assert chalk("--color", "pink", "check", ROUTE).code == 2
    assert "\x1b[" not in chalk("--color", "always", "check", ROUTE, "--json").out


def test_the_shell_completes_commands_and_options(told: Repo) -> None:
    script = Path(sys.executable).with_name("chalkgit")
    source = subprocess.run(
        [script],
        env={**os.environ, "_CHALKGIT_COMPLETE": "bash_source"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_chalkgit_completion" in source.stdout
    for words, word, expected in (
        ("chalkgit re", "1", {"recall", "report", "review", "reject", "resolve", "retire"}),
        ("chalkgit check --va", "2", {"--valid-at"}),
        ("chalkgit tried x --layer d", "4", {"design", "dependency"}),
    ):
        env = {**os.environ, "_CHALKGIT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": word}
        done = subprocess.run([script], env=env, cwd=told.root, capture_output=True, text=True, check=True)
        assert {line.split(",")[1] for line in done.stdout.splitlines()} == expected


def test_a_repositorys_own_python_files_are_never_imported(told: Repo) -> None:
    for name in ("click", "yaml", "tantivy", "chalkgit", "json", "sqlite3"):
        told.write(f"{name}.py", "raise SystemExit('hostile')\n")
    assert told.run("list").code == 0
    assert told.run("check", ROUTE).code == 1
    script = Path(sys.executable).with_name("chalkgit")
    done = subprocess.run([script, "list"], cwd=told.root, capture_output=True, text=True, check=False)
    assert (done.returncode, "hostile" in done.stderr) == (0, False)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_a_narrow_encoding_still_gets_valid_json(repo: Repo, encoding: str) -> None:
    repo.record(route="rêver de 🚀 … “ja”", observation="nein")
    told = subprocess.run(
        [sys.executable, "-m", "chalkgit", "list", "--json"],
        cwd=repo.root,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    ).stdout.decode("latin-1")
    assert json.loads(told)["records"][0]["route"] == "rêver de 🚀 … “ja”"
    assert escaped("🚀") == "\\ud83d\\ude80"
