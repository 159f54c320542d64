"""What is wrong with the records of one tree: each file's own problems, and what only shows among several."""

from __future__ import annotations

import os

from chalkgit import times
from chalkgit.answers import lint_copies, lint_settings, successions
from chalkgit.answers.lint_places import Places
from chalkgit.errors import Problem
from chalkgit.records import fields
from chalkgit.store import worktree
from chalkgit.store.place import Place
from chalkgit.store.snapshot import Snapshot


def findings(place: Place, seen: Snapshot) -> list[Problem]:
    """In the order of their paths."""
    places = Places(place, seen)
    found = lint_copies.told(place, seen.problems, places)
    for look in (_references, _successions, _refs, _keys, _times, _commits):
        found += look(seen, places)
    found += _misnamed(place)
    found += lint_settings.findings(place)
    return sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.message))


def _references(seen: Snapshot, places: Places) -> list[Problem]:
    return [
        Problem(
            record.path,
            places.of(record.path, "supersedes", old),
            f"supersedes {old}, which is no record here",
            successions.without(seen.records, record.id, old),
            fatal=False,
        )
        for record in seen.records.values()
        for old in record.items("supersedes")
        if old not in seen.records
    ]


def _successions(seen: Snapshot, places: Places) -> list[Problem]:
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
        hint = successions.opening(seen.records, circle)[0]
        found.append(_succession(places, first.path, message, hint, circle[1 % len(circle)]))
    for old, names in successions.forks(seen.records):
        chained, *_ = successions.joining(seen.records, old, names)
        for name in names:
            rivals = [i for i in names if i != name]
            so = f"so does {rivals[0]}" if len(rivals) == 1 else f"so do {', '.join(rivals)}"
            hint = f"{chained}, or {successions.without(seen.records, name, old)}"
            message = f"supersedes {old}, and {so}: which of them holds?"
            found.append(_succession(places, seen.records[name].path, message, hint, old))
    return found


def _succession(places: Places, path: str, message: str, hint: str, old: str | None = None) -> Problem:
    return Problem(path, places.of(path, "supersedes", old), message, hint, fatal=False)


def _refs(seen: Snapshot, places: Places) -> list[Problem]:
    first: dict[str, str] = {}
    found = []
    for record in sorted(seen.records.values(), key=lambda record: record.path):
        ref = record.text("ref")
        if ref and ref in first:
            at = places.of(record.path, "ref")
            message = f"has the ref {ref}, which {first[ref]} has too"
            found.append(
                Problem(record.path, at, message, f'chalkgit correct {record.id} --ref ""', fatal=False)
            )
        elif ref:
            first[ref] = record.path
    return found


def _keys(seen: Snapshot, places: Places) -> list[Problem]:
    """Keys that are no field but nearly one. Any other unknown key is somebody's own, and kept."""
    from difflib import get_close_matches

    found = []
    for record in seen.records.values():
        for name in record.fields:
            near = get_close_matches(name, fields.BY_NAME, 1, 0.8) if name not in fields.BY_NAME else []
            if near:
                message = f"{name} is no field: {near[0]}, perhaps?"
                found.append(Problem(record.path, places.of(record.path, name), message, fatal=False))
    return found


def _times(seen: Snapshot, places: Places) -> list[Problem]:
    found = []
    for record in seen.records.values():
        start, end = record.text("valid-from"), record.text("valid-until")
        if start and end and times.parse(end) <= times.parse(start):
            message = f"is never valid: valid-until {end} is not after valid-from {start}"
            hint = f"chalkgit correct {record.id} --valid-until DATE"
            at = places.of(record.path, "valid-until")
            found.append(Problem(record.path, at, message, hint, fatal=False))
    return found


def _commits(seen: Snapshot, places: Places) -> list[Problem]:
    """Words where a commit belongs: what they named when they were written, nobody can tell."""
    found = []
    for record in seen.records.values():
        for name in fields.COMMITS:
            said = record.text(name)
            if said is not None and not fields.is_commit(said.strip()):
                message = f"{name} “{said}” is no commit's id"
                hint = f"chalkgit correct {record.id} --{name} COMMIT"
                found.append(Problem(record.path, places.of(record.path, name), message, hint, fatal=False))
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
