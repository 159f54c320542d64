"""The one rule that says whether a record bears on a proposal, for dead ends and procedures alike.

lexical: how much proposal and record hold of each other, 0 to 1, each word weighed by its rarity.
semantic: the cosine of proposal and record, or None where the record has no opinion.
Every constant, and what it was measured on, is in thresholds.py.
"""

from __future__ import annotations

import math

from chalkgit import thresholds
from chalkgit.index import texts
from chalkgit.index.lexical import Lexical
from chalkgit.index.words import close
from chalkgit.records.record import Record
from chalkgit.thresholds import Limits

LEXICAL, SEMANTIC, BOTH = "lexical", "semantic", "lexical and semantic"


class Evidence:
    """confidence is 0.5 where the rule begins to say yes; `order` ranks, and says nothing else."""

    __slots__ = ("confidence", "lexical", "matched", "method", "near", "order", "semantic")

    def __init__(self, lexical: float, semantic: float | None, margin: float) -> None:
        self.lexical = lexical
        self.semantic = semantic
        self.matched = margin >= 0
        self.confidence = 1 / (1 + math.exp(-thresholds.STEEPNESS * margin))
        self.near = False
        self.order = 0.0
        self.method = ""


class Matcher:
    """One proposal against the records of one store."""

    def __init__(self, words: Lexical, proposal: str, best: float, limits: Limits) -> None:
        self._words = words
        self._limits = limits
        self._best = best
        self._total = words.count
        self._weights: dict[str, float] = {}
        self._asked = words.content(proposal)[: thresholds.QUERY_WORDS]
        self._asked_names = set(words.whole_names(proposal)[: thresholds.QUERY_WORDS])

    def judge(self, record: Record, bm25: float, decides: float | None, ranks: float | None) -> Evidence:
        """bm25 of the record (0 when it was no hit); the cosine that decides and the one that ranks."""
        route = self._words.content(texts.route(record))
        lexical, coverage = self._lexical(record, route)
        evidence = Evidence(lexical, decides, margin(lexical, decides, self._limits))
        share = bm25 / self._best if self._best else 0.0
        if ranks is None:
            evidence.order = share + thresholds.ORDER_COVERAGE_ALONE * coverage
            evidence.near = evidence.matched or lexical >= thresholds.NEAR_LEXICAL
        else:
            evidence.order = ranks + thresholds.ORDER_BM25 * share + thresholds.ORDER_COVERAGE * coverage
            evidence.near = evidence.confidence >= thresholds.NEAR_CONFIDENCE or ranks >= self._limits.near
        evidence.method = self._method(lexical, decides)
        return evidence

    def _lexical(self, record: Record, route: list[str]) -> tuple[float, float]:
        """(mutual containment, coverage of the proposal by the record)."""
        body = texts.body(record)
        said, names = set(self._words.content(body)), set(self._words.whole_names(body))
        inside = [word for word in self._asked if _within(word, said, names)]
        coverage = self._mass(inside) / (self._mass(self._asked) or 1.0)
        if not route or (len(inside) < thresholds.SHARED_WORDS and set(self._asked) != set(route)):
            return 0.0, coverage
        asked = set(self._asked)
        held = [word for word in route if _within(word, asked, self._asked_names)]
        both = (coverage + self._mass(held) / self._mass(route)) / 2
        if len(held) == len(route) and self._speaks(route, coverage):
            return thresholds.WHOLE_ROUTE + (1 - thresholds.WHOLE_ROUTE) * both, coverage
        return both, coverage

    def _speaks(self, route: list[str], coverage: float) -> bool:
        """Whether a route that stands whole in the proposal is long enough to be what it speaks of."""
        if len(route) >= thresholds.WHOLE_ROUTE_WORDS:
            return True
        return len(route) == 2 and coverage >= thresholds.SHORT_ROUTE_COVERAGE

    def _mass(self, said: list[str]) -> float:
        return sum(map(self._weight, said))

    def _weight(self, word: str) -> float:
        weight = self._weights.get(word)
        if weight is None:
            # pseudo-documents: in a store of ten records no word is rare
            total = self._total + thresholds.PSEUDO_DOCUMENTS
            weight = math.log(1 + total / (self._words.frequency(word) + 1))
            self._weights[word] = weight
        return weight

    def _method(self, lexical: float, semantic: float | None) -> str:
        if semantic is None:
            return LEXICAL
        if lexical < thresholds.NEAR_LEXICAL:
            return SEMANTIC
        return BOTH if semantic >= self._limits.both else LEXICAL


def margin(lexical: float, cosine: float | None, limits: Limits) -> float:
    """How far the evidence is over the rule (negative: short of it)."""
    if cosine is None or not limits.decides:
        return lexical - thresholds.LEXICAL_NO_VECTOR
    both = min(cosine - limits.both, lexical - limits.lexical)
    return max(cosine - limits.alone, both, lexical - thresholds.LEXICAL_ALONE)


def matches(lexical: float, semantic: float | None, limits: Limits) -> bool:
    """The rule itself."""
    return margin(lexical, semantic, limits) >= 0


def _within(word: str, said: set[str], names: set[str]) -> bool:
    return word in said or word in names or any(close(word, other) for other in said)
