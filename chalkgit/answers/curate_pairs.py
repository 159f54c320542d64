"""Pairs of records that say the same, nearly the same, or the opposite.

Candidates come from the words of the index, so that no record is compared with all others. Each of a pair
must hold nearly all of the other, by the measure that `check` decides with; meaning, where a model is there,
may only take a pair away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers import contradiction
from chalkgit.answers.matching import Evidence, Matcher, confidence, margin
from chalkgit.answers.stored import read, superseded
from chalkgit.index import texts
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.semantic import Semantic

Report = Callable[[int, int], None]
EXACT, NEAR, ALTERNATIVE = "exact", "near", "alternative"
# Signs that tell code from code: F(T) is not F[T].
_SIGNS = frozenset("()[]{}<>=?@%$&*|^~")


class Pair:
    """Two records. kind: EXACT, NEAR, or ALTERNATIVE: what `record` says to do instead is `other`.

    confidence: 1 for EXACT, else as `check` has it, of the weaker direction. why: in words. against: why the
    two contradict each other, None where they do not. A NEAR pair of two kinds is there for `against` alone.
    """

    __slots__ = ("against", "confidence", "kind", "other", "record", "why")

    def __init__(self, record: Record, other: Record, sure: float, kind: str, why: str) -> None:
        self.record = record
        self.other = other
        self.confidence = sure
        self.kind = kind
        self.why = why
        found = contradiction.misleads if kind == ALTERNATIVE else contradiction.contradicts
        self.against = found(record, other)

    def __repr__(self) -> str:
        return f"Pair({self.record.id} {self.other.id} {self.kind} {self.confidence:.2f})"


def near(
    index: Index,
    records: Iterable[Record],
    now: datetime,
    semantic: Semantic | None = None,
    progress: Report | None = None,
) -> list[Pair]:
    """The pairs of these records and any that may be recalled, each once, the surest first.

    Where the semantic arm cannot be used it says why by itself (`semantic.skipped`).
    """
    living = alive(index, now)
    asked = [living[record.id] for record in records if record.id in living]
    pairs = _exact(asked, list(living.values()))
    met = {_key(pair) for pair in pairs}
    found = _Search(index, living, semantic).pairs(asked, met, progress)
    return sorted([*pairs, *found], key=lambda p: (-p.confidence, p.kind, p.record.id, p.other.id))


def alive(index: Index, now: datetime) -> dict[str, Record]:
    """The records that may be recalled, by id; working notes left out."""
    replaced = superseded(index)
    ids = index.table.rows("select distinct id from files where id is not null and body is not null")
    found = read(index, sorted(index.table.paths([row[0] for row in ids])))
    return {
        record.id: record
        for record in found
        if not record.path.startswith(worktree.NOTES + "/")
        and excluded(record, now=now, superseded=replaced) is None
    }


def normal(text: str | None) -> str:
    """A text without what two people type differently: letters' case, blanks, the full stop."""
    return " ".join((text or "").casefold().split()).rstrip(".!;, ")


def _said(record: Record) -> tuple[str, ...]:
    """All that makes two records the same one."""
    if record.kind != "lesson":
        told = record.text("observation" if record.kind == "dead-end" else "trap")
        return record.kind, normal(texts.route(record)), normal(told)
    failure = record.get("failure")
    failed = failure if isinstance(failure, dict) else {}
    named = (str(failed.get(name) or "") for name in ("error", "reason", "output"))
    fixed = record.text("resolution") or record.text("lesson")
    return record.kind, *map(normal, named), normal(fixed)


def _key(pair: Pair) -> frozenset[str]:
    return frozenset((pair.record.id, pair.other.id))


def _exact(asked: Sequence[Record], living: Sequence[Record]) -> list[Pair]:
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in living:
        groups.setdefault(_said(record), []).append(record)
    pairs: dict[frozenset[str], Pair] = {}
    for record in asked:
        first, *rest = groups[_said(record)]
        if rest:  # of many that are the same each is paired with the first
            other = rest[0] if record is first else first
            pair = Pair(record, other, 1.0, EXACT, f"{record.id} and {other.id} say the same")
            pairs.setdefault(_key(pair), pair)
    return list(pairs.values())


