"""The page of `curate`: what, why, and the command that would mend it."""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.answers.curate import SECTIONS
from chalkgit.records.record import title
from chalkgit.render.clean import line
from chalkgit.render.text import plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.curate import Found, Page
    from chalkgit.render.text import Style

_TITLE = 80


def text(page: Page, style: Style = plain) -> str:
    rows: list[str] = []
    for name, heading in SECTIONS:
        found = [one for one in page.found if one.section == name]
        if not found:
            continue
        rows += [style(f"{heading} ({len(found):,})", "bold")]
        for one in found[: thresholds.CURATE_SHOWN]:
            rows += _rows(one, style)
        if len(found) > thresholds.CURATE_SHOWN:
            more = len(found) - thresholds.CURATE_SHOWN
            rows.append(f"  and {more:,} more: chalkgit curate --json has all")
        rows.append("")
    if not page.found:
        rows += [f"{page.records:,} records; nothing to tidy up was found.", ""]
    rows += [style(f"note: {line(note)}", "dim") for note in page.notes]
    if page.found:
        rows.append("Nothing was changed: each command is a proposal, and the decision is yours.")
    return "\n".join(rows)


def as_json(page: Page) -> dict[str, Any]:
    semantic = page.semantic
    return {
        "records": page.records,
        "months": page.months,
        "findings": [
            {
                "section": one.section,
                "records": [{"id": r.id, "title": title(r), "path": r.path} for r in one.records],
                "why": one.why,
                "confidence": None if one.confidence is None else round(one.confidence, 4),
                "mend": one.mend,
            }
            for one in page.found
        ],
        "notes": page.notes,
        "semantic": {
            "ran": semantic.ran,
            "model": semantic.model,
            "skipped": semantic.skipped,
            "hint": semantic.hint,
        },
    }


def _rows(one: Found, style: Style) -> list[str]:
    shown = one.records[: thresholds.CURATE_SHOWN]
    rows = [f"  {record.id}  {_short(title(record))}" for record in shown]
    if len(one.records) > len(shown):
        rows.append(f"  and {len(one.records) - len(shown):,} more of it")
    rows.append(f"    {line(one.why)}")
    return [*rows, *(style(f"    {line(command)}", "dim") for command in one.mend)]


def _short(said: str) -> str:
    said = line(said)
    return said if len(said) <= _TITLE else said[: _TITLE - 1] + "…"
