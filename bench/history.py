"""What history costs: N commits that touch N records, as ratios in one run.

    python bench/history.py [--commits 10000] [--runs 5] [--folder DIR]

`first` is `chalkgit log` where nothing was kept: a ratio to `git log --raw -- .lessons` alone. `later` is the
same command again, `reading` a bare read of the table it keeps (its bytes without the checksum at their end,
the rows of all its tables as SQLite gives them, and the texts of its records as JSON gives them), both as
whole processes. The repository is repacked, as a clone is.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import corpus
from speed import PROGRAM, environment

from chalkgit.records import codec
from chalkgit.records.record import Record, default_path

FIRST, LATER = 3.0, 1.5
RAW = ("git", "log", "--raw", "--", ".lessons")
READ = """
import json, sqlite3, sys
table = sqlite3.connect(":memory:")
with open(sys.argv[1], "rb") as file:
    table.deserialize(file.read()[:-8])
names = [row[0] for row in table.execute("select name from sqlite_master where type = 'table'")]
rows = {name: table.execute(f"select * from {name}").fetchall() for name in names}
texts = {row[0]: json.loads(row[1]) for row in rows["contents"] if row[1]}
"""


def build(folder: Path, count: int, env: dict[str, str]) -> Path:
    """A commit a record; every fourth edits an earlier one too, every tenth of those retires it."""
    root = folder / f"commits-{count}"
    if (root / ".git" / "done").exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for command in (("init", "-q", "-b", "main"), ("config", "gc.auto", "0")):
        subprocess.run(["git", *command], cwd=root, env=env, check=True)
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=root, env=env, stdin=subprocess.PIPE
    ) as importer:
        assert importer.stdin is not None
        for text in commits(count):
            importer.stdin.write(text)
        importer.stdin.close()
        assert importer.wait() == 0
    for command in (("repack", "-q", "-a", "-d"), ("commit-graph", "write"), ("reset", "-q", "--hard")):
        subprocess.run(["git", *command], cwd=root, env=env, check=True, stderr=subprocess.DEVNULL)
    (root / ".git" / "done").touch()
    return root


def commits(count: int) -> list[bytes]:
    chance = random.Random(count)
    letters = "abcdefghjkmnpqrstvwxyz"
    records: list[Record] = []
    made = []
    for number, row in enumerate(corpus.rows(count)):
        name = "".join(chance.choice(letters) for _ in range(8))
        record = Record({"id": name, "kind": "dead-end", **row})
        record = record.at(default_path(record))
        files = [record]
        if number % 4 == 3:
            at = chance.randrange(len(records))
            change = {"layer": "design"} if number % 40 != 39 else {"retired": {"because": "it was mended"}}
            records[at] = records[at].changed(change)
            files.append(records[at])
        records.append(record)
        lines = [b"commit refs/heads/main\n"]
        lines.append(b"committer Ada <ada@example.org> %d +0000\n" % (1_700_000_000 + number * 600))
        lines.append(b"data 4\nwork\n")
        for file in files:
            data = codec.encode(file)
            lines.append(b"M 100644 inline %s\ndata %d\n%s\n" % (file.path.encode(), len(data), data))
        made.append(b"".join(lines))
    return made


def timed(command: tuple[str, ...], root: Path, env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="chalkgit-history-"))
    env = environment(folder / "home")
    root = build(folder, given.commits, env)
    table = root / ".git" / "chalkgit" / "history.db"
    log = (*PROGRAM, "log")
    times: dict[str, list[float]] = {name: [] for name in ("git log --raw", "first", "reading", "later")}
    for _ in range(given.runs):
        table.unlink(missing_ok=True)
        times["git log --raw"].append(timed(RAW, root, env))
        times["first"].append(timed(log, root, env))
        times["reading"].append(timed((sys.executable, "-c", READ, str(table)), root, env))
        times["later"].append(timed(log, root, env))
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, value in middle.items():
        print(f"{name:<14} {value * 1000:>9,.0f} ms")
    ratios = (
        ("first read, to git log --raw alone", middle["first"] / middle["git log --raw"], FIRST),
        ("later reads, to reading the table", middle["later"] / middle["reading"], LATER),
    )
    for name, ratio, goal in ratios:
        print(f"{name:<36} {ratio:>5.2f}x  goal {goal:.1f}x  {'met' if ratio <= goal else 'NOT MET'}")
    return 0 if all(ratio <= goal for _, ratio, goal in ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
