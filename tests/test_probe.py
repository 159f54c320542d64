"""`chalkgit probe`: shows the command, asks, runs it in a limit; and nothing else ever runs one."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from repository import Repo
from source import files, imports

from chalkgit.cli import app
from chalkgit.records.record import Record


def _probe(repo: Repo, command: str, *options: str, **fields: object) -> tuple[int, str, str]:
    record = repo.record(probe=command, **fields)
    done = repo.run("probe", record.id, "--yes", *options)
    return done.code, done.out, done.err


# --- three outcomes -------------------------------------------------------------------------------


def test_one_that_passes_says_how_to_settle_the_record(repo: Repo) -> None:
    record = repo.record(probe="echo fine; exit 0")
    done = repo.run("probe", record.id[:5], "--yes")
    assert done.code == 0
    assert done.out == f"  fine\npass: the cause is gone\nhint: chalkgit settle {record.id} --by COMMIT\n"


@pytest.mark.parametrize("code", [1, 2, 3, 77, 124, 128, 255])
def test_one_that_fails_says_that_the_cause_is_still_there(repo: Repo, code: int) -> None:
    said = _probe(repo, f"exit {code}")
    assert said[:2] == (1, f"fail: the cause is still there (exit {code})\n")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program-anywhere", "it was not found (exit 127)"),
        ("./a.txt", "it could not be run (exit 126)"),
        ("kill -SEGV $$", "it was ended by signal SIGSEGV"),
        ("sh -c 'kill -KILL $$'; exit $?", "it was ended by signal SIGKILL"),
        ("exit 125", "it says itself that it cannot tell (exit 125)"),
        ("echo said; sleep 100", "it took longer than 1 s, and was ended"),
    ],
)
def test_one_that_could_not_run_says_why_and_is_no_failure(repo: Repo, command: str, why: str) -> None:
    repo.write("a.txt", "no program")
    code, out, _ = _probe(repo, command, "--seconds", "1")
    assert code == 2
    assert out.splitlines()[-1] == f"could not run: {why}"
    assert "hint" not in out


def test_it_runs_by_a_shell_in_the_root_of_the_work_tree(repo: Repo) -> None:
    record = repo.record(probe="pwd && test -f a.py && x=1; echo $x | tr 1 2")
    repo.write("a.py", "a\n")
    folder = repo.write("src/b.py", "b\n").parent
    done = repo.run("probe", record.id, "--yes", cwd=folder)
    assert done.out.splitlines()[:2] == [f"  {repo.root}", "  2"]
    assert f"runs in: {repo.root}" in done.err


def test_what_it_said_is_shown_harmless_and_bounded(repo: Repo) -> None:
    repo.write("say.py", r"print('\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eevil\u2069 \x08', 'x' * 5000)")
    code, out, _ = _probe(repo, f"{sys.executable} say.py >&2; exit 1")
    assert code == 1
    assert out.startswith("  red evil xxx")
    assert len(out.splitlines()[0]) < 300
    _, out, _ = _probe(repo, "i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done")
    assert out.splitlines()[0] == "  …"
    assert out.splitlines()[-3] == "  line 499"
    assert len(out.splitlines()) < 50
    assert len(_probe(repo, "yes", "--seconds", "1")[1]) < 5_000


def test_json_has_all_of_it(repo: Repo) -> None:
    record = repo.record(probe="echo ä; exit 3", by="Ada")
    commit = repo.commit()
    done = repo.run("probe", record.id, "--yes", "--json")
    said = json.loads(done.out)
    assert said.pop("seconds") >= 0
    assert done.code == 1
    assert said == {
        "version": 1,
        "id": record.id,
        "probe": "echo ä; exit 3",
        "root": str(repo.root),
        "by": "Ada",
        "commit": commit,
        "author": "Ada <ada@example.org>",
        "committed": True,
        "outcome": "fail",
        "why": "the cause is still there (exit 3)",
        "exit_code": 3,
        "output": ["ä"],
        "switched_off": [],
    }


def test_a_procedure_is_retired_and_a_settled_record_needs_no_hint(repo: Repo) -> None:
    assert "hint: chalkgit retire" in _probe(repo, "true", kind="procedure")[1]
    assert "hint" not in _probe(repo, "true", settled="0" * 40)[1]


# --- what is asked before -------------------------------------------------------------------------


def _terminal(repo: Repo, *arguments: str, typed: bytes, error: bool = True) -> tuple[int, str]:
    """The program at a terminal, and what is typed there; (exit code, what it shows)."""
    ours, theirs = pty.openpty()
    program = [sys.executable, "-I", "-m", "chalkgit", *arguments]
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs if error else subprocess.DEVNULL}
    process = subprocess.Popen(program, cwd=repo.root, start_new_session=True, **streams)  # type: ignore[call-overload]
    os.close(theirs)
    shown, sent = b"", False
    try:
        while True:
            if not select.select([ours], [], [], 60)[0]:
                break
            data = os.read(ours, 65_536)
            if not data:
                break
            shown += data
            if not sent and b"[y/N]" in shown:
                os.write(ours, typed)
                sent = True
    except OSError:
        pass  # Linux's way to say that the other end is closed
    finally:
        os.close(ours)
    return process.wait(60), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("typed", "code"), [(b"y\n", 0), (b"YES\n", 0), (b"n\n", 2), (b"\n", 2), (b"yy\n", 2), (b"\x04", 2)]
)
def test_at_a_terminal_it_asks_and_runs_only_after_a_yes(repo: Repo, typed: bytes, code: int) -> None:
    record = repo.record(probe="touch made")
    found, shown = _terminal(repo, "probe", record.id, typed=typed)
    assert found == code
    assert (repo.root / "made").exists() == (code == 0)
    assert shown.index("command: touch made\n") < shown.index("Run it? [y/N]")
    assert ("Not run." in shown) == (code != 0)


def test_where_nobody_can_be_asked_nothing_runs(repo: Repo) -> None:
    record = repo.record(probe="touch made")
    for done in (
        repo.run("probe", record.id, stdin="y\n"),
        repo.run("probe", record.id, "--json", stdin="y\n"),
    ):
        assert done.code == 2
        assert "nobody can be asked here, so nothing was run" in done.err
        assert f"chalkgit probe {record.id} --yes" in done.err
        assert done.out == ""
    # a question that nobody sees is none
    assert _terminal(repo, "probe", record.id, typed=b"y\n", error=False)[0] == 2
    assert not (repo.root / "made").exists()
    assert repo.run("probe", record.id, "--yes").code == 0
    assert (repo.root / "made").exists()


def test_an_interrupt_ends_it(repo: Repo) -> None:
    record = repo.record(probe="echo $$ > pid; sleep 100")
    program = [sys.executable, "-I", "-m", "chalkgit", "probe", record.id, "--yes"]
    process = subprocess.Popen(program, cwd=repo.root, stderr=subprocess.DEVNULL)
    file = repo.root / "pid"
    while not (file.exists() and file.read_text().strip()):
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    for _ in range(200):
        try:
            os.kill(int(file.read_text()), 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("it went on")


def _merged(repo: Repo, **fields: str) -> Record:
    """A record that came from somebody else's clone, by a merge of ours."""
    repo.commit()
    other = Repo(repo.root.parent / "other")
    repo.git("clone", "-q", str(repo.root), str(other.root))
    record = other.record(probe="touch made", **fields)
    other.git("add", "-A")
    other.git("-c", "user.name=Eve", "-c", "user.email=eve@example.org", "commit", "-q", "-m", "eve's")
    repo.git("pull", "-q", "--no-rebase", "--no-ff", "--no-edit", str(other.root), "main")
    return record


