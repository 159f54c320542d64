"""A history that keeps every snapshot: what each commit holds, read from git's objects, and what follows.

It shares nothing with `chalkgit.store` but the codec: raw commits and trees from one `git cat-file --batch`,
each commit's records in full, and every answer by its definition.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.record import Record

Files = dict[str, tuple[str, str]]  # path to mode and object
OWN = {"retired", "settled", "review", "resolution", "resolved-by", "lesson", "distilled-by"}


class Held(NamedTuple):
    """A record as one commit has it. blob, fields: None where its file cannot be read."""

    path: str
    blob: str | None
    fields: Mapping[str, Any] | None
    by: str | None


class Told(NamedTuple):
    """What one commit made of one record."""

    commit: str
    id: str
    path: str | None
    blob: str | None
    events: tuple[str, ...]
    by: str | None


class Objects:
    """The objects of a repository, through one child. Close it after use."""

    def __init__(self, root: Path) -> None:
        command = ["git", "--no-replace-objects", "cat-file", "--batch"]
        self._child = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(b"started\n")
        self._child.stdin.flush()
        assert self._child.stdout.readline() == b"started missing\n"  # it has found its repository
        self._records: dict[str, Mapping[str, Any] | None] = {}
        self._files: dict[str, Files] = {}
        self._commits: dict[str, tuple[str, list[str], int]] = {}

    def close(self) -> None:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.wait()

    def read(self, oid: str) -> bytes:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(oid.encode() + b"\n")
        self._child.stdin.flush()
        size = int(self._child.stdout.readline().split()[2])
        data = self._child.stdout.read(size + 1)
        return data[:-1]

    def commit(self, oid: str) -> tuple[str, list[str], int]:
        """Tree, parents, the committer's seconds."""
        if oid not in self._commits:
            rows = [line.split(" ", 1) for line in self.read(oid).decode().split("\n\n")[0].split("\n")]
            parents = [value for name, value in rows if name == "parent"]
            when = next(int(value.split()[-2]) for name, value in rows if name == "committer")
            self._commits[oid] = (rows[0][1], parents, when)
        return self._commits[oid]

    def chain(self, tip: str) -> list[str]:
        """The first parents, from the oldest."""
        found = [tip]
        while parents := self.commit(found[-1])[1]:
            found.append(parents[0])
        return found[::-1]

    def files(self, commit: str) -> Files:
        if commit not in self._files:
            root = self._tree(self.commit(commit)[0])
            below = {name: entry for name, entry in root.items() if name == ".lessons"}
            self._files[commit] = dict(self._walk("", below))
        return self._files[commit]

    def _walk(self, prefix: str, tree: Files) -> list[tuple[str, tuple[str, str]]]:
        found = []
        for name, (mode, oid) in tree.items():
            if mode == "40000":
                found += self._walk(f"{prefix}{name}/", self._tree(oid))
            else:
                found.append((prefix + name, (mode, oid)))
        return found

    def _tree(self, oid: str) -> Files:
        data, found, at = self.read(oid), {}, 0
        while at < len(data):
            end = data.index(b"\0", at)
            mode, name = data[at:end].split(b" ", 1)
            found[name.decode()] = (mode.decode(), data[end + 1 : end + 21].hex())
            at = end + 21
        return found

    def record(self, mode: str, oid: str) -> Mapping[str, Any] | None:
        if not mode.startswith("100"):
            return None
        if oid not in self._records:
            try:
                self._records[oid] = codec.decode(self.read(oid), "x.yaml")[0].fields
            except ChalkError:
                self._records[oid] = None
        return self._records[oid]


