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
) -> str:
    """Every field of a record, its state, and the commits that changed it.

    chain: ids and titles of what it replaces and what replaces it, the oldest first. helps: what would make
    an approval count that does not.
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
    if entry.commit is None and not is_note:
        lines.append("  not committed yet, as it stands")
    if entry.reopened:
        lines.append(f"  reopened: {line(entry.reopened)}")
    if entry.trust_why:
        lines.append(f"  unreviewed: {line(entry.trust_why)}")
        lines += [f"  it counts when {helps}"] if helps else []
    elif entry.trust_by:
        lines.append(f"  approved by: {line(entry.trust_by)}")
    if chain:
        lines.append("  replaced, the oldest first:")
        lines += [_link(one, name, one == record.id) for one, name in chain]
    lines += [style(f"  {chronicle.brief_text(chapter)}", "dim") for chapter in chapters]
    return "\n".join(lines)


def _link(record_id: str, name: str | None, here: bool) -> str:
    said = line(name) if name is not None else "no record here"
    return f"    {'> ' if here else '  '}{line(record_id)}  {said[:_TITLE_LENGTH]}"


def table(entries: Sequence[Entry], style: Style = plain) -> str:
    if not entries:
        return "no records"
    rows = []
    for entry in entries:
        name = line(title(entry.record))
        name = name if len(name) <= _TITLE_LENGTH else name[: _TITLE_LENGTH - 1] + "…"
        day = (entry.record.text("valid-from") or entry.recorded_at or "")[:10]
        state = "" if entry.status == "active" else f" ({line(entry.why)})"
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
