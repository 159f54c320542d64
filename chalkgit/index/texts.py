"""What of a record is searched: the words it would be proposed in, and all it says."""

from __future__ import annotations

from chalkgit.records.record import Record, title

# `check` speaks of dead ends and procedures; lessons come back by their failure.
CHECKED = ("dead-end", "procedure")
ALL = (*CHECKED, "lesson")


class Document:
    """What one record file brings: its path and its whole text."""

    __slots__ = ("body", "path")

    def __init__(self, path: str, body: str) -> None:
        self.path = path
        self.body = body


def route(record: Record) -> str:
    return record.text("route") or title(record)


def body(record: Record) -> str:
    """Route, tags and everything said beside it."""
    said = [record.text(name) for name in ("observation", "trap", "alternative")]
    return "\n".join([*record.items("tags"), route(record), *(text for text in said if text)])


def told(record: Record) -> str:
    """What it says of itself: what would be done instead is another proposal."""
    said = [record.text(name) for name in ("observation", "trap")]
    return "\n".join([*record.items("tags"), route(record), *(text for text in said if text)])


def embedded(record: Record) -> str:
    """The one text that is read by a model: tags, route and outcome, each in the light of the others."""
    return "".join(_parts(record))


def routed(record: Record) -> tuple[int, int]:
    """Where in `embedded` the route stands: (start, end), in characters."""
    before, own, _ = _parts(record)
    return len(before), len(before) + len(own)


def _parts(record: Record) -> tuple[str, str, str]:
    tags = " ".join(record.items("tags"))
    outcome = record.text("observation") or record.text("trap")
    return f"{tags}. " if tags else "", route(record), f". {outcome}" if outcome else ""


def embedded_hash(record: Record) -> str:
    """The content hash that a record's vector goes by: 16 hexadecimal digits."""
    import hashlib

    return hashlib.sha256("\0".join(_parts(record)).encode()).hexdigest()[:16]
