"""The constants of `check`'s ranking and rule, fitted on a folder of labelled proposals.

    CHALKGIT_MODEL_DIR=DIR python bench/fit.py FOLDER [--queries FILE ...] [--alarms 0.08] [--keep DIR]

FOLDER is as bench/recall.py takes it. Every proposal's candidates are taken from the program's own functions,
with what speaks for each; then, in this order:

1. the weights of late interaction, both ways, and of BM25 beside the cosine: the grid's point where the mean
   over the kinds of R@3 is highest (of equal ones that with the highest mean reciprocal rank);
2. from where on words decide: the two limits where the mean over the kinds of what is rightly said to be
   tried is highest, among those with at most this share of false alarms;
3. the confidence over the rule: a logistic curve of the margin, each proposal counting once;
4. the order from which on a hit is near, and the cosine below which rare words do not decide: what a fifth of
   the proposals without targets do not reach.

A kind counts as much as another, whatever its size. Neither the length of a proposal nor any word of its own
is looked at. What stands in chalkgit/thresholds.py is printed beside. Where many points of a grid are equal,
the middle of them was taken there.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import recall

from chalkgit import thresholds

FORWARD, BACKWARD, BM25 = (0.5, 1, 1.5, 2, 2.5, 3), (0, 0.3, 0.6, 1), (0, 0.1, 0.15, 0.2, 0.4)
LEXICAL, SHARED = numpy.arange(0.6, 0.92, 0.02), numpy.arange(0.6, 3.01, 0.1)
QUANTILE = 0.2


class Hit(NamedTuple):
    """One candidate of one proposal; meaning is (cosine, forward, backward), zeros by words alone."""

    id: str
    lexical: float
    shared: float
    share: float
    meaning: tuple[float, float, float]


class Asked(NamedTuple):
    kind: str
    targets: frozenset[str]
    hits: list[Hit]


Order = Callable[[Hit], float]


def asked(root: Path, queries: Sequence[dict[str, Any]], *, lexical: bool) -> list[Asked]:
    """Every proposal with its candidates, from the functions that `chalkgit check` runs."""
    from chalkgit.cli import asking

    checker = asking.opened(str(root), lexical=lexical, here=True, patient=True)
    [source] = checker.sources
    found = []
    for query in queries:
        text = " ".join(query["text"].split())
        reading = None if lexical else checker.semantic.read(text)
        hits = [_hit(ruling) for ruling in checker.candidates(source, text, reading)]
        found.append(Asked(query["kind"], frozenset(query["targets"]), hits))
    return found


def _hit(ruling: Any) -> Hit:
    evidence, meaning = ruling.evidence, ruling.evidence.meaning
    said = (meaning.cosine, meaning.forward or 0.0, meaning.backward or 0.0) if meaning else (0.0, 0.0, 0.0)
    ref = str(ruling.record.text("ref")).removeprefix(recall.REF)
    return Hit(ref, evidence.lexical, evidence.shared, evidence.share, said)


def ordered(hits: Sequence[Hit], order: Order) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-order(hit), hit.id))


def by_kind(rows: Sequence[Asked], value: Callable[[Asked], float]) -> dict[str, float]:
    """The mean of a value, kind by kind, of the proposals with targets."""
    kinds = dict.fromkeys(row.kind for row in rows if row.targets)
    return {
        kind: float(numpy.mean([value(row) for row in rows if row.kind == kind and row.targets]))
        for kind in kinds
    }


def rank(row: Asked, order: Order) -> int:
    """Of the first target, from 1; 0 where none is a candidate."""
    hits = ordered(row.hits, order)
    return next((at for at, hit in enumerate(hits, 1) if hit.id in row.targets), 0)


def weighted(forward: float, backward: float, bm25: float) -> Order:
    return lambda hit: (
        hit.meaning[0] + forward * hit.meaning[1] + backward * hit.meaning[2] + bm25 * hit.share
    )


def fit_order(rows: Sequence[Asked]) -> tuple[float, float, float]:
    def quality(weights: tuple[float, float, float]) -> tuple[float, float]:
        ranks = {id(row): rank(row, weighted(*weights)) for row in rows if row.targets}
        first = by_kind(rows, lambda row: 0 < ranks[id(row)] <= recall.FIRST)
        mean = by_kind(rows, lambda row: 1 / ranks[id(row)] if ranks[id(row)] else 0.0)
        return round(sum(first.values()) / len(first), 4), round(sum(mean.values()) / len(mean), 4)

    return max(itertools.product(FORWARD, BACKWARD, BM25), key=quality)


def leading(row: Asked, order: Order) -> list[Hit]:
    """The hits that may interrupt."""
    best = max(map(order, row.hits), default=0.0)
    return [
        hit
        for hit in row.hits
        if order(hit) >= best - thresholds.AS_GOOD or hit.lexical >= thresholds.WHOLE_ROUTE
    ]


def margin(hit: Hit, lexical: float, shared: float, consent: float) -> float:
    rare = (hit.shared - shared) / thresholds.SHARED_SPREAD if hit.meaning[0] >= consent else -9.0
    return max((hit.lexical - lexical) / thresholds.LEXICAL_SPREAD, min(rare, thresholds.SHARED_MOST))


def fit_limits(
    rows: Sequence[Asked], order: Order, consent: float, alarms: float
) -> tuple[float, float, float]:
    """(lexical, shared, false alarms)."""
    leaders = [(row, leading(row, order), 0 < rank(row, order) <= recall.FIRST) for row in rows]

    def tried(hits: Sequence[Hit], limits: tuple[float, float]) -> bool:
        return any(margin(hit, *limits, consent) >= 0 for hit in hits)

    def quality(limits: tuple[float, float]) -> tuple[float, float]:
        yes = {id(row): tried(hits, limits) and (right or not row.targets) for row, hits, right in leaders}
        false = float(numpy.mean([yes[id(row)] for row in rows if not row.targets]))
        kinds = by_kind(rows, lambda row: yes[id(row)])
        return (round(sum(kinds.values()), 4) if false <= alarms else -1.0), -false

    best = max(itertools.product(LEXICAL, SHARED), key=quality)
    return float(best[0]), float(best[1]), -quality(best)[1]


def fit_confidence(
    rows: Sequence[Asked], order: Order, limits: tuple[float, float], consent: float
) -> tuple[float, float, float]:
    """(intercept, per margin) of hits over the rule, and how often one below it is right."""
    over, below = [], []
    for row in rows:
        margins = [margin(hit, *limits, consent) for hit in leading(row, order)]
        right = 0 < rank(row, order) <= recall.FIRST
        if margins and max(margins) >= 0:
            over.append((max(margins), right))
        else:
            below.append(right)
    x = numpy.array([[value, 1.0] for value, _ in over])
    y = numpy.array([right for _, right in over], float)
    slope, intercept = logistic(x, y)
    return intercept, slope, float(numpy.mean(below))


def logistic(x: Any, y: Any, ridge: float = 0.3) -> tuple[float, float]:
    """Newton's method, with a little weight against a slope without end where the two do not overlap."""
    weights = numpy.zeros(2)
    for _ in range(60):
        p = 1 / (1 + numpy.exp(-x @ weights))
        gradient = x.T @ (p - y) + ridge * weights * (1, 0)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + numpy.diag((ridge, 1e-9))
        weights = weights - numpy.linalg.solve(hessian, gradient)
    return float(weights[0]), float(weights[1])


