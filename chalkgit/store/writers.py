"""Who wrote a change that is on the first parents: the commit's author or, of a merge, who wrote what it
brought. And the lists of reviewers in effect along them."""

from __future__ import annotations

import os

from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.records.sealing import seal
from chalkgit.store import git, reviewers, signatures, snapshot
from chalkgit.store.place import LESSONS
from chalkgit.store.reviewers import Reviewers
from chalkgit.store.worktree import CONFIG

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from chalkgit.store.history import History, Moment
    from chalkgit.store.place import Place
    from chalkgit.store.signatures import Signature
    from chalkgit.store.versions import Version

_MARK = "//"
_SHAPE = ("--full-history", "--no-merges", "--raw", "-z", "--no-abbrev", "--no-renames")
_PROGRAM_LETTERS = 3  # the shortest first word of a program's name that is looked for


class Writer:
    """A commit and its author. seen: what the commit says of others who wrote it (`Co-authored-by`)."""

    __slots__ = ("_signature", "author", "email", "oid", "seen")

    def __init__(self, oid: str, author: str, email: str, seen: str = "") -> None:
        self.oid = oid
        self.author = author
        self.email = email
        self.seen = seen
        self._signature: Signature | None = None

    def signature(self, place: Place) -> Signature:
        if self._signature is None:
            self._signature = signatures.of(place, self.oid)
        return self._signature

    def is_agent(self, agent: str) -> bool:
        """Whether the commit says that this program made it: by its author or by who wrote it too."""
        said = _words(f"{self.author} {self.email} {self.seen}")
        wanted = _words(agent)
        first = wanted[:1] if wanted and len(wanted[0]) >= _PROGRAM_LETTERS else []
        return bool(wanted) and (all(w in said for w in wanted) or any(w in said for w in first))


def _words(text: str) -> list[str]:
    return "".join(c.casefold() if c.isalnum() else " " for c in text).split()


