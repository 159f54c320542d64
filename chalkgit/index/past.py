"""The index of a commit: what the repository knew then, and nothing that came later.

All of it is of that commit: its records, when they were learned, and where the files that they name had gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.index import moves, rows
from chalkgit.index.generation import Index
from chalkgit.store import git, moments, renames, snapshot
from chalkgit.store.moments import Moment
from chalkgit.store.place import LESSONS, Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.index.lexical import Lexical


def words() -> Lexical:
    """Words that are kept in memory."""
    from chalkgit.index.lexical import Lexical

    return Lexical(None)


def fill(index: Index, revision: str | None, *, words: bool) -> None:
    """Read a commit's records into an empty index, whose words are asked or not; None: there are none."""
    if revision is None:
        index.commit = ""
        return
    index.commit = commit = snapshot.resolve(index.place, revision, commit=True)
    try:
        change = rows.of_revision(index, commit)
    except ChalkError as error:
        where = f"{error.where}: " if isinstance(error, UnknownPast) and error.where else ""
        raise UnknownPast(
            f"what was known at {commit[:12]} is unknown: {where}{error.message}",
            hint=_hint(index.place, commit),
        ) from None
    index.table.write(change.statements())
    if words:
        index.words.write((), change.documents)


def _hint(place: Place, commit: str) -> str:
    """What tells what is missing; in a partial clone, what brings it and changes nothing else."""
    partial = b"promisor" in git.configuration(place.common_dir)
    return f"git archive --output=/dev/null {commit[:12]} {LESSONS}" if partial else "git fsck"


def recorded(index: Index, paths: Sequence[str]) -> Mapping[str, Moment]:
    """Path to the last commit that changed it, on the first parents of the index's commit."""
    root, commit = index.place.root, str(index.commit)
    edge = moments.boundary(index.place)
    if len(paths) > thresholds.RECORDED_AT_ONCE:
        found = _walked(root, commit, edge)
    else:
        shape = ("log", "-1", "--first-parent", "--format=%H %cI", commit, "--")
        logs = {path: git.start(root, *shape, path) for path in paths}
        said = {path: log.output() for path, log in logs.items()}
        lines = {path: out.decode() if code == 0 else "" for path, (code, out, _) in said.items()}
        found = {path: moments.moment_of(line, edge) for path, line in lines.items()}
    return {path: found.get(path, (None, None, True)) for path in paths}


def _walked(root: str, commit: str, edge: set[str]) -> dict[str, Moment]:
    """The moments of all record files, in one walk."""
    shape = ("log", "--first-parent", "-m", "--name-only", "-z", f"--format={moments.MARK}%H %cI")
    code, out, _ = git.ask(root, *shape, commit, "--", LESSONS)
    found: dict[str, Moment] = {}
    moment = moments.UNCOMMITTED
    for token in moments.names(out if code == 0 else b""):
        name = token.lstrip("\n")
        if name.startswith(moments.MARK):
            moment = moments.moment_of(name.removeprefix(moments.MARK), edge)
        else:
            found.setdefault(name, moment)
    return found


def there(root: str, commit: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that the commit's tree has."""
    return {path for part in moves.batches(paths) for path in renames.in_tree(root, commit, part)}


def earlier_names(index: Index, paths: Sequence[str]) -> dict[str, list[str]]:
    """Each path to the names it had before, of those that records use and that are no file of the tree."""
    root, commit = index.place.root, index.commit
    if not commit:
        return {path: [] for path in paths}
    named = [key for (key,) in index.table.rows("select distinct key from names where form = 'path'")]
    known = there(root, commit, named)
    lost = [key for key in named if key not in known]
    left = moves.ever_there(root, commit, lost, None) if lost else set()
    followed = [key for key in lost if key in left]
    # too many to follow: those that are left out are told nowhere else either
    index.unsearched = len(followed) > thresholds.LOST_AT_ONCE
    where: dict[str, list[str]] = {}
    for old, new in renames.follow(root, followed[: thresholds.LOST_AT_ONCE], commit, tree=True).items():
        where.setdefault(new, []).append(old)
    found = {path: moves.before(path, where) for path in paths}
    back = there(root, commit, [old for olds in found.values() for old in olds])
    return {path: [old for old in olds if old not in back] for path, olds in found.items()}
