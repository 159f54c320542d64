"""A ruling in one line, for whoever is in the middle of something else.

The line says what it is before it says anything that could be read as advice, it is the same bytes for the
same ruling, and whatever is long in it is cut: the id at its end leads to the whole.
"""

from __future__ import annotations

from chalkgit.records.record import Record, title
from chalkgit.render.clean import line
from chalkgit.thresholds import BRIEF_CHARACTERS

Part = tuple[str, str]  # what leads it in, and the stored text

_TRIED = {
    None: "Tried before, and failed: ",
    "contradicted": "Tried before, and refuted: ",
    "partial": "Tried before, and failed in part: ",
    "inconclusive": "Tried before, without a clear result: ",
    "unstable": "Tried before, with changing results: ",
}


def text(
    record: Record,
    *,
    reopened: str | None = None,
    trust: str = "unreviewed",
    silenced: bool = False,
    room: int = BRIEF_CHARACTERS,
) -> str:
    """At most `room` characters, ending in the record's id. reopened: what met its `reopens-when`.
    silenced: people marked it wrong."""
    end = f" [{line(record.id)}]"
    start = f"Open again ({_cut(line(reopened), 40)}). " if reopened else ""
    state = "" if trust == "approved" else "; unreviewed"
    state += "; marked wrong by people here" if silenced else ""
    return start + _fitted(_parts(record), room - len(start) - len(state) - len(end)) + state + end


def _parts(record: Record) -> list[Part]:
    named = title(record)
    if record.kind == "dead-end":
        lead = _TRIED.get(record.text("degree"), _TRIED[None])
        parts = [(lead, named), ("why: ", record.text("observation"))]
        parts.append(("instead: ", record.text("alternative")))
    elif record.kind == "procedure":
        parts = [("Known to work: ", named), ("mind: ", record.text("trap"))]
    else:
        error = (record.get("failure") or {}).get("error")
        rule = record.text("lesson") or record.text("resolution")
        parts = [("Failed before: ", error if isinstance(error, str) and error != rule else None)]
        parts.append(("the fix: " if parts[0][1] else "Lesson: ", rule))
    return [(lead, line(stored)) for lead, stored in parts if stored and stored.strip()]


def _fitted(parts: list[Part], room: int) -> str:
    """The parts in what room there is: the longest give way first."""
    room -= sum(len(lead) for lead, _ in parts) + 2 * (len(parts) - 1)
    share = room
    lengths = sorted(len(stored) for _, stored in parts)
    for done, length in enumerate(lengths):
        # what the shorter ones leave is shared by the rest
        share = max(room // (len(lengths) - done), 8)
        if length > share:
            break
        room -= length
        share = length
    return "; ".join(lead + _cut(stored, share) for lead, stored in parts)


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    kept = text[: room - 1]
    # a word cut in two reads as another word
    space = kept.rfind(" ")
    return (kept[:space] if space > room * 2 // 3 else kept).rstrip(" ,;:.") + "…"
