"""What the doors cost, as ratios to a bare interpreter of the same environment, in one run.

    python bench/doors.py [--sizes 100 10000] [--runs 15] [--folder DIR] [--monitor]

Each command is run in turn with the bare interpreter. Before each run of pre-commit a file is staged anew, as
before a commit; before each run of the others their file is written anew, as by an editor. `floor` is what
git and the file system need to know whether 10,000 files changed: `git diff-files`, and a listing of the
folders. The goals are those of docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import corpus
from speed import BARE, PROGRAM, environment

from chalkgit.doors.setup import shim

STAGED = 20
SHIM = ("sh", ".git/shim")


class Case:
    """One command of the bench; `before` makes the state that its user has just made."""

    def __init__(
        self,
        name: str,
        command: tuple[str, ...],
        goal: str,
        *,
        before: Callable[[int], None] | None = None,
        stdin: Callable[[int], str] | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self.name, self.command, self.goal = name, command, goal
        self.before, self.stdin, self.env = before, stdin, env or {}


def cases(root: Path, files: list[str], git: Callable[..., None]) -> list[Case]:
    first = files[0]
    record = next((root / ".lessons/procedures").iterdir())

    def write(turn: int) -> None:
        (root / first).write_text(f"turn {turn}\n")

    def stage(turn: int) -> None:
        write(turn)
        git("add", first)

    def edit(turn: int) -> None:
        write(turn)
        with record.open("a") as file:
            file.write(f"# turn {turn}\n")

    def event(turn: int) -> str:
        about = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "session_id": f"{time.time_ns()}"}
        return json.dumps({**about, "cwd": str(root), "tool_input": {"file_path": str(root / first)}})

    through = (sys.executable, "-I", "-c", "from chalkgit.__main__ import main; main()")
    off = {"CHALKGIT_BYPASS_RULINGS": "1"}
    return [
        Case("hook pre-commit, shim", SHIM, "≤ 4×", before=stage),
        Case("hook pre-commit", (*through, "hook", "pre-commit"), "≤ 4×", before=stage),
        Case("hook save", (*PROGRAM, "hook", "save", first), "≤ 4×", before=write),
        Case("hook agent", (*PROGRAM, "hook", "agent"), "≤ 4×", before=write, stdin=event),
        Case("hook save, record edited", (*PROGRAM, "hook", "save", first), "", before=edit),
        Case("bypass, shim", SHIM, "≤ 1.3×", before=stage, env=off),
        Case("bypass, console script", (*PROGRAM, "hook", "pre-commit"), "≤ 1.8×", env=off),
    ]


def timed(case: Case, turn: int, root: Path, env: dict[str, str]) -> float:
    if case.before:
        case.before(turn)
    text = case.stdin(turn) if case.stdin else None
    start = time.perf_counter()
    done = subprocess.run(
        case.command,
        cwd=root,
        env={**env, **case.env},
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.perf_counter() - start
    silent = bool(case.env) or case.command == BARE
    if done.returncode or done.stderr or bool(done.stdout) == silent:
        raise SystemExit(f"{case.name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return took


def prepared(folder: Path, count: int, env: dict[str, str]) -> tuple[Path, list[str]]:
    """A clone of the corpus with its hooks installed and files staged, two of them ruled about."""
    source = corpus.build(folder, count, env)
    root = folder / f"doors-{count}"

    def run(*command: str) -> None:
        subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)

    rows = corpus.rows(count)
    named = [str(row["files"][0]) for row in rows[: min(2, count)]]  # type: ignore[index]
    files = named + [f"lib/free{number}.py" for number in range(STAGED - len(named))]
    if not root.exists():
        subprocess.run(["git", "clone", "-q", source, root], env=env, check=True)
        text = shim.file_text("pre-commit", shim.Interpreter(sys.executable))
        (root / ".git/shim").write_text(text)  # as `hooks install` writes it where git takes hook files
        for content in ("first\n", "second\n"):
            for file in files:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content)
            run("git", "add", *files)
            if content == "first\n":
                run("git", "commit", "-qnm", "files")
        run(*PROGRAM, "index")
    time.sleep(1.2)  # git compares seconds: a younger file is read at each question
    run("git", "update-index", "-q", "--refresh")
    run(*PROGRAM, "at", files[0])
    return root, files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--monitor", action="store_true", help="with git's file monitor (git 2.55 on Linux)")
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        print(f"{'records':>8}  {'door':<24} {'ms':>7} {'bare':>6}  goal at 10,000")
        for count in given.sizes:
            env = environment(folder / f"home-{count}")
            root, files = prepared(folder, count, env)
            if not given.monitor:
                measure(root, files, count, given.runs, env)
                continue
            with monitored(root, env):
                measure(root, files, count, given.runs, env)


@contextmanager
def monitored(root: Path, env: dict[str, str]) -> Iterator[None]:
    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=root, env=env, check=True, capture_output=True)

    git("config", "core.fsmonitor", "true")
    try:
        git("status")  # starts the monitor, and writes its first word to the index
        yield
    finally:
        git("fsmonitor--daemon", "stop")
        git("config", "--unset", "core.fsmonitor")


def measure(root: Path, files: list[str], count: int, runs: int, env: dict[str, str]) -> None:
    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=root, env=env, check=True, capture_output=True)

    bare = Case("bare", BARE, "")
    for case in [*cases(root, files, git), floor(root)]:
        pairs = [(timed(bare, turn, root, env), timed(case, turn, root, env)) for turn in range(runs + 1)][1:]
        ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(
            f"{count:>8,}  {case.name:<24} {theirs * 1000:>7.1f} {theirs / ours:>5.1f}×  {case.goal}",
            flush=True,
        )


def floor(root: Path) -> Case:
    look = "git diff-files --name-only -- .lessons; ls -fR .lessons | wc -c"
    return Case("floor: git, a listing", ("sh", "-c", look), "")


if __name__ == "__main__":
    main()
