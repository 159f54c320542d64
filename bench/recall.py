"""How well `check` answers, measured through the real program on a folder of labelled proposals.

    python bench/recall.py FOLDER [--queries FILE ...] [--out DIR] [--keep DIR]

FOLDER holds records.jsonl (a dead end a line: id, route, reason, and context and date where known) and
queries*.jsonl (a proposal a line: id, kind, text, and targets, the ids of the records that answer it; none
for a proposal that nothing rules out). The records are imported into a new repository; then every proposal
goes through `check --batch -`, by words alone and, where CHALKGIT_MODEL_DIR names a model, with it.

R@k: a target is among the first k hits. MRR: the mean of one over the first target's rank. yes: the verdict
is tried; where there are targets, it is right when one is among the first three hits, and only then counted.
near: something is worth a look, and does not interrupt.
False alarms: yes among the proposals without targets. Precision: right ones of all that said yes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import speed

REF = "bench:"
FIRST = 3  # hits that a person looks at, and what `check` shows
BINS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 1.01)
ALARMS = 0.10
# of proposals nobody tuned on: R@3, and what is rightly said to be tried with at most so many false alarms
GOALS = {"human": (0.92, 0.40), "para-close": (1.0, 0.97), "para-far": (0.55, 0.05)}
MODEL = ("CHALKGIT_MODEL_DIR", "CHALKGIT_MODEL")


class Said(NamedTuple):
    """What the program said of one proposal: `rank` of the first target among the hits, 0 where none is."""

    query: dict[str, Any]
    hits: list[str]
    confidence: float
    yes: bool
    near: bool

    @property
    def kind(self) -> str:
        return str(self.query["kind"])

    @property
    def wanted(self) -> bool:
        return bool(self.query["targets"])

    @property
    def rank(self) -> int:
        return next((at for at, hit in enumerate(self.hits, 1) if hit in self.query["targets"]), 0)

    @property
    def right(self) -> bool:
        return 0 < self.rank <= FIRST


def rows(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def imported(record: dict[str, Any]) -> dict[str, Any]:
    """A record of the folder as a row that `chalkgit import` takes."""
    row = {
        "kind": "dead-end",
        "route": record["route"],
        "observation": record["reason"],
        "ref": REF + record["id"],
        "tags": [record["context"]] if record.get("context") else [],
        "valid-from": record.get("date"),
    }
    return {name: value for name, value in row.items() if value}


class Program:
    """The real program in a repository of its own, with nothing of this machine's settings but the model."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repository"
        self._model = {name: os.environ[name] for name in MODEL if os.environ.get(name)}
        self._environment = speed.environment(folder / "home")

    @property
    def homes(self) -> dict[str, str]:
        """Where it keeps settings, models and caches: for those who call its functions."""
        return {name: value for name, value in self._environment.items() if name.startswith("XDG_")}

    @property
    def has_model(self) -> bool:
        return MODEL[0] in self._model

    def build(self, records: Iterable[dict[str, Any]]) -> None:
        if self.root.exists():
            return
        self.root.mkdir(parents=True)
        self.run("git", "init", "-q")
        self.run(*speed.PROGRAM, "init")
        self.run(
            *speed.PROGRAM, "import", "-", stdin="".join(json.dumps(imported(r)) + "\n" for r in records)
        )

    def ask(self, queries: Sequence[dict[str, Any]], *options: str, model: bool) -> list[Said]:
        # a proposal a line: what a text has of line ends is said in one line
        texts = "".join(" ".join(query["text"].split()) + "\n" for query in queries)
        out = self.run(*speed.PROGRAM, "check", "--batch", "-", *options, stdin=texts, model=model)
        answers = [json.loads(line) for line in out.splitlines()]
        return [_said(query, answer) for query, answer in zip(queries, answers, strict=True)]

    def run(self, *command: str, stdin: str | None = None, model: bool = False) -> str:
        environment = {**self._environment, **(self._model if model else {})}
        done = subprocess.run(
            command, cwd=self.root, env=environment, input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout


def _said(query: dict[str, Any], answer: dict[str, Any]) -> Said:
    hits = [hit["ref"].removeprefix(REF) for hit in answer["hits"] if hit["ref"]]
    return Said(query, hits, answer["score"], answer["verdict"] == "tried", answer["verdict"] == "near")


def share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def kinds(said: Sequence[Said]) -> list[str]:
    """Those with targets first, each in the order of their first proposal."""
    return list(dict.fromkeys(one.kind for one in sorted(said, key=lambda one: not one.wanted)))


def found(said: Sequence[Said]) -> list[str]:
    """The table of what was found and said, a row a kind."""
    names = ("kind", "n", "R@1", "R@3", "R@10", "MRR", "yes", "near")
    lines = [f"| {' | '.join(names)} |", "| --- " * len(names) + "|"]
    for kind in kinds(said):
        some = [one for one in said if one.kind == kind]
        if some[0].wanted:
            at = [share(0 < one.rank <= most for one in some) for most in (1, 3, 10)]
            mean = sum(1 / one.rank for one in some if one.rank) / len(some)
            figures = " | ".join(f"{figure:.2f}" for figure in (*at, mean))
            yes = share(one.yes and one.right for one in some)
        else:
            figures, yes = "– | – | – | –", share(one.yes for one in some)
        near = share(one.near for one in some)
        lines.append(f"| {kind} | {len(some)} | {figures} | {yes:.2f} | {near:.2f} |")
    return lines


def decided(said: Sequence[Said]) -> str:
    """Whether a yes may be trusted, in one line."""
    wanted, others = [s for s in said if s.wanted], [s for s in said if not s.wanted]
    right = [s.yes and s.right for s in wanted]
    precision = sum(right) / max(sum(s.yes for s in said), 1)
    alarms = share(s.yes for s in others)
    return f"false alarms {alarms:.2f}, precision {precision:.2f}, recall {share(right):.2f}"


def reliability(said: Sequence[Said]) -> list[str]:
    """Confidence of the first hit, and how often a target is among the first three."""
    lines = ["| confidence | n | right |", "| --- | --- | --- |"]
    for low, high in pairwise(BINS):
        some = [one for one in said if low <= one.confidence < high]
        if some:
            name = f"{low:.2f} to {min(high, 1):.2f}"
            lines.append(f"| {name} | {len(some)} | {share(one.right for one in some):.2f} |")
    return lines


def beside_goals(said: Sequence[Said]) -> list[str]:
    """What was asked for, where it was reached and where not."""
    alarms = share(one.yes for one in said if not one.wanted)
    lines = ["| figure | here | goal |", "| --- | --- | --- |"]
    lines.append(f"| false alarms | {alarms:.2f} | ≤ {ALARMS:.2f} |")
    allowed = confidence_at(said, ALARMS)
    for kind, (ranked, recalled) in GOALS.items():
        some = [one for one in said if one.kind == kind]
        if some:
            lines.append(f"| {kind}: R@3 | {share(one.right for one in some):.2f} | ≥ {ranked:.2f} |")
            yes = share(one.yes and one.right for one in some)
            best = share(one.confidence >= allowed and one.right for one in some)
            lines.append(f"| {kind}: tried | {yes:.2f} ({best:.2f} at {ALARMS:.0%}) | ≥ {recalled:.2f} |")
    return lines


def confidence_at(said: Sequence[Said], alarms: float) -> float:
    """The lowest confidence from which on at most this share of proposals without targets would be told."""
    others = [one.confidence for one in said if not one.wanted]
    values = sorted({one.confidence for one in said})
    return next((v for v in values if share(other >= v for other in others) <= alarms), 2.0)


def kept(said: Sequence[Said], file: Path) -> None:
    """A line a proposal: its id, the hits, the confidence, and the tool's own answer."""
    with file.open("w", encoding="utf-8") as out:
        for one in said:
            row = {"id": one.query["id"], "hits": one.hits, "score": one.confidence, "said": one.yes}
            out.write(json.dumps(row) + "\n")


def report(name: str, said: Sequence[Said], out: Path) -> None:
    print(f"\n## {name}\n", *found(said), "", decided(said), "", *reliability(said), sep="\n")
    print("", *beside_goals(said), sep="\n", flush=True)
    kept(said, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=Path, nargs="+", help="instead of FOLDER's queries*.jsonl")
    parser.add_argument("--out", type=Path, default=Path(), help="where run.jsonl and run-words.jsonl go")
    parser.add_argument("--keep", type=Path, help="keep the repository here and use it again")
    given = parser.parse_args()
    queries = [
        row for file in given.queries or sorted(given.folder.glob("queries*.jsonl")) for row in rows(file)
    ]
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        program = Program(given.keep or Path(temporary))
        records = rows(given.folder / "records.jsonl")
        program.build(records)
        print(f"{len(records):,} records, {len(queries):,} proposals")
        report(
            "By words alone", program.ask(queries, "--lexical", model=False), given.out / "run-words.jsonl"
        )
        if not program.has_model:
            raise SystemExit("\nno model: CHALKGIT_MODEL_DIR is not set")
        start = time.perf_counter()
        said = program.ask(queries, model=True)
        report("By words and meaning", said, given.out / "run.jsonl")
        print(f"\n{time.perf_counter() - start:.0f} s with the vectors of the records")


if __name__ == "__main__":
    main()