class Naive:
    """The history of a tip: `states[n]` and `told` of the n-th commit from the oldest."""

    def __init__(self, objects: Objects, tip: str) -> None:
        self.objects = objects
        self.commits = objects.chain(tip)
        self.times = [objects.commit(oid)[2] for oid in self.commits]
        self.states: list[dict[str, Held]] = []
        self.told: list[Told] = []
        last: dict[str, Held] = {}  # what each id was when a file could last be read
        by_told: dict[str, str | None] = {}
        before: dict[str, Held] = {}
        for commit in self.commits:
            now, by = self._state(commit, before)
            rows = []
            for i in sorted({*before, *now}):
                held, old = now.get(i), before.get(i)
                events = self._events(old, held, last.get(i))
                if held and held.blob and i in by_told and by_told[i] != by.get(i):
                    events = [*events, "superseded" if i in by else "reopened"]
                if events:
                    path, blob = (held.path, held.blob) if held else (None, None)
                    told = Told(commit, i, path, blob, tuple(sorted(set(events))), by.get(i))
                    rows.append((path or (old.path if old else ""), told))
                    by_told[i] = by.get(i)
            self.told += [row for _, row in sorted(rows, key=lambda row: (row[0], row[1].id))]
            last |= {i: held for i, held in now.items() if held.blob is not None}
            self.states.append(now)
            before = now

    def _state(self, commit: str, before: Mapping[str, Held]) -> tuple[dict[str, Held], dict[str, str]]:
        found: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
        damaged = set()
        for path, (mode, oid) in sorted(self.objects.files(commit).items()):
            if not path.endswith(".yaml") or path == ".lessons/config.yaml":
                continue
            fields = self.objects.record(mode, oid)
            if fields is None:
                damaged.add(path)
                continue
            i = fields["id"]
            if i not in found or (path.endswith(f".{i}.yaml") and not found[i][0].endswith(f".{i}.yaml")):
                found[i] = (path, oid, fields)
        successors: dict[str, list[str]] = {}
        for i, (_, _, fields) in found.items():
            for old in fields.get("supersedes", ()):
                successors.setdefault(old, []).append(i)
        by = {old: min(new) for old, new in successors.items()}
        held = {i: Held(path, oid, fields, by.get(i)) for i, (path, oid, fields) in found.items()}
        for i, old in before.items():
            if i not in held and old.path in damaged:
                held[i] = Held(old.path, None, None, by.get(i))
        return held, by

    def _events(self, old: Held | None, new: Held | None, last: Held | None) -> list[str]:
        if new is None:
            return ["deleted"] if old is not None else []
        if new.fields is None:
            return ["damaged"] if old is not None and old.blob is not None else []
        if last is None or last.fields is None:
            return ["recorded"]
        events = field_events(last.fields, new.fields)
        if old is None or old.blob is None:
            events.add("restored")
        elif old.path != new.path:
            events.add("renamed")
        elif not events and old.blob != new.blob:
            events.add("corrected")
        return list(events)

    def known_at(self, seconds: float) -> str | None:
        """The newest commit such that it and all before it are dated up to then."""
        fit = [n for n in range(len(self.commits)) if all(t <= seconds for t in self.times[: n + 1])]
        return self.commits[max(fit)] if fit else None

    def changed(self, path: str, upto: int) -> str:
        """The last commit up to the n-th that made the file what it is."""
        entry = self.objects.files(self.commits[upto])[path]
        n = upto
        while n > 0 and self.objects.files(self.commits[n - 1]).get(path) == entry:
            n -= 1
        return self.commits[n]


def field_events(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    changed = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    found = set()
    for name, event in (("retired", "retired"), ("settled", "settled")):
        if name in changed:
            found.add("corrected" if name in old and name in new else event if name in new else "reopened")
    if "review" in changed:
        found.add("reviewed")
    was_open, is_open = _is_open(old), _is_open(new)
    if changed & {"resolution", "lesson"}:
        found.add("resolved" if was_open and not is_open else "corrected")
    elif changed & {"resolved-by", "distilled-by"}:
        found.add("corrected")
    if changed - OWN:
        found.add("corrected")
    return found


def _is_open(fields: Mapping[str, Any]) -> bool:
    return fields["kind"] == "lesson" and "resolution" not in fields and "lesson" not in fields


def superseded(state: Mapping[str, Held]) -> dict[str, str]:
    return {i: held.by for i, held in state.items() if held.by is not None}


def readable(state: Mapping[str, Held]) -> dict[str, Record]:
    return {i: Record(held.fields, held.path) for i, held in state.items() if held.fields is not None}
