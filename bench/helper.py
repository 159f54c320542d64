"""What `check` costs through the resident helper, as ratios to a bare interpreter, in one run.

    python bench/helper.py [--sizes 10000 100000] [--runs 15] [--folder DIR] [--model DIR --semantic 1000]

Each question is another one, and is put in turn with the bare interpreter; the ratio is that of the medians.
`new` are questions whose rulings were not shown since the last commit: git is asked when it learned of them.
`again` are the same ones a second time, and `alone` the same with no helper running. With a model,
repositories of the sizes after --semantic are asked with both arms: their vectors are stand-ins, as
bench/meaning.py says, and the model is in the helper's memory by then.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import corpus
import meaning
import speed

GOAL = 4.0


def ratio(count: int, lexical: bool, root: Path, env: dict[str, str], runs: int) -> tuple[float, float]:
    """(seconds, ratio) of questions that were put in turn with the bare interpreter."""
    rows = corpus.rows(count)
    arms = ["--lexical"] if lexical else []
    bare, ours = [], []
    for turn in range(runs + 1):
        route = str(rows[(count // 2 + 257 * turn) % count]["route"])
        command = (*speed.PROGRAM, "check", *arms, route)
        pair = speed.timed(speed.BARE, root, env), speed.timed(command, root, env)
        if turn:  # the first fills the caches
            bare.append(pair[0])
            ours.append(pair[1])
    return statistics.median(ours), statistics.median(ours) / statistics.median(bare)


def status(root: Path, env: dict[str, str]) -> str:
    command = (*speed.PROGRAM, "serve", "--status")
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=True).stdout


def measure(root: Path, count: int, runs: int, env: dict[str, str], lexical: bool) -> None:
    subprocess.run([*speed.PROGRAM, "index"], cwd=root, env=env, check=True, capture_output=True)
    time.sleep(0.2)  # a file younger than the clock's grain is read again
    with subprocess.Popen([*speed.PROGRAM, "serve"], cwd=root, env=env, stderr=subprocess.DEVNULL) as helper:
        try:
            while "process" not in status(root, env):
                time.sleep(0.1)
            new = ratio(count, lexical, root, env, runs)
            again = ratio(count, lexical, root, env, runs)
            said = status(root, env).splitlines()
        finally:
            helper.terminate()
    if not said[1].startswith(f"{2 * runs + 2} answered"):
        raise SystemExit(f"the helper left questions to the process: {said}")
    alone = ratio(count, lexical, root, env, max(runs // 3, 3))
    figures = "  ".join(f"{found:>5.1f}× {seconds * 1000:>4.0f} ms" for seconds, found in (new, again, alone))
    arms = "words" if lexical else "both arms"
    print(f"{count:>8,}  {arms:<10} {figures}  {said[0].split('; ')[1]}; {said[3]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--semantic", type=int, nargs="*", default=[])
    parser.add_argument("--model", type=Path, help="a model's folder, for --semantic")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        print(
            f"goal ≤ {GOAL:.0f}×\n{'records':>8}  {'compared':<10} {'new':>6}  {'again':>14}  {'alone':>14}"
        )
        for lexical, counts in ((True, given.sizes), (False, given.semantic)):
            for count in counts:
                env = speed.environment(folder / f"home-{count}")
                root = corpus.build(folder, count, env)
                if given.model and not lexical:
                    env["CHALKGIT_MODEL_DIR"] = os.path.abspath(given.model)
                    meaning.fill(root, env)
                measure(root, count, given.runs, env, lexical)


if __name__ == "__main__":
    main()
