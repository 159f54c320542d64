"""The two sides of a review: the records before and after the change, and the files that it edits.

The side after is read whole, since a record is judged among all others; of the side before only what the
change touched. Where HEAD's place is taken by the work tree or the index, a successor counts as if committed.
"""

from __future__ import annotations

from chalkgit.answers import review_edits, stored
from chalkgit.answers.review_edits import Compared, Edit
from chalkgit.errors import ChalkError, Problem, UnknownPast
from chalkgit.index import past, refresh, rows
from chalkgit.index.generation import Index
from chalkgit.index.table import Table
from chalkgit.records import codec
from chalkgit.records.nodes import line_of
from chalkgit.records.record import Record
from chalkgit.store import git, history, snapshot, worktree
from chalkgit.store.place import Place, head
from chalkgit.store.versions import counting

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    Content = bytes | ChalkError


class Sides:
    """before: of the records in files that the change touched; after: all that there are, by id.

    every: all edits of the change; `edits`: those that concern other files than the lessons alone.
    changed: the ids of records in touched files, of either side; edited: those of them that are new, gone or
    say something else. replaced: id to its successor, before and after. contents: the touched record files
    as they are after the change; `was` as they were. attributes: the edits that bear on how git merges
    records.
    """

    def __init__(self, compared: Compared, edits: list[Edit], index: Index, now: datetime) -> None:
        self.place = compared.place
        self.compared = compared
        self.index = index
        self.now = now
        self.every = edits
        self.edits = [edit for edit in edits if not (_lies_in(edit.path) and _lies_in(edit.old))]
        self.misnamed = [edit for edit in edits if _is_misnamed(edit)]
        self.config = next((e for e in edits if worktree.CONFIG in (e.path, e.old)), None)
        bears = review_edits.bears_on_records
        self.attributes = [e for e in edits if bears(e.path) or bears(e.old)]
        records = [e for e in edits if worktree.is_record(e.path) or worktree.is_record(e.old)]
        self.was = _read(self.place, [(e.old, e.before) for e in records])
        self.contents = _read(self.place, [(e.path, e.after) for e in records])
        self.after = _all(index)
        touched = {record.id: record for record in map(_decoded, self.contents.items()) if record is not None}
        self.before, self.problems_before = self._before(touched)
        ids = dict.fromkeys([*self.before, *touched])
        self.changed = [i for i in ids if i in self.before or i in self.after]
        self.edited = dict.fromkeys(i for i in self.changed if self._says_other(i))
        self.problems = stored.problems(index)
        self.replaced = dict(index.table.rows("select old, new from successors order by new desc"))
        self.replaced_before = self._replaced_before(touched)
        self._lines: dict[str, dict[str, int]] = {}

    def count_before(self) -> int:
        new = [i for i in self.changed if i in self.after and i not in self.before]
        gone = [i for i in self.before if i not in self.after]
        return len(self.after) - len(new) + len(gone)

    def _says_other(self, record_id: str) -> bool:
        before, after = self.before.get(record_id), self.after.get(record_id)
        return before is None or after is None or before.fields != after.fields

    def line(self, record: Record, *fields: str) -> int | None:
        """Where the first of these fields stands in the file of a record that the change touched."""
        if record.path not in self._lines:
            self._lines[record.path] = _places(self.contents.get(record.path), record.path)
        places = self._lines[record.path]
        return next((places[name] for name in fields if name in places), 1 if places else None)

    def _before(self, touched: Iterable[str]) -> tuple[dict[str, Record], list[Problem]]:
        problems: list[Problem] = []
        by_id: dict[str, dict[str, Record]] = {record_id: {} for record_id in touched}
        for path, content in self.was.items():
            record, found = snapshot.decoded(path, content)
            problems += found
            if record is not None:
                by_id.setdefault(record.id, {})[path] = record
        for record_id, files in by_id.items():
            # another file of the same id, which the change leaves alone
            others = [p for p in self.index.table.with_id(record_id) if p not in self.contents]
            files.update((p, Record(fields, p)) for p, fields in self.index.table.fields(others).items())
        kept = {i: files[str(counting(i, files))] for i, files in by_id.items() if files}
        return kept, problems

    def _replaced_before(self, touched: Mapping[str, Record]) -> dict[str, str]:
        kept = [(old, new) for old, new in self.replaced.items() if new not in touched]
        was = [(old, record.id) for record in self.before.values() for old in record.items("supersedes")]
        return dict(sorted([*kept, *was], key=lambda pair: pair[1], reverse=True))


