"""What of a record is searched: the words it would be proposed in, and all it says."""

from __future__ import annotations

from chalkgit.records.record import Record, title

# `check` speaks of dead ends and procedures; lessons come back by their failure.
CHECKED = ("dead-end", "procedure")
ALL = (*CHECKED, "lesson")
TITLED = "+"  # marks the key of a record's second vector


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


def embedded(record: Record) -> dict[str, str]:
    """The texts that become vectors, by their key's mark.

    "" (route and outcome) decides, the better of both ranks: measured in docs/recall.md.
    """
    outcome = record.text("observation") or record.text("trap")
    tags = " ".join(record.items("tags"))
    texts = {"": f"{route(record)}. {outcome}" if outcome else route(record)}
    titled = f"{route(record)}. {tags}" if tags else route(record)
    return texts if titled == texts[""] else {**texts, TITLED: titled}


def embedded_hash(record: Record) -> str:
    """The content hash that a record's vectors go by: 16 hexadecimal digits."""
    import hashlib

    return hashlib.sha256("\0".join(embedded(record).values()).encode()).hexdigest()[:16]
