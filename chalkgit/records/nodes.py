"""What a YAML file holds before anything is made of it: text, lists and mappings with their places.

Every leaf is a string; a place is an index into the file's text, so that an edit can splice there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

NULL = "nothing"
TEXT = "text"
LIST = "a list"
MAP = "a mapping"

# Where YAML 1.1 ends a line, and with it a comment.
BREAKS = "\n\r\x85\u2028\u2029"


class Node:
    """One value: `text` of a TEXT, `items` of a LIST, `pairs` of a MAP; `end` is exclusive.

    style: “|”, “>” or a quote of a TEXT, “{” of a LIST or MAP in flow style, else "".
    """

    __slots__ = ("end", "items", "kind", "pairs", "start", "style", "text")

    def __init__(self, kind: str, start: int, end: int, style: str = "", text: str = "") -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.style = style
        self.text = text
        self.items: list[Node] = []
        self.pairs: list[tuple[Node, Node]] = []

    @property
    def is_leaf(self) -> bool:
        return not self.items and not self.pairs

    @property
    def is_block_text(self) -> bool:
        return self.style in ("|", ">")


def plain(node: Node) -> Any:
    """The value as str, list and dict; None where nothing was written."""
    if node.kind == LIST:
        return [plain(item) for item in node.items]
    if node.kind == MAP:
        return {key.text: plain(value) for key, value in node.pairs}
    return None if node.kind == NULL else node.text


def line_of(text: str, index: int) -> int:
    """The line an editor shows for this place: it counts from 1, and only \\n ends one."""
    return text.count("\n", 0, index) + 1


def content_end(text: str, node: Node) -> int:
    """Where the value's last character is, without the comments and blank lines the parser adds."""
    if node.is_block_text:
        return _block_end(text, node)
    if node.is_leaf or node.style == "{":
        return node.end
    return content_end(text, node.pairs[-1][1] if node.pairs else node.items[-1])


def _block_end(text: str, node: Node) -> int:
    body = text[node.start : node.end]
    indicator = body.split("\n", 1)[0].split("#", 1)[0]
    if "+" in indicator:  # its blank lines are part of the value
        return node.end - len(body) + len(body.removesuffix("\n").removesuffix("\r"))
    return node.start + len(body.rstrip("\r\n"))
