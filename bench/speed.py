"""What a question costs, as ratios to a bare interpreter of the same environment, in one run.

    python bench/speed.py [--sizes 100 1000 10000] [--runs 15] [--folder DIR]

Each command is run in turn with the bare interpreter, so that a machine whose speed drifts slows both; the
ratio is that of the medians. The goals are those of docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import corpus

BARE = (sys.executable, "-c", "pass")
PROGRAM = (str(Path(sys.executable).with_name("chalkgit")),)
GOALS = {"at": 6.0, "check --lexical": 9.0}


def environment(home: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "CHALKGIT_", "XDG_", "PYTHON"))
    }
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE")}
    return {**kept, **folders, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def questions(count: int) -> dict[str, tuple[str, ...]]:
    row = corpus.rows(count)[count // 2]
    files = row["files"]
    assert isinstance(files, list)
    return {
        "at": (*PROGRAM, "at", str(files[0])),
        "check --lexical": (*PROGRAM, "check", "--lexical", str(row["route"])),
    }


def timed(command: tuple[str, ...], root: Path, env: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    took = time.perf_counter() - start
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr.decode()}")
    return took


def measure(root: Path, count: int, runs: int, env: dict[str, str]) -> list[tuple[str, float, float]]:
    """(question, seconds, ratio) rows."""
    rows = []
    for name, command in questions(count).items():
        bare, ours = [], []
        for turn in range(runs + 1):
            pair = timed(BARE, root, env), timed(command, root, env)
            if turn:  # the first fills the caches
                bare.append(pair[0])
                ours.append(pair[1])
        rows.append((name, statistics.median(ours), statistics.median(ours) / statistics.median(bare)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        env = environment(folder / "home")
        print(f"{'records':>8}  {'question':<16} {'ms':>7} {'bare':>6}  goal at 10,000")
        for count in given.sizes:
            home = folder / f"home-{count}"
            env = environment(home)
            root = corpus.build(folder, count, env)
            time.sleep(0.2)  # a file younger than the clock's grain is read again
            for name, seconds, ratio in measure(root, count, given.runs, env):
                print(
                    f"{count:>8,}  {name:<16} {seconds * 1000:>7.1f} {ratio:>5.1f}×  ≤ {GOALS[name]:.0f}×",
                    flush=True,
                )


if __name__ == "__main__":
    main()
