"""A person's comments in a record's file, and the value that each belongs to.

A full line belongs to the field or item below it, the rest of a line to the value it stands behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chalkgit.records.nodes import BREAKS, LIST, MAP, NULL, Node

_COMMENT = re.compile(f"#[^{BREAKS}]*")
_BREAK = re.compile(f"[{BREAKS}]")
_HEADER = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\n\r]*)")


class Comment:
    """One comment from its “#” on; `owner` is the value it belongs to, None below the last one."""

    __slots__ = ("at", "beside", "owner", "text")

    def __init__(self, at: int, text: str, owner: Node | None, beside: bool) -> None:
        self.at = at
        self.text = text.rstrip()
        self.owner = owner
        self.beside = beside


def stray_tab(text: str, root: Node) -> int | None:
    """Where a tab stands outside quotes, blocks and comments; libyaml takes it there and PyYAML does not."""
    before = 0
    for span in (*_spans(root), _Span(len(text), len(text), None)):
        until = span.end if text[span.start : span.start + 1] not in ("'", '"', "|", ">") else span.start
        between = _COMMENT.sub(_blank, text[before : span.start]) + text[span.start : until]
        if "\t" in between:
            return before + between.index("\t")
        before = span.end
    return None


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


class _Span:
    """Where a key or a leaf stands: between two of them, every “#” starts a comment."""

    __slots__ = ("block", "end", "owner", "start")

    def __init__(self, start: int, end: int, owner: Node | None, block: bool = False) -> None:
        self.start = start
        self.end = end
        self.owner = owner
        self.block = block


def gather(text: str, root: Node) -> list[Comment]:
    """All comments, in the order of the file."""
    found: list[Comment] = []
    before = _Span(0, 0, None)
    for span in (*_spans(root), _Span(len(text), len(text), None)):
        found += _between(text, before, span)
        header = _HEADER.match(text, span.start, span.end) if span.block else None
        if header:
            found.append(Comment(header.start(1), header[1], span.owner, True))
        before = span
    return found


def _between(text: str, before: _Span, after: _Span) -> Iterator[Comment]:
    for found in _COMMENT.finditer(text, before.end, after.start):
        beside = (
            before.owner is not None
            and not before.block
            and not _BREAK.search(text, before.end, found.start())
        )
        yield Comment(found.start(), found[0], before.owner if beside else after.owner, beside)


def _spans(node: Node) -> Iterator[_Span]:
    if node.kind == MAP and node.pairs:
        for key, value in node.pairs:
            yield _Span(key.start, key.end, value)
            yield from _spans(value)
    elif node.kind == LIST and node.items:
        for item in node.items:
            yield from _spans(item)
    elif node.kind in (MAP, LIST):  # comments may stand inside the brackets of an empty one
        yield _Span(node.start, node.start + 1, node)
    elif node.kind != NULL:
        yield _Span(node.start, node.end, node, node.is_block_text)
