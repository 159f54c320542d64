"""One reading of changed files as rows of the table and documents of the words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

from chalkgit.errors import ChalkError, Problem
from chalkgit.index import texts
from chalkgit.index.generation import Index
from chalkgit.index.lexical import Document
from chalkgit.index.table import FIRST, checksum, utf8
from chalkgit.records import notes, paths
from chalkgit.records.record import Record
from chalkgit.store import place, snapshot, worktree

Statement = tuple[str, Sequence[Sequence[object]]]


# What only shows among several files, told anew after each change: ids used twice, and the counts.
_TOLD: list[Statement] = [
    ("delete from problems where hint like 'chalkgit fmt --new-id %'", [()]),
    (
        "insert into problems select f.path, null, 'has the id ' || f.id || ', which ' || first.path || "
        "' has too; the other one is read', 'chalkgit fmt --new-id ' || f.path, 1 from files f join "
        f"(select id, {FIRST} as path from files where id is not null group by id having count(*) > 1) "
        "first on first.id = f.id and first.path <> f.path",
        [()],
    ),
    ("delete from meta where key like 'count:%'", [()]),
    (
        "insert into meta select 'count:' || kind, count(distinct id) from files where kind is not null "
        "group by kind",
        [()],
    ),
]


class Change:
    """What a refresh will write. `removed` are paths leaving the words, `documents` those entering."""

    def __init__(self) -> None:
        self.gone: list[str] = []
        self.looks = (b"", b"")
        self.problems: list[tuple[object, ...]] = []
        self.files: list[tuple[object, ...]] = []
        self.names: list[tuple[str, str, str]] = []
        self.successors: list[tuple[str, str, str]] = []
        self.documents: list[Document] = []
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
        removed = [(path,) for path in self.removed]
        clear = ("files", "names", "successors", "problems", "recorded")
        return [
            ("delete from looks where ?", [(1,)]),
            ("delete from clean where ?", [(1,)]),
            ("insert into looks values (?, ?)", [self.looks]),
            *((f"delete from {name} where path = ?", removed) for name in clear),
            ("insert into files values (?, ?, ?, ?, ?, ?, ?, ?)", self.files),
            ("insert into problems values (?, ?, ?, ?, ?)", self.problems),
            *(_TOLD if self.touches_words else ()),
            ("insert into names values (?, ?, ?)", self.names),
            ("insert into successors values (?, ?, ?, 0)", self.successors),
            *self.effective,
        ]


def stamped(stamp: str, documents: int) -> list[Statement]:
    meta = [("format", "1"), ("stamp", stamp), ("documents", str(documents))]
    return [("insert or replace into meta values (?, ?)", meta)]


def read(index: Index, changes: dict[str, str], progress: Callable[[int, int], None] | None) -> Change:
    """Read what changed. A file whose content is what the table has costs its new signature alone."""
    change = Change()
    known = index.table.hashes(list(changes))
    for done, path in enumerate(sorted(changes)):
        if progress is not None:
            progress(done, len(changes))
        if not utf8(path):
            change.refuse(path, there=changes[path] != "gone")
            continue
        if changes[path] == "gone":
            change.gone.append(path)
            continue
        content = snapshot.content(index.place, path)
        digest = _digest(content)
        if known.get(path) != digest:
            _add(change, path, digest, *snapshot.decoded(path, content))
    _judge_successors(index, change)
    return change


def of_revision(index: Index, revision: str) -> Change:
    """All records of a commit, in which every successor is committed."""
    change = Change()
    for path, content in snapshot.contents(index.place, revision):
        if not utf8(path):
            change.refuse(path, there=True)
            continue
        _add(change, path, _digest(content), *snapshot.decoded(path, content))
    change.effective = [("update successors set effective = ?", [(1,)])]
    return change


def _digest(content: bytes | ChalkError) -> str:
    if isinstance(content, ChalkError):
        return f"unreadable: {content.message}"
    return hashlib.sha256(content).hexdigest()


def _add(change: Change, path: str, digest: str, record: Record | None, problems: list[Problem]) -> None:
    change.problems += [(path, p.line, p.message, p.hint, p.fatal) for p in problems]
    if record is None:
        change.files.append((path, digest, None, None, None, None, None, None))
        return
    body = json.dumps(record.fields, ensure_ascii=False)
    asked = record.kind in texts.CHECKED and (not path.startswith(worktree.NOTES) or notes.admitted(record))
    vectors = (texts.embedded_hash(record), ",".join(texts.embedded(record))) if asked else (None, None)
    kind = record.kind if asked or record.kind not in texts.CHECKED else None
    change.files.append((path, digest, record.id, kind, body, checksum(body), *vectors))
    if not path.startswith(worktree.NOTES):
        change.names += [(name, form(name), path) for name in paths.named(record)]
        change.successors += [(old, record.id, path) for old in record.items("supersedes")]
    if asked:
        change.documents.append(Document(path, texts.body(record)))


def form(name: str) -> str:
    """How a record names files: `glob`, bare `name`, or `path` (of a file, or of a folder and all in it)."""
    if any(c in name for c in "*?["):
        return "glob"
    return "path" if "/" in name else "name"


def _judge_successors(index: Index, change: Change) -> None:
    """A successor takes effect once it is committed: HEAD's version of its file must name the old id."""
    gone = set(change.removed)
    rows = [row for row in _successors(index) if row[2] not in gone] + change.successors
    if not rows and not gone:
        return
    commit = place.head(index.place) or ""
    committed = _committed(index, sorted({row[2] for row in rows}), commit)
    effective = [(old, new, path) for old, new, path in rows if old in committed.get(path, ())]
    change.effective = [
        ("update successors set effective = ? where 1", [(0,)]),
        ("update successors set effective = 1 where old = ? and new = ? and path = ?", effective),
        ("insert or replace into meta values ('successors-head', ?)", [(commit,)]),
    ]


def _successors(index: Index) -> list[tuple[str, str, str]]:
    return [(r[0], r[1], r[2]) for r in index.table.rows("select old, new, path from successors")]


def _committed(index: Index, wanted: list[str], commit: str) -> dict[str, list[str]]:
    """Path to the ids that HEAD's version of the record supersedes."""
    if not wanted or not commit:
        return {}
    found: dict[str, list[str]] = {}
    # a command line has room for some hundred paths
    try:
        tree = snapshot.of_paths(index.place, commit, wanted if len(wanted) < 200 else [place.LESSONS])
    except ChalkError:
        return {}  # HEAD cannot be read: nothing is known to be committed, and what was replaced still stands
    for record in tree.records.values():
        found[record.path] = record.items("supersedes")
    return found
