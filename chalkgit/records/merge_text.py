"""Three versions of a record's file made one, in the words and with the comments of whoever wrote each field.

A field's lines are taken whole from the side that changed it; where both did, from ours, edited. What is left
to choose stands between git's markers, that field's lines alone. The result, with either side chosen, is read
back: it is a record that says what `merge` says, or the three are Unmergeable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalkgit.errors import ChalkError
from chalkgit.records import codec, edit, merge
from chalkgit.records.comments import gather
from chalkgit.records.fields import ORDER
from chalkgit.records.nodes import Node, content_end, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_BOM = b"\xef\xbb\xbf"
_MODELINE = "# yaml-language-server:"
_FIRST, _LAST = "\n<", "\n>"  # no field's names: what stands above the first field, and below the last


class Unmergeable(Exception):
    """These are no three versions of one record that could be merged field by field; says why."""


class Merged:
    """The new content of the file, and the fields that are left to choose, between markers in it."""

    __slots__ = ("conflicts", "data")

    def __init__(self, data: bytes, conflicts: list[str]) -> None:
        self.data = data
        self.conflicts = conflicts


def merged(base: bytes, ours: bytes, theirs: bytes, path: str, marker: int) -> Merged:
    """The merge of a record's file; no base (both sides added the file) is b""."""
    if theirs in (ours, base) or ours == base:
        return Merged(theirs if ours == base else ours, [])
    try:
        return _Merge(base, ours, theirs, path, marker).merged()
    except ChalkError as error:
        raise Unmergeable(f"{error.where}: {error.message}" if error.where else error.message) from None


class _Lines:
    """One field's lines: comments and blank lines above it, its own, and the comments in both."""

    __slots__ = ("above", "body", "comments")

    def __init__(self, above: str, body: str, comments: list[str]) -> None:
        self.above = above
        self.body = body
        self.comments = comments

    def same(self, other: _Lines | None) -> bool:
        return other is not None and _unix(self.above + self.body) == _unix(other.above + other.body)


class _Side:
    """One version of the file, cut into the lines of its fields."""

    __slots__ = ("comments", "data", "lines", "newline", "text", "values")

    def __init__(self, data: bytes, path: str) -> None:
        codec.decode(data, path)
        self.data = data
        self.text = text = codec.text_of(data, path)
        root = codec.compose(text, path)
        self.values = merge.values(plain(root))
        self.newline = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
        found = gather(text, root)
        self.comments = {comment.text for comment in found}
        places = [(comment.at, comment.text) for comment in found]
        self.lines: dict[str, _Lines] = {}
        at = 0
        for name, start, end in self._cuts(root, path):
            if start < at:
                raise Unmergeable(f"{path}: its fields do not stand on lines of their own")
            comments = [said for place, said in places if at <= place < end]
            self.lines[name] = _Lines(text[at:start], text[start:end], comments)
            at = end
        below = [said for place, said in places if place >= at]
        self.lines[_LAST] = _Lines(text[at:], "", below)

    def _cuts(self, root: Node, path: str) -> Iterable[tuple[str, int, int]]:
        for place, (key, value) in enumerate(root.pairs):
            if root.style == "{" or (key.start and self.text[key.start - 1] != "\n"):
                raise Unmergeable(f"{path}: its fields do not stand on lines of their own")
            if not place:
                yield _FIRST, key.start, key.start
            end = self.text.find("\n", content_end(self.text, value)) + 1
            yield key.text, key.start, end or len(self.text)


