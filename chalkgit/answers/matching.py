"""The one rule that says whether a record bears on a proposal, for dead ends and procedures alike.

Ranking and deciding are two questions. Meaning ranks: the cosine of proposal and record, and late
interaction of their tokens. What decides is how much they say in the same words, by two measures: how much
they hold of each other, and how much that is rare they share. Only
the best of a proposal's hits interrupt, and what may not be recalled counts among them: so that no record's
withdrawal makes another one speak.
Every constant, and what it was measured on, is in thresholds.py.
"""

from __future__ import annotations

import math
import re

from chalkgit import thresholds
from chalkgit.calibration import Calibration
from chalkgit.index import texts
from chalkgit.index.lexical import Lexical
from chalkgit.index.words import is_unspaced
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from chalkgit.answers.semantic import Meaning
    from chalkgit.index.readings import Reading

LEXICAL, SEMANTIC, BOTH = "lexical", "semantic", "lexical and semantic"
_WORD = re.compile(r"\w+")


class Evidence:
    """What speaks for a record.

    lexical: how much proposal and record hold of each other, 0 to 1, each word weighed by its rarity.
    shared: how much that is rare they have in common; 1 is one word that no other record holds.
    share: BM25, as a share of the best record's. meaning: None where the record has no opinion; semantic: its
    cosine. order: ranks, and says nothing else.
    margin: how far it is over the rule (negative: short of it). leads: as good as the best hit.
    matched: over the rule, and leads. confidence: how often such a hit is right.
    """

    __slots__ = (
        "confidence",
        "leads",
        "lexical",
        "margin",
        "matched",
        "meaning",
        "method",
        "near",
        "order",
        "semantic",
        "share",
        "shared",
    )

    def __init__(self, lexical: float, shared: float, share: float, meaning: Meaning | None) -> None:
        self.lexical = lexical
        self.shared = shared
        self.share = share
        self.meaning = meaning
        self.semantic = meaning.cosine if meaning is not None else None
        self.margin = self.order = self.confidence = 0.0
        self.leads = self.matched = self.near = False
        self.method = ""


