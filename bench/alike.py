"""What finding a failure's first line among many costs, as ratios to a bare interpreter and to a scan.

    python bench/alike.py [--strings 100000] [--outputs 5000] [--queries 60] [--seed 1]

The lines are made: exceptions of several languages, paths, names and numbers, in families that share their
words, so that usual trigrams are usual. Some answers are compared with those of a scan.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from chalkgit.failures import trigrams
from chalkgit.index import alike
from chalkgit.index.table import Table

ERRORS, OUTPUTS = 0, 1
SPEC = (
    "Add a checkout endpoint: read the cart from the session store, connect to the payment service, and "
    "return the order as JSON. The order must not be empty; a missing customer raises KeyError; no such file "
    "or directory is reported to the user. Timeouts are retried; a refused connection is the service's. "
)
FAMILIES = (
    "FileNotFoundError: [Errno 2] No such file or directory: '{path}'",
    "ModuleNotFoundError: No module named '{word}'",
    "AssertionError: assert {n} == {m}",
    "AssertionError: {word} {name} expected {n}, got {m}",
    "KeyError: '{name}'",
    "AttributeError: '{klass}' object has no attribute '{name}'",
    "TypeError: {name}() missing 1 required positional argument: '{word}'",
    "TypeError: Cannot read properties of undefined (reading '{name}')",
    "TypeError: {name} is not a function",
    "Error: connect ECONNREFUSED 127.0.0.1:{n}",
    "Error: Cannot find module '{path}'",
    "Error: expect(received).toBe(expected) // Object.is equality Expected: {n} Received: {m}",
    "Error: Timeout of {n}ms exceeded. For async tests and hooks, ensure it is called ({path})",
    'java.lang.NullPointerException: Cannot invoke "{klass}.{name}()" because "{word}" is null',
    "org.opentest4j.AssertionFailedError: expected: <{n}> but was: <{m}>",
    "java.lang.IllegalStateException: {klass} is already {word}",
    "panic: runtime error: index out of range [{n}] with length {m}",
    "{path}.go:{n}: {name}({m}) = {word}, want {name}",
    "thread 'tests::{name}' panicked at {path}.rs:{n}: assertion `left == right` failed: {word}",
    "error[E0308]: mismatched types: expected `{klass}`, found `{word}`",
    "{path}.cc:{n}: error: '{name}' was not declared in this scope",
    "NoMethodError: undefined method '{name}' for an instance of {klass}",
    "Failure/Error: expect({name}).to eq({n}) expected: {n} got: {m}",
    "sqlalchemy.exc.OperationalError: could not connect to server: Connection refused ({word})",
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='{word}.{name}.com', port={n})",
    'django.db.utils.IntegrityError: duplicate key violates unique constraint "{name}_{word}_key"',
    "Failed asserting that {n} matches expected {m}.",
    "RuntimeError: {klass} was closed while {word} was still running ({path})",
)
SYLLABLES = "ba co de fi ga ho ja ka lo mi no pa qua re su ta ur ve wi xe yo ze cart load".split()
USUAL = "cart order user config session total price index client server cache token worker queue".split()


class Maker:
    """Lines of failures: of ten names six are of a few usual ones, the others are anyone's."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def word(self) -> str:
        if self._chance.random() < 0.6:
            return self._chance.choice(USUAL)
        return "".join(self._chance.choices(SYLLABLES, k=self._chance.randint(2, 4)))

    def name(self) -> str:
        return "_".join(self.word() for _ in range(self._chance.randint(1, 3)))

    def line(self) -> str:
        # a few families have most of the lines
        family = FAMILIES[min(int(self._chance.expovariate(0.15)), len(FAMILIES) - 1)]
        folders = (self.word() for _ in range(self._chance.randint(1, 4)))
        return family.format(
            path="/".join(["/srv", *folders, self.name()]),
            word=self.word(),
            name=self.name(),
            klass="".join(self.word().title() for _ in range(2)),
            n=self._chance.randint(0, 70_000),
            m=self._chance.randint(0, 9),
        )

    def output(self) -> str:
        return "\n".join(self.line() for _ in range(40))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fill(table: Table, strings: Sequence[tuple[int, str, int]], at_once: int) -> None:
    for first in range(0, len(strings), at_once):
        part = strings[first : first + at_once]
        table.change(lambda database, part=part: alike.add(database, part))


def empty(file: Path) -> Table:
    table = Table(str(file), create=True)
    table.write([])
    return table


def scan(lines: Sequence[str], query: str, least: float) -> set[tuple[int, float]]:
    wanted = trigrams.of(query)
    found = set()
    for key, line in enumerate(lines):
        other = trigrams.of(line)
        common = len(wanted & other)
        similarity = trigrams.share(common, len(wanted) + len(other) - common)
        if similarity > least:
            found.add((key, similarity))
    return found


