"""What stands about files that are being changed now: what a hook, an editor or an agent is shown unasked.

The same records as `at` gives, without what only a question has time for: no drift and no transaction time.
"""

from __future__ import annotations

from chalkgit.answers import naming

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from chalkgit.index.generation import Index
    from chalkgit.records.record import Record
    from chalkgit.store.place import Place


class Standing:
    """A record that may be recalled, the `paths` asked about that it names, and its file's content hash.

    reopened: what met its `reopens-when`, in words. trust: unreviewed or approved. silenced: whether people
    here marked it wrong.
    """

    __slots__ = ("hash", "paths", "record", "reopened", "silenced", "trust")

    def __init__(self, record: Record, paths: list[str], content: str) -> None:
        self.record = record
        self.paths = paths
        self.hash = content
        self.reopened: str | None = None
        self.trust = "unreviewed"
        self.silenced = False


def standing(
    index: Index,
    asked: Mapping[str, Sequence[str]],
    now: datetime | None = None,
    seconds: float | None = None,
) -> list[Standing]:
    """asked: repository paths, each with its earlier names. The newest first, where records say when.

    seconds: for comparing globs; `index.uncompared` tells that they were not enough.
    """
    try:
        named = naming.files(index.table, asked, seconds)
    except naming.OutOfTime as error:
        named, index.uncompared = error.files, True
    if not named:
        return []
    from chalkgit import times
    from chalkgit.answers import stored
    from chalkgit.records.status import excluded

    now, replaced = now or times.system_clock(), stored.superseded(index)
    hashes = index.table.hashes(list(named))
    found = [
        Standing(record, named[record.path], hashes.get(record.path, ""))
        for record in stored.read(index, list(named))
        if excluded(record, now=now, superseded=replaced) is None
    ]
    return sorted(found, key=lambda s: (s.record.text("valid-from") or "", s.record.id), reverse=True)


def reopen(index: Index, found: Sequence[Standing], now: datetime | None = None) -> None:
    """Fill in what has reopened: for those about to be shown, since it may ask lockfiles and git."""
    ruled = [standing for standing in found if standing.record.get("reopens-when")]
    if not ruled:
        return
    from chalkgit import times
    from chalkgit.answers import drift, reopening
    from chalkgit.answers.dependencies import Dependencies

    root = index.place.root
    dependencies = Dependencies(root)
    for standing in ruled:
        standing.reopened = reopening.met(
            standing.record,
            dependencies=dependencies,
            now=now or times.system_clock(),
            touched=lambda commit, path: drift.touched(root, commit, path),
        )


def marked(place: Place, found: Sequence[Standing]) -> list[Standing]:
    """With what people here say of them: those that they marked wrong come last."""
    if not found:
        return []
    from chalkgit.store import feedback

    hashes = {standing.record.id: standing.hash for standing in found}
    marks = feedback.marks(place, hashes, lambda ids: hashes)
    for standing in found:
        standing.silenced = standing.record.id in marks and marks[standing.record.id].silenced
    return sorted(found, key=lambda standing: standing.silenced)


def trust(
    index: Index, found: Sequence[Standing], surface: str, told: list[str] | None = None
) -> list[Standing]:
    """Those that the repository's policy shows on this surface, with the trust in each.

    Git is asked about records that claim an approval. told: takes why the policy cannot be read.
    """
    from chalkgit.answers.trusted import Trusted, Withheld

    trusted = Trusted()
    withheld = Withheld(index.place, surface, trusted)
    for standing in found:
        standing.trust = trusted.state(index.place, standing.record)
    if withheld.trouble is not None and withheld.told and told is not None:
        told.append(withheld.told)
    return [standing for standing in found if withheld.shows(index.place, standing.record)]
