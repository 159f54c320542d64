"""Rulings that the change itself opens again: it does what their `reopens-when` waits for."""

from __future__ import annotations

from chalkgit.answers import drift, reopening
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_rot import before_and_after, manifests
from chalkgit.answers.review_words import called, named
from chalkgit.records.status import excluded
from chalkgit.store import renames
from chalkgit.thresholds import REVIEW_TOUCHED

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.review_sides import Sides


def findings(sides: Sides, skipped: list[str]) -> Iterator[Finding]:
    """Of the records that the change leaves as they are; one that was open before is no news."""
    others = (record for record in sides.after.values() if record.id not in sides.edited)
    ruled = [record for record in others if record.get("reopens-when") is not None]
    if not ruled or not sides.edits:
        return
    root, base = sides.place.root, sides.compared.base
    was, now = before_and_after(sides)
    under = _under(sides)
    edited: list[str] = []
    asked: list[str] = []

    def touches(commit: str | None, path: str) -> bool:
        found = under.get(renames.plain(path) or "")
        edited[:] = [found] if found is not None else []
        return bool(edited)

    def touched(commit: str | None, path: str) -> bool | None:
        asked.append(path)
        return len(asked) <= REVIEW_TOUCHED and drift.touched(root, commit, path, base)

    for record in ruled:
        edited.clear()
        if excluded(record, now=sides.now, superseded=sides.replaced) is not None:
            continue
        words = reopening.met(record, dependencies=now, now=sides.now, touched=touches)
        if words is None:
            continue
        unseen: list[str] = []
        if reopening.met(record, dependencies=was, now=sides.now, touched=touched, unseen=unseen) is not None:
            continue
        if unseen:
            skipped.append(f"whether {record.id} was open before: this clone does not reach back to it")
        path = edited[0] if edited else next(iter(manifests(sides)), record.path)
        words = words.replace(" has changed since", " changes here") if edited else words
        message = f"this change reopens {named(record)}: {words}"
        # nobody knows yet which of the two it is
        holds = f"where it holds all the same: chalkgit correct {record.id} --reopens-when RULE"
        mend = f'chalkgit retire {record.id} --because "…"'
        yield Finding(
            "reopens", path, message, record=record.id, title=called(record), details=[holds], mend=mend
        )
    if len(asked) > REVIEW_TOUCHED:
        words = f"which of {len(asked):,} rulings that wait for a file were open before"
        skipped.append(f"{words}: too many to ask git")


def _under(sides: Sides) -> dict[str, str]:
    """Each edited file, by any name, and each folder above it, to the file's path now."""
    found: dict[str, str] = {}
    for edit in sides.edits:
        for name in (edit.path, edit.old):
            parts = name.split("/")
            for depth in range(1, len(parts) + 1):
                found.setdefault("/".join(parts[:depth]), edit.path)
    return found