class _Search:
    """One index, asked for the records that are like others."""

    def __init__(self, index: Index, living: dict[str, Record], semantic: Semantic | None) -> None:
        self._words = index.words
        self._by_path = {record.path: record for record in living.values()}
        self._semantic = semantic
        calibration = semantic.calibration if semantic is not None else thresholds.WORDS
        # what is decided here is decided by words; a model's cosine says how far it may be believed
        self._calibration = calibration if calibration.measured else thresholds.WORDS
        self._vetoes = calibration.measured and semantic is not None and semantic.ran
        self._content: dict[str, frozenset[str]] = {}

    def pairs(self, asked: Sequence[Record], met: set[frozenset[str]], progress: Report | None) -> list[Pair]:
        found = []
        for number, record in enumerate(asked, 1):
            if record.kind in texts.CHECKED:
                found += self._near(record, met)
                found += self._misled(record)
            if progress is not None:
                progress(number, len(asked))
        return [pair for pair in self._agreed(found) if pair.record.kind == pair.other.kind or pair.against]

    def _near(self, record: Record, met: set[frozenset[str]]) -> list[Pair]:
        found = []
        for other in self._candidates(record, texts.route(record)):
            key = frozenset((record.id, other.id))
            if key in met:
                continue
            met.add(key)
            # what is the same throughout was paired already, each with the first of its group
            held = self._held(record, other) if _said(record) != _said(other) else None
            if held is not None:
                why = f"each says {round(100 * held)} % of what the other says, in the same words"
                found.append(Pair(record, other, self._sure(held), NEAR, why))
        return found

    def _misled(self, record: Record) -> list[Pair]:
        """Those whose route is what the record says to do instead, and that rule it out."""
        told = record.text("alternative")
        if told is None or not told.strip():
            return []
        instead = Record({"id": record.id, "kind": record.kind, "route": told}, record.path)
        found = []
        for other in self._candidates(instead, told):
            if contradiction.misleads(record, other) is None:
                continue
            held = self._held(instead, other)
            if held is not None:
                why = f"what {record.id} says to do instead is the route of {other.id}"
                found.append(Pair(record, other, self._sure(held), ALTERNATIVE, why))
        return found

    def _candidates(self, record: Record, text: str) -> list[Record]:
        hits = dict(self._words.search(text, thresholds.HITS))
        # its own score where it was found: no other can be nearer to it than itself
        own = hits.get(record.path) or max(hits.values(), default=0.0)
        floor = own * thresholds.REPEATS_SHARE
        others = (self._by_path.get(path) for path, score in hits.items() if score >= floor)
        return [other for other in others if other is not None and other.id != record.id]

    def _held(self, a: Record, b: Record) -> float | None:
        """How much each holds of the other, of the weaker direction; None where that is not nearly all."""
        if self._swapped(a, b):
            return None
        least = 1.0
        for one, other in ((a, b), (b, a)):
            matcher = Matcher(self._words, texts.route(one), 0.0, self._calibration)
            least = min(least, matcher.judge(other, 0.0, None).lexical)
            if least < thresholds.REPEATS_LEXICAL:
                return None
        return least

    def _swapped(self, a: Record, b: Record) -> bool:
        """Whether each names what the other does not, as two alternatives do."""
        routes = [texts.route(one) for one in (a, b)]
        ours, theirs = map(self._telling, routes)
        signs, others = (_SIGNS & set(route) for route in routes)
        return bool(ours - theirs and theirs - ours) or bool(signs - others and others - signs)

    def _telling(self, route: str) -> frozenset[str]:
        if route not in self._content:
            self._content[route] = frozenset(w for w in self._words.content(route) if len(w) > 1)
        return self._content[route]

    def _sure(self, lexical: float) -> float:
        evidence = Evidence(lexical, 0.0, 0.0, None)
        evidence.margin = margin(lexical, 0.0, None, self._calibration)
        evidence.matched = evidence.margin >= 0
        return confidence(evidence, self._calibration)

    def _agreed(self, pairs: list[Pair]) -> list[Pair]:
        """Those whose meaning does not differ, as far as a model can tell."""
        if not self._vetoes or not pairs:
            return pairs
        semantic = self._semantic
        assert semantic is not None
        wanted = {_meant(one, pair) for pair in pairs for one in (pair.record, pair.other)}
        listed = sorted(wanted, key=len)
        semantic.load()  # says by itself why it cannot
        if not semantic.ran:
            return pairs
        readings = dict(zip(listed, semantic.engine().read(listed), strict=True))
        least = semantic.calibration.consent + thresholds.REPEATS_OVER_CONSENT

        def cosine(pair: Pair) -> float:
            one, other = (readings[_meant(record, pair)].vector for record in (pair.record, pair.other))
            return float(one @ other)

        return [pair for pair in pairs if cosine(pair) >= least]


def _meant(record: Record, pair: Pair) -> str:
    """The text of one of a pair that a model reads."""
    if pair.kind != ALTERNATIVE:
        return texts.embedded(record)
    return str(record.text("alternative")) if record is pair.record else texts.route(record)