def of_review(history: History, moment: Moment, version: Version, record: Record) -> list[Writer]:
    """The commits that gave a record its review: of a merge, those it brought that did, or nobody."""
    said = record.get("review")

    def wrote(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
        # who moves, restores or mends a file that says so already has reviewed nothing
        same = before is not None and before.get("id") == after.get("id")
        return after.get("review") == said and same and (before or {}).get("review") != said

    return _found(history, moment, version.id, wrote)


def of_content(history: History, moment: Moment, version: Version) -> list[Writer]:
    """The commits that wrote what a record says, its review aside; of a merge, perhaps nobody."""

    def wrote(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
        return before is None or seal(Record(before)) != seal(Record(after))

    return _found(history, moment, version.id, wrote)


def of_version(history: History, moment: Moment, version: Version) -> list[Writer]:
    """The commits that made a version: of a merge, those it brought that changed the record."""

    def wrote(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
        return before != after

    # what none of them has was written in the merge itself
    return _found(history, moment, version.id, wrote) or [_author(history.place, moment)]


def _found(history: History, moment: Moment, record_id: str, wrote: Any) -> list[Writer]:
    if len(moment.parents) < 2:
        return [_author(history.place, moment)]
    if moment.oid not in history.brought:
        history.brought[moment.oid] = _merged(history.place, moment)
    touched, fields = history.brought[moment.oid]
    found: dict[str, Writer] = {}
    for writer, old, new in touched:
        after = fields.get(new)
        if after is not None and after.get("id") == record_id and wrote(fields.get(old), after):
            found[writer.oid] = writer
    return list(found.values())


def _merged(place: Place, moment: Moment) -> tuple[list[tuple[Writer, str, str]], dict[str, Any]]:
    """What a merge brought, and the fields of the contents in it."""
    touched = _brought(place, moment)
    contents = {blob: LESSONS for row in touched for blob in row[1:] if blob}
    read = snapshot.blobs(place, contents)
    records = {blob: snapshot.decoded(LESSONS, content)[0] for blob, content in read}
    return touched, {blob: record.fields if record else None for blob, record in records.items()}


def _brought(place: Place, moment: Moment, path: str = LESSONS) -> list[tuple[Writer, str, str]]:
    """(who, blob before, blob after) of each file that the commits a merge brought changed."""
    form = f"--format={_MARK}%H%x01%an%x01%ae%x01%B"
    span = (moment.oid, f"^{moment.parents[0]}")
    code, out, err = git.ask(place.root, "--no-replace-objects", "log", *_SHAPE, form, *span, "--", path)
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"git cannot tell what {moment.oid[:12]} merged: {said}", where=place.root)
    found: list[tuple[Writer, str, str]] = []
    writer = None
    for token in os.fsdecode(out).split("\0"):
        text = token.lstrip("\n")
        if text.startswith(_MARK):
            oid, author, email, message = (w.strip() for w in text.removeprefix(_MARK).split("\x01", 3))
            writer = Writer(oid, author, email, _coauthors(message))
        elif text.startswith(":") and writer is not None:
            _, _, old, new, _ = text[1:].split(" ")
            found.append((writer, old if old.strip("0") else "", new if new.strip("0") else ""))
    return found


def _author(place: Place, moment: Moment) -> Writer:
    code, out, err = git.ask(place.root, "--no-replace-objects", "log", "-1", "--format=%B", moment.oid, "--")
    if code != 0:  # an agent that it names must not go unseen
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"git cannot tell who wrote {moment.oid[:12]}: {said}", where=place.root)
    return Writer(moment.oid, moment.author, moment.email, _coauthors(out.decode("utf-8", "replace")))


def _coauthors(message: str) -> str:
    """Who a message says wrote it too, wherever it says so: a squash leaves such lines in the middle."""
    rows = (row.partition(":") for row in message.splitlines())
    return " ".join(value for name, _, value in rows if name.strip().lower() == "co-authored-by")


class Lists:
    """The lists of reviewers in effect, along one history."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._place = history.place
        self._effective: list[tuple[int, Reviewers]] | None = None
        self._refused: list[tuple[Moment, str | None]] = []

    def before(self, moment: Moment) -> Reviewers:
        """The list in effect before a commit: what that commit brings counts after it."""
        found = Reviewers()
        for seq, listed in self._walked():
            if seq >= moment.seq:
                break
            found = listed
        return found

    def at(self, commit: str) -> Reviewers:
        """The list in effect at a commit of this history; off it, what its own file says."""
        seq = self._history.place_of(commit)
        if seq is None:
            return _read(self._place, f"{commit}:{CONFIG}")
        return next((listed for at, listed in reversed(self._walked()) if at <= seq), Reviewers())

    def changes(self) -> list[tuple[Moment, str | None]]:
        """The commits that changed the list, newest first, each with why that does not count, if so."""
        moments = self._history.moments()
        counting = [(moments[seq], None) for seq, _ in self._walked()]
        return sorted([*counting, *self._refused], key=lambda row: row[0].seq, reverse=True)

    def _walked(self) -> list[tuple[int, Reviewers]]:
        if self._effective is not None:
            return self._effective
        moments = self._history.moments()
        query = "select seq, blob from touched where path = ? order by seq"
        effective = Reviewers()
        written = Reviewers()
        found: list[tuple[int, Reviewers]] = []
        for seq, blob in self._history.table.rows(query, CONFIG):
            try:
                listed = _read(self._place, blob) if blob else Reviewers()
            except ChalkError as error:
                self._refused.append((moments[seq], error.message))
                continue
            if listed == written:
                continue
            written = listed
            why = self._why_not(effective, moments[seq], blob) if effective.people else None
            if why is None:
                effective = listed
                found.append((seq, listed))
            else:
                self._refused.append((moments[seq], why))
        self._effective = found
        return found

    def _why_not(self, listed: Reviewers, moment: Moment, blob: str) -> str | None:
        """Why a change of the list does not count: neither who wrote it nor who merged it is on it."""
        authors = [_author(self._place, moment)]
        if len(moment.parents) > 1:
            authors += [who for who, _, new in _brought(self._place, moment, CONFIG) if new == blob]
        why = None
        for who in authors:
            signature = who.signature(self._place) if listed.needs_signature else None
            refused = listed.refuses(who.author, who.email, signature)
            if refused is None:
                return None
            why = why or refused
        return why


def _read(place: Place, blob: str) -> Reviewers:
    """The list in a content, named by its id or as REV:PATH; no list where there is no such file."""
    code, out, _ = git.ask(place.root, "cat-file", "blob", blob)
    if code != 0:
        return Reviewers()
    return reviewers.parsed(out.decode("utf-8", "replace"), CONFIG)
