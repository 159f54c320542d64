"""Where a field, or an item of it, stands in a file: so that a finding names a line where one can be known.

By the text alone: what is found is a place to look at, never an answer.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.store import git, snapshot

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place
    from chalkgit.store.snapshot import Snapshot


class Places:
    """The lines of one tree's files; each file is read once, and only where something is wrong with it."""

    def __init__(self, place: Place, seen: Snapshot) -> None:
        self._place = place
        self._index = seen.source == "index"
        self._texts: dict[str, str] = {}

    def of(self, path: str, name: str, item: str | None = None) -> int | None:
        """The line of a top-level field, or of an item below it; None where the text does not show it."""
        return line(self._text(path), name, item)

    def _text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str:
        if self._index:
            code, data, _ = git.ask(self._place.root, "cat-file", "blob", f":0:{path}")
            return data.decode("utf-8", "replace") if code == 0 else ""
        found = snapshot.content(self._place, path)
        return "" if isinstance(found, ChalkError) else found.decode("utf-8", "replace")


def line(text: str, name: str, item: str | None = None) -> int | None:
    """Counted from 1; the field's own line where the item is not found below it."""
    first = None
    for number, row in enumerate(text.split("\n"), 1):
        if first is None:
            if row.startswith((f"{name}:", f'"{name}":', f"'{name}':")):
                first = number
                if item is None or item in row.partition(":")[2]:
                    return number
        elif row[:1] not in ("", " ", "\t", "-", "#", "\r"):
            return first
        elif item is not None and item in row and not row.lstrip().startswith("#"):
            return number
    return first
