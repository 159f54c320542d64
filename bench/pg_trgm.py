"""Whether our trigrams are PostgreSQL's: the same pairs of texts are given to a server with pg_trgm.

    python bench/pg_trgm.py FOLDER --psql "psql -d DATABASE" [--pairs 3000] [--seed 5]

FOLDER holds `trgm_cases.jsonl` and `expected.jsonl` (bench/failures.py). Beside those cases, pairs of error
lines and of random letters of several scripts are compared. The database must be UTF-8 with C.UTF-8, and may
make the extension. Exit 1 where any value or verdict differs.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import subprocess
import sys
from pathlib import Path

from chalkgit.failures import trigrams

LETTERS = "abAB1\u00e9_ -.\u00df\u65e5"
QUERY = """
select i, similarity(a, b)::float8, word_similarity(a, b)::float8, similarity(a, b) > 0.5,
  word_similarity(a, b) > 0.6 from pairs order by i;
"""


def pairs(folder: Path, count: int, seed: int) -> list[tuple[str, str]]:
    chance = random.Random(seed)
    cases = [json.loads(line) for line in (folder / "trgm_cases.jsonl").read_text("utf-8").splitlines()]
    runs = [json.loads(line) for line in (folder / "expected.jsonl").read_text("utf-8").splitlines()]
    lines = [run["first_error"] for run in runs if run["first_error"]]
    found = [(case["a"], case["b"]) for case in cases]
    for _ in range(count):
        one, other = chance.choice(lines), chance.choice(lines)
        if chance.random() < 0.5:
            words = one.split()
            other = " ".join(chance.sample(words, chance.randint(1, len(words))))
        found.append((one, other))
        long, short = chance.randint(0, 20), chance.randint(0, 12)
        found.append(("".join(chance.choices(LETTERS, k=short)), "".join(chance.choices(LETTERS, k=long))))
    return [pair for pair in found if "\0" not in "".join(pair)]


def escaped(text: str) -> str:
    for character, code in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, code)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--psql", required=True)
    parser.add_argument("--pairs", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    asked = pairs(given.folder, given.pairs, given.seed)
    rows = "".join(f"{n}\t{escaped(a)}\t{escaped(b)}\n" for n, (a, b) in enumerate(asked))
    sql = "create extension if not exists pg_trgm; create temp table pairs (i int, a text, b text);\n"
    done = subprocess.run(
        [*shlex.split(given.psql), "-qAt", "-F", "|", "-v", "ON_ERROR_STOP=1"],
        input=f"{sql}copy pairs from stdin;\n{rows}\\.\n{QUERY}",
        capture_output=True,
        text=True,
        check=True,
    )
    answers, wrong = done.stdout.splitlines(), 0
    for answer in answers:
        number, likeness, words, alike, word_alike = answer.split("|")
        a, b = asked[int(number)]
        theirs = (round(float(likeness), 6), round(float(words), 6), alike == "t", word_alike == "t")
        ours = (
            round(trigrams.similarity(a, b), 6),
            round(trigrams.word_similarity(a, b), 6),
            trigrams.alike(a, b),
            trigrams.word_alike(a, b),
        )
        if ours != theirs:
            wrong += 1
            print(f"{a!r} {b!r}: {ours}, PostgreSQL {theirs}")
    print(f"{len(answers) - wrong} of {len(asked)} as PostgreSQL has them")
    return 1 if wrong or len(answers) != len(asked) else 0


if __name__ == "__main__":
    sys.exit(main())
