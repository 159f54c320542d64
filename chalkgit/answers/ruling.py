"""A ruling: a record as it bears on one proposal or file now, with what has moved since it was written.

Only rulings about to be shown are measured: that asks git, a call each, all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from chalkgit import times
from chalkgit.answers import dependencies, drift, reopening, unseen
from chalkgit.answers.dependencies import Dependencies
from chalkgit.index import recorded
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.sealing import claims_approval
from chalkgit.records.status import trust
from chalkgit.store.moments import Moment
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.matching import Evidence
    from chalkgit.store.feedback import Marks

Drifted = Callable[[str, Sequence[drift.Ask]], list[str | None]]
Learned = Callable[[str, Sequence[str]], Mapping[str, Moment] | None]
RECORD, NOTE = "record", "working note"


class Ruling:
    """What `check` and `at` show. Scores are None where an arm did not speak; `files` are `at`'s."""

    __slots__ = (
        "barred",
        "commit",
        "confidence",
        "decided",
        "drift",
        "elsewhere",
        "evidence",
        "feedback",
        "files",
        "label",
        "lexical",
        "matched",
        "method",
        "near",
        "order",
        "place",
        "record",
        "recorded_at",
        "reopened",
        "semantic",
        "shares",
        "source",
        "stale",
        "trust",
        "uncommitted",
        "unknown",
    )

    def __init__(self, record: Record, place: Place, *, elsewhere: bool = False, label: str = "") -> None:
        self.record = record
        self.place = place
        self.elsewhere = elsewhere
        self.feedback: Marks | None = None  # what people here said of it, where they did
        self.label = label
        self.source = NOTE if record.path.startswith("@notes/") else RECORD
        self.method = ""
        self.evidence: Evidence | None = None
        self.lexical: float | None = None
        self.semantic: float | None = None
        self.barred = False  # it may not be recalled, and is only compared
        self.confidence = 0.0
        self.decided: float | None = None  # how sure a decider is, where it was followed
        self.matched = False
        self.near = False
        self.order = 0.0
        self.files: list[str] = []
        self.stale: str | None = None
        self.drift: str | None = None
        self.reopened: str | None = None
        self.shares: bool | None = None
        self.recorded_at: str | None = None
        self.commit: str | None = None
        self.uncommitted = False
        self.unknown: list[str] = []  # what of this is nothing since the clone is cut off, as JSON names it
        self.trust = trust(record)  # `measure` asks git, where the record claims an approval

    @property
    def silenced(self) -> bool:
        """Whether people here marked it wrong, so that it interrupts nobody."""
        return self.feedback is not None and self.feedback.silenced

    @property
    def why(self) -> str:
        """Why it is shown, in words, and why it does not interrupt where people say so."""
        if self.feedback is None or not self.feedback.silenced:
            return self._found
        times_of = f"{self.feedback.wrong} time{'s' if self.feedback.wrong != 1 else ''}"
        so = "it comes last" if self.files else "it does not interrupt"
        return f"{self._found}; marked wrong {times_of} by people here: {so} (chalkgit feedback)"

    @property
    def _found(self) -> str:
        if self.files:
            return f"it names {', '.join(self.files)}"
        words = f"words {self.lexical or 0:.2f}"
        if self.decided is not None:
            meaning = "" if self.semantic is None else f", meaning {self.semantic:.2f}"
            return f"a decider finds that it rules this out ({self.decided:.2f}); {words}{meaning}"
        if self.semantic is None:
            found = f"by its {words}"
        elif self.method == "semantic":
            found = f"by its meaning {self.semantic:.2f}, {words}"
        elif self.method == "lexical":
            found = f"by its {words}, meaning {self.semantic:.2f}"
        else:
            found = f"by its {words} and its meaning {self.semantic:.2f}"
        return f"{found}; confidence {self.confidence:.2f}"

    @property
    def when(self) -> str | None:
        """The day it was found out: where its valid time starts, else when git learned it."""
        start = self.record.text("valid-from")
        if start and times.is_date(start):
            return start[:10]
        return self.recorded_at[:10] if self.recorded_at else None


