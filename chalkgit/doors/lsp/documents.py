"""The open documents: which file each one is, and its unsaved text.

A line ends where the protocol ends it. The documents of pygls (2.1) split as Python does, at U+2028 and form
feeds too, and put an edit below one of those in the wrong place.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls.workspace import PositionCodec

from chalkgit.store import worktree
from chalkgit.store.place import LESSONS

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Text:
    """The text of a document; columns inside are characters, and the client's units outside."""

    __slots__ = ("_codec", "_lines")

    def __init__(self, source: str, codec: PositionCodec) -> None:
        self._codec = codec
        self._lines = _split(source)

    @property
    def source(self) -> str:
        return "".join(self._lines)

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; at least one."""
        return [line.rstrip("\r\n") for line in self._lines]

    def change(self, event: types.TextDocumentContentChangeEvent) -> None:
        if not isinstance(event, types.TextDocumentContentChangePartial):
            self._lines = _split(event.text)
            return
        line, column = self.place(event.range.start)
        last, end = self.place(event.range.end)
        new = self._lines[line][:column] + event.text + self._lines[last][end:]
        first = max(line - 1, 0)  # its \r may have become half of an end
        stretch = "".join([*self._lines[first:line], new])
        self._lines[first : last + 1] = (
            _split(stretch) if last + 1 == len(self._lines) else _LINE.findall(stretch)
        )

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column in characters; beyond an end, that end."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        units = 0
        content = self._lines[position.line].rstrip("\r\n")
        for column, character in enumerate(content):
            if units >= position.character:
                return position.line, column
            units += self._codec.client_num_units(character)
        return position.line, len(content)

    def range(self, line: int, start: int = 0, end: int | None = None) -> types.Range:
        """A stretch of one line, the whole of it by default, as the client counts."""
        line = min(line, len(self._lines) - 1)
        content = self._lines[line].rstrip("\r\n")
        units = [
            self._codec.client_num_units(content[:column])
            for column in (start, len(content) if end is None else end)
        ]
        return types.Range(types.Position(line, units[0]), types.Position(line, units[1]))


class Document:
    """One open document as the client has it."""

    __slots__ = ("path", "text", "uri", "version")

    def __init__(self, uri: str, path: str, version: int, source: str, codec: PositionCodec) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.text = Text(source, codec)

    @property
    def is_record(self) -> bool:
        """As its path looks; whether a store is there decides in the end."""
        return f"/{LESSONS}/" in self.path and self.path.endswith(worktree.SUFFIX)


def path_of(uri: str) -> str | None:
    """The file that a URI names; None for one that names none on this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = os.fsdecode(unquote_to_bytes(parts.path))
    here = parts.scheme == "file" and parts.netloc in ("", "localhost")
    return path if here and path.startswith("/") and "\0" not in path else None


def uri_of(path: str) -> str:
    return "file://" + quote(os.fsencode(path))


def _split(source: str) -> list[str]:
    """The lines with their ends, and an empty one after the last end."""
    lines = _LINE.findall(source)
    return lines if lines and lines[-1][-1] not in "\r\n" else [*lines, ""]
