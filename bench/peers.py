"""Other tools that keep such knowledge in a repository: how each is installed, filled and asked.

Each is installed from PyPI, at a fixed version, into a virtual environment of its own. Its files are written
directly, in its own format: its command for adding is a process a record, at some 0.1 s and more, so that
100,000 records would take three hours at best. Its own commands then make what it derives from the files,
and its answers must hold the record asked for: files it does not understand are no fast answer.

Every tenth row of the corpus is a procedure, which is written as what failed, like the others.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

Row = dict[str, object]
WORDS, FILE = "a proposal in words", "a file by name"


class Unavailable(Exception):
    """A peer cannot be measured here; the message is the reason, on one line."""


class Question(NamedTuple):
    """One command; `expect` is a pattern that only an answer with the right record matches."""

    tool: str
    name: str
    kind: str
    command: tuple[str, ...]
    expect: str
    before: Callable[[int], None] | None = None
    stdin: Callable[[int], str] | None = None


class Peer(NamedTuple):
    """`write` puts rows into files below a root; `first` and `then` are its commands around that."""

    package: str
    version: str
    program: str
    first: tuple[str, ...]
    write: Callable[[Path, Sequence[Row]], None]
    then: tuple[str, ...]
    ask: Callable[[str, Path, Row, Row], list[Question]]


def path_of(row: Row) -> str:
    files = row["files"]
    assert isinstance(files, list)
    return str(files[0])


def why_of(row: Row) -> str:
    return str(row.get("observation") or row.get("trap"))


def run_of(row: Row) -> str:
    """A pattern for the words that stand in this row alone."""
    found = re.search(r"seen in run \d+", why_of(row))
    assert found
    return rf"{found[0]}(?!\d)"


def _event(root: Path, row: Row) -> Callable[[int], str]:
    """What an agent's hook reads before an edit; a new session each time, since it tells a thing once."""

    def text(turn: int) -> str:
        about = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": str(root)}
        edit = {"file_path": str(root / path_of(row)), "old_string": "a", "new_string": f"b{turn}"}
        return json.dumps({**about, "session_id": f"{time.time_ns()}", "tool_input": edit})

    return text


def _write_scar(root: Path, rows: Sequence[Row]) -> None:
    for number, row in enumerate(rows, 1):
        (root / f".scars/{number:04}-made.deadend.md").write_text(
            f"---\nid: {number}\ntype: deadend\ntitle: {row['route']}\nseverity: medium\nconfidence: 0.7\n"
            f'created: 2026-01-01\nauthors: ["bench"]\nanchors:\n  - path: {path_of(row)}\n'
            f"evidence:\n  - note: run {number}\nstatus: active\n---\n\n{why_of(row)}\n"
        )


def _ask_scar(program: str, root: Path, text: Row, file: Row) -> list[Question]:
    # It has no question in words. Its hook shows the title alone where only the path matches.
    expect = re.escape(str(file["route"]))
    return [
        Question("scar", "check", FILE, (program, "check", path_of(file)), expect),
        Question(
            "scar", "hook precheck", FILE, (program, "hook", "precheck"), expect, stdin=_event(root, file)
        ),
    ]


def _write_ctxmem(root: Path, rows: Sequence[Row]) -> None:
    with (root / ".ctxmem/memory.jsonl").open("a") as out:
        for number, row in enumerate(rows):
            where = {"branch": "main", "commit": "0000000", "path": path_of(row), "file_hash": ""}
            what = {"title": row["route"], "content": why_of(row), "tags": [], "supersedes": ""}
            born = {"id": f"{number:012x}", "ts": "2026-01-01T00:00:00+00:00", "type": "decision"}
            out.write(json.dumps({**born, **where, **what}) + "\n")


def _ask_ctxmem(program: str, root: Path, text: Row, file: Row) -> list[Question]:
    asked = (program, "ask", str(text["route"]))
    return [Question("ctxmem", "ask", WORDS, asked, rf"(?s)VERDICT: HIT.*{run_of(text)}")]


def _write_agentlore(root: Path, rows: Sequence[Row]) -> None:
    with (root / ".memory/dead-ends.md").open("a") as out:
        for number, row in enumerate(rows):
            out.write(
                f"\n## {row['route']}\n<!-- agentlore\nid: DEAD-2026-01-01-{number:04x}\ntype: dead-end\n"
                f"status: accepted\nanchors: {path_of(row)}\nevidence: run {number}\nauthor: bench\n"
                f"created: 2026-01-01\n-->\n\n{why_of(row)}\n"
            )


