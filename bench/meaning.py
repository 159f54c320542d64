"""What comparing by meaning costs: a cold `check` with the model, and the scan over all vectors.

    CHALKGIT_MODEL_DIR=DIR python bench/meaning.py [--sizes 1000 10000] [--scan 100000] [--folder DIR]

The records are bench/corpus.py's. Reading ten thousand of them with a model takes minutes, a hundred thousand
an hour: so their vectors and token vectors are random ones of the right size, written by the program's
own functions, which costs a question the same. (How well real ones answer is bench/recall.py's to say.)

A check is timed as a whole process in turn with a bare interpreter; the scan against the time in which its
memory is read once, by numpy's maximum over it.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import corpus
import numpy
import recall
import speed

from chalkgit.index import refresh
from chalkgit.index.vector_files import Entry, Key
from chalkgit.index.vectors import Vectors
from chalkgit.store import place as places
from chalkgit.store.place import Place

TOKENS = 40  # of a record that says two sentences, words that any two share left out
BLOCK = 1_000
COLD, SCAN, MEMORY = 30, 2, 600  # the goals: × a bare interpreter, × one pass over the memory, MB


def filled(place: Place, key: Key) -> None:
    """Give every record of a place a vector and token vectors."""
    index = refresh.up_to_date(place)
    wanted = {row[0]: row[1] for row in index.table.vectors()}
    vectors = Vectors(place, key)
    missing = vectors.missing(wanted)
    chance = numpy.random.default_rng(len(missing))
    for start in range(0, len(missing), BLOCK):
        some = missing[start : start + BLOCK]
        made = _units(chance, len(some), key.dimension)
        tokens = _units(chance, TOKENS, key.dimension)
        vectors.add([Entry(i, wanted[i], made[at], tokens, 8) for at, i in enumerate(some)])


def _units(chance: numpy.random.Generator, count: int, dimension: int) -> numpy.ndarray:
    made = chance.standard_normal((count, dimension), numpy.float32)
    return made / numpy.linalg.norm(made, axis=1, keepdims=True)


def fill(root: Path, env: dict[str, str]) -> None:
    """Stand-ins for the vectors of every record, as the model that the environment names would have them."""
    os.environ.update({n: v for n, v in env.items() if n.startswith("XDG_") or n in recall.MODEL})
    filled(places.find(str(root)), _key_of_model())


def _key_of_model() -> Key:
    from chalkgit.index import embed, models

    found = models.configured()
    if isinstance(found, models.Missing):
        raise SystemExit(f"{found.why}: set CHALKGIT_MODEL_DIR")
    return Key(found.name, found.revision, embed.load(found).dimension)


def cold(root: Path, count: int, runs: int, env: dict[str, str]) -> float:
    """How many bare interpreters a `check` with the model costs."""
    row = corpus.rows(count)[count // 2]
    command = (*speed.PROGRAM, "check", f"what if we {row['route']}")
    bare, ours = [], []
    for turn in range(runs + 1):
        pair = speed.timed(speed.BARE, root, env), speed.timed(command, root, env)
        if turn:
            bare.append(pair[0])
            ours.append(pair[1])
    return statistics.median(ours) / statistics.median(bare)


def scan(count: int, runs: int, folder: Path) -> tuple[float, float, float]:
    """(× one pass over the memory, seconds of a scan, GB/s of the pass)."""
    os.makedirs(folder / "scan")
    os.system(f"git init -q {folder / 'scan'}")
    place = places.find(str(folder / "scan"))
    vectors, chance = Vectors(place, Key("bench", "1", 384)), numpy.random.default_rng(1)
    for start in range(0, count, 10_000):
        made = _units(chance, min(10_000, count - start), 384)
        vectors.add([Entry(f"{start + at:08}", "0" * 16, vector) for at, vector in enumerate(made)])
    query, data = made[0], vectors._data
    once = _median(lambda: data.max(), runs)
    ours = _median(lambda: vectors.nearest(query, 50), runs)
    return ours / once, ours, data.nbytes / once / 1e9


def _median(run: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--scan", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if given.scan:
            ratio, seconds, pace = scan(given.scan, given.runs, Path(temporary))
            print(
                f"scan of {given.scan:,} vectors: {ratio:.1f}× one pass over the memory (goal {SCAN}×), "
                f"{seconds * 1000:.0f} ms at {pace:.1f} GB/s",
                flush=True,
            )
        folder = given.folder or Path(temporary)
        for count in given.sizes:
            env = speed.environment(folder / f"home-{count}")
            env |= {name: os.environ[name] for name in recall.MODEL if os.environ.get(name)}
            root = corpus.build(folder, count, env)
            fill(root, env)
            ratio = cold(root, count, given.runs, env)
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            used /= 1e6 if sys.platform == "darwin" else 1e3
            goal = f"goal {COLD}×" if count == 10_000 else "no goal"
            print(
                f"check with the model, {count:,} records: {ratio:.1f}× a bare interpreter ({goal}), "
                f"{used:.0f} MB at most (goal {MEMORY})",
                flush=True,
            )


if __name__ == "__main__":
    main()