def opened(
    place: Place,
    base: str,
    revision: str | None,
    *,
    staged: bool,
    now: datetime,
    onto: str | None = None,
) -> Sides:
    """base and revision: commits in full; no revision: what is staged, else the work tree. onto: what the
    change is to come onto, where that has gone on since."""
    compared = Compared(place, base, revision, staged=staged, onto=onto)
    found = review_edits.edits(compared)
    words = any(worktree.is_record(edit.path) and edit.after is not None for edit in found)
    if revision is not None:
        index = refresh.of_revision(place, revision, words=words)
    elif staged:
        index = _of_index(place, words=words)
    else:
        index = _of_work_tree(place, words=words)
    return Sides(compared, found, index, now)


def _of_index(place: Place, *, words: bool) -> Index:
    out = git.run(place.root, "ls-files", "--stage", "-z", "--", ".lessons")
    listed = [row.split("\t", 1) for row in out.decode("utf-8", "surrogateescape").split("\0") if row]
    entries = {path: (path, *_entry(meta)) for meta, path in listed}
    index = Index(place, Table(":memory:", create=True), None, past.words() if words else None)
    change = rows.of_contents(snapshot.staged(place, entries.values()))
    index.table.write(change.statements())
    if words:
        index.words.write((), change.documents)
    return index


def _entry(meta: str) -> tuple[str, str]:
    """Mode and blob; zeros for an unmerged path."""
    mode, blob, stage = meta.split(" ")
    return mode, blob if stage == "0" else "0" * len(blob)


def _of_work_tree(place: Place, *, words: bool) -> Index:
    import os

    if not os.path.isdir(place.lessons):
        return refresh.of_revision(place, None, words=words)
    return refresh.up_to_date(place, words=words)


def _lies_in(path: str) -> bool:
    return path.startswith(".lessons/")


def _is_misnamed(edit: Edit) -> bool:
    """Whether a new file looks like a record and is read as none."""
    return (
        _lies_in(edit.path)
        and edit.after is not None
        and edit.path.endswith((".yml", ".YAML", ".YML"))
        and edit.letter in ("A", "R")
    )


def _read(place: Place, files: list[tuple[str, tuple[str, str] | None]]) -> dict[str, Content]:
    """Path to content of one side's record files."""
    there = [(path, entry) for path, entry in files if entry is not None and worktree.is_record(path)]
    found: dict[str, Content] = {}
    for path, entry in there:
        if not entry[1]:
            found[path] = snapshot.content(place, path)
    kept = [(path, *entry) for path, entry in there if entry[1]]
    for path, content in snapshot.staged(place, kept):
        if isinstance(content, UnknownPast):
            raise UnknownPast(
                f"what the change does is unknown: {content.where}: {content.message}", hint="git fsck"
            )
        found[path] = content
    return found


def _decoded(file: tuple[str, Content]) -> Record | None:
    return snapshot.decoded(*file)[0]


def _all(index: Index) -> dict[str, Record]:
    paths = sorted(path for path in index.table.ids().values() if not path.startswith(worktree.NOTES + "/"))
    return {record.id: record for record in stored.read(index, paths)}


def _places(content: Content | None, path: str) -> dict[str, int]:
    """Field to the line it begins at; nothing where the file cannot be read."""
    if not isinstance(content, bytes):
        return {}
    try:
        text = codec.text_of(content, path)
        return {key.text: line_of(text, key.start) for key, _ in codec.compose(text, path).pairs}
    except ChalkError:
        return {}


def asked(place: Place, text: str) -> tuple[str, str, str]:
    """Of BASE, BASE..HEAD or BASE...HEAD where they parted, head, and what BASE names, as commits in full."""
    first, dots, rest = text.partition("..")
    if not first.strip():
        # git would take HEAD, and a build with an empty variable would pass
        raise ChalkError(f"“{text}” names no base to compare with", hint="chalkgit review BASE..HEAD")
    old = _commit(place, first)
    new = _commit(place, rest.removeprefix(".") or "HEAD") if dots else _commit(place, "HEAD")
    code, out, _ = git.ask(place.root, "merge-base", old, new)
    if code == 0:
        return out.decode().split()[0], new, old
    shallow = history.shallow(place)
    why = "this shallow clone does not reach back to where they parted" if shallow else "they share no commit"
    raise UnknownPast(
        f"what {text} changes is unknown: {why}",
        hint=history.DEEPEN if shallow else f"git log --oneline --graph {old[:12]} {new[:12]}",
    )


def uncommitted(place: Place) -> str:
    """HEAD, or the empty tree where there is no commit yet."""
    found = head(place)
    if found is None:
        found = git.run(place.root, "hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()
    return found


def _commit(place: Place, text: str) -> str:
    try:
        return snapshot.resolve(place, text, commit=True)
    except ChalkError:
        if not history.shallow(place):
            raise
        why = f"“{text}” is no commit that this shallow clone can see"
        raise UnknownPast(why, hint=history.DEEPEN) from None