def _ask_agentlore(program: str, root: Path, text: Row, file: Row) -> list[Question]:
    return [Question("agentlore", "recall", WORDS, (program, "recall", str(text["route"])), run_of(text))]


def _write_legendary(root: Path, rows: Sequence[Row]) -> None:
    for number, row in enumerate(rows):
        name = f"mem-{number:08x}"
        (root / f".legendary/memories/{name}.md").write_text(
            f"---\nid: {name}\ntype: episode\ntitle: {json.dumps(row['route'])}\n"
            "created: '2026-01-01T00:00:00+00:00'\nsource: human\nstatus: active\n"
            f"anchors:\n- file: {path_of(row)}\ntags: []\ntriggers:\n- {json.dumps(why_of(row))}\n---\n"
            f"{why_of(row)}\n"
        )


def _ask_legendary(program: str, root: Path, text: Row, file: Row) -> list[Question]:
    words, by_file = run_of(text), run_of(file)
    return [
        Question("legendary", "search", WORDS, (program, "search", str(text["route"])), words),
        Question("legendary", "surface", FILE, (program, "surface"), by_file, stdin=_event(root, file)),
    ]


PEERS = (
    Peer("scar-cli", "0.25.0", "scar", ("init",), _write_scar, (), _ask_scar),
    Peer("ctxmem", "2.2.0", "ctxmem", ("init",), _write_ctxmem, ("sync",), _ask_ctxmem),
    # its recall reads the files; its index (over five minutes at 100,000 records) is for its other commands
    Peer("agentlore", "0.9.1", "agentlore", ("init",), _write_agentlore, (), _ask_agentlore),
    Peer("legendary-mcp", "0.2.1", "legendary", ("init",), _write_legendary, ("reindex",), _ask_legendary),
)


def install(peer: Peer, folder: Path, pythons: Iterable[str]) -> tuple[Path, str]:
    """(its program, the version of its Python), found below `folder` or installed there."""
    home = folder / peer.package
    reasons = []
    version = _installed(peer, home)
    for python in pythons:
        if version:
            break
        shutil.rmtree(home, ignore_errors=True)
        failed = _run(python, "-m", "venv", home) or _run(
            *(home / "bin/python", "-m", "pip", "install", "-q", f"{peer.package}=={peer.version}")
        )
        if failed:
            reasons.append(f"{python}: {failed}")
        version = _installed(peer, home)
    if not version:
        raise Unavailable("; ".join(reasons))
    return home / "bin" / peer.program, version


def _run(*command: str | Path) -> str:
    """What a failed command says is wrong, cut; pip says so first among its errors."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
    said = [line for line in lines if "ERROR" in line] or lines
    return said[0][:200] if done.returncode else ""


def _installed(peer: Peer, home: Path) -> str:
    """The version of the Python of this peer's environment; empty where that holds no such version."""
    python, code = home / "bin/python", "import importlib.metadata as m, platform as p, sys\n"
    if not python.exists():
        return ""
    code += "print(m.version(sys.argv[1]), p.python_version())"
    command: list[str | Path] = [python, "-c", code, peer.package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    has, _, version = done.stdout.strip().partition(" ")
    return version if has == peer.version else ""


def pythons(given: Sequence[str]) -> list[str]:
    """The interpreters to try in turn: a peer may need a newer one than chalkgit runs on here."""
    return [
        sys.executable,
        *given,
        *filter(None, map(shutil.which, ("python3.14", "python3.13", "python3.12"))),
    ]


def build(
    peer: Peer, program: Path, root: Path, rows: Sequence[Row], files: Sequence[str], env: dict[str, str]
) -> None:
    """A committed repository with `rows` in the peer's format, and `files`; used again if it is there."""
    if (root / ".git/bench-done").exists():
        return
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)

    def run(*command: str | Path) -> None:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(
                f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()[-200:]}"
            )

    run("git", "init", "-qb", "main", ".")
    run("git", "config", "user.name", "Bench")
    run("git", "config", "user.email", "bench@example.org")
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("first\n")
    run(program, *peer.first)
    peer.write(root, rows)
    if peer.then:
        run(program, *peer.then)
    run("git", "add", "-A")
    run("git", "commit", "-qm", "records")
    (root / ".git/bench-done").touch()
