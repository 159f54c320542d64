"""What differs between two trees' records, a record at a time."""

from __future__ import annotations

from chalkgit.records.record import title
from chalkgit.render import changes
from chalkgit.render.clean import line
from chalkgit.render.text import Style, plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.answers.comparing import Difference


def text(found: Sequence[Difference], style: Style = plain) -> str:
    lines = []
    for one in found:
        record = one.record
        lines.append(style(f"{record.id} {', '.join(one.events)}: {line(title(record))}", "bold"))
        if one.before is not None and one.after is not None and one.before.path != one.after.path:
            lines.append(f"  path: {line(one.before.path)} → {line(one.after.path)}")
        if one.before is None:
            fields = [(name, value) for name, value in record.fields.items() if name not in ("id", "kind")]
            lines += [f"  {line(name)}: {changes.value(value)}" for name, value in fields]
        lines += [f"  {row}" for row in changes.fields(one.changed)]
    return "\n".join(lines)


def json(one: Difference) -> dict[str, Any]:
    return {
        **one.record.fields,
        "id": one.record.id,
        "ref": one.record.get("ref"),
        "path": one.after.path if one.after is not None else None,
        "old_path": one.before.path if one.before is not None else None,
        "events": one.events,
        "changes": [{"field": n, "before": old, "after": new} for n, old, new in one.changed],
    }
