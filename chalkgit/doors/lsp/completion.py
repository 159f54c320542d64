"""Inside a record's file: what may stand at a place, and what a field means. All of it from `records.fields`.

The text is read as lines and not as YAML, since what is being typed is seldom well formed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chalkgit.records.fields import BY_NAME, FIELDS, LINES, PART_WORDS, PARTS, PERSON, VERSIONS, Field

RECORDS, FILES = "supersedes", "files"  # fields whose values are looked up

_KIND = re.compile(r"kind:\s*[\"']?([\w-]+)")
_KEY = re.compile(r"([\w-]+)\s*:(?=\s|$)")
_NAME = re.compile(r"[\w-]*\Z")
_VALUE = re.compile(r"([\w-]+):(\s*)(?:\[(?:[^\]]*,)?\s*)?[\"']?([^\s,\"']*)\Z")
_PART = re.compile(r"\s+([\w-]*)\Z")
_PART_VALUE = re.compile(r"\s+([\w-]+):(\s*)([\w-]*)\Z")
_ITEM = re.compile(r"\s*-\s+[\"']?([^\s\"']*)\Z")
_PERSON_PARTS = ("name", "agent")


class Choice:
    """One thing that may be put in for what is typed so far."""

    __slots__ = ("detail", "is_field", "label", "text")

    def __init__(self, label: str, detail: str, text: str | None = None, *, is_field: bool = False) -> None:
        self.label = label
        self.detail = detail
        self.text = label if text is None else text
        self.is_field = is_field


class Choices:
    """What may replace the `typed` word before the cursor. Values of `field` are for the caller to look up
    where it is not None."""

    __slots__ = ("field", "items", "typed")

    def __init__(self, typed: str, items: Sequence[Choice] = (), field: str | None = None) -> None:
        self.typed = typed
        self.items = list(items)
        self.field = field


def at(lines: Sequence[str], line: int, column: int) -> Choices:
    """The choices at a place of a record's text."""
    before, after = lines[line][:column], lines[line][column:]
    kind = _kind(lines)
    if found := _NAME.match(before):
        return Choices(found[0], _fields(lines, line, kind, after))
    if found := _VALUE.match(before):
        return _values(found[1], found[2], found[3], kind)
    owner = _owner(lines, line)
    if owner is None:
        return Choices("")
    if found := _ITEM.match(before):
        looked_up = owner.name if owner.name in (RECORDS, FILES) else None
        return Choices(found[1], field=looked_up)
    if found := _PART_VALUE.match(before):
        words = PART_WORDS.get(f"{owner.name}.{found[1]}", ())
        return Choices(found[3], _words(words, found[2], f"{owner.name}.{found[1]}"))
    if found := _PART.match(before):
        return Choices(found[1], [_choice(part, owner.meaning, after, " ") for part in _parts(owner)])
    return Choices("")


def meaning(lines: Sequence[str], line: int, column: int) -> tuple[str, str, int, int] | None:
    """(name, what the field there means, where the name starts and ends), where the cursor is on its name."""
    content = lines[line]
    found = _KEY.match(content.lstrip())
    start = len(content) - len(content.lstrip())
    if not found or not start <= column <= start + len(found[1]):
        return None
    name, end = found[1], start + len(found[1])
    if start == 0:
        field = BY_NAME.get(name)
        return (name, _says(field, _kind(lines)), start, end) if field else None
    owner = _owner(lines, line)
    if owner is None or name not in _parts(owner):
        return None
    words = PART_WORDS.get(f"{owner.name}.{name}")
    return f"{owner.name}.{name}", owner.meaning + _one_of(words), start, end


def _says(field: Field, kind: str | None) -> str:
    kinds = "" if kind in field.kinds else f" (of a {' or '.join(field.kinds)})"
    words = field.words.get(kind) if kind else None
    return field.meaning + kinds + (_one_of(words) if field.name != "kind" else "")


def _one_of(words: Sequence[str] | None) -> str:
    return f": {', '.join(words)}" if words else ""


def _kind(lines: Sequence[str]) -> str | None:
    found = (_KIND.match(line) for line in lines)
    kind = next((match[1] for match in found if match), None)
    return kind if kind in BY_NAME["kind"].words else None


def _fields(lines: Sequence[str], line: int, kind: str | None, after: str) -> list[Choice]:
    """The fields that this kind has and that do not stand there yet."""
    keys = (_KEY.match(other) for number, other in enumerate(lines) if number != line)
    there = {found[1] for found in keys if found}
    return [
        _choice(field.name, field.meaning, after, _opening(field))
        for field in FIELDS
        if field.name not in there and (kind is None or kind in field.kinds)
    ]


def _choice(name: str, detail: str, after: str, opening: str) -> Choice:
    text = name if after.lstrip().startswith(":") else f"{name}:{opening}"
    return Choice(name, detail, text, is_field=True)


def _opening(field: Field) -> str:
    if field.shape == LINES:
        return "\n  - "
    return "\n  " if field.shape in (PARTS, VERSIONS) else " "


def _values(name: str, gap: str, typed: str, kind: str | None) -> Choices:
    field = BY_NAME.get(name)
    if field is None:
        return Choices(typed)
    if name in (RECORDS, FILES):
        return Choices(typed, field=name) if gap else Choices("")
    of_kind = field.words.get(kind, ()) if kind else ()
    words = of_kind or tuple(dict.fromkeys(word for words in field.words.values() for word in words))
    return Choices(typed, _words(words, gap, name))


def _words(words: Sequence[str], gap: str, name: str) -> list[Choice]:
    return [Choice(word, name, word if gap else f" {word}") for word in words]


def _owner(lines: Sequence[str], line: int) -> Field | None:
    """The field whose value the line belongs to."""
    for above in reversed(lines[:line]):
        if found := _KEY.match(above):
            return BY_NAME.get(found[1])
    return None


def _parts(owner: Field) -> tuple[str, ...]:
    return _PERSON_PARTS if owner.shape == PERSON else tuple(owner.parts)
