"""JSON reports as values: a whole document, or of a cut one the objects that it holds whole."""

from __future__ import annotations

import json

from chalkgit import thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

BROKEN = thresholds.REPORT_BROKEN


def whole(text: str) -> object:
    """The document, or None where it is none or ends before its end."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def held(text: str, key: str) -> Iterator[dict[str, object]]:
    """The objects of each list under `"key":`, as far as they are whole; each place is read once."""
    decoder = json.JSONDecoder()
    at = broken = 0
    while broken < BROKEN and (found := text.find(f'"{key}"', at)) >= 0:
        at = found + len(key) + 2
        colon = _skipped(text, at, ":")
        start = _skipped(text, colon, "[") if colon > at else colon
        if start == colon:
            continue
        at = start
        while text.startswith("{", at):
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                broken += 1
                break
            if isinstance(value, dict):
                yield value
            at = _skipped(text, at, ",")


def _skipped(text: str, at: int, sign: str) -> int:
    """Behind the sign and the blanks around it; at the same place where it is not there."""
    start = at
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    if not text.startswith(sign, start):
        return at
    start += 1
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start


def words(value: object) -> str:
    """A string of the document; "" for anything else."""
    return value if isinstance(value, str) else ""


def dicts(value: object) -> list[dict[str, object]]:
    """The objects of a list of the document; [] for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
