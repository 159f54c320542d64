"""What is wrong with the records of one tree: each file's own problems, and what only shows among several."""

from __future__ import annotations

import os

from chalkgit import times
from chalkgit.errors import Problem
from chalkgit.records import fields
from chalkgit.store import policy, worktree
from chalkgit.store.place import Place
from chalkgit.store.snapshot import Snapshot


def findings(place: Place, seen: Snapshot) -> list[Problem]:
    """In the order of their paths."""
    found = [*seen.problems, *_references(seen), *_refs(seen), *_keys(seen), *_times(seen), *_misnamed(place)]
    found += policy.lint(place)
    return sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.message))


def _references(seen: Snapshot) -> list[Problem]:
    return [
        Problem(record.path, None, f"supersedes {old}, which is no record here", fatal=False)
        for record in seen.records.values()
        for old in record.items("supersedes")
        if old not in seen.records
    ]


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
