"""Where the files that records name have gone, kept in the table so that `at` need not walk history.

Only paths that left the work tree are searched, each once: the answer "deleted" is asked again when a
later commit renames that very path, or when history was rewritten.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.index.table import Damaged
from chalkgit.store import git, renames
from chalkgit.store.place import head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Statement = tuple[str, Sequence[Sequence[object]]]

Move = tuple[str, str]  # the old name, and the new one

COMMAND_LINE = 64_000  # Linux gives a call 2 MB and macOS 1 MB, the environment included


def earlier_names(
    index: Index, paths: Sequence[str], staged: Sequence[renames.Pair], *, hurried: bool = False
) -> dict[str, list[str]]:
    """Each path to the names it had before, of those that records use and that are no file now.

    staged: the renames in the index. hurried: what was searched before, and the renames that the commits
    since then tell of themselves, are enough; a search ends in time, and `index.unsearched` tells.
    """
    where: dict[str, list[str]] = {}
    for old, new in (_lately(index) if hurried else None) or _committed(index, hurried=hurried):
        where.setdefault(new, []).append(old)
    for old, new, _ in staged:
        where.setdefault(new, []).append(old)
    found = {path: before(path, where) for path in paths}
    return {path: [old for old in olds if not _is_there(index, old)] for path, olds in found.items()}


def before(path: str, where: Mapping[str, Sequence[str]]) -> list[str]:
    """The names it had before. where: each new name, of a file or a folder, to its old ones."""
    names = [path]
    for name in names:  # grows while it is walked: a rename of a rename
        parts = name.split("/")
        above = ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1))
        for old in (old for new in above for old in where.get(new, ())):
            if old not in names:
                names.append(old)
    return names[1:]


def _lately(index: Index) -> list[Move] | None:
    """(old, new) as far as the last search saw, and of the commits since; None: search again."""
    commit, searched = head(index.place), index.table.meta("moves-head")
    if not searched or commit is None or _lost(index, _unsearched(index)) or _astray(index, commit):
        return None
    seen = index.table.meta("moves-since") or searched
    since = [(old, new) for old, new in index.table.rows("select old, new from moved_since")]
    if seen != commit:
        pairs = _pairs_since(index.place.root, seen, commit)
        if pairs is None:
            return None
        since += pairs
        _write(index, [("insert into moved_since values (?, ?)", pairs), _meta("moves-since", commit)])
    return _known(index) + since


def _unsearched(index: Index) -> list[str]:
    """The paths that records name since the last search."""
    return [key for (key,) in index.table.rows("select distinct key from unsearched")]


def _astray(index: Index, commit: str) -> set[str]:
    """Where known moves led that is no place any more, in the work tree or in HEAD: history went back."""
    gone = {new for _, new in _known(index) if not _is_there(index, new)}
    # what is deleted but not committed comes back with a checkout
    return gone - renames.in_tree(index.place.root, commit, list(gone))


def _lost(index: Index, names: Sequence[str]) -> list[str]:
    return [key for key in names if not _is_there(index, key)]


def _known(index: Index) -> list[Move]:
    return [(old, new) for old, new in index.table.rows("select old, new from moved where new <> ''")]


def _committed(index: Index, *, hurried: bool = False) -> list[Move]:
    """(old, new) of the renames that history tells of; searched again when HEAD or a record changed."""
    commit, searched = head(index.place), index.table.meta("moves-head") or ""
    if commit is None:
        return _known(index)
    if searched == commit and not _lost(index, _unsearched(index)) and not _astray(index, commit):
        return _known(index)
    known = dict(index.table.rows("select old, new from moved"))
    before = dict(known)
    try:
        _search(index, known, searched, commit, hurried)
    except TimeoutError:
        index.unsearched = True
    else:
        _keep(index, before, known, "" if index.unsearched else commit)
    return [(old, new) for old, new in known.items() if new]


def _search(index: Index, known: dict[str, str], before: str, commit: str, hurried: bool) -> None:
    root = index.place.root
    every = "select distinct key from names where form = 'path'"
    gone = _astray(index, commit)
    all_of_them = before != commit or bool(gone)
    named = [key for (key,) in index.table.rows(every)] if all_of_them else _unsearched(index)
    lost = _lost(index, named)
    again = set() if before == commit else _renamed_since(root, before, commit)
    if again is None and before:
        known.clear()  # history was rewritten: what it told is told no more
    for old, new in list(known.items()):
        if new in gone or (not new and old in (again or ())):
            del known[old]
    unknown = [path for path in lost if path not in known]
    existed = ever_there(root, commit, unknown, thresholds.HURRIED_SECONDS if hurried else None)
    known.update((path, "") for path in unknown if path not in existed)
    asked = [path for path in unknown if path in existed]
    most = thresholds.HURRIED_LOST if hurried else thresholds.LOST_AT_ONCE
    found = renames.follow(root, asked[:most], commit)
    known.update((path, found.get(path, "")) for path in asked[:most])
    index.unsearched = len(asked) > most  # too many to follow at once: the rest is searched next time


def ever_there(root: str, commit: str, paths: Sequence[str], seconds: float | None) -> set[str]:
    """Those of the paths that some commit removed; a walk over history for many of them at once."""
    found: set[str] = set()
    shape = ("-z", "--no-merges", "--no-renames", "--diff-filter=D", "--name-only", "--format=")
    for part in batches([name for path in paths if (name := renames.plain(path))]):
        code, out, _ = git.start(root, "log", *shape, commit, "--", *part).output(seconds)
        removed = set(os.fsdecode(out).split("\0")) if code == 0 else set()
        above = {name[: at + 1] for name in removed for at, c in enumerate(name) if c == "/"}
        found |= {p for p in part if p in removed or p + "/" in above}
    return {path for path in paths if (renames.plain(path) or "") in found}


def batches(names: Sequence[str]) -> list[list[str]]:
    """As many names together as a command line has room for."""
    batches: list[list[str]] = []
    room = 0
    for name in names:
        if room < len(name):
            batches.append([])
            room = COMMAND_LINE
        batches[-1].append(name)
        room -= 4 * len(name) + 9  # an address beside it, and at most four bytes a character
    return batches


def _renamed_since(root: str, before: str, commit: str) -> set[str] | None:
    """The old names of the renames since `before`; None when that is no ancestor any more."""
    pairs = _pairs_since(root, before, commit) if before else None
    return None if pairs is None else {old for old, _ in pairs}


def _pairs_since(root: str, before: str, commit: str) -> list[Move] | None:
    shape = ("-z", "-M", f"-l{thresholds.RENAME_LIMIT}", "--diff-filter=R", "--name-status", "--left-right")
    line = f"--format={renames.MARK}%m"
    code, out, _ = git.ask(root, "log", *shape, line, f"{before}...{commit}", "--")
    if code != 0 or b"//<" in out:
        return None
    tokens = [token.lstrip("\n") for token in os.fsdecode(out).split("\0")]
    starts = [at for at, token in enumerate(tokens) if token[:1] == "R" and token[1:].isdigit()]
    return [(tokens[at + 1], tokens[at + 2]) for at in starts if at + 2 < len(tokens)]


def _keep(index: Index, before: Mapping[str, str], known: Mapping[str, str], commit: str) -> None:
    """commit: as far as history was searched, "" where not for all."""
    _write(
        index,
        [
            ("delete from moved where old = ?", [(old,) for old in before if old not in known]),
            (
                "insert or replace into moved values (?, ?)",
                [(old, new) for old, new in known.items() if before.get(old) != new],
            ),
            ("delete from moved_since where ?", [(1,)]),
            ("delete from unsearched where ?", [(1,)]),
            _meta("moves-head", commit),
            _meta("moves-since", ""),
        ],
    )


def _meta(key: str, value: str) -> Statement:
    return "insert or replace into meta values (?, ?)", [(key, value)]


def _write(index: Index, statements: Sequence[Statement]) -> None:
    try:
        index.table.write(statements)
    except (ChalkError, Damaged):
        pass  # a disk that takes no writes, or another process writing: searched again next time


def _is_there(index: Index, path: str) -> bool:
    return os.path.lexists(os.path.join(index.place.root, path))
