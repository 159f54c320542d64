"""One reading of changed files as rows of the table and documents of the words."""

from __future__ import annotations

import gc
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError, Problem, UnknownPast
from chalkgit.index import successors, texts
from chalkgit.index.generation import Index
from chalkgit.index.table import FIRST, checksum
from chalkgit.index.texts import Document
from chalkgit.records import paths
from chalkgit.records.record import Record
from chalkgit.store import git, snapshot, worktree
from chalkgit.store.place import Place

Statement = tuple[str, Sequence[Sequence[object]]]
Progress = Callable[[int, int], None]

_JSON = json.JSONEncoder(ensure_ascii=False)

# What only shows among several files: ids used twice, and the counts. It is told anew for the ids that a
# changed file has or had; for all of them it takes 30 ms at 100,000 records.
_TWINS = "delete from problems where hint like 'chalkgit fmt --new-id %'"
_COUNTED = "select distinct 'count:' || kind from files where id = ?1 and kind is not null"
# what history told of a path it tells again where commits were added, which `moves` asks by itself
_UNSEARCHED = "insert into unsearched select ?1 where not exists (select 1 from moved where old = ?1)"


def _twins(which: str) -> str:
    """Tell of ids used twice, those alone of which this holds."""
    return (
        "insert into problems select f.path, null, 'has the id ' || f.id || ', which ' || first.path || "
        "' has too; the other one is read', 'chalkgit fmt --new-id ' || f.path, 1 from files f join "
        f"(select id, {FIRST} as path from files where id {which} group by id having count(*) > 1) first "
        "on first.id = f.id and first.path <> f.path"
    )


_ALL: list[Statement] = [
    (_TWINS, [()]),
    (_twins("is not null"), [()]),
    ("delete from meta where key like 'count:%'", [()]),
    (
        "insert into meta select 'count:' || kind, count(distinct id) from files where kind is not null "
        "group by kind",
        [()],
    ),
]


def _before(ids: Sequence[tuple[str]]) -> list[Statement]:
    """Take back what was told about these ids."""
    return [
        (f"{_TWINS} and path in (select path from files where id = ?1)", ids),
        (f"update meta set value = value - 1 where key in ({_COUNTED})", ids),
    ]


def _after(ids: Sequence[tuple[str]]) -> list[Statement]:
    """Tell it anew."""
    return [
        (_twins("= ?1"), ids),
        (f"insert or ignore into meta select *, 0 from ({_COUNTED})", ids),
        (f"update meta set value = value + 1 where key in ({_COUNTED})", ids),
    ]


class Change:
    """What a refresh will write. `removed` are paths leaving the words, `documents` those entering.

    looks: what the exact look saw, if there was one; else doubtful: what is compared by content from now on.
    ids: those that a changed file has or had; None: too many to tell one by one. fresh: the table is empty.
    """

    def __init__(self, *, fresh: bool = False) -> None:
        self.fresh = fresh
        self.ids: list[tuple[str]] | None = None
        self.gone: list[str] = []
        self.looks: tuple[bytes, bytes] | None = None
        self.doubtful = ""
        self.problems: list[tuple[object, ...]] = []
        self.files: list[tuple[object, ...]] = []
        self.names: list[tuple[str, str, str]] = []
        self.successors: list[tuple[str, str, str]] = []
        self.documents: list[Document] = []
        self.lessons: list[tuple[str]] = []
        self.effective: list[Statement] = []

    @property
    def removed(self) -> list[str]:
        return [*self.gone, *(str(row[0]) for row in self.files)]

    @property
    def touches_words(self) -> bool:
        return bool(self.gone or self.files)

    def refuse(self, path: str, *, there: bool) -> None:
        """A name of bytes that are not UTF-8, which neither the table nor JSON can hold: no record."""
        shown = path.encode("utf-8", "backslashreplace").decode()
        self.gone.append(shown)  # the same finding from before
        if there:
            self.problems.append(
                (shown, None, "the file's name is not UTF-8", "git mv it to a plain name", True)
            )

    def statements(self) -> list[Statement]:
        edition = ("insert or replace into meta values ('edition', ?)", [(os.urandom(8).hex(),)])
        return [
            *self._looked(),
            *(_before(self.ids) if self.ids is not None else ()),
            *(() if self.fresh else self._cleared()),
            ("insert into files values (?, ?, ?, ?, ?, ?, ?, ?)", self.files),
            ("insert into problems values (?, ?, ?, ?, ?)", self.problems),
            *(_after(self.ids) if self.ids is not None else _ALL if self.touches_words else ()),
            *([edition] if self.touches_words else ()),
            ("insert into names values (?, ?, ?)", self.names),
            (_UNSEARCHED, [(key,) for key, how, _ in self.names if how == "path"]),
            ("insert into successors values (?, ?, ?, 0)", self.successors),
            ("insert or ignore into unread_lessons values (?)", self._lessons()),
            *self.effective,
        ]

    def _cleared(self) -> list[Statement]:
        removed = [(path,) for path in self.removed]
        clear = ("files", "names", "successors", "problems", "recorded")
        return [(f"delete from {name} where path = ?", removed) for name in clear]

    def _lessons(self) -> list[tuple[str]]:
        """The paths whose failure `index.lessons` has to look at, when it is next asked."""
        return self.lessons if self.fresh else [*self.lessons, *((path,) for path in self.removed)]

    def _looked(self) -> list[Statement]:
        if self.looks is None:
            # what git vouched for holds for all others
            return [
                ("update vouched set doubtful = ?", [(self.doubtful,)]),
                ("insert or ignore into since_look values (?)", [(path,) for path in self.removed]),
            ]
        return [
            ("delete from since_look where ?", [(1,)]),
            ("delete from looks where ?", [(1,)]),
            ("insert into looks values (?, ?)", [self.looks]),
            ("delete from vouched where ?", [(1,)]),
        ]

    def pending(self) -> list[Statement]:
        """The same changes, kept for the words to take in later."""
        texts = {document.path: document.body for document in self.documents}
        rows = [(path, texts.get(path)) for path in dict.fromkeys(self.removed)]
        return [("insert or replace into pending values (?, ?)", rows)]


