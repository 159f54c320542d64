"""A generation: the folder with the table and the words that `manifest.json` names as in use.

The manifest keeps a stamp, which the table must carry too, and the document count. It is withdrawn before
data changes and put back after, so whoever finds no manifest, or one that does not fit, builds anew.
Only what `at` needs is imported here; the words are opened when first asked.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.index.table import Damaged, Table
from chalkgit.store import atomic, sqlite
from chalkgit.store.place import Place, head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.index.lexical import Lexical

MANIFEST = "manifest.json"
TABLE, WORDS = "table.db", "words"


class Index:
    """Table and words of one place, in step with its files.

    folder is None in memory; `unwritten` then says why nothing was written. `unsearched`: history was too
    long to look for files' earlier names in the time there was; `uncompared`: there were too many globs.
    `commit`: the one whose tree this is, "" for the time before the first; None for the work tree.
    """

    __slots__ = ("_words", "commit", "folder", "place", "table", "uncompared", "unsearched", "unwritten")

    def __init__(self, place: Place, table: Table, folder: str | None, words: Lexical | None = None) -> None:
        self.place = place
        self.table = table
        self.folder = folder
        self._words = words
        self.commit: str | None = None
        self.unwritten: str | None = None
        self.unsearched = False
        self.uncompared = False

    @property
    def words(self) -> Lexical:
        if self._words is None:
            from chalkgit.index.lexical import Lexical

            assert self.folder is not None
            # asked first: what another process writes to the words meanwhile is there twice, not missing
            pending = self.table.pending()
            words = Lexical(os.path.join(self.folder, WORDS))
            # an index that lost its documents opens as an empty one
            if words.written != int(self.table.meta("documents") or -1):
                raise Damaged("the count of documents differs from the manifest's")
            words.take(pending)
            self._words = words
        return self._words

    def successors_moved(self) -> bool:
        """Whether some record supersedes another and HEAD is not the commit that was judged by."""
        return bool(self.table.rows("select 1 from successors limit 1")) and not self.judged_at_head()

    def judged_at_head(self) -> bool:
        """Whether HEAD is the commit by which successors were judged last."""
        return self.table.meta("successors-head") == (head(self.place) or "")


def current(place: Place, *, hurried: bool = False) -> Index | None:
    """The generation in use, or None when one has to be built. ChalkError while another process holds it."""
    found = manifest(place)
    if found is None:
        return None
    folder = os.path.join(place.derived, str(found["generation"]))
    file = os.path.join(folder, TABLE)
    if any(map(os.path.islink, (place.derived, folder, file, os.path.join(folder, WORDS)))):
        return None  # no link is followed out of the git directory
    try:
        # SQLite would make an empty file, and tantivy open an empty index
        if not os.path.isfile(file) or not os.path.isfile(os.path.join(folder, WORDS, "meta.json")):
            return None
        wait = thresholds.HURRIED_SECONDS if hurried else thresholds.TABLE_SECONDS
        opened = Table(file, wait=wait)
        return Index(place, opened, folder) if opened.meta("stamp") == found["stamp"] else None
    except Damaged:
        return None


def manifest(place: Place) -> dict[str, object] | None:
    """The manifest, when there is one of this format."""
    try:
        # no FIFO is waited for, no link followed, and a manifest is short
        opened = os.open(os.path.join(place.derived, MANIFEST), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as file:
            found = sqlite.json_value(file.read(4_096).decode())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != thresholds.INDEX_FORMAT:
        return None
    name, stamp = found.get("generation"), found.get("stamp")
    plain = isinstance(name, str) and is_generation(name) and isinstance(stamp, str)
    return found if plain else None


def is_generation(name: str) -> bool:
    """g and twelve hexadecimal digits."""
    return len(name) == 13 and name[0] == "g" and all(c in "0123456789abcdef" for c in name[1:])


def withdraw(place: Place) -> None:
    try:
        os.unlink(os.path.join(place.derived, MANIFEST))
    except FileNotFoundError:
        pass


def put_back(index: Index, stamp: str) -> None:
    import json

    assert index.folder is not None
    entries = {
        "format": thresholds.INDEX_FORMAT,
        "generation": os.path.basename(index.folder),
        "stamp": stamp,
        "documents": index.words.written,
    }
    data = json.dumps(entries, indent=1).encode() + b"\n"
    atomic.replace(os.path.join(index.place.derived, MANIFEST), data)
