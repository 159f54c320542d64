"""References between records, and to commits, that a change makes and that lead nowhere, or in a circle."""

from __future__ import annotations

from chalkgit.answers import successions
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_rot import lost_commits
from chalkgit.answers.review_words import called, named, quoted, some
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.review_sides import Sides


def findings(sides: Sides, skipped: list[str]) -> Iterator[Finding]:
    yield from _successions(sides)
    settled = {}
    for record_id in sides.changed:
        record = sides.after.get(record_id)
        if record is None:
            continue
        before = sides.before.get(record_id)
        known = before.items("supersedes") if before is not None else []
        lost = [
            i
            for i in record.items("supersedes")
            if i not in sides.after and (i not in known or i in sides.before)
        ]
        if lost:
            yield _finding(sides, record, "supersedes", f"supersedes {some(lost)}, which is no record here")
        commit = record.text("settled")
        if commit and commit.strip() and (before is None or before.text("settled") != commit):
            settled[record_id] = commit.strip()
    plain = {i: c for i, c in settled.items() if c.isprintable() and " " not in c}
    missing = lost_commits(sides, plain.values(), skipped)
    for record_id, commit in settled.items():
        if record_id not in plain or commit in missing:
            record = sides.after[record_id]
            words = f"is settled by {quoted(commit, 60)}, which is no commit here"
            yield _finding(sides, record, "settled", words)


def _finding(sides: Sides, record: Record, field: str, words: str, rule: str = "dangles") -> Finding:
    return Finding(
        rule,
        record.path,
        f"{named(record)} {words}",
        line=sides.line(record, field),
        record=record.id,
        title=called(record),
    )


def _successions(sides: Sides) -> Iterator[Finding]:
    """Circles and forks that the change closes: nothing of a circle is recalled, of a fork both are."""
    new = {i: set(ids) for i in sides.changed if (ids := _newly(sides, i))}
    if not new:
        return
    for circle in successions.circles(sides.after):
        inside = set(circle)
        closing = [i for i in circle if new.get(i, set()) & inside]
        if closing:
            record = sides.after[closing[0]]
            way = " → ".join([*circle, circle[0]])
            words = f"closes a circle of supersession ({way}): none of these is ever recalled"
            yield _finding(sides, record, "supersedes", words)
    for old, names in successions.forks(sides.after):
        mine = [i for i in names if old in new.get(i, ())]
        if mine:
            record = sides.after[mine[-1]]
            others = some(named(sides.after[i]) for i in names if i != record.id)
            words = f"supersedes {old}, and so does {others}: which of them holds?"
            yield _finding(sides, record, "supersedes", words, "contradicts")


def _newly(sides: Sides, record_id: str) -> list[str]:
    record, before = sides.after.get(record_id), sides.before.get(record_id)
    if record is None:
        return []
    known = before.items("supersedes") if before is not None else []
    return [old for old in record.items("supersedes") if old not in known]