def stamped(stamp: str, documents: int) -> list[Statement]:
    """What makes the table that of a manifest with this stamp: the words know all that it knows."""
    meta = [("format", "1"), ("stamp", stamp), ("documents", str(documents))]
    return [
        ("delete from pending where ?", [(1,)]),
        ("insert or replace into meta values (?, ?)", meta),
    ]


def read(
    index: Index,
    changes: dict[str, str],
    progress: Progress | None,
    *,
    fresh: bool = False,
) -> Change:
    """Read what changed. A file whose content is what the table has costs its new signature alone.

    fresh: the table is empty, as is that of a new generation.
    """
    change = Change(fresh=fresh)
    known = {} if fresh else index.table.hashes(list(changes))
    collecting = gc.isenabled()
    gc.disable()  # a collection goes over all that was read so far: a twelfth of a build of 100,000
    try:
        _read_into(change, index.place, changes, known, progress)
    finally:
        if collecting:
            gc.enable()
    if not fresh and len(change.removed) <= thresholds.TOLD_ONE_BY_ONE:
        had = index.table.some("select id from files where id is not null and path in", change.removed)
        ids = {str(row[0]) for row in had} | {str(row[3]) for row in change.files if row[3] is not None}
        change.ids = [(i,) for i in sorted(ids)]
    _judge(index, change)
    return change


def _read_into(
    change: Change, of: Place, changes: dict[str, str], known: dict[str, str], progress: Progress | None
) -> None:
    digester = blob_digest(of)
    for done, path in enumerate(sorted(changes)):
        if progress is not None:
            progress(done, len(changes))
        if not worktree.nameable(path):
            change.refuse(path, there=changes[path] != "gone")
            continue
        if changes[path] == "gone":
            change.gone.append(path)
            continue
        content = snapshot.content(of, path)
        digest = worktree.digest(content)
        if known.get(path) != digest:
            blob = digester(content) if isinstance(content, bytes) else None
            _add(change, path, (digest, blob), *snapshot.decoded(path, content))


def of_revision(index: Index, revision: str) -> Change:
    """All records of a commit, in which every successor is committed.

    UnknownPast where this clone lacks the content of one: without it no answer is sure.
    """
    return of_contents(snapshot.contents(index.place, revision))


def of_contents(contents: Iterable[tuple[str, bytes | ChalkError]]) -> Change:
    """All records of a tree, by path and content, as for `of_revision`."""
    change = Change()
    for path, content in contents:
        if isinstance(content, UnknownPast):
            raise content
        if not worktree.nameable(path):
            change.refuse(path, there=True)
            continue
        _add(change, path, (worktree.digest(content), None), *snapshot.decoded(path, content))
    change.effective = [("update successors set effective = ?", [(1,)])]
    return change


def blob_digest(of: Place) -> Callable[[bytes], str]:
    """git's own id for a content, in the format that this repository has."""
    sha256 = b"sha256" in git.configuration(of.common_dir)

    def digest(content: bytes) -> str:
        made = hashlib.sha256() if sha256 else hashlib.sha1(usedforsecurity=False)
        made.update(b"blob %d\0" % len(content) + content)
        return made.hexdigest()

    return digest


def _add(
    change: Change,
    path: str,
    digests: tuple[str, str | None],
    record: Record | None,
    problems: list[Problem],
) -> None:
    change.problems += [(path, p.line, p.message, p.hint, p.fatal) for p in problems]
    if record is None:
        change.files.append((path, *digests, None, None, None, None, None))
        return
    body = _JSON.encode(record.fields)
    asked = record.kind in texts.CHECKED and (not path.startswith(worktree.NOTES) or _admitted(record))
    vectors = texts.embedded_hash(record) if asked else None
    kind = record.kind if asked or record.kind not in texts.CHECKED else None
    change.files.append((path, *digests, record.id, kind, body, checksum(body), vectors))
    if record.kind == "lesson":
        change.lessons.append((path,))
    if not path.startswith(worktree.NOTES):
        change.names += [(*key_of(name), path) for name in paths.named(record)]
        change.successors += [(old, record.id, path) for old in record.items("supersedes")]
    if asked:
        change.documents.append(Document(path, texts.body(record)))


def _admitted(note: Record) -> bool:
    from chalkgit.records import notes  # its patterns take a bare interpreter to compile

    return notes.admitted(note)


def key_of(name: str) -> tuple[str, str]:
    """What a record's name for files is looked up by, and how.

    `glob`; bare `name`, a file of that name in any folder; `path`, of a file, or of a folder and all in it.
    `./name` is the one in the root.
    """
    if any(c in name for c in "*?["):
        return name, "glob"
    return (name.removeprefix("./"), "path") if "/" in name else (name, "name")


def _judge(index: Index, change: Change) -> None:
    """Judge the new successors; all where HEAD is not the commit that the stored ones were judged by."""
    if index.judged_at_head():
        rows, again = list(change.successors), False
    else:
        gone = set(change.removed)
        rows = [row for row in successors.stored(index) if row[2] not in gone] + change.successors
        again = True
    if not rows:
        return
    kept = index.table.some("select path, blob from files where path in", sorted({row[2] for row in rows}))
    new = {str(row[0]): None if row[2] is None else str(row[2]) for row in change.files}
    change.effective = successors.judged(index, rows, {**dict(kept), **new}, again=again)
