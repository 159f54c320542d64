"""A record: one dead end, lesson or procedure, as plain values.

`Record` is immutable by agreement: `changed` returns another one. Not a dataclass, because importing
`dataclasses` costs more than a bare interpreter and the hooks read records on their hot path.
"""

from __future__ import annotations

from collections.abc import Mapping

from chalkgit.records.fields import FOLDERS, ORDER

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

SLUG_LENGTH = 48


class Record:
    """Field names to values: str, list[str], or dict of those; unknown keys after the known ones.

    `path` is relative to the repository's root, "" for a record that has no file yet.
    """

    __slots__ = ("fields", "path")

    def __init__(self, fields: Mapping[str, Any], path: str = "") -> None:
        known = sorted((name for name in fields if name in ORDER), key=ORDER.__getitem__)
        self.fields: dict[str, Any] = {name: fields[name] for name in known}
        self.fields.update((name, value) for name, value in fields.items() if name not in ORDER)
        self.path = path

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    def get(self, name: str) -> Any:
        """The value, or None where the record does not have the field."""
        return self.fields.get(name)

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def items(self, name: str) -> list[str]:
        value = self.fields.get(name)
        return list(value) if isinstance(value, list) else []

    def part(self, name: str, part: str) -> Any:
        value = self.fields.get(name)
        return value.get(part) if isinstance(value, dict) else None

    def changed(self, changes: Mapping[str, Any]) -> Record:
        """Another record with these fields set; None removes one."""
        merged = {**self.fields, **changes}
        return Record({name: value for name, value in merged.items() if value is not None}, self.path)

    def at(self, path: str) -> Record:
        return Record(self.fields, path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Record({self.kind} {self.id} {title(self)!r})"


def title(record: Record) -> str:
    """What to call the record in one line: its route, its rule, or its failure's first error."""
    failure = record.get("failure") or {}
    candidates = (
        record.text("route"),
        record.text("lesson"),
        record.text("resolution"),
        failure.get("error"),
        failure.get("reason"),
        str(failure.get("output") or "").strip().split("\n")[0],
        record.text("raw"),
    )
    text = next((c for c in candidates if isinstance(c, str) and c.strip()), record.id)
    return " ".join(text.split())


def person(value: Any) -> str | None:
    """“Ada”, or “Ada (agent: reviewer-bot)” for a PERSON value."""
    if isinstance(value, dict):
        name, agent = value.get("name"), value.get("agent")
        if agent and name:
            return f"{name} (agent: {agent})"
        return name or agent
    return value if isinstance(value, str) else None


def is_open(record: Record) -> bool:
    """A lesson that nobody has resolved yet: a detention."""
    return record.kind == "lesson" and not (record.get("resolution") or record.get("lesson"))


def slug(text: str) -> str:
    """Lower-case ASCII words joined by dashes, for people; the id is the identity."""
    words: list[str] = []
    length = 0
    for word in "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in text).split():
        if words and length + len(word) > SLUG_LENGTH:
            break
        words.append(word[:SLUG_LENGTH])
        length += len(word) + 1
    return "-".join(words) or "record"


def default_path(record: Record) -> str:
    return f".lessons/{FOLDERS[record.kind]}/{slug(title(record))}.{record.id}.yaml"
