"""How cost grows with the records, each figure beside its goal at 100,000, as ratios in one run.

    python bench/scale.py [--sizes 100 1000 10000 100000] [--runs 9] [--builds 3] [--folder DIR]

What is compared runs in turn, so that a machine whose speed drifts slows both; ratios are those of medians.
`floor` is an exact look at the files: `git diff-files`, and a listing of the folders. `parsing and adding` is
libyaml's loader on the same files, and the same documents added to tantivy. The rows with git's file monitor
need a git that has it (on Linux from 2.55 on).

A figure is a function of FIGURES: it takes a Bench and yields Rows.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import corpus
from doors import floor, monitored
from speed import BARE, PROGRAM, environment, questions, timed

GOALS_AT = 100_000
REFRESH = (*PROGRAM, "index")
STATUS = ("git", "status", "--", ".lessons")


class Row:
    """One figure: `value` is to be at most `goal`, both in `unit`; how: what it is a multiple of."""

    def __init__(self, name: str, value: float, unit: str, how: str, goal: float | None = None) -> None:
        self.name, self.value, self.unit, self.how, self.goal = name, value, unit, how, goal

    def text(self, count: int) -> str:
        line = f"{count:>8,}  {self.name:<42} {self.value:>7.1f}{self.unit:<3} {self.how:<24}"
        if self.goal is None or count < GOALS_AT:
            return line.rstrip()
        return f"{line} ≤ {self.goal:>5.1f}{self.unit:<3} {'met' if self.value <= self.goal else 'NOT MET'}"


class Bench:
    """A repository of `count` records, and how commands are timed in it."""

    def __init__(self, folder: Path, count: int, runs: int, builds: int) -> None:
        self.count, self.runs, self.builds = count, runs, builds
        self.env = environment(folder / f"home-{count}")
        self.root = corpus.build(folder, count, self.env)
        self.asked = questions(count)
        self._record = min((self.root / ".lessons/procedures").glob("*.yaml"))
        self._turn = 0

    def git(self, *args: str) -> None:
        subprocess.run(["git", *args], cwd=self.root, env=self.env, check=True, capture_output=True)

    def settled(self) -> None:
        """All records as they are committed, older than what git compares, and the index in step."""
        self.git("checkout", "-q", "--", ".lessons")
        time.sleep(1.2)
        self.git("update-index", "-q", "--refresh")
        subprocess.run(REFRESH, cwd=self.root, env=self.env, check=True, capture_output=True)

    def edit(self) -> None:
        """Change one record, as somebody would who edits it."""
        self._turn += 1
        with self._record.open("a") as file:
            file.write(f"# turn {self._turn} of {time.time_ns()}\n")

    def medians(self, *cases: tuple[str, ...] | tuple[Callable[[], None], tuple[str, ...]]) -> list[float]:
        """The median seconds of each command, run in turn; a case may say what is done before each run."""
        times: list[list[float]] = [[] for _ in cases]
        for turn in range(self.runs + 1):
            for case, taken in zip(cases, times, strict=True):
                command = case
                if callable(case[0]):
                    case[0]()
                    command = case[1]
                seconds = timed(command, self.root, self.env)  # type: ignore[arg-type]
                if turn:  # the first fills the caches
                    taken.append(seconds)
        return [statistics.median(taken) for taken in times]


def questions_asked(bench: Bench) -> Iterator[Row]:
    exact = floor(bench.root).command
    at, check = bench.asked["at"], bench.asked["check --lexical"]
    bare, look, slow, fast = bench.medians(BARE, exact, check, at)
    yield Row("floor: git, a listing", look / bare, "×", "a bare interpreter")
    yield Row("check --lexical", slow / bare, "×", "a bare interpreter", 1 + 1.3 * look / bare)
    yield Row("at", fast / bare, "×", "a bare interpreter", 1 + 1.3 * look / bare)


def refreshed(bench: Bench) -> Iterator[Row]:
    yield from _refreshed(bench, "")


def _refreshed(bench: Bench, how: str) -> Iterator[Row]:
    check = bench.asked["check --lexical"]
    status, idle, edited = bench.medians(STATUS, REFRESH, (bench.edit, REFRESH))
    asked, after = bench.medians(check, (bench.edit, check))
    bench.settled()
    yield Row(f"refresh, nothing to do{how}", idle / status, "×", "git status", 2.0)
    yield Row(f"refresh, one record edited{how}", edited / idle, "×", "one with nothing to do", 1.5)
    yield Row(f"check --lexical, one edited{how}", after / asked, "×", "one with nothing to do", 1.5)


def monitored_by_git(bench: Bench) -> Iterator[Row]:
    options = subprocess.run(["git", "version", "--build-options"], env=bench.env, capture_output=True)
    if b"fsmonitor--daemon" not in options.stdout:
        print("          this git has no file monitor", flush=True)
        return
    with monitored(bench.root, bench.env):
        bench.settled()
        bare, slow, fast = bench.medians(BARE, bench.asked["check --lexical"], bench.asked["at"])
        yield Row("check --lexical, monitored", slow / bare, "×", "a bare interpreter", 12.0)
        yield Row("at, monitored", fast / bare, "×", "a bare interpreter", 12.0)
        yield from _refreshed(bench, ", monitored")


# What a process used at most is counted from its parent's size on: a small one starts it.
_USED = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
_USED += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def memory(bench: Bench) -> Iterator[Row]:
    for name, command in bench.asked.items():
        through = (sys.executable, "-c", _USED, *command)
        done = subprocess.run(through, cwd=bench.root, env=bench.env, check=True, capture_output=True)
        megabytes = int(done.stdout) / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        yield Row(f"memory, {name}", megabytes, " MB", "at most, git's included", 600.0)


def built(bench: Bench) -> Iterator[Row]:
    ours, theirs = [], []
    for _ in range(bench.builds):
        start = time.perf_counter()
        rebuild = (*REFRESH, "--rebuild")
        subprocess.run(rebuild, cwd=bench.root, env=bench.env, check=True, capture_output=True)
        ours.append(time.perf_counter() - start)
        parse = (sys.executable, __file__, "--parse-and-add", str(bench.root))
        done = subprocess.run(parse, env=bench.env, check=True, capture_output=True, text=True)
        theirs.append(float(done.stdout))
    seconds, least = statistics.median(ours), statistics.median(theirs)
    yield Row("index from nothing", seconds / least, "×", "parsing and adding", 2.0)
    yield Row("index from nothing", seconds, " s", "as a process")


def parse_and_add(root: Path) -> float:
    """Seconds to read and parse the records' files with libyaml, and to add their words to tantivy.

    What is made of a record before its words are added is not counted.
    """
    import yaml

    from chalkgit import thresholds
    from chalkgit.index import texts
    from chalkgit.index.lexical import Lexical
    from chalkgit.records import codec
    from chalkgit.store import place, worktree

    paths = [path for path in worktree.look(place.find(str(root))).paths if worktree.is_record(path)]
    start = time.perf_counter()
    for path in paths:
        yaml.load((root / path).read_bytes(), yaml.CSafeLoader)
    parsed = time.perf_counter() - start
    records = [codec.decode((root / path).read_bytes(), path)[0] for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        words = Lexical(os.path.join(folder, "words"), create=True)
        made = [words._document(texts.Document(r.path, texts.body(r))) for r in records]
        start = time.perf_counter()
        writer = words._index.writer(heap_size=thresholds.INDEX_HEAP_BYTES, num_threads=1)
        for document in made:
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        return parsed + time.perf_counter() - start


FIGURES: tuple[Callable[[Bench], Iterator[Row]], ...] = (
    questions_asked,
    refreshed,
    monitored_by_git,
    memory,
    built,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--builds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    names = [figure.__name__ for figure in FIGURES]
    parser.add_argument("--only", nargs="+", choices=names, help="these figures alone")
    parser.add_argument("--parse-and-add", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.parse_and_add:
        print(parse_and_add(given.parse_and_add))
        return
    with tempfile.TemporaryDirectory() as temporary:
        print(f"{'records':>8}  {'figure':<42} {'':>10} {'times, or of':<24}   goal at {GOALS_AT:,}")
        for count in given.sizes:
            bench = Bench(given.folder or Path(temporary), count, given.runs, given.builds)
            bench.settled()
            for figure in FIGURES:
                if not given.only or figure.__name__ in given.only:
                    for row in figure(bench):
                        print(row.text(count), flush=True)


if __name__ == "__main__":
    main()