class _Merge:
    def __init__(self, base: bytes, ours: bytes, theirs: bytes, path: str, marker: int) -> None:
        self.path = path
        self.marker = marker
        self.base = _Side(base, path) if base.strip() else None
        self.ours, self.theirs = _Side(ours, path), _Side(theirs, path)
        if self.ours.values["id"] != self.theirs.values["id"]:
            raise Unmergeable(f"{path}: the two sides are two records")
        before = self.base.values if self.base else None
        self.pairs = merge.fields(before, self.ours.values, self.theirs.values)
        self.conflicts = [name for name, (one, other) in self.pairs.items() if one != other]

    def merged(self) -> Merged:
        ours, theirs = self._edited()
        marked, one, other = [], [], []
        for name in (_FIRST, *self._order(), _LAST):
            if name in self.conflicts:
                choice = self._choice(name, ours.lines.get(name), theirs.lines.get(name))
                pieces = self._marked(*choice)
            else:
                pieces = (self._agreed(name, ours, theirs),) * 3
            marked.append(pieces[0])
            one.append(pieces[1])
            other.append(pieces[2])
        data = self._joined(marked)
        self._verify(self._joined(one) if self.conflicts else data, 0)
        if self.conflicts:
            self._verify(self._joined(other), 1)
        return Merged(data, self.conflicts)

    def _edited(self) -> tuple[_Side, _Side]:
        """The sides, with what a merged field says where neither of them says it already."""
        changes: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        for name, pair in self.pairs.items():
            said = self.ours.values.get(name), self.theirs.values.get(name)
            for at in (0, 1) if name in self.conflicts else (0,):
                known = said[at : at + 1] if name in self.conflicts else said
                if pair[at] is not None and pair[at] not in known:
                    changes[at][name] = pair[at]
        ours, theirs = (
            _Side(self._changed(side.data, change), self.path) if change else side
            for side, change in zip((self.ours, self.theirs), changes, strict=True)
        )
        return ours, theirs

    def _changed(self, data: bytes, changes: Mapping[str, Any]) -> bytes:
        """The file with these fields set; what was canonical stays so (an edit adds new parts at the end)."""
        after = edit.edit(data, changes, self.path)
        return edit.formatted(after, self.path) if edit.formatted(data, self.path) == data else after

    def _order(self) -> list[str]:
        """The fields in ours' order; what theirs added stands where `fmt` would have it."""
        names = [name for name in self.ours.lines if name not in (_FIRST, _LAST)]
        for name in self.pairs:
            if name not in names:
                before = [other for other in names if _rank(other) < _rank(name)]
                names.insert(names.index(max(before, key=_rank)) + 1 if before else 0, name)
        return names

    def _agreed(self, name: str, ours: _Side, theirs: _Side) -> str:
        """The lines of a field with nothing left to choose, and comments that are new in the other side's."""
        if name in self.pairs and self.pairs[name][0] is None:
            return self._added(name, set())
        one, other = ours.lines.get(name), theirs.lines.get(name)
        mine = not self._is_theirs(name, one, other)
        taken, side = (one, ours) if mine else (other, theirs)
        assert taken is not None
        above = self._in_ours(taken.above, mine)
        return above + self._added(name, side.comments) + self._in_ours(taken.body, mine)

    def _is_theirs(self, name: str, ours: _Lines | None, theirs: _Lines | None) -> bool:
        if ours is None or theirs is None:
            return ours is None
        if self.ours.values.get(name) != self.theirs.values.get(name):
            return bool(self.pairs[name][0] == self.theirs.values.get(name))
        return ours.same(self.base.lines.get(name) if self.base else None)

    def _added(self, name: str, there: set[str]) -> str:
        """The comments of either side's lines that the base does not have, nor the lines that are taken."""
        known = there | (self.base.comments if self.base else set())
        sides = [side.lines[name] for side in (self.ours, self.theirs) if name in side.lines]
        new = dict.fromkeys(said for lines in sides for said in lines.comments if said not in known)
        return "".join(said + self.ours.newline for said in new if not said.startswith(_MODELINE))

    def _choice(self, name: str, ours: _Lines | None, theirs: _Lines | None) -> tuple[str, str, str, str]:
        """(above, ours, theirs, below): what stands around the markers, and on their two sides."""
        one, other = (
            lines if lines is not None and self.pairs[name][at] is not None else _Lines("", "", [])
            for at, lines in enumerate((ours, theirs))
        )
        mine, yours = self._in_ours(one.body, True), self._in_ours(other.body, False)
        above = self._in_ours(one.above, True)
        if not mine or not yours or _unix(one.above) != _unix(other.above):
            return "", above + mine, self._in_ours(other.above, False) + yours, ""
        if any(not isinstance(value, dict) for value in self.pairs[name]):
            return above, mine, yours, ""
        # of a mapping only the parts that differ
        a, b = mine.splitlines(True), yours.splitlines(True)
        shortest = min(len(a), len(b))
        head = next((at for at in range(shortest) if a[at] != b[at]), shortest)
        rest = shortest - head
        tail = next((at for at in range(rest) if a[-1 - at] != b[-1 - at]), rest)
        inner = ("".join(lines[head : len(lines) - tail]) for lines in (a, b))
        return (above + "".join(a[:head]), *inner, "".join(a[len(a) - tail :]))  # type: ignore[return-value]

    def _marked(self, above: str, ours: str, theirs: str, below: str) -> tuple[str, str, str]:
        """With markers, and with either side chosen."""
        end = self.ours.newline
        signs = {sign: sign * self.marker for sign in "<=>"}
        marked = f"{signs['<']} ours{end}{ours}{signs['=']}{end}{theirs}{signs['>']} theirs{end}"
        return above + marked + below, above + ours + below, above + theirs + below

    def _in_ours(self, text: str, mine: bool) -> str:
        """With ours' line ends, the last one included; mine: it is ours, and stays as it is."""
        return text if mine and text.endswith("\n") else _unix(text).replace("\n", self.ours.newline)

    def _joined(self, pieces: list[str]) -> bytes:
        text = "".join(pieces)
        if not self.ours.text.endswith("\n") and not self.theirs.text.endswith("\n"):
            text = text.removesuffix("\n").removesuffix("\r")
        # git and people look for a marker at a line's beginning, and a byte order mark would come before it
        kept = self.ours.data.startswith(_BOM) and not text.startswith("<")
        return (_BOM if kept else b"") + text.encode()

    def _verify(self, data: bytes, at: int) -> None:
        codec.decode(data, self.path)
        said = merge.values(plain(codec.compose(codec.text_of(data, self.path), self.path)))
        if said != {name: pair[at] for name, pair in self.pairs.items() if pair[at] is not None}:
            raise Unmergeable(f"{self.path}: the merged file would not say what its two sides do")


def _rank(name: str) -> tuple[int, str]:
    return ORDER.get(name, len(ORDER)), name


def _unix(text: str) -> str:
    """With plain line ends, one at its end."""
    text = text.replace("\r\n", "\n")
    return text if not text or text.endswith("\n") else text + "\n"
