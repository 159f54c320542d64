"""What a person says of a record that was shown: the record found, the word kept, and what that changes.

It is kept in the journal of the repository that one asks from, whichever store the record is of. One's own
last word on a record as it stands counts.
"""

from __future__ import annotations

from datetime import datetime

from chalkgit import ids, times
from chalkgit.answers import deciding_judged, repair, sources
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record, title
from chalkgit.records.status import excluded
from chalkgit.store import feedback
from chalkgit.store.feedback import Marks
from chalkgit.store.place import Place


class Said:
    """word: None where it was taken back; `taken_back`: how many words that were. marks: what people here say
    of the record now. judged: whether a decider's answer about it was right, None where none waited for that.
    trouble: why it could not be judged. alive: whether it may be recalled at all."""

    __slots__ = (
        "alive",
        "elsewhere",
        "judged",
        "marks",
        "record",
        "surface",
        "taken_back",
        "trouble",
        "who",
        "word",
    )

    def __init__(self, record: Record, source: Source, who: str | None, now: datetime) -> None:
        self.record = record
        self.elsewhere = source.place.root if source.elsewhere else None
        self.who = who
        self.alive = excluded(record, now=now, superseded=source.superseded) is None
        self.word: str | None = None
        self.taken_back = 0
        self.surface: str | None = None
        self.marks = Marks()
        self.judged: bool | None = None
        self.trouble: str | None = None

    @property
    def interrupts(self) -> bool:
        """Whether `check` may say that it was tried."""
        return self.alive and self.record.kind == "dead-end" and not self.marks.silenced


class Marking:
    """One record of any store that is asked. tell: hears which store cannot be."""

    def __init__(self, place: Place, prefix: str, who: str | None, tell: sources.Tell) -> None:
        self._place = place.require_store()
        self._who = who
        self._now = times.system_clock()
        self._record, self._source, self._hash = repair.once(
            lambda rebuild: _found(self._place, prefix, tell, rebuild)
        )

    def say(self, word: str, because: str | None) -> Said:
        """Keep it, and have it judge a decider's answer. ChalkError where it cannot be kept."""
        said = Said(self._record, self._source, self._who, self._now)
        said.word = word
        at = times.milliseconds(self._now)
        said.surface = feedback.keep(self._place, said.record.id, self._hash, word, self._who, because, at)
        try:
            said.judged = deciding_judged.judge(self._place, said.record.id, word, self._who)
        except ChalkError as error:
            said.trouble = error.message
        said.marks = self._marks()
        return said

    def withdraw(self) -> Said:
        said = Said(self._record, self._source, self._who, self._now)
        said.taken_back = feedback.withdraw(self._place, said.record.id, self._who)
        deciding_judged.withdraw(self._place, said.record.id, self._who)
        said.marks = self._marks()
        return said

    def _marks(self) -> Marks:
        name = self._record.id
        return feedback.marks(self._place, [name], lambda ids: {name: self._hash}).get(name, Marks())


def _found(place: Place, prefix: str, tell: sources.Tell, rebuild: bool) -> tuple[Record, Source, str]:
    known: dict[str, tuple[Source, str]] = {}
    for source in sources.opened(place, here=False, tell=tell, rebuild=rebuild, words=False):
        for name, path in source.index.table.ids().items():
            known.setdefault(name, (source, path))

    def read(name: str) -> Record:
        source, path = known[name]
        return source.records([path])[0]

    name = ids.resolve(prefix, known, lambda one: f"{one} ({title(read(one))[:60]})")
    source, path = known[name]
    return read(name), source, source.index.table.hashes([path]).get(path, "")
