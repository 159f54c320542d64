"""What `recall` costs as a whole process, among many lessons, as ratios to a bare interpreter in one run.

    python bench/lessons.py [--sizes 100 10000 100000] [--runs 9] [--folder DIR]

Lessons of made-up failures (as bench/alike.py makes them) are imported and committed; then a run is recalled
that one of them is about, one that resembles many, and one that nothing is about; a specification; and the
same after one lesson was edited. The last rows read an output and a report of ten megabytes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from alike import SPEC, Maker
from speed import BARE, PROGRAM, environment

LARGE = 10_000_000


def build(folder: Path, count: int, env: dict[str, str]) -> Path:
    """The repository; a folder that is there already is used again."""
    root = folder / f"lessons-{count}"
    if (root / ".done").exists():
        return root
    root.mkdir(parents=True)
    maker = Maker(count)
    rows = [
        {
            "kind": "lesson",
            "failure": {"error": maker.line(), "tests": [f"tests.{maker.name()}::test_{maker.name()}_{n}"]},
            "lesson": f"When it happens, look at {maker.name()} first, because {maker.word()} holds it",
            "ref": f"bench:{n}",
        }
        for n in range(count)
    ]

    def run(*command: str, stdin: str | None = None) -> None:
        subprocess.run(command, cwd=root, env=env, input=stdin, text=True, check=True, capture_output=True)

    run("git", "init", "-q", ".")
    run("git", "config", "user.name", "Bench")
    run("git", "config", "user.email", "bench@example.org")
    run(*PROGRAM, "init")
    run(*PROGRAM, "import", "-", stdin="\n".join(map(json.dumps, rows)))
    run("git", "add", "-A")
    run("git", "commit", "-qm", "lessons")
    run(*PROGRAM, "index")
    for name, row in (("same", rows[count // 2]), ("like", rows[count // 3])):
        failure = row["failure"]
        assert isinstance(failure, dict)
        error, test = failure["error"], failure["tests"][0]
        if name == "like":
            error, test = error[: len(error) - 4], "tests.other::test_other"
        module, _, function = test.partition("::")
        node = f"{module.replace('.', '/')}.py::{function}"
        (root / name).write_text(f"=== short test summary info ===\nFAILED {node} - {error}\n")
    (root / "none").write_text("Error: 7f zz qq vv kk\n")
    (root / "spec").write_text(SPEC * 4)
    large = "".join(f"{n} INFO worker {n % 7} took {n % 900} ms, error=none\n" for n in range(LARGE // 45))
    (root / "large.txt").write_text(large + (root / "same").read_text())
    case = '<testcase classname="a.b" name="t{}"><system-out>{}</system-out></testcase>'
    cases = "".join(case.format(n, "x" * 400) for n in range(LARGE // 470))
    failed = '<testcase classname="a" name="b"><failure message="ValueError: no"/></testcase>'
    (root / "large.xml").write_text(f"<testsuite name='pytest'>{cases}{failed}</testsuite>")
    (root / "large-line.txt").write_text("E   ValueError: " + "a.b/c:1 0x12 " * 250_000 + "\n")
    (root / ".git/info/exclude").write_text("same\nlike\nnone\nspec\nlarge*\n.done\n")
    (root / ".done").touch()
    return root


def questions() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in ("same", "like", "none"):
        yield f"recall: {name}", (*PROGRAM, "recall", "--here", "--output", name, "--exit-code", "1")
    yield "recall: a specification", (*PROGRAM, "recall", "--here", "--spec", "spec")
    yield "fingerprint: 10 MB of output", (*PROGRAM, "fingerprint", "--output", "large.txt")
    yield "fingerprint: a line of 3 MB", (*PROGRAM, "fingerprint", "--output", "large-line.txt")
    yield "fingerprint: 10 MB of JUnit", (*PROGRAM, "fingerprint", "--report", "large.xml")


def timed(command: tuple[str, ...], root: Path, env: dict[str, str]) -> float:
    """Seconds; what is said on stderr (not all phrases of a specification were compared) is part of it."""
    start = time.perf_counter()
    subprocess.run(command, cwd=root, env=env, capture_output=True, check=True)
    return time.perf_counter() - start


def told(count: int, name: str, ours: list[float], bare: list[float]) -> None:
    seconds = statistics.median(ours)
    print(
        f"{count:>8,}  {name:<30} {seconds * 1000:>8.1f} ms {seconds / statistics.median(bare):>6.1f}×",
        flush=True,
    )


def measure(root: Path, count: int, runs: int, env: dict[str, str]) -> None:
    for name, command in questions():
        bare, ours = [], []
        for turn in range(runs + 1):
            pair = timed(BARE, root, env), timed(command, root, env)
            if turn:  # the first fills the caches, and the table
                bare.append(pair[0])
                ours.append(pair[1])
        told(count, name, ours, bare)
    edited = min((root / ".lessons/lessons").glob("*.yaml"))
    bare, ours = [], []
    for turn in range(runs):
        text = edited.read_text()
        edited.write_text(text + f"# {turn}\n")
        time.sleep(0.2)
        pair = timed(BARE, root, env), timed(dict(questions())["recall: same"], root, env)
        edited.write_text(text)
        bare.append(pair[0])
        ours.append(pair[1])
    told(count, "recall: one lesson edited", ours, bare)


def filled(root: Path, count: int, env: dict[str, str]) -> None:
    """The index from nothing, with all failures."""
    seconds, bare = timed((*PROGRAM, "index", "--rebuild"), root, env), timed(BARE, root, env)
    told(count, "index --rebuild", [seconds], [bare])
    sizes = [file.stat().st_size for file in (root / ".git/chalkgit").glob("g*/table.db")]
    print(f"{count:>8,}  the table                      {max(sizes) / 1e6:>8.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        for count in given.sizes:
            env = environment(folder / f"home-lessons-{count}")
            os.makedirs(env["HOME"], exist_ok=True)
            root = build(folder, count, env)
            time.sleep(0.2)  # a file younger than the clock's grain is read again
            filled(root, count, env)
            measure(root, count, given.runs, env)


if __name__ == "__main__":
    sys.exit(main())
