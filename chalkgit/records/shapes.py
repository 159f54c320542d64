"""From nodes to a record's fields: each value in the shape its field has, and what could not be read.

A damaged value costs that value, and is said; only what leaves nothing useful costs the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalkgit import ids, times
from chalkgit.errors import ChalkError, Problem
from chalkgit.records import oneline, paths, reopens
from chalkgit.records.fields import (
    BY_NAME,
    DATE,
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
from chalkgit.records.nodes import LIST, MAP, NULL, Node, line_of
from chalkgit.records.nodes import TEXT as TEXT_NODE

if TYPE_CHECKING:
    from typing import Any

LEFT_OUT = "; left out"

NEEDED = {
    "dead-end": ("route", "raw"),
    "lesson": ("failure", "lesson", "resolution"),
    "procedure": ("route",),
}


class Reader:
    """Reads the root of one file; `problems` grows in the order of the file."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.problems: list[Problem] = []

    def fields(self, root: Node) -> dict[str, Any]:
        values = {key.text: value for key, value in root.pairs}
        kind = self._kind(values)
        found: dict[str, Any] = {"id": self._id(values), "kind": kind}
        for key, node in root.pairs:
            name = key.text
            value = found.get(name) or self._field(name, key, node, kind)
            if value is not None:
                found[name] = value
        complete(found)
        self._useful(found, kind)
        return found

    def _kind(self, values: Mapping[str, Node]) -> str:
        node = values.get("kind")
        if node is None or node.kind == NULL:
            raise self._fatal(None, "the record has no kind", "add `kind: dead-end`, `lesson` or `procedure`")
        kind = node.text.strip()
        if kind not in KINDS:
            raise self._fatal(node, f"“{kind}” is no kind: one of {', '.join(KINDS)}")
        return kind

    def _id(self, values: Mapping[str, Node]) -> str:
        node = values.get("id")
        if node is None or node.kind == NULL:
            raise self._fatal(None, "the record has no id", f"chalkgit fmt {self.path}".rstrip())
        found = node.text.strip()
        if not ids.is_id(found):
            raise self._fatal(
                node,
                f"“{found}” is no id: eight base-32 characters, the first one a letter",
                f"remove the line, then chalkgit fmt {self.path}".rstrip(),
            )
        return found

    def _useful(self, fields: Mapping[str, Any], kind: str) -> None:
        needed = NEEDED[kind]
        if not any(_says_something(fields.get(name)) for name in needed):
            raise self._fatal(None, f"a {kind} needs {' or '.join(needed)}")

    def _field(self, name: str, key: Node, node: Node, kind: str) -> Any:
        if node.kind == NULL:
            return self._dropped(key, f"“{name}:” has no value")
        field = BY_NAME.get(name)
        if field is None:
            return self._kept(node)
        if kind not in field.kinds:
            self._say(key, f"{name} is no field of a {kind}: kept as it is")
            return self._kept(node)
        if field.shape == PARTS:
            return self._parts(field, node)
        return self._shape(name, field.shape, node, field.words.get(kind, ()))

    def _shape(self, name: str, shape: str, node: Node, words: tuple[str, ...] = ()) -> Any:
        if shape == LINES:
            return self._lines(name, node)
        if shape == VERSIONS:
            return self._versions(name, node)
        if shape == PERSON:
            return self._person(name, node)
        if node.kind != TEXT_NODE:
            return self._dropped(node, f"{name} must be text, not {node.kind}")
        if shape == TEXT:
            return node.text
        if shape == LINE:
            return self._line(name, node)
        return self._word(name, shape, node, words)

    def _word(self, name: str, shape: str, node: Node, words: tuple[str, ...]) -> Any:
        word = node.text.strip()
        if shape == DATE and not times.is_date(word):
            return self._dropped(
                node,
                f"{name} “{word}” is no date: write YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant",
            )
        if shape == FLAG and word != "true":
            return self._dropped(node, f"{name} “{word}” is not “true”, the one word it may be")
        if shape == WORD and word not in words:
            return self._dropped(node, f"“{word}” is no {name}: one of {', '.join(words)}")
        return word

    def _line(self, name: str, node: Node) -> str:
        text = node.text.rstrip("\n")
        if "\n" in text:
            self._say(node, f"{name} must be one line: its lines are joined")
            return " ".join(line.strip() for line in text.split("\n"))
        return text

    def _lines(self, name: str, node: Node) -> Any:
        if node.kind == MAP:
            return self._dropped(node, f"{name} must be a list, not {node.kind}")
        lines = []
        for item in node.items if node.kind == LIST else [node]:
            if item.kind == TEXT_NODE:
                line = self._line(name, item)
                if reason := _refused(name, line):
                    self._dropped(item, reason)
                else:
                    lines.append(line)
            else:
                self._dropped(item, f"{name} has an item that is {item.kind}, not text")
        return lines

    def _versions(self, name: str, node: Node) -> Any:
        if node.kind != MAP:
            return self._dropped(node, f"{name} must be a mapping of name to version, not {node.kind}")
        found = {key.text: self._part(f"{name}.{key.text}", LINE, key, value) for key, value in node.pairs}
        return {key: value for key, value in found.items() if value is not None}

    def _person(self, name: str, node: Node) -> Any:
        if node.kind == TEXT_NODE:
            return self._line(name, node)
        found: dict[str, Any] = {}
        for key, value in node.pairs:
            shape = LINE if key.text in ("name", "agent") else ""
            found[key.text] = self._part(f"{name}.{key.text}", shape, key, value)
        found = {part: value for part, value in found.items() if value is not None}
        if not found.get("name") and not found.get("agent"):
            return self._dropped(node, f"{name} must be a name, or a mapping with name and agent")
        return _person(found)

    def _parts(self, field: Field, node: Node) -> Any:
        if node.kind != MAP:
            return self._dropped(node, f"{field.name} must be a mapping, not {node.kind}")
        found = {}
        for key, value in node.pairs:
            name = f"{field.name}.{key.text}"
            found[key.text] = self._part(name, field.parts.get(key.text, ""), key, value)
        return {part: value for part, value in found.items() if value is not None}

    def _part(self, name: str, shape: str, key: Node, node: Node) -> Any:
        if node.kind == NULL:
            return self._dropped(key, f"“{name}:” has no value")
        return self._shape(name, shape, node, PART_WORDS.get(name, ())) if shape else self._kept(node)

    def _kept(self, node: Node) -> Any:
        """The value of a field that we do not know, exactly; what is empty in it is absent."""
        if node.kind == MAP:
            for key, value in node.pairs:
                if value.kind == NULL:
                    self._dropped(key, f"“{key.text}:” has no value")
            return {key.text: self._kept(value) for key, value in node.pairs if value.kind != NULL}
        if node.kind == LIST:
            if any(item.kind == NULL for item in node.items):
                self._dropped(node, "an item of the list has no value")
            return [self._kept(item) for item in node.items if item.kind != NULL]
        return node.text

    def _dropped(self, node: Node, message: str) -> Any:
        """None, for the value that is not read."""
        self._say(node, message + LEFT_OUT)

    def _say(self, node: Node, message: str) -> None:
        self.problems.append(Problem(self.path, line_of(self.text, node.start), message, fatal=False))

    def _fatal(self, node: Node | None, message: str, hint: str | None = None) -> ChalkError:
        line = line_of(self.text, node.start) if node else 1
        return ChalkError(
            message, where=f"{self.path}:{line}", hint=hint or f"chalkgit lint {self.path}".rstrip()
        )


