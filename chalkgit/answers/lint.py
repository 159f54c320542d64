"""What is wrong with the records of one tree: each file's own problems, and what only shows among several."""

from __future__ import annotations

import os

from chalkgit import times
from chalkgit.answers import successions
from chalkgit.errors import ChalkError, Problem
from chalkgit.records import fields
from chalkgit.store import policy, worktree
from chalkgit.store.place import Place
from chalkgit.store.snapshot import Snapshot


def findings(place: Place, seen: Snapshot) -> list[Problem]:
    """In the order of their paths."""
    found = [*seen.problems, *_references(seen), *_refs(seen), *_keys(seen), *_times(seen), *_misnamed(place)]
    found += _successions(place, seen)
    found += policy.lint(place)
    return sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.message))


def _references(seen: Snapshot) -> list[Problem]:
    return [
        Problem(
            record.path,
            None,
            f"supersedes {old}, which is no record here",
            _supersedes(record.id, [kept for kept in record.items("supersedes") if kept in seen.records]),
            fatal=False,
        )
        for record in seen.records.values()
        for old in record.items("supersedes")
        if old not in seen.records
    ]


def _successions(place: Place, seen: Snapshot) -> list[Problem]:
    """Circles of records that replace each other, and records that two others replace."""
    found = []
    for circle in successions.circles(seen.records):
        first = seen.records[circle[0]]
        if len(circle) == 1:
            message = "supersedes itself, so that it is never recalled"
        else:
            message = (
                f"is in a circle of supersession ({' → '.join([*circle, first.id])}): none is ever recalled"
            )
        rest = [old for old in first.items("supersedes") if old != circle[1 % len(circle)]]
        found.append(_succession(place, seen, first.path, message, _supersedes(first.id, rest)))
    for old, names in successions.forks(seen.records):
        *others, last = names
        for name in names:
            rivals = ", ".join(i for i in names if i != name)
            rest = [i for i in seen.records[name].items("supersedes") if i != old]
            hint = f"chalkgit supersede {others[0]} --by {last}, or {_supersedes(name, rest)}"
            message = f"supersedes {old}, and so does {rivals}: which of them holds?"
            found.append(_succession(place, seen, seen.records[name].path, message, hint))
    return found


def _supersedes(record_id: str, rest: list[str]) -> str:
    """The command that leaves a record with these alone."""
    kept = " ".join(f"--supersedes {old}" for old in rest) or '--supersedes ""'
    return f"chalkgit correct {record_id} {kept}"


def _succession(place: Place, seen: Snapshot, path: str, message: str, hint: str) -> Problem:
    return Problem(path, _line(place, seen, path, "supersedes"), message, hint, fatal=False)


def _line(place: Place, seen: Snapshot, path: str, name: str) -> int | None:
    """Where a field of a work tree's record stands; None for other trees, whose text is not at hand."""
    if seen.source != "work tree":
        return None
    try:
        rows = worktree.read(place, path).decode("utf-8", "replace").split("\n")
    except ChalkError:
        return None
    return next((number for number, row in enumerate(rows, 1) if row.startswith(name + ":")), None)


def _refs(seen: Snapshot) -> list[Problem]:
    first: dict[str, str] = {}
    found = []
    for record in sorted(seen.records.values(), key=lambda record: record.path):
        ref = record.text("ref")
        if ref and ref in first:
            found.append(
                Problem(record.path, None, f"has the ref {ref}, which {first[ref]} has too", fatal=False)
            )
        elif ref:
            first[ref] = record.path
    return found


def _keys(seen: Snapshot) -> list[Problem]:
    """Keys that are no field but nearly one. Any other unknown key is somebody's own, and kept."""
    from difflib import get_close_matches

    found = []
    for record in seen.records.values():
        for name in record.fields:
            near = get_close_matches(name, fields.BY_NAME, 1, 0.8) if name not in fields.BY_NAME else []
            if near:
                message = f"{name} is no field: {near[0]}, perhaps?"
                found.append(Problem(record.path, None, message, fatal=False))
    return found


def _times(seen: Snapshot) -> list[Problem]:
    found = []
    for record in seen.records.values():
        start, end = record.text("valid-from"), record.text("valid-until")
        if start and end and times.parse(end) <= times.parse(start):
            message = f"is never valid: valid-until {end} is not after valid-from {start}"
            found.append(Problem(record.path, None, message, fatal=False))
    return found


def _misnamed(place: Place) -> list[Problem]:
    """Files that look like records and are not read."""
    found = []
    for folder, _, names in os.walk(place.lessons):
        for name in names:
            if name.endswith((".yml", ".YAML", ".YML")):
                path = os.path.relpath(os.path.join(folder, name), place.root)
                hint = f"mv {path} {os.path.splitext(path)[0]}{worktree.SUFFIX}"
                found.append(Problem(path, None, f"is not read: a record ends with {worktree.SUFFIX}", hint))
    return found
