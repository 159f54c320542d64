"""curate: a page of what could be tidied up in a store, each with the command that would mend it.

Nothing is changed, and the same store gives the same page. What could not be looked at is said.
"""

from __future__ import annotations

import calendar
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from chalkgit import thresholds, times
from chalkgit.answers import ages, curate_pairs, curate_rot, curate_use, findable, stored, successions
from chalkgit.answers.check import Checker
from chalkgit.answers.curate_pairs import EXACT, Pair
from chalkgit.answers.semantic import Semantic
from chalkgit.answers.sources import Source
from chalkgit.index import texts
from chalkgit.index.generation import Index
from chalkgit.records.record import Record, is_open
from chalkgit.records.status import excluded
from chalkgit.store import journal, moments, worktree

Report = Callable[[int, int], None]
# In the order of the page: what costs readers most comes first.
SECTIONS = (
    ("circle", "Records that replace each other in a circle"),
    ("fork", "Records that several others replace"),
    ("contradicting", "Records that contradict each other"),
    ("wrong", "Records that people marked wrong"),
    ("exact", "Records that say the same"),
    ("near", "Records that say nearly the same"),
    ("unfindable", "Records that nobody would find"),
    ("orphaned", "Records whose files are gone"),
    ("drifted", "Records whose files have changed since"),
    ("expired", "Records that have expired"),
    ("open", "Lessons left open"),
    ("unused", "Records that were shown often and never used"),
    ("unshown", "Records that were never shown"),
)


class Found:
    """One thing to look at. mend: commands, any one of which would do; confidence: of a pair, else None."""

    __slots__ = ("confidence", "mend", "records", "section", "why")

    def __init__(
        self,
        section: str,
        records: Sequence[Record],
        why: str,
        mend: Sequence[str],
        confidence: float | None = None,
    ) -> None:
        self.section = section
        self.records = list(records)
        self.why = why
        self.mend = list(mend)
        self.confidence = confidence


class Page:
    """What was found, in the order of the page, and what could not be looked at (`notes`)."""

    __slots__ = ("found", "months", "notes", "records", "semantic")

    def __init__(self, months: int, semantic: Semantic) -> None:
        self.found: list[Found] = []
        self.notes: list[str] = []
        self.months = months
        self.records = 0
        self.semantic = semantic