def complete(fields: dict[str, Any]) -> None:
    """A dead end that came as an entry gets its route, and where it is typed the rest, from `raw`."""
    raw = fields.get("raw")
    if fields.get("kind") == "dead-end" and isinstance(raw, str) and not fields.get("route"):
        read = oneline.parse(raw)
        for name in ("route", "observation", "layer"):
            if name in read:
                fields.setdefault(name, read[name])


def normal(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as they are read back: one line is a list of one, a person with a name alone is it."""
    known = {name: _normal(BY_NAME[name].shape, value) for name, value in fields.items() if name in BY_NAME}
    for name, value in known.items():
        if BY_NAME[name].shape == PARTS and isinstance(value, dict):
            parts = BY_NAME[name].parts
            known[name] = {part: _normal(parts.get(part, ""), inner) for part, inner in value.items()}
    found = {**fields, **known}
    complete(found)
    return found


def _normal(shape: str, value: Any) -> Any:
    if shape == LINES and isinstance(value, str):
        return [value]
    return _person(value) if shape == PERSON and isinstance(value, dict) else value


def _person(value: dict[str, Any]) -> Any:
    return value["name"] if list(value) == ["name"] else value


def _refused(name: str, line: str) -> str | None:
    if name == "files":
        return paths.validate(line)
    if name == "supersedes" and not ids.is_id(line):
        return f"supersedes “{line}”, which is no id"
    if name == "reopens-when" and reopens.parse(line) is None:
        return f"“{line}” does not say when to reopen: write {reopens.FORMS}"
    return None


def _says_something(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)
