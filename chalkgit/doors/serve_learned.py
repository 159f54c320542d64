"""When git learned each record file, kept by a helper for as long as HEAD stays.

Asking git about one file is a walk over history and a look into HEAD's tree: at a hundred thousand records
that costs more than the rest of an answer. So the helper asks about all at once, while nobody waits.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.doors import serve_drift
from chalkgit.store import git, moments
from chalkgit.store.moments import UNCOMMITTED, Moment
from chalkgit.store.place import LESSONS, Place, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Change = tuple[str, str]  # the line of the commit that last changed a file, and the file's blob since


class Learned:
    """`of` stands in for asking git about the files; `follow` asks about all, once HEAD has moved."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._state: serve_drift.State | None = None
        self._commit: str | None = None
        self._changes: dict[str, Change] = {}
        self._missed = False
        self._given_up = False

    @property
    def behind(self) -> bool:
        """Whether a question found that HEAD had moved, and `follow` can help the next."""
        return self._missed and not self._given_up

    def of(self, root: str, paths: Sequence[str]) -> Mapping[str, Moment] | None:
        """The moment of each file, or None where git has to be asked."""
        if root != self._place.root:
            return None
        if self._state is None or serve_drift.state(self._place) != self._state:
            self._missed = True
            return None
        edge = moments.boundary(self._place)
        return {path: self._moment(path, edge) for path in paths}

    def follow(self) -> None:
        """Ask git. Where it takes longer than somebody may wait for us, never again."""
        self._missed = False
        state, commit = serve_drift.state(self._place), head(self._place)
        try:
            known = self._changes if self._leads_to(commit) else {}
            since = f"{self._commit}..{commit}" if known and self._commit else str(commit)
            changes = _walk(self._place, since) if commit and state else {}
        except TimeoutError:
            self._given_up = True
            return
        if changes is not None and serve_drift.state(self._place) == state:
            self._changes = {**known, **changes}
            self._state, self._commit = state, commit

    def _leads_to(self, commit: str | None) -> bool:
        """Whether the commit that is known is among the last first parents of this one."""
        if self._commit is None or commit is None:
            return False
        shape = ("rev-list", "--first-parent", f"--max-count={thresholds.HELPER_COMMITS}", commit)
        _, out, _ = git.start(self._place.root, *shape).output(thresholds.HELPER_WALK_SECONDS)
        return self._commit in out.decode("ascii", "replace").split()

    def _moment(self, path: str, edge: set[str]) -> Moment:
        line, blob = self._changes.get(path, ("", ""))
        if not blob.strip("0") or not moments.same(self._place, path, blob):
            return UNCOMMITTED
        return moments.moment_of(line, edge)


def _walk(place: Place, since: str) -> dict[str, Change] | None:
    """Of each record file that these commits changed, the last change on the first parents."""
    shape = ("log", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "-z")
    child = git.start(place.root, *shape, f"--format={moments.MARK}%H %cI", since, "--", LESSONS)
    code, out, _ = child.output(thresholds.HELPER_WALK_SECONDS)
    if code:
        return None
    found: dict[str, Change] = {}
    line = blob = ""
    for token in moments.names(out):
        text = token.lstrip("\n")
        if text.startswith(moments.MARK):
            line = text.removeprefix(moments.MARK)
        elif text.startswith(":"):
            blob = text.split(" ")[3]
        else:
            found.setdefault(text, (line, blob))
    return found