def test_the_question_says_who_wrote_it_whoever_merged_it(repo: Repo) -> None:
    record = _merged(repo, by="Ada")
    asked = repo.run("probe", record.id).err
    assert "committed by Eve <eve@example.org>, not by you on 2026-03-14" in asked
    assert "it is not known to be yours" in asked
    assert "  by: Ada\n" in asked  # as the record claims, beside what git says


def test_of_ones_own_it_says_so_and_of_a_changed_one_that_it_was_changed(repo: Repo) -> None:
    record = repo.record(probe="true")
    asked = repo.run("probe", record.id).err
    assert f"file: {record.path}, not committed" in asked
    assert "not known to be yours" in asked
    commit = repo.commit()
    asked = repo.run("probe", record.id).err
    assert f"committed by you on 2026-03-14 ({commit[:12]})" in asked
    assert "not known to be yours" not in asked
    assert repo.run("correct", record.id, "--probe", "touch made").code == 0
    asked = repo.run("probe", record.id).err
    assert "changed since it was committed by you" in asked
    assert "not known to be yours" in asked


# --- and nothing else -----------------------------------------------------------------------------


def test_nothing_else_ever_runs_one(repo: Repo, another: Callable[[str], Repo]) -> None:
    fields = {"probe": f"touch {repo.root.parent}/made", "files": ["src/a.py"]}
    dead_end = repo.record(route="cache the parsed manifest", observation="stale", **fields)
    lesson = repo.record(
        "lesson", failure={"error": "E: pool drained", "ticket": "T-1"}, lesson="stop it", **fields
    )
    repo.record("lesson", failure={"error": "E: pool drained", "tests": ["a::b"], "ticket": "T-2"}, **fields)
    repo.record("procedure", route="make schema", trap="commit first", **fields)
    repo.commit()
    repo.write("src/a.py", "a\n")
    repo.write("out.txt", "Traceback (most recent call last):\nE: pool drained\n")
    repo.git("add", "-A")
    row = json.dumps({"route": "a way", "observation": "no way", "ref": "x:1", "probe": fields["probe"]})
    event = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": str(repo.root)}
    edited = json.dumps({**event, "tool_input": {"file_path": "src/a.py"}})
    repo.write("message", "cache the parsed manifest\n")
    asked: list[tuple[tuple[str, ...], str]] = [
        (("check", "cache the parsed manifest"), ""),
        (("check", "--json", "-"), "- cache the parsed manifest\n"),
        (("check", "--batch", "-"), "cache the parsed manifest\n"),
        (("at", "src/a.py"), ""),
        (("recall", "--output", "out.txt", "--exit-code", "1"), ""),
        (("recall", "--spec", "message"), ""),
        (("fingerprint", "--output", "out.txt"), ""),
        (("show", dead_end.id), ""),
        (("show", "--json", lesson.id), ""),
        (("list", "--json"), ""),
        (("lint",), ""),
        (("lint", "--findable"), ""),
        (("fmt",), ""),
        (("export",), ""),
        (("import", "-"), row),
        (("index", "--rebuild"), ""),
        (("doctor",), ""),
        (("tried", "cache the parsed manifest"), ""),
        (("tried", "another way", "--because", "no"), ""),
        (("lesson", "stop it", "--output", "out.txt"), ""),
        (("detain", "--output", "out.txt", "--exit-code", "1", "--ticket", "T-1"), ""),
        (("resolve", "--ticket", "T-2", "--note", "stop the workers first, then migrate"), ""),
        (("correct", dead_end.id, "--layer", "design"), ""),
        (("settle", lesson.id, "--by", "HEAD"), ""),
        (("retire", dead_end.id, "--because", "it works"), ""),
        (("hook", "pre-commit"), ""),
        (("hook", "pre-merge-commit"), ""),
        (("hook", "commit-msg", "message"), ""),
        (("hook", "refresh"), ""),
        (("hook", "save", "src/a.py"), ""),
        (("hook", "agent", "--client", "claude-code"), edited),
        (("probe", dead_end.id), "y\n"),
    ]
    found = 0
    for arguments, stdin in asked:
        done = repo.run(*arguments, stdin=stdin)
        found += fields["probe"] in done.out
        assert not (repo.root.parent / "made").exists(), arguments
    assert found  # some of them showed it
    repo.commit("with the hooks' own git")
    assert repo.run("probe", dead_end.id, "--yes").code == 0
    assert (repo.root.parent / "made").exists()


def test_only_its_command_can_reach_what_runs_one() -> None:
    known = files()
    importers = {
        name for name, file in known.items() if "chalkgit.store.probing" in imports(file, set(known))
    }
    assert importers == {"chalkgit.cli.cmd_probe"}
    assert "probe" in app.COMMANDS