class Print:
    """Times as ratios to a bare interpreter started between them, and to a scan where there was one."""

    def __init__(self) -> None:
        self.scan: float | None = None

    def line(self, name: str, works: Sequence[Callable[[], object]], note: str = "") -> float:
        """Do each of these, print the median and the worst; the median in seconds."""
        took, bare = [], []
        for work in works:
            took.append(timed(work))
            bare.append(timed(lambda: subprocess.run((sys.executable, "-c", "pass"), check=True)))
        median, start = statistics.median(took), statistics.median(bare)
        share = f"scan/{self.scan / median:<8,.0f}" if self.scan else ""
        print(
            f"{name:<30} {median * 1000:>8.1f} ms {median / start:>7.2f}×  "
            f"worst {max(took) / start:>7.2f}×  {share}{note}",
            flush=True,
        )
        return median


def build(printed: Print, folder: Path, lines: Sequence[str]) -> Table:
    rows = [(key, line, ERRORS) for key, line in enumerate(lines)]
    once, table = empty(folder / "once.db"), empty(folder / "parts.db")
    printed.line("build, all at once", [lambda: fill(once, rows, len(rows))])
    once.close()
    size, text = (folder / "once.db").stat().st_size, sum(map(len, lines))
    each, without = size / len(lines), (size - text) / len(lines)
    print(f"{'':<30} {each:>8.0f} bytes a line, {without:.0f} without its text")
    printed.line("build, 2,000 at once", [lambda: fill(table, rows, 2_000)])
    return table


def change(printed: Print, table: Table, lines: Sequence[str]) -> None:
    keys = range(10_000_000, 10_000_030)
    printed.line(
        "add one", [lambda key=key: fill(table, [(key, lines[key % len(lines)], ERRORS)], 1) for key in keys]
    )
    printed.line("forget 30", [lambda: table.change(lambda database: alike.forget(database, list(keys)))])


def ask(printed: Print, table: Table, lines: Sequence[str], queries: Sequence[str]) -> None:
    for query in queries[:3]:
        found, whole = alike.alike(table, query, ERRORS, 0.5, most=len(lines))
        if not whole or set(found) != scan(lines, query, 0.5):
            raise SystemExit(f"not what a scan finds: {query}")
    printed.scan = printed.line("scan, > 0.5", [lambda q=q: scan(lines, q, 0.5) for q in queries[:3]])
    counts = [len(alike.alike(table, query, ERRORS, 0.5, most=len(lines))[0]) for query in queries]
    note = f"alike: median {statistics.median(counts):,.0f}, most {max(counts):,}"
    printed.line("alike > 0.5", [lambda q=q: alike.alike(table, q, ERRORS, 0.5) for q in queries], note)
    printed.line("alike > 0.1", [lambda q=q: alike.alike(table, q, ERRORS, 0.1) for q in queries])
    for name, query in hostile(queries).items():
        printed.line(name, [lambda q=query: alike.alike(table, q, ERRORS, 0.5)] * 5)
    for length in (300, 2_000, 16_000):
        spec = (SPEC * 60)[:length]
        found, whole = alike.contained(table, spec, ERRORS, 0.6)
        note = f"{len(found)} found, all: {whole}"
        work = [lambda s=spec: alike.contained(table, s, ERRORS, 0.6)] * 3
        printed.line(f"contained, {length:,} characters", work, note)


def hostile(queries: Sequence[str]) -> dict[str, str]:
    letters = "abcdefghijklmnopqrstuvwxyz "
    return {
        "2,000 distinct characters": "".join(map(chr, range(0x4E00, 0x4E00 + 2_000))),
        "2,000 letters by chance": "".join(random.Random(1).choices(letters, k=2_000)),
        "one character 2,000 times": "a" * 2_000,
        "empty": "",
        "punctuation": "!?:;-()" * 200,
        "one letter": "e",
        "all queries in one of 2,000": " ".join(queries)[:2_000],
    }


def tails(printed: Print, table: Table, folder: Path, outputs: Sequence[str], queries: Sequence[str]) -> None:
    stored, asked = outputs[:-10], outputs[-10:]
    before = (folder / "parts.db").stat().st_size
    fill(table, [(key, output, OUTPUTS) for key, output in enumerate(stored)], 500)
    each = ((folder / "parts.db").stat().st_size - before) / len(stored)
    length = statistics.median(map(len, stored))
    print(f"{len(stored):,} outputs of {length:,.0f} characters: {each:,.0f} bytes each")
    printed.line("an output > 0.1", [lambda o=o: alike.alike(table, o, OUTPUTS, 0.1) for o in asked])
    printed.line(
        "a line in outputs > 0.1", [lambda q=q: alike.alike(table, q, OUTPUTS, 0.1) for q in queries]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strings", type=int, default=100_000)
    parser.add_argument("--outputs", type=int, default=5_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    maker = Maker(given.seed)
    lines = [maker.line() for _ in range(given.strings)]
    queries = [maker.line() for _ in range(given.queries)]
    print(f"{given.strings:,} lines of {statistics.median(map(len, lines)):.0f}; × is a bare interpreter")
    with tempfile.TemporaryDirectory() as folder:
        printed = Print()
        table = build(printed, Path(folder), lines)
        change(printed, table, lines)
        ask(printed, table, lines, queries)
        outputs = [maker.output() for _ in range(given.outputs + 10)]
        tails(printed, table, Path(folder), outputs, queries)
        table.close()


if __name__ == "__main__":
    main()
