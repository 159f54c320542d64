"""The JSON Schema of a record, for editors and for other tools: made from the table, draft 7.

It is as strict as lint. Where a person may leave out quotes (`1.10`, `2026`) a number is taken too: an
editor's YAML reads one there, and we read the text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from chalkgit import ids
from chalkgit.records.fields import (
    BY_NAME,
    DATE,
    FIELDS,
    FLAG,
    KINDS,
    LINE,
    LINES,
    PART_WORDS,
    PARTS,
    PERSON,
    TEXT,
    VERSIONS,
    WORD,
    Field,
)
from chalkgit.records.shapes import NEEDED

if TYPE_CHECKING:
    from typing import Any

_DATE = r"^\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?)?$"
_INSIDE = r"^(?!/|~|\\|[A-Za-z]:[/\\])(?!.*://)(?!(.*/)?\.\.(/|$))\S(.*\S)?$"
_REOPENS = (
    r"^(library:\s*[^\s<>=!]+\s*(>=|<=|==|!=|>|<)\s*[^\s<>=!]+"
    rf"|date:\s*{_DATE[1:-1]}"
    rf"|file:\s*{_INSIDE[1:-1]}\s+changes"
    r"|manual:\s*\S.*)\s*$"
)
_LINE = {"type": ["string", "number"]}
_PATTERNS = {"files": _INSIDE, "supersedes": ids.PATTERN, "reopens-when": _REOPENS}


def build() -> dict[str, Any]:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A record of chalkgit",
        "description": "One dead end, lesson or procedure; unknown fields are kept as they are.",
        "type": "object",
        "required": ["id", "kind"],
        "properties": {field.name: _property(field) for field in FIELDS},
        "allOf": [_condition(kind) for kind in KINDS],
    }


def text() -> str:
    return json.dumps(build(), indent=2, ensure_ascii=False) + "\n"


def _property(field: Field) -> dict[str, Any]:
    return {"description": field.meaning, **_shape(field.name, field.shape)}


def _shape(name: str, shape: str) -> dict[str, Any]:
    if name == "id":
        return {"type": "string", "pattern": ids.PATTERN}
    if shape == PARTS:
        parts = BY_NAME[name].parts.items()
        return {"type": "object", "properties": {part: _shape(f"{name}.{part}", of) for part, of in parts}}
    if shape == WORD:
        return {"type": "string", **({"enum": _words(name)} if _words(name) else {})}
    if shape == LINES:
        line = {"type": "string", "pattern": _PATTERNS[name]} if name in _PATTERNS else _LINE
        return {"anyOf": [line, {"type": "array", "items": line}]}
    return _SHAPES[shape]


def _words(name: str) -> list[str]:
    """The enumeration of all kinds together; `_condition` narrows it."""
    if name in PART_WORDS:
        return list(PART_WORDS[name])
    return list(dict.fromkeys(word for words in BY_NAME[name].words.values() for word in words))


_SHAPES: dict[str, dict[str, Any]] = {
    TEXT: {"type": "string"},
    LINE: _LINE,
    DATE: {"type": ["string", "integer"], "pattern": _DATE, "minimum": 1000, "maximum": 9999},
    FLAG: {"enum": ["true", True]},
    VERSIONS: {"type": "object", "additionalProperties": _LINE},
    PERSON: {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "agent": {"type": "string"}},
                "anyOf": [{"required": ["name"]}, {"required": ["agent"]}],
            },
        ]
    },
}


def _condition(kind: str) -> dict[str, Any]:
    """What holds for one kind: the words it has, the fields it has not, and one that it needs."""
    narrowed: dict[str, Any] = {field.name: False for field in FIELDS if kind not in field.kinds}
    for field in FIELDS:
        words = field.words.get(kind)
        if words and len(words) < len(_words(field.name)):
            narrowed[field.name] = {"enum": list(words)}
    return {
        "if": {"required": ["kind"], "properties": {"kind": {"const": kind}}},
        "then": {"properties": narrowed, "anyOf": [{"required": [name]} for name in NEEDED[kind]]},
    }
