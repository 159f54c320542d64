"""Change a record's file as a person would: the lines of one field, and nothing else.

`edit` splices at the parser's marks and then reads the result: it is what was asked, or nothing is done.
`formatted` writes the whole file in canonical order and style, with every comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalkgit.errors import ChalkError
from chalkgit.records import codec, emit
from chalkgit.records.comments import Comment, gather
from chalkgit.records.nodes import LIST, MAP, NULL, Node, plain
from chalkgit.records.shapes import LEFT_OUT, normal
from chalkgit.records.splice import Splicer, Unusual

if TYPE_CHECKING:
    from typing import Any

_BOM = b"\xef\xbb\xbf"
_OURS = re.compile(r"# yaml-language-server: \$schema=(?:\.\.?/)*" + re.escape(emit.SCHEMA_FILE))


def edit(data: bytes, changes: Mapping[str, Any], path: str) -> bytes:
    """The file with these top-level fields set, None removing one; all else stays byte for byte."""
    codec.decode(data, path)
    changes = _normal(changes, path)
    text = codec.text_of(data, path)
    root = codec.compose(text, path)
    before = plain(root)
    expected = {
        name: value for name, value in {**before, **changes}.items() if changes.get(name, "") is not None
    }
    if expected == before:
        return data
    try:
        after = Splicer(text, gather(text, root)).spliced(root, before, expected)
    except Unusual:
        raise _unusual(path) from None
    result = (_BOM if data.startswith(_BOM) else b"") + after.encode()
    _verify(result, expected, changes, path)
    return result


def formatted(data: bytes, path: str, new_id: str | None = None) -> bytes:
    """The file in canonical order and style, comments kept; `new_id` is for a record without one."""
    text = codec.text_of(data, path)
    root = codec.compose(text, path)
    comments = gather(text, root)
    lines = _lines(root, comments, path, new_id)
    newline = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
    result = "".join(line + newline for line in lines).encode()
    codec.decode(result, path)
    _verify_format(result, root, comments, path, new_id)
    return result


def _normal(changes: Mapping[str, Any], path: str) -> dict[str, Any]:
    given = {name: value for name, value in changes.items() if value is not None}
    if problem := next(codec.unwritable(given), None):
        raise ChalkError(problem, where=path)
    made = normal(given)
    return {name: made.get(name) for name in changes}


def _verify(result: bytes, expected: Mapping[str, Any], changes: Mapping[str, Any], path: str) -> None:
    record, problems = codec.decode(result, path)
    for name, value in changes.items():
        if value is not None and record.get(name) != value:
            said = next((p for p in problems if name in p.message), None)
            raise ChalkError(said.message.removesuffix(LEFT_OUT), where=path) if said else _unusual(path)
    if plain(codec.compose(codec.text_of(result, path), path)) != expected:
        raise _unusual(path)


def _unusual(path: str) -> ChalkError:
    return ChalkError(
        "the file is laid out too unusually to be changed in place",
        where=path,
        hint=f"chalkgit fmt {path}".rstrip(),
    )


def _lines(root: Node, comments: list[Comment], path: str, new_id: str | None) -> list[str]:
    first, kept = _modelines(comments, path)
    fields = _Noting(kept).mapping(root)
    if new_id is not None and plain(root).get("id") is None:
        fields["id"] = fields.get("id", emit.Noted(None)).saying(new_id)
    tail = [comment.text for comment in kept if comment.owner is None]
    return [*first, *emit.document(fields).removesuffix("\n").split("\n"), *tail]


def _modelines(comments: list[Comment], path: str) -> tuple[list[str], list[Comment]]:
    """The first line, ours or one that a person chose; and the comments that are none."""
    kept = [comment for comment in comments if not _OURS.fullmatch(comment.text)]
    chosen = [comment for comment in kept if comment.text.startswith("# yaml-language-server:")]
    first = [comment.text for comment in chosen] or [emit.modeline(path)]
    return first, [comment for comment in kept if comment not in chosen]


class _Noting:
    """Nodes as the values that `emit` writes, with their comments."""

    def __init__(self, comments: list[Comment]) -> None:
        self.above: dict[int, list[str]] = {}
        self.side: dict[int, str] = {}
        for comment in comments:
            if comment.owner is not None:
                self._add(id(comment.owner), comment)

    def mapping(self, node: Node) -> dict[str, Any]:
        return {key.text: self._noted(value) for key, value in node.pairs}

    def _add(self, owner: int, comment: Comment) -> None:
        above = self.above.setdefault(owner, [])
        if not comment.beside:
            above.append(comment.text)
            return
        if owner in self.side:
            above.append(self.side[owner])
        self.side[owner] = comment.text

    def _noted(self, node: Node) -> emit.Noted:
        value: Any = node.text
        if node.kind == MAP:
            value = self.mapping(node)
        elif node.kind == LIST:
            value = [self._noted(item) for item in node.items]
        elif node.kind == NULL:
            value = None
        return emit.Noted(value, self.above.get(id(node), ()), self.side.get(id(node), ""))


def _verify_format(result: bytes, root: Node, comments: list[Comment], path: str, new_id: str | None) -> None:
    text = codec.text_of(result, path)
    after = codec.compose(text, path)
    expected = plain(root)
    if expected.get("id") is None and new_id is not None:
        expected["id"] = new_id
    if plain(after) != expected or _texts(gather(text, after)) != _texts(comments):
        raise ChalkError("the file cannot be formatted without changing what it says", where=path)


def _texts(comments: list[Comment]) -> list[str]:
    return sorted(comment.text for comment in comments if not _OURS.fullmatch(comment.text))