class Matcher:
    """One proposal against the records of one store. best: BM25 of the store's best document."""

    def __init__(self, words: Lexical, proposal: str, best: float, calibration: Calibration) -> None:
        self._words = words
        self._calibration = calibration
        self._best = best
        self._total = words.count + thresholds.PSEUDO_DOCUMENTS
        self._rarest = max(math.log(1 + self._total), thresholds.RAREST)
        self._weights: dict[str, float] = {}
        self._near = near(words.count, calibration)
        self._proposal = proposal
        self._asked = words.content(proposal)[: thresholds.QUERY_WORDS]
        self._readings = words.readings(proposal)
        self._single = _single(proposal)
        self._asked_all = {*self._asked, *words.whole_names(proposal)[: thresholds.QUERY_WORDS]}
        self._asked_all.update(
            word for others in self._readings.values() for reading in others for word in reading
        )

    def judge(self, record: Record, bm25: float, meaning: Meaning | None, in_words: bool = True) -> Evidence:
        """bm25: of the record, 0 when it was no hit; meaning: None where it has no opinion.

        in_words: whether its words are compared, which costs half a millisecond; else they say nothing.
        """
        lexical, shared = self._compared(record) if in_words else (0.0, 0.0)
        evidence = Evidence(lexical, shared, bm25 / self._best if self._best else 0.0, meaning)
        evidence.margin = margin(lexical, shared, evidence.semantic, self._calibration)
        evidence.order = order(evidence.share, meaning)
        evidence.near = evidence.margin >= 0 or lexical >= thresholds.NEAR_LEXICAL
        if meaning is not None and not evidence.near:
            evidence.near = self._is_near(evidence.order, meaning.cosine)
        evidence.method = self._method(evidence)
        return evidence

    def _is_near(self, order: float, cosine: float) -> bool:
        far = cosine < self._calibration.consent - thresholds.NEAR_SLACK
        return (order >= self._near and not far) or cosine >= self._calibration.alike

    def settle(self, found: Sequence[Evidence]) -> None:
        """Who of the hits of one kind leads, and how far each is to be believed."""
        best = {True: -9.0, False: -9.0}  # with meaning, and without: their orders are of two scales
        for one in found:
            with_meaning = one.meaning is not None
            best[with_meaning] = max(best[with_meaning], one.order)
        for one in found:
            one.leads = one.order >= best[one.meaning is not None] - thresholds.AS_GOOD
            one.leads |= one.lexical >= thresholds.WHOLE_ROUTE
            one.matched = one.leads and one.margin >= 0
            spoke = one.meaning is not None and self._calibration.measured
            one.confidence = confidence(one, self._calibration if spoke else thresholds.WORDS)

    def weights(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """How much each token of the proposal counts: the rarity of the word it is part of."""
        words = [(found.start(), found.end()) for found in _WORD.finditer(self._proposal)]
        known: dict[tuple[int, int], float] = {}
        weights = []
        for start, _ in spans:
            word = next(((a, b) for a, b in words if a <= start < b), None)
            if word is not None and word not in known:
                known[word] = self._rarity(self._proposal[word[0] : word[1]])
            weights.append(known[word] if word is not None else 0.0)
        return weights

    def _rarity(self, word: str) -> float:
        """The weight of the commonest part of a word; none where it is one that any two texts share."""
        parts = [part for part in self._words.analyse(word) if not self._words.stopped(part)]
        return min(map(self._weight, parts), default=0.0)

    def _compared(self, record: Record) -> tuple[float, float]:
        """(mutual containment, mass of what is rare in common)."""
        route, body = self._words.content(texts.route(record)), texts.told(record)
        said = {*self._words.content(body), *self._words.whole_names(body)}
        inside = [word for word in self._asked if word in said or self._read(word, said)]
        few = self._single or len(inside) < thresholds.SHARED_WORDS
        if not route or (few and set(self._asked) != set(route)):
            # one word asked, and the route says it: worth a look, and no more
            named = len(inside) == len(self._asked) and not self._asked_all.isdisjoint(
                (*route, *self._words.whole_names(texts.route(record)))
            )
            return (thresholds.NEAR_LEXICAL if named else 0.0), 0.0
        coverage = self._mass(inside) / (self._mass(self._asked) or 1.0)
        held = [word for word in route if word in self._asked_all]
        shared = sum((self._weight(word) / self._rarest) ** 2 for word in held)
        contained = self._mass(held) / self._mass(route)
        both = (coverage + contained) / 2
        if contained < thresholds.ROUTE_LEAST:  # a part of what the record speaks of, as “feature flags” is
            both = min(both, thresholds.NEAR_LEXICAL)
        if any(self._words.frequency(word) == 1 for word in held):  # a name that no other record says
            both = max(both, thresholds.NEAR_LEXICAL)
        if len(held) == len(route) and self._speaks(route, coverage):
            both = thresholds.WHOLE_ROUTE + (1 - thresholds.WHOLE_ROUTE) * both
        return both, shared

    def containment(self, said: set[str], but: Collection[str] = ()) -> tuple[float, int]:
        """How much of the proposal these words hold, by weight, and how many of its words; `but` count for
        nothing."""
        asked = [word for word in self._asked if word not in but]
        inside = [word for word in asked if word in said or self._read(word, said)]
        return self._mass(inside) / (self._mass(asked) or 1.0), len(inside)

    @property
    def words(self) -> set[str]:
        """All that `containment` looks for."""
        return {*self._asked_all, *self._asked}

    def _read(self, word: str, said: set[str]) -> bool:
        """Whether a record says what the word may stand for."""
        return any(said.issuperset(reading) for reading in self._readings.get(word, ()))

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
            others: tuple[Reading, ...] = () if self._words.frequency(word) else self._readings.get(word, ())
            # a slip is as rare as what it stands for
            held = max(map(self._words.frequency, others[0] if others else (word,)))
            weight = math.log(1 + self._total / (held + 1))
            self._weights[word] = weight
        return weight

    def _method(self, evidence: Evidence) -> str:
        if evidence.semantic is None:
            return LEXICAL
        if evidence.lexical < thresholds.NEAR_LEXICAL and evidence.margin < 0:
            return SEMANTIC
        return BOTH if evidence.semantic >= self._calibration.consent else LEXICAL


def _single(proposal: str) -> bool:
    """Whether it is one word as people write them, of however many parts."""
    written = _WORD.findall(proposal)
    return len(written) < 2 and not any(map(is_unspaced, written))


def order(share: float, meaning: Meaning | None) -> float:
    """Where a hit stands among the others of one proposal: the more, the better."""
    if meaning is None:
        return share
    value = meaning.cosine + thresholds.ORDER_BM25 * share
    if meaning.forward is not None and meaning.backward is not None:
        value += thresholds.ORDER_FORWARD * meaning.forward + thresholds.ORDER_BACKWARD * meaning.backward
    return value


def margin(lexical: float, shared: float, cosine: float | None, calibration: Calibration) -> float:
    """How far the evidence is over the rule (negative: short of it), in spreads of its measure."""
    if cosine is None or not calibration.measured:
        calibration = thresholds.WORDS
    elif cosine < calibration.consent:  # the same names, and speaking of something else
        shared = 0.0
    contained = (lexical - calibration.lexical) / thresholds.LEXICAL_SPREAD
    rare = (shared - calibration.shared) / thresholds.SHARED_SPREAD
    return max(contained, min(rare, thresholds.SHARED_MOST))


def near(records: int, calibration: Calibration) -> float:
    """The order from which on a hit among so many records is worth a look."""
    grown = math.log(max(records, thresholds.NEAR_LEAST) / calibration.records)
    return calibration.near + thresholds.NEAR_GROWTH * grown


def confidence(one: Evidence, calibration: Calibration) -> float:
    """How often such a hit is right, that is, a target among the first three. 0 to 1."""
    intercept, slope = calibration.sure
    if one.matched:
        return _logistic(intercept + slope * one.margin)
    low, slope = calibration.unsure
    return _logistic(low + slope * min(one.margin, 0.0))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(min(value, 50.0), -50.0)))
