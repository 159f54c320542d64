"""Closing an open lesson: which one, whether the note will do, and what is written.

The note is always kept as the resolution; the rule is the one given, else the distiller's draft, which is
labelled, else the note. Nothing is written that would only repeat the failure, and no rule that says nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from chalkgit import thresholds, times
from chalkgit.answers import distil, fixes
from chalkgit.answers.stored import superseded
from chalkgit.errors import ChalkError
from chalkgit.failures import secrets
from chalkgit.index.generation import Index
from chalkgit.records import codec
from chalkgit.records.record import Record, is_open, person, title
from chalkgit.records.status import excluded
from chalkgit.store import moments, worktree, writes
from chalkgit.store.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Key = tuple[str, int]

DISTILLED = "distilled-by"
_NAMED = thresholds.CANDIDATES_NAMED


class Open:
    """An open lesson, and when it was detained: the day, then the moment in ns as far as one knows."""

    __slots__ = ("key", "record")

    def __init__(self, record: Record, key: Key) -> None:
        self.record = record
        self.key = key

    @property
    def ticket(self) -> str | None:
        found = self.record.part("failure", "ticket")
        return found if isinstance(found, str) else None


def opened(index: Index, records: Iterable[Record], now: datetime, ticket: str | None = None) -> list[Open]:
    """The open lessons (of this ticket), the oldest first."""
    replaced = superseded(index)
    found = [r for r in records if excluded(r, now=now, superseded=replaced) == "open"]
    known = moments.recorded(index.place) if found else {}
    made = [Open(record, _key(index.place, record, known.get(record.path))) for record in found]
    wanted = [one for one in made if ticket is None or (one.ticket or "").casefold() == ticket.casefold()]
    return sorted(wanted, key=lambda one: (one.key, one.record.id))


def newest(found: Sequence[Open], ticket: str | None) -> Record:
    """The one that was detained last; ChalkError where there is none, or where two came at one moment."""
    of = f" of ticket {ticket}" if ticket else ""
    if not found:
        hint = "chalkgit list --status open" if ticket else "chalkgit detain --output FILE"
        raise ChalkError(f"no lesson{of} is open", hint=hint)
    last = [one.record for one in found if one.key == found[-1].key]
    if len(last) > 1:
        named = ", ".join(f"{r.id} ({title(r)[:60]})" for r in last[:_NAMED])
        more = f" and {len(last) - _NAMED} more" if len(last) > _NAMED else ""
        raise ChalkError(
            f"which one? {len(last)} open lessons{of} came at the same moment: {named}{more}",
            hint=f'chalkgit resolve {last[0].id} --note "what fixed it, and why"',
        )
    return last[0]


def must_be_open(record: Record) -> None:
    """ChalkError for a record that nobody can resolve: no lesson, withdrawn, or resolved already."""
    if record.kind != "lesson":
        raise ChalkError(f"{record.id} is a {record.kind}, not a lesson", hint=f"chalkgit show {record.id}")
    if record.get("retired") is not None:
        raise ChalkError(f"{record.id} is retired", hint=f"chalkgit correct {record.id} --unretire")
    if record.get("settled") is not None:
        raise ChalkError(f"{record.id} is settled", hint=f"chalkgit show {record.id}")
    if not is_open(record):
        who = person(record.get("resolved-by"))
        raise ChalkError(
            f"{record.id} is resolved already{f', by {who}' if who else ''}",
            hint=f"chalkgit correct {record.id} --lesson 'When S, do Y, because Z'",
        )


def must_be_open_still(place: Place, record: Record) -> None:
    """`must_be_open` of the file as it is now: what somebody wrote while a person thought about it stands."""
    must_be_open(codec.decode(worktree.read(place, record.path), record.path)[0])


def must_say_something(
    note: str, record: Record, what: str = "note", *, hint: str | None = None, rule: bool = True
) -> None:
    """ChalkError for a note or rule that is empty, or the error line over again; and, where it is what the
    next one is told (`rule`), for one that says nothing. hint: where not `resolve` writes it."""
    hint = hint or _hint(record)
    if not note.strip():
        raise ChalkError(f"the {what} is empty: the next one to meet this failure reads it", hint=hint)
    if fixes.repeats(note, record.get("failure") or {}):
        raise ChalkError(
            f"the {what} is the error over again, and the next one knows that: what fixed it?", hint=hint
        )
    said = fixes.empty(note) if rule else None
    if said is not None:
        raise ChalkError(
            f"the {what} says nothing (“{said}”), and it is all that the next one is told: what fixed it?",
            hint=hint,
        )


def question(text: str, record: Record, what: str) -> str | None:
    """What to ask back about a text that names a symptom and no fix; None where it names one."""
    said = fixes.symptom(text, record.get("failure") or {})
    if said is None:
        return None
    short = said if len(said) <= 40 else said[:39] + "…"
    return f"the {what} says what happened (“{short}”), not what to do about it"


def draft(
    place: Place,
    record: Record,
    note: str,
    tell: Callable[[str], None],
    waiting: Callable[[str], None] | None = None,
) -> distil.Draft | None:
    """The distiller's rule, where the user has one and it gives one; else None, and why is told.

    waiting: told the distiller's name before it is waited for, which may be a minute.
    """
    try:
        distiller = distil.configured()
        if distiller is None:
            return None
        if waiting is not None:
            waiting(distiller.name)
        found = distil.draft(distiller, place, record, note)
    except distil.NoDraft as error:
        tell(f"{error.message}; the note is the rule")
        return None
    if leaks(found.rule):
        tell(f"the rule distilled by {found.by} holds what looks like a secret; the note is the rule")
        return None
    if question(found.rule, record, "rule") is not None:
        tell(f"the rule distilled by {found.by} names no fix (“{found.rule}”); the note is the rule")
        return None
    return found


def close(
    place: Place,
    record: Record,
    note: str,
    *,
    by: Any,
    rule: str | None = None,
    scope: str | None = None,
    drafted: distil.Draft | None = None,
) -> Record:
    """Write the resolution. rule: a person's; drafted: the distiller's, where the rule is its very words."""
    must_be_open_still(place, record)
    distilled = drafted if rule is None or (drafted is not None and rule == drafted.rule) else None
    changes: dict[str, Any] = {"resolution": note, "lesson": rule or (distilled.rule if distilled else note)}
    if by:
        changes["resolved-by"] = by
    if distilled is not None:
        changes[DISTILLED] = distilled.by
    if scope or (distilled is not None and distilled.scope):
        changes["scope"] = scope or (distilled.scope if distilled else None)
    return writes.change(place, record, changes, must_be_open)


def leaks(text: str) -> bool:
    """Whether something in it has the shape of a secret."""
    return secrets.masked(text) != text


def _hint(record: Record) -> str:
    return shlex.join(["chalkgit", "resolve", record.id, "--note", "When S, do Y, because Z"])


def _key(place: Place, record: Record, moment: moments.Moment | None) -> Key:
    since = record.text("valid-from") or ""
    day = since[:10] if times.is_date(since) else ""
    if "T" in since and day:
        return day, _ns(since)
    if moment is not None and moment[1] is not None:
        return day, _ns(moment[1])
    if moment is not None:
        return day, 0  # a shallow clone does not know
    try:
        return day, os.lstat(worktree.file_of(place, record.path)).st_mtime_ns
    except OSError:
        return day, 0


def _ns(instant: str) -> int:
    return int(times.parse(instant).timestamp()) * 1_000_000_000