def measure(
    rulings: Sequence[Ruling],
    here: Place,
    now: datetime,
    indexes: Mapping[str, Index],
    drifted: Drifted = drift.measure,
    learned: Learned | None = None,
) -> None:
    """Fill in drift, staleness, reopening and transaction time of rulings about to be shown.

    indexes: of each root, to keep what git said about a file that did not change. drifted: what stands in for
    `drift.measure`, where somebody keeps what it said. learned: the moments of a root's files, where somebody
    keeps them; it says None where git has to be asked.
    """
    records = [r for r in rulings if r.source == RECORD]
    _prove(records, indexes)
    for root in dict.fromkeys(r.place.root for r in records):
        of_root = [r for r in records if r.place.root == root]
        paths = [r.record.path for r in of_root]
        asks = [(r.record.text("at-commit"), exact_paths(r.record)) for r in of_root]
        if indexes[root].commit is not None:
            times_of, moved = _then(indexes[root], paths, asks)
        else:
            kept = learned(root, paths) if learned is not None else None
            logs = recorded.begin(indexes[root], paths) if kept is None else None
            moved = drifted(root, asks)
            times_of = recorded.finish(indexes[root], logs) if logs is not None else kept or {}
        for ruling, words in zip(of_root, moved, strict=True):
            ruling.drift = words or None
            ruling.unknown += [unseen.DRIFT] if words == drift.UNSEEN else []
            ruling.commit, ruling.recorded_at, held = times_of[ruling.record.path]
            ruling.unknown += unseen.of_moment(times_of[ruling.record.path])
            ruling.uncommitted = not held
    local = depends(here, indexes)
    per_root = {here.root: local}
    for ruling in rulings:
        root = ruling.place.root
        of_place = per_root.setdefault(root, local if root == here.root else depends(ruling.place, indexes))
        ruling.stale = dependencies.stale(ruling.record, of_place, ruling.when, now)
        until = indexes[root].commit if root in indexes else None
        untold: list[str] = []
        touched = drift_touched(root, until)
        ruling.reopened = reopening.met(
            ruling.record, dependencies=of_place, now=now, touched=touched, unseen=untold
        )
        ruling.unknown += [unseen.REOPENED] if untold else []
        if ruling.elsewhere and ruling.record.get("layer") == "dependency":
            ruling.shares = _shares(ruling.record, local)


def _prove(rulings: Sequence[Ruling], indexes: Mapping[str, Index]) -> None:
    """The trust in those that claim an approval."""
    claiming = [r for r in rulings if claims_approval(r.record)]
    if not claiming:
        return
    from chalkgit.answers.trusted import Trusted

    trusted: dict[str, Trusted] = {}
    for ruling in claiming:
        commit = (indexes[ruling.place.root].commit if ruling.place.root in indexes else None) or "HEAD"
        found = trusted.setdefault(commit, Trusted(commit)).of(ruling.place, ruling.record)
        ruling.trust = found.state
        ruling.unknown += [unseen.TRUST] if found.unseen else []


def _then(
    index: Index, paths: Sequence[str], asks: Sequence[drift.Ask]
) -> tuple[Mapping[str, Moment], list[str | None]]:
    """The moments and the drift as of the commit that an index is of."""
    from chalkgit.index import past

    return past.recorded(index, paths), drift.measure(index.place.root, asks, index.commit)


def depends(place: Place, indexes: Mapping[str, Index]) -> Dependencies:
    """What the lockfiles say, of the work tree or of the commit that its index is of."""
    commit = indexes[place.root].commit if place.root in indexes else None
    if commit is None:
        return Dependencies(place.root)
    from chalkgit.answers import then

    return then.dependencies(place.root, commit)


def drift_touched(root: str, until: str | None) -> reopening.Touched:
    return lambda commit, path: drift.touched(root, commit, path, until)


def exact_paths(record: Record) -> list[str]:
    return [name for name in record.items("files") if "/" in name and not any(c in name for c in "*?[")]


def _shares(record: Record, local: Dependencies) -> bool | None:
    names = list((record.get("depends-on") or {}).keys())
    return any(local.shares(name) for name in names) if names else None
