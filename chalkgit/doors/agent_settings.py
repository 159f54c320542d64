"""A JSON file of the user's, changed by the text: what is put in or cut out is all that differs afterwards.

A path is the keys and positions that lead to a value, from the outside in. Keys, their order, indentation and
line ends stay the user's; what was put in and is cut out again leaves the bytes of before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from chalkgit.errors import ChalkError

Path = Sequence[str | int]
_SPACE = " \t\r\n"


class Child:
    """One value in an object or array: `start` is where its key begins, where it has one."""

    __slots__ = ("end", "key", "start", "value")

    def __init__(self, key: str | int, start: int, value: int, end: int) -> None:
        self.key = key
        self.start = start
        self.value = value
        self.end = end


def parse(text: str, file: str) -> Any:
    """The value; ChalkError with the line for what is no JSON, comments included."""
    try:
        found = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, file))
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}"
        comment = text[error.pos : error.pos + 2] in ("//", "/*")
        what = "has a comment, which would be lost" if comment else f"is no JSON: {error.msg}"
        raise ChalkError(
            f"the file {what}", where=where, hint=f"edit line {error.lineno} of {file}"
        ) from None
    except RecursionError:
        raise ChalkError("the file is nested without end", where=f"{file}:1") from None
    if not isinstance(found, dict):
        raise wrong(text, 0, file, "is no JSON object")
    return found


def wrong(text: str, at: int, file: str, what: str) -> ChalkError:
    line = text.count("\n", 0, at) + 1
    return ChalkError(f"the file {what}", where=f"{file}:{line}", hint=f"edit line {line} of {file}")


def _object(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ChalkError(f"the file says “{key}” twice in one object", where=file, hint=f"edit {file}")
        found[key] = value
    return found


def position(text: str, path: Path) -> int:
    """Where the value at this path begins."""
    at = _skip(text, 0)
    for key in path:
        at = next(child.value for child in _children(text, at) if child.key == key)
    return at


def put(text: str, path: Path, key: str | None, value: Any) -> str:
    """The text with another value at the end of the object (with a key) or array at this path."""
    at = position(text, path)
    children, unit, end = _children(text, at), _unit(text), "\r\n" if "\r\n" in text else "\n"
    lead = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if not children:
        outer = _margin(text, at)
        inner = outer + unit
        close = _end(text, at)
        item = end + inner + lead + _dump(value, unit, inner, end) + end + outer
        return text[: at + 1] + item + text[close - 1 :]
    last = children[-1]
    between = text[at + 1 : children[0].start]
    if "\n" in between:
        inner = _margin(text, last.start)
        item = "," + end + inner + lead + _dump(value, unit, inner, end)
    else:
        item = ", " + lead + json.dumps(value, ensure_ascii=False)
    return text[: last.end] + item + text[last.end :]


def cut(text: str, path: Path) -> str:
    """The text without the value at this path, with its key and one comma."""
    at = position(text, path[:-1])
    children = _children(text, at)
    turn = next(n for n, child in enumerate(children) if child.key == path[-1])
    if len(children) == 1:
        return text[: at + 1] + text[_end(text, at) - 1 :]
    if turn == len(children) - 1:
        return text[: children[turn - 1].end] + text[children[turn].end :]
    return text[: children[turn].start] + text[children[turn + 1].start :]


def find(value: Any, ours: Callable[[Any], bool], path: tuple[str | int, ...] = ()) -> Path | None:
    """The path of the first value that is ours."""
    if ours(value):
        return path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = (find(part, ours, (*path, key)) for key, part in pairs)
    return next((path for path in found if path is not None), None)


def _children(text: str, at: int) -> list[Child]:
    found: list[Child] = []
    decoder = json.JSONDecoder()
    keyed = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        start, key = at, len(found)  # type: int, str | int
        if keyed:
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, at = decoder.raw_decode(text, at)
        found.append(Child(key, start, value, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _end(text: str, at: int) -> int:
    return json.JSONDecoder().raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _margin(text: str, at: int) -> str:
    """The blanks that begin the line of this place."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of the file's indentation: its first indented line has one."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _dump(value: Any, unit: str, margin: str, end: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", end + margin)