def reached(rows: Sequence[Asked], value: Order) -> float:
    return float(numpy.quantile([max(map(value, row.hits)) for row in rows if not row.targets], QUANTILE))


def _by_words(hit: Hit) -> float:
    return hit.share


def told(rows: Sequence[Asked], alarms: float, *, meaning: bool) -> Iterator[tuple[str, str, str]]:
    """(what, fitted, what stands in thresholds.py)."""
    standing = thresholds.MODELS["sentence-transformers/all-MiniLM-L6-v2"] if meaning else thresholds.WORDS
    order, consent = _by_words, -1.0
    if meaning:
        weights = fit_order(rows)
        now = (thresholds.ORDER_FORWARD, thresholds.ORDER_BACKWARD, thresholds.ORDER_BM25)
        yield "order: forward, backward, BM25", str(weights), str(now)
        order, consent = weighted(*now), standing.consent
        for name, of in (("fitted", weights), ("standing", now)):
            found = by_kind(rows, lambda row, of=of: 0 < rank(row, weighted(*of)) <= recall.FIRST)
            yield f"  R@3, {name}", ", ".join(f"{kind} {value:.2f}" for kind, value in found.items()), ""
        yield "near, from order", f"{reached(rows, order):.2f}", f"{standing.near:.2f}"
        yield "consent, from cosine", f"{reached(rows, lambda hit: hit.meaning[0]):.2f}", f"{consent:.2f}"
    lexical, shared, false = fit_limits(rows, order, consent, alarms)
    yield (
        f"limits: lexical, shared ({false:.2f} false alarms)",
        f"{lexical:.2f}, {shared:.1f}",
        f"{standing.lexical}, {standing.shared}",
    )
    intercept, slope, below = fit_confidence(rows, order, (standing.lexical, standing.shared), consent)
    yield "confidence: intercept, per margin", f"{intercept:.2f}, {slope:.2f}", str(standing.sure)
    yield "right below the rule", f"{below:.2f}", "0.38 at the rule, less below"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=Path, nargs="+", help="instead of FOLDER's queries*.jsonl")
    parser.add_argument("--alarms", type=float, default=0.08, help="the share of false alarms allowed")
    parser.add_argument("--keep", type=Path, help="keep the repository here and use it again")
    given = parser.parse_args()
    files = given.queries or sorted(given.folder.glob("queries*.jsonl"))
    queries = [row for file in files for row in recall.rows(file)]
    with tempfile.TemporaryDirectory() as temporary:
        program = recall.Program(given.keep or Path(temporary))
        program.build(recall.rows(given.folder / "records.jsonl"))
        os.environ.update(program.homes)
        for name, lexical in (("By words and meaning", False), ("By words alone", True)):
            if lexical or program.has_model:
                print(f"\n## {name}\n\n| constant | fitted | in thresholds.py |\n| --- | --- | --- |")
                found = asked(program.root, queries, lexical=lexical)
                for row in told(found, given.alarms, meaning=not lexical):
                    print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
