"""The versions that a repository's own manifests and lockfiles name, and whether a ruling's have moved.

Nothing is read until it is asked for, each file once, and a broken one is told in `problems`, never raised.
Names are compared as their ecosystem does: PEP 503 for Python, exactly for npm, a Go module by its path or
its last element, and `-` like `_` for Cargo.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from datetime import datetime

from chalkgit import times
from chalkgit.answers import manifests
from chalkgit.thresholds import DEPENDENCY_BYTES, REQUIREMENTS_FILES, STALE_DAYS, VERSION_LENGTH

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Protocol

    from chalkgit.records.record import Record

    class Files(Protocol):
        """Where manifests and lockfiles are read."""

        def names(self) -> list[str]: ...

        def text(self, name: str) -> str | None: ...


Found = tuple[str, str]  # a version or a specifier, and the file that says so
Table = dict[tuple[str, str], list[Found]]

SHOWN = 3  # dependencies named in one sentence


def _python(name: str) -> str:
    return "-".join(part for part in name.lower().replace("_", "-").replace(".", "-").split("-") if part)


def _cargo(name: str) -> str:
    return name.replace("_", "-")


def _exact(name: str) -> str:
    return name


KEYS: dict[str, Callable[[str], str]] = {"python": _python, "npm": _exact, "go": _exact, "cargo": _cargo}
LOCKS: dict[str, tuple[str, manifests.Reader]] = {
    "uv.lock": ("python", manifests.packages),
    "poetry.lock": ("python", manifests.packages),
    "package-lock.json": ("npm", manifests.package_lock),
    "npm-shrinkwrap.json": ("npm", manifests.package_lock),
    "yarn.lock": ("npm", manifests.yarn_lock),
    "go.mod": ("go", manifests.go_mod),
    "Cargo.lock": ("cargo", manifests.packages),
}
NEEDS: dict[str, tuple[str, manifests.Reader]] = {
    "pyproject.toml": ("python", manifests.pyproject),
    "package.json": ("npm", manifests.package_json),
    "Cargo.toml": ("cargo", manifests.cargo_toml),
}


class Dependencies:
    """What the files in `root` say; `problems` grows as they are read. files: where not in the work tree."""

    def __init__(self, root: str, files: Files | None = None) -> None:
        self.root = root
        self._files = files or _Here(root)
        self.problems: list[str] = []
        self._locks: Table | None = None
        self._needs: Table | None = None
        self._pins: Table = {}

    def installed(self, name: str) -> list[str]:
        """The versions it is locked at, by a lockfile or else by an exact pin."""
        return list(dict.fromkeys(version for version, _ in self.locked(name)))

    def declared(self, name: str) -> str | None:
        """The specifier as it is written, "" for one without; None where nothing asks for it."""
        return next((spec for spec, _, _ in self.declarations(name)), None)

    def shares(self, name: str) -> bool:
        """Whether this repository depends on it, at whatever version."""
        return bool(self.locked(name) or self.declarations(name))

    def locked(self, name: str) -> list[Found]:
        """Each version with the file that says so."""
        if self._locks is None:
            self._locks = self._read(LOCKS)
        found = _find(self._locks, name)
        if not found:
            self._declared()
            found = _find(self._pins, name)
        return found

    def declarations(self, name: str) -> list[tuple[str, str, str]]:
        """Each specifier with the file that says so, and its ecosystem."""
        found = []
        for kind, key in KEYS.items():
            entries = dict.fromkeys(self._declared().get((kind, key(name)), []))
            found += [(spec, file, kind) for spec, file in entries]
        return found

    def satisfying(self, name: str, specifier: str) -> Found | None:
        """The locked version that a specifier like >=5.0 allows, and its file."""
        return next(
            (found for found in self.locked(name) if manifests.allows(specifier, found[0], "python")), None
        )

    def _declared(self) -> Table:
        if self._needs is None:
            asked = dict.fromkeys(self._requirement_files(), ("python", manifests.requirements))
            self._needs = self._read({**NEEDS, **asked})
            for (kind, key), found in self._needs.items():
                exact = [(version, file) for spec, file in found for version in manifests.pinned(spec)]
                if kind == "python" and exact:
                    self._pins[kind, key] = exact
        return self._needs

    def _requirement_files(self) -> list[str]:
        try:
            names = self._files.names()
        except OSError as error:
            self.problems.append(f"{self.root}: {error.strerror}")
            return []
        return sorted(n for n in names if n.startswith("requirements") and n.endswith(".txt"))[
            :REQUIREMENTS_FILES
        ]

    def _read(self, files: Mapping[str, tuple[str, manifests.Reader]]) -> Table:
        table: Table = {}
        for file, (kind, reader) in files.items():
            try:
                said = self._files.text(file)
                pairs = _pairs(reader, said) if said is not None else []
            except Unreadable as error:
                self.problems.append(f"{file} was skipped: {error}")
                continue
            for name, value in pairs:
                for key in _keys(kind, name) if len(value) <= VERSION_LENGTH else ():
                    table.setdefault((kind, key), []).append((value, file))
        return table


class Unreadable(Exception):
    """Why a file was skipped."""


class _Here:
    """The files of a work tree."""

    def __init__(self, root: str) -> None:
        self._root = root

    def names(self) -> list[str]:
        return os.listdir(self._root)

    def text(self, name: str) -> str | None:
        return _text(os.path.join(self._root, name))


def _text(path: str) -> str | None:
    """What the file says; None where there is none."""
    try:
        # a pipe of that name must not block; a link must not lead out of the repository
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = "a symbolic link, not followed" if os.path.islink(path) else error.strerror
        raise Unreadable(why or str(error)) from None
    try:
        return decoded(_bytes(handle))
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None
    finally:
        os.close(handle)


def _bytes(handle: int) -> bytes:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable("no regular file")
    if found.st_size > DEPENDENCY_BYTES:
        raise Unreadable(f"{found.st_size} bytes long, more than {DEPENDENCY_BYTES}")
    with os.fdopen(handle, "rb", closefd=False) as file:
        return file.read(DEPENDENCY_BYTES)


def decoded(data: bytes) -> str:
    try:
        said = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable(f"no UTF-8 at byte {error.start}") from None
    if said.startswith("<<<<<<< ") or "\n<<<<<<< " in said:
        raise Unreadable("it has merge conflicts")
    return said


def _pairs(reader: manifests.Reader, said: str) -> list[tuple[str, str]]:
    try:
        return [(name, value) for name, value in reader(said) if name]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise Unreadable(" ".join(str(error).split())[:120] or type(error).__name__) from None


def _find(table: Table, name: str) -> list[Found]:
    found = (entry for kind, key in KEYS.items() for entry in table.get((kind, key(name)), []))
    return list(dict.fromkeys(found))


def _keys(kind: str, name: str) -> set[str]:
    """What a name is found by: of a Go module its path, and its last element, without a major version."""
    if kind != "go":
        return {KEYS[kind](name)}
    path, _, last = name.rpartition("/")
    if path and last[:1] == "v" and last[1:].isdecimal():
        return {name, path, path.rpartition("/")[2]}
    return {name, last}


def stale(record: Record, dependencies: Dependencies, when: str | None, now: datetime) -> str | None:
    """For a version-bound ruling, what has moved since it was recorded (`when`), or that nobody can tell."""
    if record.text("scope") != "version-bound":
        return None
    observed = record.get("depends-on")
    named = {n: v for n, v in observed.items() if isinstance(v, str)} if isinstance(observed, dict) else {}
    moved = [words for name, version in named.items() if (words := _moved(dependencies, name, version))]
    if moved:
        return _listed(moved, "; ")
    unknown = [name for name in named if not dependencies.locked(name)]
    return _aged(unknown, when, now) if unknown or not named else None


def _moved(dependencies: Dependencies, name: str, version: str) -> str | None:
    then = f"{name} {version} when it was recorded"
    locked = dependencies.locked(name)
    if locked:
        there = _listed([f"{found} in {file}" for found, file in locked], ", ")
        return (
            None
            if any(_same(version, found, _kind(file)) for found, file in locked)
            else f"{then}, {there} now"
        )
    asked = dependencies.declarations(name)
    if asked and all(_excludes(spec, version, kind) for spec, _, kind in asked):
        return f"{then}, no longer allowed by {asked[0][1]} ({asked[0][0]})"
    return None


def _aged(unknown: list[str], when: str | None, now: datetime) -> str | None:
    if when is None or not times.is_date(when) or (days := times.age_days(when, now)) <= STALE_DAYS:
        return None
    if not unknown:
        return f"recorded {days} days ago: it may have moved since"
    names = _listed(unknown, ", ")
    return f"recorded {days} days ago, and no lockfile tells whether {names} moved: may have moved since"


def _listed(words: list[str], joint: str) -> str:
    more = len(words) - SHOWN
    return joint.join(words[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _kind(file: str) -> str:
    return LOCKS[file][0] if file in LOCKS else "python"


def _same(recorded: str, locked: str, kind: str) -> bool:
    """Whether a locked version is the recorded one; 4.2 was recorded of any 4.2.7, and ^4.2 of any 4.9."""
    ours, theirs = manifests.bare(recorded), manifests.bare(locked)
    if ours == theirs or theirs.startswith(f"{ours}."):
        return True
    prefix = manifests.prefix(ours, theirs)
    return prefix if prefix is not None else bool(manifests.allows(ours, theirs, kind))


def _excludes(spec: str, version: str, kind: str) -> bool:
    """Whether no version that 4.2 may stand for, 4.2.7 say, is allowed."""
    if manifests.allows(spec, version, kind) is not False:
        return False
    others = [f"{version}.99999", *(v for v in manifests.versions(spec) if _same(version, v, kind))]
    return not any(manifests.allows(spec, other, kind) for other in others)