class Curator:
    """One store, looked at once. report: makes a progress line of a word for what is done."""

    def __init__(self, index: Index, now: datetime, months: int, semantic: Semantic) -> None:
        self._index = index
        self._now = now
        self._since = before(now, months)
        self._page = Page(months, semantic)
        self._living = curate_pairs.alive(index, now)
        self._moments = moments.recorded(index.place)
        self._age = ages.Ages(index.place)

    def page(self, report: Callable[[str], Report]) -> Page:
        page = self._page
        every = self._all()
        page.records = len(every)
        self._successions({record.id: record for record in every})
        self._pairs(report("comparing"))
        self._unfindable(report("asking for each record"))
        living = list(self._living.values())
        self._files(living)
        self._expired(every)
        self._open(every)
        self._used(living)
        self._unshown(living)
        rank = {name: number for number, (name, _) in enumerate(SECTIONS)}
        page.found.sort(key=lambda found: rank[found.section])
        return page

    def _all(self) -> list[Record]:
        paths = sorted(self._index.table.ids().values())
        return [r for r in stored.read(self._index, paths) if not r.path.startswith(worktree.NOTES + "/")]

    def _add(self, section: str, records: Sequence[Record], why: str, *mend: str) -> None:
        self._page.found.append(Found(section, records, why, mend))

    def _successions(self, every: Mapping[str, Record]) -> None:
        for circle in successions.circles(every):
            said = (
                "each replaces the next, and the last the first" if len(circle) > 1 else "it replaces itself"
            )
            why = f"{said}: that leaves nothing to recall"
            self._add("circle", [every[i] for i in circle], why, *successions.opening(every, circle))
        for old, names in successions.forks(every):
            standing = sorted((every[i] for i in names), key=self._age)
            why = f"{_listed(names)} each replace {old}: which of them holds?"
            mend = successions.joining(every, old, [record.id for record in standing])
            self._add("fork", [*filter(None, [every.get(old)]), *standing], why, *mend)

    def _pairs(self, report: Report) -> None:
        semantic = self._page.semantic
        pairs = curate_pairs.near(self._index, self._living.values(), self._now, semantic, report)
        for pair in pairs:
            section, why = ("contradicting", pair.against) if pair.against else (pair.kind, pair.why)
            older, newer = sorted((pair.record, pair.other), key=self._age)
            mend = [f"chalkgit supersede {older.id} --by {newer.id}"]
            if pair.against:
                mend += [f'chalkgit correct {older.id} --scope local --files "…"', retire(older)]
            elif pair.kind != EXACT:
                mend.append(f'chalkgit correct {older.id} {_words(older)} "…"')
            found = Found(section, _order(pair, older, newer), str(why), mend, pair.confidence)
            self._page.found.append(found)
        if semantic.skipped:
            hint = f" ({semantic.hint})" if semantic.hint else ""
            self._page.notes.append(
                f"pairs by words alone; meaning was not compared: {semantic.skipped}{hint}"
            )

    def _recorded(self, record: Record) -> str | None:
        return self._moments.get(record.path, moments.UNCOMMITTED)[1]

    def _written(self, record: Record) -> datetime | None:
        """When the record last said something else, as git knows it, else the day that it names."""
        said = self._recorded(record) or record.text("valid-from")
        return times.parse(said) if said and times.is_date(said) else None

    def _unfindable(self, report: Report) -> None:
        """Asked by words alone, and only those that are not among the first for their own route."""
        asked = [r for r in self._living.values() if r.kind in texts.CHECKED]
        paired = {r.id for f in self._page.found if f.section in ("exact", "near") for r in f.records}
        lost = set()
        for number, record in enumerate(asked, 1):
            hits = self._index.words.search(texts.route(record), thresholds.AMONG)
            if record.id not in paired and record.path not in dict(hits):
                lost.add(record.path)
            report(number, len(asked))
        if lost:
            source = Source(self._index, elsewhere=False, label="", hidden=set())
            checker = Checker(self._index.place, [source], Semantic(lexical=True), self._now)
            by_path = {record.path: record for record in asked}
            for problem in findable.findings(checker, lost.__contains__):
                record = by_path[problem.path]
                self._add(
                    "unfindable", [record], problem.message, f'chalkgit correct {record.id} --route "…"'
                )
        if asked:
            self._page.notes.append("found or not, by words: chalkgit lint --findable asks by meaning too")

    def _files(self, living: Sequence[Record]) -> None:
        for record, moved in curate_rot.orphaned(self._index.place, living):
            names = record.items("files")
            why = f"no file is there of {', '.join(names[:3])}" + (
                f" and {len(names) - 3} more" * (len(names) > 3)
            )
            if moved:
                why += "; history moved " + ", ".join(f"{old} to {new}" for old, new in moved.items())
                kept = [moved.get(name, name) for name in names if name in moved]
                mend = [_correct(record, "files", kept)]
            else:
                mend = [f"chalkgit settle {record.id} --by COMMIT"] if record.kind != "procedure" else []
            self._add("orphaned", [record], why, *mend, retire(record))
        for record, count, whole in curate_rot.drifted(self._index.place, living):
            least = "" if whole else "at least "
            why = f"{least}{count} commits since have touched its files"
            mend = [f"chalkgit show {record.id}"]
            if record.kind != "procedure":
                mend.append(f"chalkgit settle {record.id} --by COMMIT")
            self._add(
                "drifted",
                [record],
                why,
                *mend,
                f"chalkgit correct {record.id} --at-commit $(git rev-parse HEAD)",
            )

    def _expired(self, every: Sequence[Record]) -> None:
        replaced = stored.superseded(self._index)
        for record in every:
            if excluded(record, now=self._now, superseded=replaced) == "expired":
                until = record.text("valid-until")
                again = f"chalkgit correct {record.id} --valid-until DATE"
                self._add("expired", [record], f"it held until {until}", retire(record), again)

    def _open(self, every: Sequence[Record]) -> None:
        replaced = stored.superseded(self._index)
        for record in every:
            state = excluded(record, now=self._now, superseded=replaced)
            written = self._written(record)
            if is_open(record) and state == "open" and written is not None and written < self._since:
                why = f"it is open since {times.day(written)}"
                self._add("open", [record], why, f'chalkgit resolve {record.id} --note "…"', retire(record))

    def _used(self, living: Sequence[Record]) -> None:
        """By what people said, and by what became of what was shown, on this machine."""
        for record, why in curate_use.wrong(self._index, living):
            scope = "" if record.kind == "lesson" else " --scope local"
            again = f'chalkgit correct {record.id}{scope} {_words(record)} "…"'
            settle = [f"chalkgit settle {record.id} --by COMMIT"] if record.kind != "procedure" else []
            self._add("wrong", [record], why, f"chalkgit show {record.id}", again, *settle, retire(record))
        for record, why in curate_use.unused(self._index, living, self._page.notes):
            helped = f"chalkgit feedback {record.id} useful"
            again = f'chalkgit correct {record.id} --files "…"'
            self._add("unused", [record], why, f"chalkgit show {record.id}", helped, again, retire(record))

    def _unshown(self, living: Sequence[Record]) -> None:
        """By the journal of this machine, where it is old enough to tell."""
        begins, shown = journal.last_shown(self._index.place)
        if begins is None:
            self._page.notes.append("what was never shown is not known: the journal of this machine is empty")
            return
        if begins >= self._since:
            day, months = times.day(begins), self._page.months
            said = f"the journal of this machine begins on {day}, less than {_months(months)} ago"
            self._page.notes.append(f"what was never shown is not known: {said}")
            return
        for record in living:
            written, last = self._written(record), shown.get(record.id)
            if written is None or written >= self._since or (last is not None and last >= self._since):
                continue
            since = f"not shown since {times.day(last)}" if last else "never shown"
            why = f"{since} on this machine: in no answer, by no hook, editor or agent"
            self._add("unshown", [record], why, f"chalkgit show {record.id}", retire(record))
        day = times.day(begins)
        said = f"shown or not: on this machine alone, since {day}, answers of check and at counted"
        self._page.notes.append(said)


def _order(pair: Pair, older: Record, newer: Record) -> list[Record]:
    return [older, newer] if pair.kind != curate_pairs.ALTERNATIVE else [pair.record, pair.other]


def retire(record: Record) -> str:
    return f'chalkgit retire {record.id} --because "…"'


def _correct(record: Record, field: str, values: Sequence[str]) -> str:
    return shlex.join(["chalkgit", "correct", record.id, *(w for v in values for w in (f"--{field}", v))])


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _months(count: int) -> str:
    return "a month" if count == 1 else f"{count} months"


def before(now: datetime, months: int) -> datetime:
    """The same day so many months ago, or the last of a shorter month."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    if year < 1:
        return now.replace(year=1, month=1, day=1)
    return now.replace(year=year, month=month + 1, day=min(now.day, calendar.monthrange(year, month + 1)[1]))


def counts(found: Sequence[Found]) -> Mapping[str, int]:
    """How many there are in each section."""
    return {name: sum(one.section == name for one in found) for name, _ in SECTIONS}


def _words(record: Record) -> str:
    """The option of `correct` for what a record says first: a lesson has no route."""
    return "--lesson" if record.kind == "lesson" else "--route"
