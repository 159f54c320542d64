"""Writing records: each file whole or not at all, nothing staged or committed unless that was asked.

`Written` is what a command prints: the record with its path, and what git was asked to do with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping
from typing import Any

from chalkgit import ids, thresholds, times
from chalkgit.errors import ChalkError
from chalkgit.records import codec, edit, fields
from chalkgit.records.record import Record, default_path
from chalkgit.store import atomic, git, snapshot, worktree
from chalkgit.store.lock import Lock
from chalkgit.store.place import LESSONS, Place


def add(place: Place, values: Mapping[str, Any], taken: Container[str]) -> Record:
    """A new record file with a fresh id; the record with its path."""
    record = Record({"id": ids.mint(taken), **values})
    return put(place, record)


def commit_of(place: Place, name: str) -> str:
    """The full id of the commit that a user names; ChalkError where it is none of this repository."""
    try:
        return snapshot.resolve(place, name, commit=True)
    except ChalkError as error:
        raise ChalkError(f"“{name}” is no commit of this repository", hint=error.hint) from None


def put(place: Place, record: Record) -> Record:
    """A file for a record that has its id already; ChalkError when its words are not allowed."""
    refuse(record)
    _refuse_commits(record.fields)
    path = default_path(record)
    folder = atomic.folder(place.root, os.path.dirname(path))
    try:
        target = os.path.join(folder, os.path.basename(path))
        atomic.create(target, codec.encode(record.at(path)), scratch=scratch(place))
    except FileExistsError:
        raise ChalkError("there is a file of this name already", where=path) from None
    return record.at(path)


def change(
    place: Place,
    record: Record,
    changes: Mapping[str, Any],
    expect: Callable[[Record], None] | None = None,
) -> Record:
    """Set (or with None remove) fields of a record's file, keeping all else of it byte for byte.

    expect: is asked about the file as it is when nobody else writes, and refuses by an error.
    """
    refuse(record.changed(changes))
    _refuse_commits(changes)
    with lock(place):
        before = worktree.read(place, record.path)
        if expect is not None:
            expect(codec.decode(before, record.path)[0])
        after = edit.edit(before, changes, record.path)
        if after != before:
            atomic.replace(worktree.file_of(place, record.path), after, scratch=scratch(place))
    return codec.decode(after, record.path)[0]


def lock(place: Place) -> Lock:
    """One writer at a time in a repository: what is read is what is replaced.

    A git directory that takes no writes has no lock; its work tree may still be written to.
    """
    file = os.path.join(place.common_dir, "chalkgit", "write.lock")
    return Lock(file, thresholds.WRITE_LOCK_SECONDS, "another process is writing records", required=False)


def scratch(place: Place) -> str:
    """Where a file is written before it takes its place: outside of what `git add` would take along."""
    return os.path.join(place.derived, "tmp")


def refuse(record: Record) -> None:
    """ChalkError for what reading would drop: a word outside an enumeration, a wrong date, a control."""
    for name in ("route", "observation", "trap", "resolution"):
        if record.text(name) is not None and not str(record.get(name)).strip():
            raise ChalkError(f"{name} is empty", hint=f"say it in words: --{name} TEXT")
    start, end = record.text("valid-from"), record.text("valid-until")
    if (
        start
        and end
        and times.is_date(start)
        and times.is_date(end)
        and times.parse(end) <= times.parse(start)
    ):
        raise ChalkError(f"valid-until {end} is not after valid-from {start}", hint="--valid-until DATE")
    problems = codec.check(record)
    if problems:
        first = problems[0]
        raise ChalkError(first.message, hint=first.hint)


def _refuse_commits(values: Mapping[str, Any]) -> None:
    """ChalkError for a word that is no commit's id, where one belongs."""
    for name in fields.COMMITS:
        said = values.get(name)
        if isinstance(said, str) and not fields.is_commit(said):
            raise ChalkError(f"{name} “{said}” is no commit's id", hint="git rev-parse HEAD")


def stage(place: Place, path: str) -> None:
    # as the user would: with the content filters of the user's configuration
    code, _, err = git.ask_as_user(place.root, "add", "--", f":(top,literal){path}")
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"{path} is written, but git did not stage it: {said}", hint=f"git add -- {path}")


def commit(place: Place, path: str, message: str) -> str:
    """Commit that record alone, hooks and signing as the user has them; the new commit.

    `commit --only` leaves whatever else is staged as it was; it wants the path known to the index first.
    """
    tracked = git.ask(place.root, "ls-files", "--error-unmatch", "--", path)[0] == 0
    if not tracked:
        git.run(place.root, "add", "--intent-to-add", "--", path)
    code, _, err = git.ask_as_user(
        place.root, "commit", "--quiet", "--only", "-m", message, "--", f":(top,literal){path}"
    )
    if code != 0:
        if not tracked:
            git.run(place.root, "rm", "--cached", "--quiet", "--force", "--", path)
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(
            f"{path} is written, but git did not commit it: {said}", hint=f"git commit -- {path}"
        )
    return git.run(place.root, "rev-parse", "HEAD").decode().strip()


def author(place: Place) -> str | None:
    """The name git would write into a commit here, None where it knows none."""
    code, out, _ = git.ask(place.root, "config", "user.name")
    name = git_author() or (out.decode("utf-8", "replace").strip() if code == 0 else "")
    return name or None


def git_author() -> str | None:
    from chalkgit import config

    return config.environment_value("GIT_AUTHOR_NAME")


def lessons_file(place: Place, name: str) -> str:
    return os.path.join(place.root, LESSONS, name)
