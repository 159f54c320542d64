"""Versions of records for a person, and for scripts: a line each, or each with what differs."""

from __future__ import annotations

from chalkgit.records.changes import RECORDED
from chalkgit.records.status import status
from chalkgit.render import changes
from chalkgit.render.clean import line
from chalkgit.render.text import Style, plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any

    from chalkgit.answers.chronicle import Chapter

_TITLE, _COMMIT, _VALUE = 60, 12, 160
_SOMEBODY = "somebody whom this clone does not show"
_DAY, _NO_DAY = 86_400, -1
_STATES = {"uncommitted": "not committed", "unknown": "no later than"}


def table(chapters: Sequence[Chapter], style: Style = plain) -> str:
    """A line a version: when, which, what happened, by whom, in which commit."""
    whens: dict[int, str] = {}  # by day, and authors by what they are called: far fewer than versions
    authors: dict[str, str] = {}
    rows = []
    for chapter in chapters:
        version, moment = chapter.version, chapter.moment
        day = moment.at // _DAY if moment is not None and not moment.edge else _NO_DAY
        when = whens.get(day)
        if when is None:
            when = f"{_when(chapter):<13}"
            if day != _NO_DAY:
                whens[day] = when
        name = version.title
        if len(name) > _TITLE:
            name = name[: _TITLE - 1] + "…"
        who = style(_who(chapter, authors), "dim")
        rows.append(f"{when}  {version.id}  {events(chapter)}: {line(name)}{who}")
    return "\n".join(rows)


def blocks(chapters: Sequence[Chapter], style: Style = plain) -> str:
    """A record's versions with what differs in each."""
    lines: list[str] = []
    authors: dict[str, str] = {}
    for chapter in chapters:
        lines.append(_heading(chapter, authors, style))
        lines += [f"    written by {said}" for said in merged(chapter)]
        if chapter.made is not None and chapter.made.subject:
            lines.append(f"    “{line(chapter.made.subject)}”")
        version = chapter.version
        if version.old_path and version.path and version.old_path != version.path:
            lines.append(f"    path: {line(version.old_path)} → {line(version.path)}")
        lines += [f"    {text}" for text in changes.fields(chapter.changed, _VALUE)]
        trust = chapter.trust
        if trust.why or trust.state != "unreviewed":
            by = trust.by and f"by {trust.by}"
            said = "; ".join(filter(None, (trust.state, by, trust.why, trust.note)))
            lines.append(f"    trust: {line(said)}")
    return "\n".join(lines)


def _heading(chapter: Chapter, authors: dict[str, str], style: Style) -> str:
    if chapter.no_later_than is not None:
        return style(f"{no_later_than(chapter.no_later_than)}  {events(chapter)}", "bold")
    said = style(f"{_when(chapter)}  {events(chapter)}", "bold")
    return said + style(_who(chapter, authors), "dim")


def _when(chapter: Chapter) -> str:
    return _STATES.get(chapter.state) or (chapter.recorded_at or "")[:10]


def no_later_than(commit: str) -> str:
    """When something was recorded that was there already where this clone begins."""
    return f"{_STATES['unknown']} {commit[:_COMMIT]}"


def events(chapter: Chapter) -> str:
    """What happened, in words."""
    version = chapter.version
    if version.events == [RECORDED]:
        return RECORDED  # most versions
    said = []
    for event in version.events:
        if event == "superseded" and version.by:
            said.append(f"superseded by {version.by}")
        elif event == "reviewed":
            said.append(f"reviewed ({line(chapter.record.part('review', 'state') or 'withdrawn')})")
        else:
            said.append(event)
    return ", ".join(said)


def _who(chapter: Chapter, authors: dict[str, str]) -> str:
    if chapter.no_later_than is not None:
        return f"  {chapter.no_later_than[:_COMMIT]}"
    moment = chapter.made
    if moment is None:
        return ""
    author = authors.get(moment.author)
    if author is None:
        author = authors[moment.author] = line(moment.author)
    signed = ", signed" if moment.signed else ""
    return f"  {author}, {moment.oid[:_COMMIT]}{signed}"


def brief_text(chapter: Chapter) -> str:
    """A version in one line of its commit."""
    if chapter.no_later_than is not None:
        return f"{no_later_than(chapter.no_later_than)}  {events(chapter)}"
    moment = chapter.made
    if moment is None:
        return f"not committed  {events(chapter)}"
    who = "; ".join([line(moment.author), *(f"written by {said}" for said in merged(chapter))])
    when = chapter.recorded_at or ""
    return f"{moment.oid[:_COMMIT]}  {when}  {events(chapter)}  {who}  {line(moment.subject)}"


def merged(chapter: Chapter) -> list[str]:
    """Of a version that a merge brought: who wrote it, in which commits."""
    moment = chapter.made
    if moment is None or len(moment.parents) < 2:
        return []
    found = chapter.writers
    return [
        f"{line(who.author)} <{line(who.email)}> in {who.oid[:_COMMIT]}"
        for who in found
        if who.oid != moment.oid
    ] or ([] if found else [_SOMEBODY])


def people(chapter: Chapter) -> list[dict[str, str]]:
    """Who wrote a version: the commit's author or, of a merge, those of what it brought; nobody where this
    clone cannot tell."""
    return [{"author": w.author, "email": w.email, "commit": w.oid} for w in chapter.writers]


def brief(chapter: Chapter) -> dict[str, Any]:
    """A version as `show` lists it: the commit, and what happened."""
    moment = chapter.made
    return {
        "commit": moment.oid if moment is not None else None,
        "no_later_than": chapter.no_later_than,
        "recorded_at": chapter.recorded_at,
        "author": moment.author if moment is not None else None,
        "subject": moment.subject if moment is not None else None,
        "state": chapter.state,
        "events": chapter.version.events,
        "writers": people(chapter),
    }


def json(chapter: Chapter, now: datetime) -> dict[str, Any]:
    """A version as JSON: every field as it was then, and what is known of it."""
    record, version, moment = chapter.record, chapter.version, chapter.made
    superseded = {record.id: version.by} if version.by else {}
    trust = chapter.trust
    gone = version.blob is None
    return {
        **chapter.fields,
        "id": version.id,
        "ref": record.get("ref"),
        "path": version.path,
        "old_path": version.old_path,
        "status": version.events[-1] if gone else status(record, now=now, superseded=superseded),
        "superseded_by": version.by,
        "trust": trust.state,
        "trust_by": trust.by,
        "trust_why": trust.why,
        "trust_note": trust.note,
        "events": version.events,
        "changes": [{"field": n, "before": old, "after": new} for n, old, new in chapter.changed],
        "state": chapter.state,
        "recorded_at": chapter.recorded_at,
        "no_later_than": chapter.no_later_than,
        "commit": moment.oid if moment is not None else None,
        "author": moment.author if moment is not None else None,
        "email": moment.email if moment is not None else None,
        "subject": moment.subject if moment is not None else None,
        "signed": moment.signed if moment is not None else None,
    }
