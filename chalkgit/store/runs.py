"""The failed runs of this work tree, as the journal keeps them: enough to say how a loop goes.

They lie in the journal's database, private and local as it is, the oldest dropped. Losing them makes the next
run a first one; a journal that is damaged or takes no writes never stops an answer.
"""

from __future__ import annotations

import json
import time

from chalkgit import thresholds
from chalkgit.store import journal_file, ledger, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.store.place import Place

MOST = thresholds.RUNS_MOST
TESTS_BYTES = thresholds.RUNS_TESTS_BYTES
ERROR_CHARACTERS = thresholds.FAILURE_LINE_CHARACTERS
_COLUMNS = "at, surface, ticket, fingerprint, error, tests, tree, code, digest"


class Past:
    """One failed run.

    at: milliseconds since 1970. surface: what told of it ("recall", "detain", "pytest"). ticket: what was
    being worked on. error: normalised. tests: sorted ids, () where none are known. tree: `content.identity`.
    code: the run's exit code. digest: of what told of it. What is not known is None.
    """

    __slots__ = ("at", "code", "digest", "error", "fingerprint", "surface", "tests", "ticket", "tree")

    def __init__(
        self,
        surface: str,
        *,
        ticket: str | None = None,
        fingerprint: str | None = None,
        error: str | None = None,
        tests: Sequence[str] = (),
        tree: str | None = None,
        code: int | None = None,
        digest: str | None = None,
        at: int | None = None,
    ) -> None:
        self.at = time.time_ns() // 1_000_000 if at is None else at
        self.surface = surface
        self.ticket = ticket
        self.fingerprint = fingerprint
        self.error = error
        self.tests = tuple(tests)
        self.tree = tree
        self.code = code
        self.digest = digest

    def __repr__(self) -> str:
        return f"Past({self.at}, {self.surface!r}, {self.ticket!r}, {self.fingerprint!r}, tree={self.tree!r})"


def record(place: Place, run: Past) -> str | None:
    """Keep a run; why not, where it could not be kept."""
    tests = json.dumps(run.tests, ensure_ascii=True)
    row: dict[str, str | int | float | None] = {
        "at": run.at,
        "surface": run.surface,
        "root": _text(place.root),
        "ticket": _text(run.ticket),
        "fingerprint": _text(run.fingerprint),
        "error": _text(run.error),
        "tests": tests if len(tests) <= TESTS_BYTES else None,
        "tree": run.tree,
        "code": run.code,
        "digest": run.digest,
    }
    return ledger.add(place, {"runs": [row]})


def earlier(place: Place, ticket: str | None = None, most: int = MOST) -> list[Past]:
    """The runs of this work tree with that ticket or with none, newest first; [] where none can be read."""
    if not journal_file.exists(place):
        return []
    query = f"select {_COLUMNS} from runs where root = ? and ticket is ? order by rowid desc limit ?"
    try:
        database = journal_file.opened(place)
        try:
            rows = database.execute(query, (_text(place.root), _text(ticket), most)).fetchall()
        finally:
            database.close()
    except (sqlite.Error, OSError):
        return []
    found = (_past(*row) for row in rows)
    return [run for run in found if run is not None]


def _past(at: object, surface: object, *rest: object) -> Past | None:
    """A row as it was written; None for what is no row of ours."""
    ticket, fingerprint, error, tests, tree, code, digest = rest
    words = (ticket, fingerprint, error, tests, tree, digest)
    if not isinstance(at, int) or not isinstance(surface, str) or not isinstance(code, int | None):
        return None
    if not all(isinstance(word, str | None) for word in words):
        return None
    try:
        ids = json.loads(str(tests)) if tests is not None else []
    except (ValueError, RecursionError):
        return None
    if not isinstance(ids, list) or not all(isinstance(test, str) for test in ids):
        return None
    told = {"ticket": ticket, "fingerprint": fingerprint, "error": error, "tree": tree, "digest": digest}
    return Past(surface, at=at, tests=ids, code=code, **told)  # type: ignore[arg-type]


def _text(value: str | None) -> str | None:
    """What SQLite can hold of it: UTF-8, and no longer than a line."""
    return None if value is None else value.encode("utf-8", "replace").decode()[:ERROR_CHARACTERS]
