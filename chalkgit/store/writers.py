"""Who wrote a change that is on the first parents: the commit's author or, of a merge, who wrote what it
brought.

UnknownPast where this clone does not have all that would tell: then nobody is named, and nobody is accused.
"""

from __future__ import annotations

import os
import re

from chalkgit.errors import UnknownPast
from chalkgit.records.record import Record
from chalkgit.records.sealing import seal
from chalkgit.store import git, moments, snapshot
from chalkgit.store.brought import Brought, Writer, coauthors
from chalkgit.store.introduced import Looking
from chalkgit.store.place import LESSONS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from chalkgit.store.history import History, Moment
    from chalkgit.store.versions import Version

    Fields = Mapping[str, Any]
    Wrote = Callable[[Fields | None, Fields], bool]  # by what a record said before and says after


def of_review(history: History, moment: Moment, version: Version, record: Record) -> Writer | None:
    """The commit that gave a record its review; None where nobody can be told to have given it."""
    review = record.get("review")
    needle = str(record.part("review", "hash")).encode()

    def says(content: bytes) -> bool:
        found = snapshot.decoded(LESSONS, content)[0] if hints(content) else None
        return found is not None and found.id == record.id and found.get("review") == review

    def hints(content: bytes) -> bool:
        plain = content.replace(b"\0", b"")  # UTF-16
        if needle not in (plain if b"\\" not in plain else _unescaped(plain)):
            return False
        found = snapshot.decoded(LESSONS, content)[0]
        return found is None or found.get("review") == review  # what cannot be read may say so

    return _kept(history, moment, version, Looking(history, says, hints, needle, LESSONS))


def _kept(history: History, moment: Moment, version: Version, looking: Looking) -> Writer | None:
    """What a whole history says of it stays so, and is kept."""
    path, blob = version.path or "", version.blob or ""
    if history.edges or moments.grafted(history.place):
        return _brought(history, moment, looking, path)
    proofs = history.proofs
    key = proofs.key(moment.oid, path, blob)
    kept = proofs.kept(key)
    if kept is None:
        found = _brought(history, moment, looking, path)
        proofs.keep(key, (found.oid, found.author, found.email) if found is not None else ("", "", ""))
        return found
    oid, name, email = kept
    return Writer(oid, name, email, lambda: named(history, oid).seen) if oid else None


def _brought(history: History, moment: Moment, looking: Looking, path: str) -> Writer | None:
    if moment.edge:
        raise history.unseen("who approved it")
    oid = looking.found(moment.oid, path)
    found = named(history, oid) if oid is not None else None
    if len(moment.parents) > 1 and history.edges:
        # beside the first parents this clone is cut off too
        merged = history.brought.get(moment.oid) or Brought(history, moment)
        if not (merged.proves(found) if found is not None else merged.whole):
            raise history.unseen("who approved it")
    return found


def _unescaped(content: bytes) -> bytes:
    """With what YAML lets one write otherwise written plainly: ASCII, and a line that goes on."""
    text = re.sub(rb"\\(?:\r\n|\n|\r|\xc2\x85|\xe2\x80[\xa8\xa9])[ \t]*", b"", content)
    plain = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|u00([0-9a-fA-F]{2})|U000000([0-9a-fA-F]{2})|([/ ]))")
    return plain.sub(lambda m: m[4] or bytes([int(m[1] or m[2] or m[3], 16)]), text)


def of_content(history: History, moment: Moment, version: Version) -> list[Writer]:
    """The commits that wrote what a record says, its review aside; of a merge, perhaps nobody."""

    def wrote(before: Fields | None, after: Fields) -> bool:
        return before is None or seal(Record(before)) != seal(Record(after))

    return _all(history, moment, version.id, wrote)


def of_version(history: History, moment: Moment, version: Version) -> list[Writer]:
    """The commits that made a version: of a merge, those it brought that changed the record."""

    def wrote(before: Fields | None, after: Fields) -> bool:
        return before != after

    # what none of them has was written in the merge itself
    return _all(history, moment, version.id, wrote) or [author(history, moment)]


def author(history: History, moment: Moment) -> Writer:
    """The commit's author, and whom its message names beside them."""
    if moment.edge:  # it may have had no part in what it holds
        raise history.unseen("who wrote it")
    found = named(history, moment.oid)
    return Writer(moment.oid, moment.author, moment.email, found.seen)


def named(history: History, oid: str) -> Writer:
    """A commit's author, and whom its message names beside them."""
    root = history.place.root
    shape = "--format=%an%x00%ae%x00%B"
    code, out, err = git.ask(root, "--no-replace-objects", "log", "-1", shape, oid, "--")
    if code != 0:  # an agent that it names must not go unseen
        said = " ".join(err.decode("utf-8", "replace").split())
        why = f"git cannot tell who wrote {oid[:12]}: {said}"
        raise UnknownPast(why, where=root, hint=history.deepening)
    name, email, message = os.fsdecode(out).split("\0", 2)
    return Writer(oid, name.strip(), email.strip(), coauthors(message))


def _all(history: History, moment: Moment, record_id: str, wrote: Wrote) -> list[Writer]:
    """All who wrote it."""
    found, proven, whole = _found(history, moment, record_id, wrote)
    if not whole or len(proven) < len(found):
        raise history.unseen("who wrote it")
    return found


def _found(
    history: History, moment: Moment, record_id: str, wrote: Wrote
) -> tuple[list[Writer], list[Writer], bool]:
    """Who wrote it as far as this clone goes; those of them that it proves; and whether these may be all."""
    if moment.edge:
        return [], [], False
    if len(moment.parents) < 2:
        writers = [author(history, moment)]
        return writers, writers, True
    if moment.oid not in history.brought:
        history.brought[moment.oid] = Brought(history, moment)
    merged = history.brought[moment.oid]
    found: dict[str, Writer] = {}
    for writer, old, new in merged.touched:
        after = merged.fields.get(new)
        if after is not None and after.get("id") == record_id and wrote(merged.fields.get(old), after):
            found[writer.oid] = writer
    return list(found.values()), [who for who in found.values() if merged.proves(who)], merged.whole
