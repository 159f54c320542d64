"""A dead end in one line, `route: … | observation: … | layer: …`, or as free prose.

One line is *typed* where it has a route and an observation; any other text is prose: the same record,
with the text as its route and no layer. Either way the text itself is kept as `raw`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalkgit import thresholds
from chalkgit.records.fields import BY_NAME, WORD

if TYPE_CHECKING:
    from typing import Any

KEYS = ("route", "observation", "alternative", "layer", "scope", "degree", "action")
CUT = " … [cut]"

_BAR = " | "
_KEY = re.compile(rf"\s*({'|'.join(KEYS)})\s*:(.*)\Z", re.I | re.S)
_ESCAPED = re.compile(r"\\([\\|])")
# What a record refuses. An entry comes as it was written, terminal colours and all, and is worth keeping.
_REFUSED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


def parse(text: str) -> dict[str, Any]:
    """The fields of a dead end; words outside an enumeration are dropped."""
    text = cleaned(text).strip()
    raw = capped(text)
    kept = {"raw": raw} if raw == text else {"raw": raw, "truncated": "true"}
    fields = _typed(text)
    if "route" in fields and "observation" in fields:
        return {**fields, **kept}
    return {"route": raw, **kept}


def write(fields: Mapping[str, Any]) -> str:
    """The line that `parse` reads as these fields; prose where there is no observation."""
    if not (fields.get("route") and fields.get("observation")):
        return str(fields.get("raw") or fields.get("route") or "")
    return _BAR.join(f"{key}: {_escaped(fields[key])}" for key in KEYS if isinstance(fields.get(key), str))


def cleaned(text: str) -> str:
    """The text with \\n line ends, and each other control character as the visible U+FFFD."""
    return _REFUSED.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def capped(text: str) -> str:
    """The text within the cap of bytes, visibly cut between two characters."""
    data = text.encode()
    if len(data) <= thresholds.RAW_BYTES:
        return text
    room = thresholds.RAW_BYTES - len(CUT.encode())
    return data[:room].decode(errors="ignore") + CUT


def _typed(text: str) -> dict[str, Any]:
    segments: dict[str, list[str]] = {}
    last: list[str] = []
    for segment in _one_line(text).split(_BAR):
        found = _KEY.match(segment)
        key = found[1].lower() if found else ""
        if found and key not in segments:
            segments[key] = last = [found[2]]
        elif not last:
            return {}
        else:
            last.append(segment)
    read = {key: _ESCAPED.sub(r"\1", _BAR.join(parts).strip()) for key, parts in segments.items()}
    return {key: value for key, value in read.items() if value and _is_allowed(key, value)}


def _is_allowed(key: str, value: str) -> bool:
    field = BY_NAME[key]
    return field.shape != WORD or value in field.words["dead-end"]


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def _escaped(value: str) -> str:
    return _one_line(value).strip().replace("\\", "\\\\").replace("|", "\\|")
