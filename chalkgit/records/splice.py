"""Where in a file's text a changed field goes: line by line, at the places the parser gave."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalkgit.records import emit
from chalkgit.records.comments import Comment
from chalkgit.records.fields import ORDER
from chalkgit.records.nodes import LIST, MAP, Node, content_end

if TYPE_CHECKING:
    from typing import Any

_DASH = re.compile(r" *- +\Z")


class Unusual(Exception):
    """The layout leaves no line to change: a flow mapping, an explicit key."""


class Splicer:
    """Collects replacements of one text; they do not overlap."""

    def __init__(self, text: str, comments: list[Comment]) -> None:
        self.text = text
        self.comments = comments
        self.newline = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
        self.splices: list[tuple[int, int, str]] = []

    def spliced(self, root: Node, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
        """The text in which the root mapping says `after`."""
        self._mapping(root, before, after, "")
        pieces = []
        at = 0
        for start, end, new in sorted(self.splices, key=lambda splice: splice[:2]):
            pieces += [self.text[at:start], new]
            at = end
        return "".join((*pieces, self.text[at:]))

    def _mapping(self, node: Node, before: Mapping[str, Any], after: Mapping[str, Any], owner: str) -> None:
        column = self._column(node)
        for key, value in node.pairs:
            if key.text not in after:
                self._column(node, key)
                self._put(self._line(key.start), self._below(value), "")
            elif before[key.text] != after[key.text]:
                self._column(node, key)
                self._change(key, value, before[key.text], after[key.text], owner)
        for name in emit.ordered(owner, [name for name in after if name not in before]):
            lines = emit.entry(name, after[name], column, owner, keep=False)
            self._insert(self._below(self._predecessor(node, name, owner)), lines)

    def _predecessor(self, node: Node, name: str, owner: str) -> Node:
        """The value below which a new field goes: the last one, of the table's fields the nearest."""
        if owner or name not in ORDER:
            return node.pairs[-1][1]
        known = [(key, value) for key, value in node.pairs if ORDER.get(key.text, len(ORDER)) < ORDER[name]]
        return max(known or node.pairs[:1], key=lambda pair: ORDER[pair[0].text])[1]

    def _change(self, key: Node, value: Node, before: Any, after: Any, owner: str) -> None:
        inner = f"{owner}.{key.text}".lstrip(".")
        if value.style == "{" or value.is_leaf:
            self._replace(key, value, after, inner)
        elif value.kind == MAP and isinstance(after, dict) and before.keys() & after.keys():
            self._mapping(value, before, after, inner)
        elif value.kind == LIST and isinstance(after, list) and after and self._has_lines(value):
            self._items(value, before, after, inner)
        else:
            self._replace(key, value, after, inner)

    def _items(self, node: Node, before: list[Any], after: list[Any], owner: str) -> None:
        shortest = min(len(before), len(after))
        head = next((at for at in range(shortest) if before[at] != after[at]), shortest)
        rest = shortest - head
        tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
        for item in node.items[head : len(before) - tail]:
            self._put(self._line(item.start), self._below(item), "")
        column = self._indent(node.start)
        new = [
            line
            for one in after[head : len(after) - tail]
            for line in emit.item(one, column, owner, keep=False)
        ]
        at = self._below(node.items[head - 1]) if head else self._line(node.items[0].start)
        self._insert(at, new)

    def _has_lines(self, node: Node) -> bool:
        """Whether each item stands on lines of its own, behind its dash."""
        return all(_DASH.match(self.text[self._line(item.start) : item.start]) for item in node.items)

    def _replace(self, key: Node, value: Node, after: Any, owner: str) -> None:
        column = self._indent(key.start)
        head, tail = emit.block(after, column, owner, keep=False)
        colon = self.text.index(":", key.end) + 1
        end = content_end(self.text, value)
        inside = [comment for comment in self.comments if colon <= comment.at < end]
        side = ""
        if inside and "\n" not in self.text[colon : inside[0].at]:
            side = f"  {inside.pop(0).text}"
        above = [" " * column + comment.text for comment in inside]
        self._insert(self._line(key.start), above)
        self._put(colon, end, (f" {head}" if head else "") + side)
        self._insert(self._below(value), tail)

    def _insert(self, at: int, lines: list[str]) -> None:
        if lines:
            joined = "".join(line + self.newline for line in lines)
            if at and self.text[at - 1] != "\n":
                joined = self.newline + joined
            self._put(at, at, joined)

    def _put(self, start: int, end: int, new: str) -> None:
        self.splices.append((start, end, new))

    def _column(self, node: Node, key: Node | None = None) -> int:
        if node.style == "{" or not node.pairs:
            raise Unusual
        return self._indent((key or node.pairs[0][0]).start)

    def _indent(self, at: int) -> int:
        before = self.text[self._line(at) : at]
        if before.strip(" "):
            raise Unusual
        return len(before)

    def _line(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _below(self, value: Node) -> int:
        """The start of the line below the value."""
        end = self.text.find("\n", content_end(self.text, value))
        return len(self.text) if end < 0 else end + 1
