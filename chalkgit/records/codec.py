"""Records as YAML files: strings only, read strictly, written one way.

`decode(encode(record)) == record`, with libyaml and without it. PyYAML's events are taken and not its
constructors: those turn `no`, `1.10` and dates into something else and lose duplicate keys.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import yaml

from chalkgit import thresholds
from chalkgit.errors import ChalkError, Problem
from chalkgit.records import emit
from chalkgit.records.comments import stray_tab
from chalkgit.records.nodes import LIST, MAP, NULL, TEXT, Node, line_of
from chalkgit.records.record import Record
from chalkgit.records.shapes import LEFT_OUT, Reader, normal

if TYPE_CHECKING:
    from typing import Any

# With libyaml a record takes 0.08 ms and without it 0.74 ms; a wheel for a new Python may come without it.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# U+0085 is a line end of YAML 1.1 and no control character here; U+FEFF, U+FFFE and U+FFFF are refused by
# libyaml alone.
_RAW_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_DIRECTIVE = re.compile("^%", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<{7,} |\|{7,} |={7,}\r?$|>{7,} )", re.MULTILINE)  # git may ask for longer ones


def decode(data: bytes, path: str) -> tuple[Record, list[Problem]]:
    """The record of a file, and what had to be left out of it; ChalkError where nothing is left."""
    text = text_of(data, path)
    reader = Reader(text, path)
    return Record(reader.fields(compose(text, path)), path), reader.problems


def encode(record: Record) -> bytes:
    """The canonical file of a record; ChalkError for what `decode` would leave out."""
    data, problems = _written(record)
    if problems:
        raise ChalkError(problems[0].message, where=record.path or None, hint=problems[0].hint)
    return data


def check(record: Record) -> list[Problem]:
    """What `encode` would refuse."""
    return _written(record)[1]


def content_hash(record: Record) -> str:
    """SHA-256 of the canonical record without `review`: what an approval speaks of."""
    fields = {name: value for name, value in normal(record.fields).items() if name != "review"}
    return hashlib.sha256(emit.document(fields).encode()).hexdigest()


def text_of(data: bytes, path: str) -> str:
    """The text of a file within the cap, without its byte order mark."""
    if len(data) > thresholds.RECORD_BYTES:
        raise ChalkError(
            f"the file has {len(data):,} bytes; a record has at most {thresholds.RECORD_BYTES:,}",
            where=path,
            hint=f"move what is long out of it, then {_lint(path)}",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        where = f"{path}:{data.count(10, 0, error.start) + 1}"
        raise ChalkError("the file is not UTF-8", where=where, hint=_lint(path)) from None
    return text.removeprefix("\ufeff")


def compose(text: str, path: str) -> Node:
    """The root mapping with all places; ChalkError names the line of what is not plain YAML."""
    if found := _CONFLICT.search(text):
        hint = f"resolve it, then {_lint(path)}"
        raise _error("unresolved merge conflict", text, path, found.start(), hint)
    if found := _RAW_CONTROL.search(text):
        raise _error(_control(found[0]), text, path, found.start())
    try:
        root = _Composer(text, path).root()
    except yaml.YAMLError as error:
        raise _syntax(error, text, path) from None
    except (ValueError, OverflowError):  # PyYAML without libyaml, for "\UFFFFFFFF"
        raise _error("no YAML: an escape names no character", text, path, 0) from None
    if "\t" in text and (at := stray_tab(text, root)) is not None:
        raise _error("a tab stands outside quotes: YAML readers differ about it", text, path, at)
    return root


class _Composer:
    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.loader = LOADER(text)

    def root(self) -> Node:
        self.loader.get_event()
        if isinstance(self.loader.get_event(), yaml.StreamEndEvent):
            raise self._error("the file is empty", 0)
        root = self._node(self.loader.get_event(), 1)
        if found := _DIRECTIVE.search(self.text, 0, root.start):
            raise self._error("a record has no YAML directives", found.start())
        self.loader.get_event()
        after: Any = self.loader.get_event()
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._error("a file holds one record: a second document starts", after.start_mark.index)
        if root.kind != MAP:
            raise self._error(f"a record is a mapping of fields, not {root.kind}", root.start)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        # the events' classes are compared, and attributes read once: a build reads some million events
        kind = event.__class__
        start, end = event.start_mark.index, event.end_mark.index
        if kind is yaml.AliasEvent or event.anchor is not None:
            raise self._error("a record has no anchors and aliases: write the value out", start)
        if event.tag is not None:
            raise self._error(f"a record has no tags: “{event.tag}”; every value is text", start)
        if kind is yaml.ScalarEvent:
            return self._text(event.value, event.style, start, end)
        if depth > thresholds.RECORD_DEPTH:
            raise self._error(f"more than {thresholds.RECORD_DEPTH} levels", start)
        node = Node(MAP if kind is yaml.MappingStartEvent else LIST, start, end)
        node.style = "{" if event.flow_style else ""
        node.end = (self._pairs if node.kind == MAP else self._items)(node, depth)
        return node

    def _text(self, value: str, style: str | None, start: int, end: int) -> Node:
        if not style:
            return Node(TEXT, start, end, "", value) if value else Node(NULL, start, end)
        # elsewhere no escapes are read, and the whole file was searched
        if style == '"' and (found := _CONTROL.search(value)):
            raise self._error(_control(found[0]), start)
        return Node(TEXT, start, end, style, value)

    def _items(self, node: Node, depth: int) -> int:
        following = self.loader.get_event
        while (event := following()).__class__ is not yaml.SequenceEndEvent:
            node.items.append(self._node(event, depth + 1))
        return _end(event)

    def _pairs(self, node: Node, depth: int) -> int:
        following = self.loader.get_event
        seen: set[str] = set()
        while (event := following()).__class__ is not yaml.MappingEndEvent:
            key = self._key(event, depth)
            if key.text in seen:
                raise self._error(f"“{key.text}” stands there twice", key.start)
            seen.add(key.text)
            node.pairs.append((key, self._node(following(), depth + 1)))
        return _end(event)

    def _key(self, event: Any, depth: int) -> Node:
        key = self._node(event, depth + 1)
        if key.kind != TEXT or not key.text.strip() or "\n" in key.text:
            raise self._error("a field's name must be one line of text", key.start)
        if len(key.text) > thresholds.KEY_LENGTH:
            raise self._error(f"a field's name is longer than {thresholds.KEY_LENGTH} characters", key.start)
        return key

    def _error(self, message: str, at: int) -> ChalkError:
        return _error(message, self.text, self.path, at)


def _written(record: Record) -> tuple[bytes, list[Problem]]:
    fields = normal(record.fields)
    if problem := next(unwritable(fields), None):
        return b"", [Problem(record.path, None, problem)]
    data = f"{emit.modeline(record.path)}\n{emit.document(fields)}".encode()
    try:
        back, problems = decode(data, record.path)
    except ChalkError as error:
        return data, [Problem(record.path, None, error.message, error.hint)]
    # No `where`: the line is one of a file that is not written.
    said = [Problem(record.path, None, p.message.removesuffix(LEFT_OUT)) for p in problems]
    changed = [name for name in fields if back.fields.get(name) != fields[name]]
    if changed and not said:
        said = [Problem(record.path, None, f"{changed[0]} would not be read as it was written")]
    return data, said


def unwritable(value: Any, name: str = "") -> Iterator[str]:
    """What no file could hold: anything but text, lists and mappings, and control characters."""
    if isinstance(value, str):
        if found := _CONTROL.search(value):
            yield f"{name}: {_control(found[0])}"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{name}: the name {key!r} is no text"
            else:
                yield from unwritable(key, "a field's name")
                yield from unwritable(inner, f"{name}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from unwritable(inner, name)
    else:
        yield f"{name}: {value!r} is no text"


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def _control(character: str) -> str:
    return f"the control character U+{ord(character):04X} is not allowed"


def _lint(path: str) -> str:
    return f"chalkgit lint {path}".rstrip()


def _syntax(error: Any, text: str, path: str) -> ChalkError:
    marks = (getattr(error, "problem_mark", None), getattr(error, "context_mark", None))
    places = [mark.index for mark in marks if mark is not None]
    # What is never closed is noticed at the end of the file; where it was opened is what helps.
    at = next((place for place in places if text[place:].strip()), 0)
    column = at - text.rfind("\n", 0, at)
    problem = getattr(error, "problem", None) or "it cannot be read"
    return _error(f"no YAML: {problem} (column {column})", text, path, at)


def _error(message: str, text: str, path: str, at: int, hint: str | None = None) -> ChalkError:
    return ChalkError(message, where=f"{path}:{line_of(text, at)}", hint=hint or _lint(path))
