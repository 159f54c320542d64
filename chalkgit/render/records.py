"""Records as a person reads them: one whole, or many as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chalkgit.records.record import person, title
from chalkgit.render import chronicle
from chalkgit.render.clean import line
from chalkgit.render.text import Style, plain

if TYPE_CHECKING:
    from chalkgit.answers.catalogue import Entry
    from chalkgit.answers.chronicle import Chapter

_TITLE_LENGTH = 90


def one(
    entry: Entry,
    chapters: Sequence[Chapter],
    style: Style = plain,
    *,
    chain: Sequence[tuple[str, str | None]] = (),
    helps: str | None = None,
    awaited: Sequence[tuple[str, str]] = (),
) -> str:
    """Every field of a record, its state, and the commits that changed it.

    chain: ids and titles of what it replaces and what replaces it, the oldest first. helps: what would make
    an approval count that does not. awaited: (id, successor) where the successor is not committed yet.
    """
    record = entry.record
    lines = [style(f"{record.kind} {record.id}: {entry.why or 'active'}; {entry.trust}", "bold")]
    for name, value in record.fields.items():
        if name not in ("id", "kind"):
            lines += _field(name, value, 2)
            if name == "lesson" and record.get("distilled-by") is not None:
                lines[-1] += " (distilled)"
    is_note = record.path.startswith("@notes/")
    if is_note:
        lines.append(f"  a working note on this machine: chalkgit promote {record.id} makes a record of it")
    else:
        lines.append(f"  path: {line(record.path)}")
    if entry.uncommitted and not is_note:
        lines.append("  not committed yet, as it stands")
    elif entry.commit is None and not is_note:
        lines.append("  committed as it stands, no later than where this clone begins")
    if entry.reopened or "reopened" in entry.unknown:
        lines.append(f"  reopened: {line(entry.reopened or 'unknown, as this clone is cut off')}")
    if entry.trust_why:
        lines.append(f"  unreviewed: {line(entry.trust_why)}")
        lines += [f"  it counts when {helps}"] if helps else []
    elif entry.trust_by:
        lines.append(f"  approved by: {line(entry.trust_by)}")
    if entry.trust_note:
        lines.append(f"  the list of reviewers: {line(entry.trust_note)}")
    for old, new in awaited:
        if old == record.id:
            lines.append(f"  to be replaced by {new}, once that is committed: until then this one stands")
    if chain:
        lines.append("  replaced, the oldest first:")
        late = {new for _, new in awaited}
        lines += [_link(one, name, one == record.id, late=one in late) for one, name in chain]
    lines += [style(f"  {chronicle.brief_text(chapter)}", "dim") for chapter in chapters]
    return "\n".join(lines)


def _link(record_id: str, name: str | None, here: bool, *, late: bool) -> str:
    said = line(name) if name is not None else "no record here"
    mark = " (not committed: replaces nothing yet)" if late else ""
    return f"    {'> ' if here else '  '}{line(record_id)}  {said[:_TITLE_LENGTH]}{mark}"


def table(entries: Sequence[Entry], style: Style = plain) -> str:
    if not entries:
        return "no records"
    rows = []
    for entry in entries:
        name = line(title(entry.record))
        name = name if len(name) <= _TITLE_LENGTH else name[: _TITLE_LENGTH - 1] + "…"
        day = (entry.record.text("valid-from") or entry.recorded_at or "")[:10]
        said = [entry.why] if entry.status != "active" else []
        said += [entry.trust] if entry.trust not in ("unreviewed", entry.status) else []
        state = f" ({line(', '.join(filter(None, said)))})" if said else ""
        state += f" (reopened: {line(entry.reopened)})" if entry.reopened else ""
        rows.append(f"{entry.record.id}  {style(f'{entry.record.kind:<9}', 'dim')}  {day:<10}  {name}{state}")
    return "\n".join(rows)


def _field(name: str, value: Any, indent: int) -> list[str]:
    pad = " " * indent
    if name in ("by", "resolved-by"):
        return [f"{pad}{name}: {line(person(value) or '')}"]
    if isinstance(value, dict):
        lines = [f"{pad}{line(name)}:"]
        for key, inner in value.items():
            lines += _field(key, inner, indent + 2)
        return lines
    if name == "output" and isinstance(value, str):  # in lines it is read, in one it is not
        return [f"{pad}output:", *(f"{pad}  {line(row)}".rstrip() for row in value.split("\n"))]
    if isinstance(value, list):
        return [f"{pad}{line(name)}: " + ", ".join(line(item) for item in value)]
    return [f"{pad}{line(name)}: {line(value)}"]
