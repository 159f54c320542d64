"""What a merge brought to the first parents: the commits that changed files, and who wrote each.

A clone that is cut off is so beside the first parents too. A commit is taken for one that the merge brought
only where the first parent cannot have it as well, further back than this clone goes.
"""

from __future__ import annotations

import os

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import git, moments, signatures, snapshot
from chalkgit.store.place import LESSONS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from chalkgit.store.history import History, Moment
    from chalkgit.store.place import Place
    from chalkgit.store.signatures import Signature

_MARK = "//"
_SHAPE = ("--full-history", "--no-merges", "--raw", "-z", "--no-abbrev", "--no-renames")
_PROGRAM_LETTERS = 3  # the shortest first word of a program's name that is looked for
_REAL = "--no-replace-objects"


class Writer:
    """A commit and its author. seen: what the commit says of others who wrote it (`Co-authored-by`), or what
    tells that when it is asked."""

    __slots__ = ("_seen", "_signature", "author", "email", "oid")

    def __init__(self, oid: str, author: str, email: str, seen: str | Callable[[], str] = "") -> None:
        self.oid = oid
        self.author = author
        self.email = email
        self._seen = seen
        self._signature: Signature | None = None

    @property
    def seen(self) -> str:
        if not isinstance(self._seen, str):
            self._seen = self._seen()
        return self._seen

    def signature(self, place: Place) -> Signature:
        if self._signature is None:
            self._signature = signatures.of(place, self.oid)
        return self._signature

    def is_agent(self, agent: str) -> bool:
        """Whether the commit says that this program made it: by its author or by who wrote it too."""
        # not where the address is: everybody's private one is at a host that is called like some agent
        said = _words(f"{self.author} {self.email.partition('@')[0]} {self.seen}")
        wanted = _words(agent)
        first = wanted[:1] if wanted and len(wanted[0]) >= _PROGRAM_LETTERS else []
        return bool(wanted) and (all(w in said for w in wanted) or any(w in said for w in first))


def _words(text: str) -> list[str]:
    return "".join(c.casefold() if c.isalnum() else " " for c in text).split()


class Brought:
    """touched: (who, blob before, blob after) of each file that a commit of the merge changed.

    whole: no other commit can have been brought. fields: what the contents in `touched` say.
    """

    def __init__(self, history: History, moment: Moment, path: str = LESSONS) -> None:
        self._history = history
        self._parent = moment.parents[0]
        self._proven: dict[str, bool] = {}
        self.touched: list[tuple[Writer, str, str]] = []
        self.whole = moment.oid not in history.edges
        if self.whole:
            self._read(moment, path)
        self._fields: dict[str, Any] | None = None

    @property
    def fields(self) -> dict[str, Any]:
        if self._fields is None:
            try:
                self._fields = self._contents()
            except ChalkError as error:  # what it says is unknown, and not nothing
                why = f"who wrote what was merged is unknown: {error.message}"
                raise UnknownPast(why, hint=self._history.deepening) from error
        return self._fields

    def proves(self, writer: Writer) -> bool:
        """Whether the merge brought this commit, and the first parent did not have it already."""
        history = self._history
        if not history.edges:
            return True
        if writer.oid not in self._proven:
            # behind an edge of the first parent's this commit may lie, unless it has that edge behind itself
            behind = _reached(history, self._parent, writer.oid)
            sure = behind.isdisjoint(history.edges) and not moments.grafted(history.place)
            self._proven[writer.oid] = sure
        return self._proven[writer.oid]

    def _contents(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        paths = {blob: LESSONS for row in self.touched for blob in row[1:] if blob}
        for blob, content in snapshot.blobs(self._history.place, paths):
            if isinstance(content, UnknownPast):
                raise content
            record = snapshot.decoded(LESSONS, content)[0]
            found[blob] = record.fields if record is not None else None
        return found

    def _read(self, moment: Moment, path: str) -> None:
        history, parent = self._history, self._parent
        form = f"--format={_MARK}%H%x01%an%x01%ae%x01%B"
        span = (moment.oid, f"^{parent}")
        code, out, err = git.ask(history.place.root, _REAL, "log", *_SHAPE, form, *span, "--", path)
        if code != 0:
            said = " ".join(err.decode("utf-8", "replace").split())
            why = f"git cannot tell what {moment.oid[:12]} merged: {said}"
            raise UnknownPast(why, where=history.place.root, hint=history.deepening)
        if history.edges:
            self.whole = _reached(history, moment.oid, parent).isdisjoint(history.edges)
        writer = None
        for token in os.fsdecode(out).split("\0"):
            text = token.lstrip("\n")
            if text.startswith(_MARK):
                oid, author, email, message = (w.strip() for w in text.removeprefix(_MARK).split("\x01", 3))
                # an edge looks as if it had made all that it holds
                writer = Writer(oid, author, email, coauthors(message)) if oid not in history.edges else None
            elif text.startswith(":") and writer is not None:
                _, _, old, new, _ = text[1:].split(" ")
                self.touched.append((writer, old if old.strip("0") else "", new if new.strip("0") else ""))


def _reached(history: History, commit: str, without: str) -> set[str]:
    """The commits that git sees behind one, itself among them, and does not see behind the other."""
    code, out, err = git.ask(history.place.root, _REAL, "rev-list", commit, f"^{without}", "--")
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())
        why = f"git cannot tell what {commit[:12]} merged: {said}"
        raise UnknownPast(why, where=history.place.root, hint=history.deepening)
    return set(out.decode("ascii", "replace").split())


def coauthors(message: str) -> str:
    """Who a message says wrote it too, wherever it says so: a squash leaves such lines in the middle."""
    rows = (row.partition(":") for row in message.splitlines())
    return " ".join(value for name, _, value in rows if name.strip().lower() == "co-authored-by")
