"""What erases one record from the files, git's index and the journal, in every work tree of a repository.

History is not touched: what git has committed, it keeps. All of this can be run again, and finishes what a
run that was killed left over.
"""

from __future__ import annotations

import os
import re

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.store import git, journal_file, place, snapshot, sqlite, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.store.place import Place


class Held:
    """What one work tree holds of an id: files, paths in git's index, records that name it."""

    __slots__ = ("files", "named_by", "place", "record", "staged")

    def __init__(self, of: Place) -> None:
        self.place = of
        self.files: list[str] = []
        self.staged: list[str] = []
        self.named_by: list[Record] = []
        self.record: Record | None = None


def work_trees(of: Place) -> list[Place]:
    """This work tree and the others of the repository that can be read."""
    return [of, *place.siblings(of)]


def places(of: Place) -> list[Place]:
    """Every git directory of the repository as a place, those included whose work tree is gone."""
    found = {one.git_dir: one for one in work_trees(of)}
    folder = os.path.join(of.common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for git_dir in (of.common_dir, *(os.path.join(folder, name) for name in names)):
        if git_dir not in found and os.path.realpath(git_dir) not in found and os.path.isdir(git_dir):
            found[git_dir] = place.Place(of.root, git_dir, of.common_dir)
    return list(found.values())


def held(of: Place, record_id: str) -> Held:
    """What a work tree holds of a record, of its working notes too."""
    found = Held(of)
    if os.path.isdir(of.lessons) and not os.path.islink(of.lessons):
        looked = worktree.look(of)
    else:
        looked = worktree.look_at_notes(of)
    for path in sorted(filter(worktree.nameable, looked.paths)):
        content = snapshot.content(of, path)
        said = b"" if isinstance(content, ChalkError) else content
        if record_id.encode() in said or record_id in path:
            _sort(found, record_id, path, content)
    found.staged = _staged(of, record_id)
    return found


def _sort(found: Held, record_id: str, path: str, content: snapshot.Content) -> None:
    record, _ = snapshot.decoded(path, content)
    if is_of(record_id, path, content, record):
        found.files.append(path)
        found.record = found.record or record
    elif record is not None:
        found.named_by.append(record)


def is_of(record_id: str, path: str, content: snapshot.Content, record: Record | None) -> bool:
    """Whether a file is the record's: by its id, or where it cannot be read by what it says or is called."""
    if record is not None:
        return record.id == record_id
    said = b"" if isinstance(content, ChalkError) else content
    names = (f".{record_id}{worktree.SUFFIX}", f"/{record_id}{worktree.SUFFIX}")
    if re.search(rb"^id: *[\"']?(?!" + record_id.encode() + rb"\b)\w", said, re.MULTILINE):
        return False  # it holds another record too, which nobody asked to forget
    return path.endswith(names) or re.search(_line(record_id).encode(), said, re.MULTILINE) is not None


def _line(record_id: str) -> str:
    """How the file of a record that cannot be read says its id."""
    return f"^id: *[\"']?{record_id}[\"']?[ \t]*\r?$"


def _staged(of: Place, record_id: str) -> list[str]:
    """The paths of git's index whose content is the record, or that are named by it."""
    code, out, _ = git.ask(
        of.root, "grep", "-z", "-l", "--cached", "-F", "-e", record_id, "--", place.LESSONS
    )
    paths = set(_names(out) if code == 0 else ())
    paths |= {
        path for path in _names(git.run(of.root, "ls-files", "-z", "--", place.LESSONS)) if record_id in path
    }
    if not paths:
        return []
    entries = []
    for row in _names(git.run(of.root, "ls-files", "--stage", "-z", "--", *sorted(paths))):
        about, path = row.split("\t", 1)
        mode, oid, stage = about.split(" ")
        entries.append((path, mode, oid if stage == "0" else "0"))
    found = [
        path
        for path, content in snapshot.staged(of, entries)
        if is_of(record_id, path, content, snapshot.decoded(path, content)[0])
    ]
    return sorted(found)


def files(found: Held) -> None:
    """Take the files away, and the paths out of git's index; ChalkError where one stays."""
    for path in found.files:
        try:
            os.unlink(worktree.file_of(found.place, path))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ChalkError(f"cannot be removed: {error.strerror}", where=path) from None
    if found.staged:
        # not `rm --cached`, which refuses paths that a sparse checkout leaves out
        listed = b"".join(os.fsencode(path) + b"\0" for path in found.staged)
        git.run(
            found.place.root,
            *git.NO_HOOKS,
            "update-index",
            "--force-remove",
            "-z",
            "--stdin",
            stdin=listed,
        )


def in_head(of: Place, paths: Sequence[str]) -> list[str]:
    """Those of the paths that HEAD has."""
    if not paths:
        return []
    code, out, _ = git.ask(of.root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", "--", *paths)
    return _names(out) if code == 0 else []


def history(of: Place, record_id: str, paths: Sequence[str]) -> tuple[list[str], list[dict[str, str]]]:
    """(every path the record had, the commits that wrote it), newest first, on all branches and tags."""
    listing = ("-z", "--no-renames", "--no-textconv", "--no-ext-diff", "--name-only", "--format=")
    ever = {path for path in paths if not path.startswith(worktree.NOTES + "/")}
    # by what the files said, and by their names: a committed file may have been damaged
    by_text = git.start(of.root, "log", "--all", *listing, "-G", _line(record_id), "--", place.LESSONS)
    by_name = git.start(of.root, "log", "--all", *listing, "--", place.LESSONS)
    said, named = by_text.output()[1], by_name.output()[1]
    ever |= {path.lstrip("\n") for path in _names(said)}
    ever |= {path.lstrip("\n") for path in _names(named) if path.endswith(f".{record_id}{worktree.SUFFIX}")}
    if not ever:
        return [], []
    shape = "--format=%H%x00%cs%x00%s"
    code, out, _ = git.ask(of.root, "log", "--all", shape, "--", *sorted(ever))
    rows = [row.split("\0", 2) for row in out.decode("utf-8", "replace").split("\n") if row]
    commits = [{"commit": c, "on": on, "subject": subject} for c, on, subject in rows] if code == 0 else []
    return (sorted(ever), commits) if commits else ([], [])


def pushed(of: Place, commit: str) -> list[str]:
    """The remote-tracking branches that have a commit."""
    code, out, _ = git.ask(
        of.root, "for-each-ref", "--format=%(refname:short)", "--contains", commit, "refs/remotes"
    )
    return out.decode("utf-8", "replace").split() if code == 0 else []


def shown(of: Place, record_id: str, failures: Sequence[str] = (), *, count_only: bool = False) -> int:
    """Erase the journal's rows that name the id, or that have one of these failures; how many there were.

    A row is overwritten and the file written anew, so that no free page keeps it. A journal that cannot be
    read is taken away whole, and so is one that was put aside: nobody can tell what it says.
    """
    if not count_only:
        for name in journal_file.aside(of):
            if not os.path.isdir(name):  # no journal of ours was put there
                _put_away(name)
    if not journal_file.exists(of):
        return 0
    try:
        database = journal_file.opened(of)
        try:
            return _rows(database, record_id, failures, count_only)
        finally:
            database.close()
    except sqlite.OperationalError as error:
        if "locked" not in str(error) and not count_only:
            _put_away(journal_file.path(of))
            return 1
        if count_only:
            return 0
        raise ChalkError(
            f"another process writes the journal ({error})", hint=f"chalkgit forget {record_id}"
        ) from None
    except sqlite.DatabaseError:
        if not count_only:
            _put_away(journal_file.path(of))
        return 1


def _rows(database: sqlite.Connection, record_id: str, failures: Sequence[str], count_only: bool) -> int:
    database.execute(f"pragma busy_timeout = {int(1000 * thresholds.LOCK_SECONDS)}")
    database.execute("pragma synchronous = full")
    database.execute("pragma secure_delete = on")
    total = 0
    tables = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
    for table in tables:
        if table in ("checkpoints", "rewritten"):
            continue  # they name branches and commits, and no record
        name = table.replace('"', '""')
        columns = [row[1].replace('"', '""') for row in database.execute(f'pragma table_info("{name}")')]
        # a list of ids is a text with the id in it
        tests = [(f'instr("{column}", ?) > 0', record_id) for column in columns]
        tests += [(f'"{c}" = ?', said) for c in columns if c in ("fingerprint", "error") for said in failures]
        where, values = " or ".join(test for test, _ in tests), [value for _, value in tests]
        (count,) = database.execute(f'select count(*) from "{name}" where {where}', values).fetchone()
        if count and not count_only:
            database.execute(f'delete from "{name}" where {where}', values)
        total += count
    if total and not count_only:
        database.execute("vacuum")
    return total


def _put_away(file: str) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        try:
            os.unlink(file + end)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ChalkError(f"cannot be removed: {error.strerror}", where=file + end) from None


def _names(out: bytes) -> list[str]:
    return [name for name in os.fsdecode(out).split("\0") if name.strip()]
