"""What the journal costs: to keep a question, and to report on all that it keeps, as ratios in one run.

    python bench/journal.py [--records 1000] [--rows 50000] [--runs 15] [--folder DIR]

`check` and `at` are asked in turn with the journal on, with it off, and with a bare interpreter, once with a
new journal and once with a full one. What keeping costs is the difference of each pair, in bare interpreters;
its median is told, and its quartiles. Time of the processor is counted here, since a tenth of an interpreter
is less than what other work on the machine makes of a wait.

`report` is asked in turn with the bare interpreter, of a journal that has so many rows in every table (2,000
in `runs`, one experiment) and of a repository with 500 commits. More rows than the journal keeps are what
somebody else wrote: `--rows 1000000` asks what that costs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import corpus
import speed

from chalkgit.store import journal_file, ledger

DAY = 24 * 3600 * 1000
SURFACES = ("check", "at", "recall", "commit", "save", "lsp", "agent")
GOAL_KEEPING, GOAL_REPORT = 0.3, 2.0  # bare interpreters, seconds
COMMITS = 500


def journal(root: Path) -> Path:
    return root / ".git" / journal_file.FOLDER / journal_file.FILE


def filled(root: Path, records: list[str], count: int) -> None:
    """A journal with so many rows in every table, over three hundred days; the same each time but for now."""
    drawn = random.Random(count)
    file = journal(root)
    file.unlink(missing_ok=True)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("pragma synchronous = off")
        database.execute("begin")
        for table, columns in ledger.TABLES.items():
            ledger._ready(database, table)  # as the first row would
            many = count if count > ledger.BOUNDS[table] else min(count, ledger.BOUNDS[table])
            marks = ", ".join("?" * len(columns))
            made = (tuple(map(row.get, columns)) for row in rows(table, many, records, drawn))
            database.executemany(f"insert into {table} values ({marks})", made)
        database.execute("commit")
    file.chmod(0o600)


def rows(table: str, count: int, records: list[str], drawn: random.Random) -> Iterator[dict[str, object]]:
    now = time.time_ns() // 1_000_000
    loop = ""
    for number in range(count if table != "experiments" else 1):
        at = now - 300 * DAY + number * (300 * DAY // count)
        name, surface = f"{table}{number:012x}", SURFACES[number % len(SURFACES)]
        kind = surface if surface in SURFACES[:3] else "rulings"
        record = drawn.choice(records)
        loop = name if number % 3 == 0 else loop
        yield {
            "asked": {"id": name, "kind": kind, "ms": drawn.randrange(10, 400), "shown": 1, "bytes": 400}
            | {"surface": surface, "verdict": drawn.choice(("tried", "near", "clear"))},
            "shown": {"id": record, "asked": f"asked{number:012x}", "session": "s", "surface": surface}
            | {"path": "src/a.py", "hash": "h" * 16, "bytes": 400},
            "runs": {"run": name, "loop": loop, "tests": json.dumps([f"tests/test_{number % 200}.py::test"])}
            | {"surface": "recall", "fingerprint": f"f{number % 300}", "failing": 1, "found": number % 2}
            | {"given": number % 2, "tree": name, "digest": name, "bytes": 90},
            "trials": {"experiment": "aaaaaaaa", "digest": "d", "loop": name, "run": name, "arm": "with"}
            | {"found": 1, "given": 1, "bytes": 9, "again": at + 1, "gone": number % 2, "changed": 1},
            "feedback": {"id": record, "hash": "h", "word": drawn.choice(("wrong", "useful"))}
            | {"who": f"person {number % 30}", "surface": surface},
            "decided": {"request": name, "purpose": "recall", "url": "http://127.0.0.1:1", "model": "m"}
            | {"revision": "r", "mode": "shadow", "id": record, "probability": drawn.random(), "ms": 200}
            | {"chosen": number % 2, "judged": drawn.choice((None, 0, 1))},
            "experiments": {"id": "aaaaaaaa", "manifest": "", "digest": "d", "ended": at, "why": "stopped"},
        }[table] | {"at": at}


def committed(root: Path, records: list[str], env: dict[str, str]) -> None:
    """Source commits over the same days, every fifth of which names a record."""
    drawn, now = random.Random(1), int(time.time())
    feed = []
    for number in range(COMMITS):
        at = now - 299 * DAY // 1000 + number * (299 * DAY // 1000 // COMMITS)
        named = f"\n\nLesson: {drawn.choice(records)}" if number % 5 == 0 else ""
        message = (
            str(corpus.rows(COMMITS)[number]["route"]) + named if number == 0 else f"work {number}{named}"
        )
        text = "".join(f"line {drawn.randrange(10**6)} of {number}\n" for _ in range(40))
        begin = "from refs/heads/bench^0\n" if number == 0 else ""
        feed.append(
            f"commit refs/heads/bench\ncommitter Bench <b@example.org> {at} +0000\ndata {len(message)}\n"
            f"{message}\n{begin}M 100644 inline src/g{number % 40}.py\ndata {len(text)}\n{text}\n"
        )
    git = ("git", "-c", "core.hooksPath=/dev/null")
    subprocess.run([*git, "branch", "-f", "bench", "HEAD"], cwd=root, env=env, check=True)
    fed = "".join(feed).encode()
    subprocess.run([*git, "fast-import", "--quiet"], cwd=root, env=env, input=fed, check=True)


def ids(root: Path) -> list[str]:
    return sorted(file.stem.rpartition(".")[2] for file in (root / ".lessons").glob("*/*.yaml"))


def timed(command: tuple[str, ...], root: Path, env: dict[str, str]) -> tuple[float, float]:
    """(seconds, seconds of the processor)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = speed.timed(command, root, env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def keeping(root: Path, command: tuple[str, ...], runs: int, env: dict[str, str]) -> tuple[float, ...]:
    """Ratio with it on, ratio with it off; what keeping costs: the median and the quartiles."""
    off = journal(root).parent / ledger.OFF
    turns = []
    for turn in range(runs + 1):
        bare = timed(speed.BARE, root, env)[1]
        on = timed(command, root, env)[1]
        off.parent.mkdir(mode=0o700, exist_ok=True)
        off.touch()
        try:
            without = timed(command, root, env)[1]
        finally:
            off.unlink()
        if turn:  # the first fills the caches
            turns.append((on / bare, without / bare, (on - without) / bare))
    ratios = [statistics.median(one) for one in zip(*turns, strict=True)]
    low, _, high = statistics.quantiles([turn[2] for turn in turns])
    return (*ratios, low, high)


def reporting(root: Path, runs: int, env: dict[str, str]) -> tuple[float, float, float]:
    """(seconds, ratio, seconds of the processor): medians over the turns."""
    turns = []
    for turn in range(runs + 1):
        bare, _ = timed(speed.BARE, root, env)
        seconds, processor = timed((*speed.PROGRAM, "report", "--json"), root, env)
        if turn:
            turns.append((seconds, seconds / bare, processor))
    seconds, ratio, processor = map(statistics.median, zip(*turns, strict=True))
    return seconds, ratio, processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="keep the repository here and use it again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        env = speed.environment(folder / f"home-{given.records}")
        root = corpus.build(folder, given.records, env)
        records = ids(root)
        time.sleep(0.2)  # a file younger than the clock's grain is read again
        print(f"{'journal':<12} {'question':<16} {'on':>6} {'off':>6}  keeping, goal ≤ {GOAL_KEEPING}")
        for name in ("new", "full"):
            journal(root).unlink(missing_ok=True)
            if name == "full":
                filled(root, records, given.rows)
            for asked, command in speed.questions(given.records).items():
                on, without, cost, low, high = keeping(root, command, given.runs, env)
                figures = f"{on:>5.2f}× {without:>5.2f}×  {cost:+.2f}× ({low:+.2f} to {high:+.2f})"
                print(f"{name:<12} {asked:<16} {figures}", flush=True)
        committed(root, records, env)
        filled(root, records, given.rows)
        size = os.path.getsize(journal(root)) / 1e6
        seconds, ratio, processor = reporting(root, max(given.runs // 3, 3), env)
        print(
            f"report --json of {given.rows:,} rows a table ({size:,.0f} MB) and {COMMITS} commits: "
            f"{seconds:.2f} s ({processor:.2f} s of the processor), {ratio:.0f}×; "
            f"goal ≤ {GOAL_REPORT:.0f} s at 50,000"
        )


if __name__ == "__main__":
    main()
