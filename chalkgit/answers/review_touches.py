"""The files that a change edits and that records rule about, where it leaves those records as they were.

Which records name a file is answered as `at` answers it. What may not be recalled is left out, and so is what
the change itself corrects, settles or retires.
"""

from __future__ import annotations

from chalkgit.answers import naming, review_claims, review_edits
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_edits import ADDED, DELETED, RENAMED, Edit
from chalkgit.answers.review_words import called, named, some
from chalkgit.records import paths
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import worktree
from chalkgit.thresholds import REVIEW_NAMED, REVIEW_SECONDS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.answers.review_sides import Sides

# How a record names a file, the surest first: its path, a folder above it, a glob, its bare name.
EXACT, FOLDER, GLOB, NAME = 4, 3, 2, 1
_VERBS = {ADDED: "adds", DELETED: "deletes", RENAMED: "moves"}


class Touched:
    """A record and the edited files that it names, the surest first."""

    __slots__ = ("edits", "how", "names", "record")

    def __init__(self, record: Record, edits: Sequence[Edit]) -> None:
        self.names = paths.named(record)
        ranked = sorted(
            ((how_of(edit, self.names), edit) for edit in edits), key=lambda p: (-p[0], p[1].path)
        )
        self.record = record
        self.how = ranked[0][0]
        self.edits = [edit for _, edit in ranked]


def touched(sides: Sides, skipped: list[str]) -> list[Touched]:
    """The records that the change does not touch, and may be recalled, by path."""
    by_path = {edit.path: edit for edit in sides.edits if edit.changes_content or edit.letter == RENAMED}
    asked = {
        path: [edit.old] if edit.old != path else []
        for path, edit in by_path.items()
        if worktree.nameable(path) and worktree.nameable(edit.old)
    }
    if not asked:
        return []
    try:
        named_by = naming.files(sides.index.table, asked, REVIEW_SECONDS)
    except naming.OutOfTime as error:
        named_by = error.files
        skipped.append("whether all globs of records name a file of the change: there are too many")
    by_file = {record.path: record for record in sides.after.values()}
    found = []
    for file, edited in sorted(named_by.items()):
        record = by_file.get(file)
        if record is None or record.id in sides.edited:
            continue
        if excluded(record, now=sides.now, superseded=sides.replaced) is None:
            found.append(Touched(record, [by_path[path] for path in edited]))
    return found


def findings(sides: Sides, found: Sequence[Touched]) -> list[Finding]:
    lines = review_edits.first_lines(sides.compared, [one.edits[0] for one in _surest(found)])
    return [_finding(one, lines.get(one.edits[0].path)) for one in found]


def how_of(edit: Edit, names: Sequence[str]) -> int:
    """How the surest of these names fits the file."""
    return max((_fits(name.removeprefix("./"), edit) for name in names), default=NAME)


def _fits(name: str, edit: Edit) -> int:
    for path in (edit.path, edit.old):
        if name == path:
            # `reader.go` is any file of that name, and this one stands in the root
            return EXACT if "/" in name or path == name else NAME
        if path.startswith(name.rstrip("/") + "/"):
            return FOLDER
    return GLOB if any(c in "*?[" for c in name) else NAME


def _surest(found: Sequence[Touched]) -> list[Touched]:
    return sorted(found, key=lambda one: (-_weight(one), one.edits[0].path))


def _weight(one: Touched) -> float:
    return 10.0 * one.how + review_claims.strength(one.record.text("degree"))


def _finding(one: Touched, line: int | None) -> Finding:
    record, edit = one.record, one.edits[0]
    return Finding(
        "touches",
        edit.path,
        f"this change {_said(one.edits)}, which {named(record)} rules about: still true?",
        line=line,
        record=record.id,
        title=called(record),
        weight=_weight(one),
    )


def _said(edits: Sequence[Edit]) -> str:
    first = edits[0]
    verb = _VERBS.get(first.letter, "edits")
    if len(edits) > 1:
        same = all(edit.letter == first.letter for edit in edits) and first.letter != RENAMED
        return f"{verb if same else 'edits'} {some([edit.path for edit in edits], REVIEW_NAMED)}"
    return f"moves {first.old} to {first.path}" if first.letter == RENAMED else f"{verb} {first.path}"
