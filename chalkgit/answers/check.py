"""check: has this been tried before?

Candidates from both arms, one rule for dead ends and procedures alike, at most `limit` rulings with this
repository first. Below the rule a candidate is near, or counted; "no record" is never approval.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers import matching
from chalkgit.answers.matching import Matcher
from chalkgit.answers.ruling import Ruling, measure
from chalkgit.answers.semantic import Semantic
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store.place import Place

TRIED, NEAR, CLEAR, EMPTY, UNKNOWN = "tried", "near", "clear", "empty", "unknown"


class Answer:
    """What `check` says of one proposal. `hits` are the best candidates whatever the verdict."""

    def __init__(self, proposal: str, verdict: str, records: int) -> None:
        self.proposal = proposal
        self.verdict = verdict
        self.records = records
        self.stores = 1  # how many of them hold records
        self.rulings: list[Ruling] = []
        self.near: list[Ruling] = []
        self.procedures: list[Ruling] = []
        self.hits: list[Ruling] = []
        self.below = 0
        self.model: str | None = None
        self.ran = False
        self.covered = 0
        self.skipped: str | None = None
        self.hint: str | None = None
        self.bypassed = False
        self.calibration: str | None = None


def bypassed(proposal: str) -> Answer:
    answer = Answer(proposal, EMPTY, 0)
    answer.bypassed = True
    answer.skipped = "the check is switched off by CHALKGIT_BYPASS_CHECK"
    return answer


def unknown(proposal: str, why: ChalkError) -> Answer:
    """What this clone cannot see is unknown, never no."""
    answer = Answer(proposal, UNKNOWN, 0)
    answer.skipped, answer.hint = why.message, why.hint
    return answer


class Checker:
    """The stores opened once, for one proposal or many."""

    def __init__(self, here: Place, sources: Sequence[Source], semantic: Semantic, now: datetime) -> None:
        self.here = here
        self.sources = sources
        self.semantic = semantic
        self.now = now
        counts = [source.count() for source in sources]
        self.records = sum(counts)
        self.stores = sum(count > 0 for count in counts)
        self._covered: int | None = None

    def ask(self, proposal: str, limit: int, *, measured: bool = True) -> Answer:
        """The answer for one proposal; `measured` asks git about the rulings to be shown."""
        if not proposal.strip():
            answer = Answer(proposal, EMPTY, self.records)
            answer.skipped = "the proposal is blank"
            return answer
        vector = self.semantic.vector(proposal) if self.semantic.ran and self.records else None
        found = [ruling for source in self.sources for ruling in self._candidates(source, proposal, vector)]
        answer = Answer(proposal, CLEAR if self.records else EMPTY, self.records)
        self._tell_semantic(answer)
        self._sort(answer, found, limit)
        if measured:
            indexes = {source.place.root: source.index for source in self.sources}
            shown = [*answer.rulings, *answer.near, *answer.procedures]
            measure(shown, self.here, self.now, indexes)
        return answer

    def _candidates(self, source: Source, proposal: str, vector: object) -> list[Ruling]:
        words = source.index.words
        decides, ranks = ({}, {}) if vector is None else self.semantic.similar(source, vector)
        nearest = sorted(ranks, key=lambda i: (-ranks[i], i))
        rulings: list[Ruling] = []
        most = thresholds.CANDIDATES
        # what may not be recalled must not crowd out what may: ask deeper until enough are left
        while True:
            hits = dict(words.search(proposal, most))
            paths = list(dict.fromkeys([*hits, *source.index.table.paths(nearest[:most])]))
            alive = [r for r in source.records(paths) if self._may_be_recalled(r, source)]
            if len(alive) >= min(thresholds.CANDIDATES, len(paths)) or most > words.count:
                break
            most *= 4
        matcher = Matcher(words, proposal, max(hits.values(), default=0.0), self.semantic.limits)
        for record in alive:
            i = record.id
            evidence = matcher.judge(record, hits.get(record.path, 0.0), decides.get(i), ranks.get(i))
            rulings.append(_ruling(record, source, evidence))
        return rulings

    def _may_be_recalled(self, record: Record, source: Source) -> bool:
        return excluded(record, now=self.now, superseded=source.superseded) is None

    def _sort(self, answer: Answer, found: list[Ruling], limit: int) -> None:
        dead = [r for r in found if r.record.kind == "dead-end"]
        sure = sorted((r for r in dead if r.matched and not _never_interrupts(r)), key=_here_first)
        answer.rulings = sure[:limit]
        if not sure:
            answer.near = sorted((r for r in dead if r.near), key=_best)[:limit]
        procedures = (r for r in found if r.record.kind == "procedure" and r.matched)
        answer.procedures = sorted(procedures, key=_here_first)[:limit]
        shown = {id(r) for r in [*answer.rulings, *answer.near, *answer.procedures]}
        answer.below = sum(
            id(r) not in shown and (r.near or r.confidence >= thresholds.BELOW_CONFIDENCE) for r in found
        )
        answer.hits = sorted(dead, key=_best)[: thresholds.HITS]
        if answer.rulings:
            answer.verdict = TRIED
        elif answer.near:
            answer.verdict = NEAR

    def _tell_semantic(self, answer: Answer) -> None:
        answer.stores = self.stores
        answer.model, answer.ran = self.semantic.model, self.semantic.ran and bool(self.records)
        answer.skipped, answer.hint = self.semantic.skipped, self.semantic.hint
        if answer.ran:
            answer.calibration = self.semantic.calibration
        if not self.records and answer.skipped is None:
            answer.skipped = "there was nothing to compare"
        if self._covered is None:
            self._covered = self.semantic.covered(self.sources)
        answer.covered = self._covered


def _here_first(ruling: Ruling) -> tuple[bool, float, str]:
    # the id keeps equal ones in one order, whatever order they were found in
    return ruling.elsewhere, -ruling.confidence, ruling.record.id


def _best(ruling: Ruling) -> tuple[float, float, str]:
    return -ruling.confidence if ruling.matched else 0.0, -ruling.order, ruling.record.id


def _never_interrupts(ruling: Ruling) -> bool:
    """What is local, or about design, holds where it was found out: elsewhere it is only near."""
    record = ruling.record
    return ruling.elsewhere and (record.get("scope") == "local" or record.get("layer") == "design")


def _ruling(record: Record, source: Source, evidence: matching.Evidence) -> Ruling:
    ruling = Ruling(record, source.place, elsewhere=source.elsewhere, label=source.label)
    ruling.lexical, ruling.semantic = evidence.lexical, evidence.semantic
    ruling.confidence, ruling.matched, ruling.method = evidence.confidence, evidence.matched, evidence.method
    ruling.near, ruling.order = evidence.near, evidence.order
    return ruling
