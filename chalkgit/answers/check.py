"""check: has this been tried before?

Candidates from both arms, one rule for dead ends and procedures alike, at most `limit` rulings with this
repository first. Below the rule a candidate is near, or counted; "no record" is never approval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers import deciding, drift, rerank
from chalkgit.answers.matching import Evidence, Matcher, order
from chalkgit.answers.ruling import Drifted, Learned, Ruling, measure
from chalkgit.answers.semantic import Semantic
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.index import texts
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import feedback
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.as_of import AsOf
    from chalkgit.answers.deciding import Decided
    from chalkgit.answers.rerank import Reranked
    from chalkgit.answers.semantic import Meaning
    from chalkgit.answers.trusted import Withheld
    from chalkgit.index.embed import Reading

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
        self.withheld = 0  # how many that bear on it the policy leaves out
        self.model: str | None = None
        self.ran = False
        self.covered = 0
        self.skipped: str | None = None
        self.hint: str | None = None
        self.bypassed = False
        self.calibration: str | None = None
        self.rerank: Reranked | None = None  # where the user's settings name a second model
        self.decider: Decided | None = None  # … or a decider
        self.as_of: AsOf | None = None  # the moment it speaks of, where one was asked about


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
        self.drifted: Drifted = drift.measure
        self.learned: Learned | None = None
        self.as_of: AsOf | None = None
        self.withheld: Withheld | None = None
        counts = [source.count() for source in sources]
        self.records = sum(counts)
        self.stores = sum(count > 0 for count in counts)
        self._covered: int | None = None
        self._reranker = None if semantic.lexical else rerank.configured()
        # nobody decides in hindsight what was known at a commit
        self._past = any(source.index.commit is not None for source in sources)
        self._decider = None if semantic.lexical or self._past else deciding.configured()

    def ask(self, proposal: str, limit: int, *, measured: bool = True) -> Answer:
        """The answer for one proposal; `measured` asks git about the rulings to be shown."""
        if not proposal.strip():
            answer = Answer(proposal, EMPTY, self.records)
            answer.skipped = "the proposal is blank"
            return answer
        if not self.semantic.ran and not any(s.index.words.content(proposal) for s in self.sources):
            answer = Answer(proposal, EMPTY, self.records)
            answer.skipped = "the proposal has no word that could be compared"
            return answer
        reading = self.semantic.read(proposal) if self.semantic.ran and self.records else None
        found = [ruling for source in self.sources for ruling in self.candidates(source, proposal, reading)]
        answer = Answer(proposal, CLEAR if self.records else EMPTY, self.records)
        self._tell_semantic(answer)
        if self._reranker is not None:
            answer.rerank = self._reranker.reorder(proposal, found)
        self._sort(answer, [ruling for ruling in found if not ruling.barred], limit)
        if self._decider is not None:
            self._decide(answer, found, limit)
        answer.withheld = len(self._withheld(found))
        if measured:
            indexes = {source.place.root: source.index for source in self.sources}
            shown = [*answer.rulings, *answer.near, *answer.procedures]
            measure(shown, self.here, self.now, indexes, self.drifted, self.learned)
        return answer

    def _decide(self, answer: Answer, found: list[Ruling], limit: int) -> None:
        """Have the decider look at what is not sure enough to interrupt."""
        assert self._decider is not None
        if answer.rulings:
            answer.decider = self._decider.idle or self._decider.unasked()
            return
        alive = [ruling for ruling in found if not ruling.barred]
        dead = [r for r in alive if r.record.kind == "dead-end" and not _never_interrupts(r)]
        from chalkgit.answers import deciding_check  # masking secrets takes a hundred patterns

        answer.decider = deciding_check.lift(self._decider, self.here, answer.proposal, dead)
        if any(ruling.decided is not None for ruling in dead):
            answer.verdict = CLEAR
            self._sort(answer, alive, limit)

    def candidates(self, source: Source, proposal: str, reading: Reading | None) -> list[Ruling]:
        """What either arm finds in one store, in no order, what may not be recalled among it."""
        words, most = source.index.words, thresholds.CANDIDATES
        # what may not be recalled must not crowd out what may: ask deeper until enough are left
        while True:
            hits = dict(words.search(proposal, most))
            near = self.semantic.nearest(source, reading, most) if reading is not None else []
            paths = list(dict.fromkeys([*hits, *source.index.table.paths(near)]))
            found = source.records(paths)
            alive = {record.id for record in found if self._may_be_recalled(record, source)}
            if len(alive) >= min(thresholds.CANDIDATES, len(paths)) or most > words.count:
                break
            most *= 4
        hits = words.scores(proposal, {r.path: texts.body(r) for r in found})
        matcher = Matcher(words, proposal, max(hits.values(), default=0.0), self.semantic.calibration)
        meant: dict[str, Meaning] = {}
        if reading is not None:
            meant = self.semantic.compare(source, reading, matcher.weights(reading.spans), found)
        best = _best_of_either(found, hits, meant)
        judged = [
            (r, matcher.judge(r, hits.get(r.path, 0.0), meant.get(r.id), in_words=r.id in best))
            for r in found
        ]
        for kind in texts.CHECKED:
            matcher.settle([evidence for record, evidence in judged if record.kind == kind])
        return [_ruling(record, source, evidence, record.id not in alive) for record, evidence in judged]

    def _may_be_recalled(self, record: Record, source: Source) -> bool:
        if excluded(record, now=self.now, superseded=source.superseded) is not None:
            return False
        return self.withheld is None or self.withheld.shows(source.place, record)

    def _withheld(self, found: Sequence[Ruling]) -> set[str]:
        """What would be shown, were it not for the policy."""
        ids = self.withheld.ids if self.withheld is not None else ()
        return {r.record.id for r in found if r.record.id in ids and (r.matched or r.near or _over(r))}

    def _sort(self, answer: Answer, found: list[Ruling], limit: int) -> None:
        self._mark([r for r in found if r.matched or r.near or _over(r)])
        dead = [r for r in found if r.record.kind == "dead-end"]
        sure = sorted((r for r in dead if r.matched and not _never_interrupts(r)), key=_here_first)
        others = (r for r in dead if _over(r) and not r.matched and not _never_interrupts(r))
        answer.rulings = [*sure, *sorted(others, key=_here_first)][:limit] if sure else []
        if not sure:
            answer.near = sorted((r for r in dead if r.near), key=_best)[:limit]
        procedures = (r for r in found if r.record.kind == "procedure" and r.matched)
        answer.procedures = sorted(procedures, key=lambda r: (r.silenced, *_here_first(r)))[:limit]
        shown = {id(r) for r in [*answer.rulings, *answer.near, *answer.procedures]}
        answer.below = sum(
            id(r) not in shown and (r.near or (r.lexical or 0) >= thresholds.BELOW_LEXICAL) for r in found
        )
        answer.hits = sorted(dead, key=_best)[: thresholds.HITS]
        if answer.rulings:
            answer.verdict = TRIED
        elif answer.near:
            answer.verdict = NEAR

    def _mark(self, found: Sequence[Ruling]) -> None:
        """What people here say of what may be shown; nothing of a past, since they said it later."""
        if self._past or not found:
            return
        marks = feedback.marks(self.here, [r.record.id for r in found], lambda ids: self._hashes(found, ids))
        for ruling in found:
            ruling.feedback = marks.get(ruling.record.id)

    def _hashes(self, found: Sequence[Ruling], ids: Sequence[str]) -> dict[str, str]:
        paths = {(r.place.root, r.record.path): r.record.id for r in found if r.record.id in ids}
        hashes: dict[str, str] = {}
        for source in self.sources:
            of_root = {path: name for (root, path), name in paths.items() if root == source.place.root}
            found_there = source.index.table.hashes(list(of_root)) if of_root else {}
            hashes.update((of_root[path], content) for path, content in found_there.items())
        return hashes

    def _tell_semantic(self, answer: Answer) -> None:
        answer.stores = self.stores
        answer.model, answer.ran = self.semantic.model, self.semantic.ran and bool(self.records)
        answer.skipped, answer.hint = self.semantic.skipped, self.semantic.hint
        if answer.ran:
            answer.calibration = self.semantic.uncalibrated
        if not self.records and answer.skipped is None:
            answer.skipped = "there was nothing to compare"
        if self._covered is None:
            self._covered = self.semantic.covered(self.sources)
        answer.covered = self._covered


def _best_of_either(
    found: Sequence[Record], hits: Mapping[str, float], meant: Mapping[str, Meaning]
) -> set[str]:
    """The ids of those whose words are compared: of each arm, whether it may be recalled or not."""
    by_words = sorted(found, key=lambda r: (-hits.get(r.path, 0.0), r.id))[: thresholds.COMPARED]
    with_meaning = [r for r in found if r.id in meant]
    by_meaning = sorted(with_meaning, key=lambda r: (-order(0.0, meant[r.id]), r.id))[: thresholds.COMPARED]
    return {record.id for record in (*by_words, *by_meaning)}


def _here_first(ruling: Ruling) -> tuple[bool, float, str]:
    # the id keeps equal ones in one order, whatever order they were found in
    return ruling.elsewhere, -ruling.confidence, ruling.record.id


def _best(ruling: Ruling) -> tuple[float, float, str]:
    return -ruling.confidence if ruling.matched else 0.0, -ruling.order, ruling.record.id


def _never_interrupts(ruling: Ruling) -> bool:
    """What is local, or about design, holds where it was found out: elsewhere it is only near. So is what
    people here marked wrong."""
    record = ruling.record
    here_alone = record.get("scope") == "local" or record.get("layer") == "design"
    return ruling.silenced or (ruling.elsewhere and here_alone)


def _ruling(record: Record, source: Source, evidence: Evidence, barred: bool) -> Ruling:
    ruling = Ruling(record, source.place, elsewhere=source.elsewhere, label=source.label)
    ruling.evidence, ruling.barred = evidence, barred
    ruling.lexical, ruling.semantic = evidence.lexical, evidence.semantic
    ruling.confidence, ruling.matched, ruling.method = evidence.confidence, evidence.matched, evidence.method
    ruling.near, ruling.order = evidence.near, evidence.order
    return ruling


def _over(ruling: Ruling) -> bool:
    """Whether it is over the rule, if not among the best: it does not interrupt, and goes with what does."""
    return ruling.evidence is not None and ruling.evidence.margin >= 0
