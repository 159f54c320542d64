"""The audit trail as text, CSV and JSON; stored text is data."""

from __future__ import annotations

from chalkgit import times
from chalkgit.render import chronicle
from chalkgit.render.clean import line
from chalkgit.render.text import Style, plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from chalkgit.answers.audit import Audit, Change, Rewritten
    from chalkgit.answers.chronicle import Chapter

COLUMNS = (
    "recorded_at",
    "commit",
    "author",
    "email",
    "written_by",
    "signature",
    "id",
    "kind",
    "events",
    "fields",
    "trust",
    "path",
    "no_later_than",
    "trust_why",
)
_COMMIT = 12
_FORMULA = ("=", "+", "-", "@")  # what a spreadsheet would take for a formula


def text(audit: Audit, style: Style = plain) -> str:
    lines = [style(rewriting(one), "bold") for one in audit.rewritten]
    for row in _rows(audit):
        edge = row["no_later_than"]
        when = chronicle.no_later_than(edge) if edge else row["recorded_at"] or "not committed"
        nobody = "by somebody whom this clone does not show" if edge else "in the work tree"
        who = f"{row['author']} <{row['email']}>" if row["author"] is not None else nobody
        what = f"{row['id']}: {row['events']}" if row["id"] else row["events"]
        fields = f" ({line(row['fields'])})" if row["fields"] else ""
        trust = f"; {line(row['trust_why'])}" if row["trust_why"] else ""
        by = f"; written by {row['written_by']}" if row["written_by"] else ""
        end = f"  {row['commit'][:_COMMIT]}, {_signed(row['signature'])}" if row["commit"] else ""
        lines.append(f"{when}  {line(who)}  {line(what)}{fields}{trust}{by}{style(end, 'dim')}")
    return "\n".join(lines)


def _signed(signature: str) -> str:
    return {"none": "not signed", "not checked": "signed, not checked"}.get(
        signature, f"signature {signature}"
    )


def rewriting(one: Rewritten) -> str:
    """What is said of a history that is no longer there."""
    kept = f"{one.kept:,} of them are still there, up to {one.common[:_COMMIT]}" if one.common else "none is"
    was = f"on {_instant(one.seen)} it was at {one.tip[:_COMMIT]} with {one.versions:,} versions"
    return f"{line(one.ref)} was rewritten: {was}; {kept} (noticed {_instant(one.found)})"


def csv(audit: Audit) -> str:
    rows: list[list[str]] = [list(COLUMNS)]
    for one in audit.rewritten:
        said = {"recorded_at": _instant(one.found), "events": rewriting(one)}
        rows.append([_cell(said.get(column, "")) for column in COLUMNS])
    rows += [[_cell(row[column]) for column in COLUMNS] for row in _rows(audit)]
    return "\n".join(",".join(row) for row in rows)


def json(audit: Audit, now: datetime) -> dict[str, Any]:
    versions = []
    for chapter in audit.chapters:
        more = {"signature": audit.signature(chapter.moment), "writers": chronicle.people(chapter)}
        versions.append({**chronicle.json(chapter, now), **more})
    return {
        "cut": audit.cut,
        "rewritten": [_gone(one) for one in audit.rewritten],
        "reviewers": [_listing(one, audit) for one in audit.listings],
        "versions": versions,
    }


def _rows(audit: Audit) -> Iterator[dict[str, Any]]:
    """Versions and changes of the list, the newest first."""
    listings = list(audit.listings)
    for chapter in audit.chapters:
        seq = chapter.moment.seq if chapter.moment is not None else None
        while listings and seq is not None and listings[0].moment.seq >= seq:
            yield _listed(listings.pop(0), audit)
        yield _row(chapter, audit)
    for one in listings:
        yield _listed(one, audit)


def _row(chapter: Chapter, audit: Audit) -> dict[str, Any]:
    moment, version = chapter.made, chapter.version
    return {
        "recorded_at": chapter.recorded_at,
        "commit": moment.oid if moment is not None else None,
        "author": moment.author if moment is not None else None,
        "email": moment.email if moment is not None else None,
        "signature": audit.signature(chapter.moment),
        "id": version.id,
        "kind": chapter.fields.get("kind", ""),
        "events": chronicle.events(chapter),
        "fields": ", ".join(name for name in version.names if name not in (*version.events, "review")),
        "written_by": ", ".join(chronicle.merged(chapter)),
        "trust": chapter.trust.state,
        "trust_why": chapter.trust.why,
        "path": version.path or version.old_path,
        "no_later_than": chapter.no_later_than,
    }


def _listed(one: Change, audit: Audit) -> dict[str, Any]:
    moment = one.moment
    counts = "whether that counts is unknown" if one.unseen else "which does not count"
    said = "the list of reviewers changed" + (f", {counts}: {one.why}" if one.why else "")
    about = {"author": moment.author, "email": moment.email, "signature": audit.signature(moment)}
    none = dict.fromkeys(("id", "kind", "fields", "trust", "trust_why", "written_by"), "")
    rest = {**none, "path": ".lessons/config.yaml", "no_later_than": None}
    return {"recorded_at": moment.recorded_at, "commit": moment.oid, **about, "events": said, **rest}


def _listing(one: Change, audit: Audit) -> dict[str, Any]:
    row = _listed(one, audit)
    kept = ("recorded_at", "commit", "author", "email", "signature")
    counts = None if one.unseen else one.why is None
    return {**{key: row[key] for key in kept}, "counts": counts, "why": one.why}


def _gone(one: Rewritten) -> dict[str, Any]:
    return {
        "ref": one.ref,
        "tip": one.tip,
        "versions": one.versions,
        "seen_at": _instant(one.seen),
        "common": one.common,
        "kept": one.kept,
        "found_at": _instant(one.found),
    }


def _instant(seconds: int) -> str:
    from datetime import UTC, datetime

    return times.iso(datetime.fromtimestamp(seconds, UTC))


def _cell(value: Any) -> str:
    """As RFC 4180 has it: what holds a comma or a quote is quoted; a line end is none by now."""
    text = line(value) if value is not None else ""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
