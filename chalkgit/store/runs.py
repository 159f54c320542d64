"""The runs of this work tree, as the journal keeps them: enough to say how a loop of failed ones goes.

A run that passed is among them only where it ended such a loop, with no failing test.

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
_COLUMNS = (
    "at surface ticket fingerprint error tests tree code digest run loop failing found given bytes".split()
)


class Past:
    """One run.

    at: milliseconds since 1970. surface: what told of it ("recall", "loop", "detain", "pytest"). ticket: what
    was being worked on. error: normalised. tests: sorted ids, () where none are known. tree:
    `content.identity`. code: the run's exit code. digest: of what told of it. run, loop: its id, and that of
    the first run of its loop. failing: how many tests failed, 0 for a run that passed. found, given, bytes:
    lessons found for it, those that reached the reader, and how much of them. What is not known is None.
    """

    __slots__ = (
        "at",
        "bytes",
        "code",
        "digest",
        "error",
        "failing",
        "fingerprint",
        "found",
        "given",
        "loop",
        "run",
        "surface",
        "tests",
        "ticket",
        "tree",
    )

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
        run: str | None = None,
        loop: str | None = None,
        failing: int | None = None,
        found: int | None = None,
        given: int | None = None,
        bytes: int | None = None,
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
        self.run = run
        self.loop = loop
        self.failing = (len(self.tests) or None) if failing is None else failing
        self.found = found
        self.given = given
        self.bytes = bytes

    @property
    def passed(self) -> bool:
        return self.failing == 0

    @property
    def tells(self) -> bool:
        """Whether more is known of it than an exit code, which alone is no outcome."""
        return self.passed or bool(self.tests or self.error or self.fingerprint)

    def __repr__(self) -> str:
        return f"Past({self.at}, {self.surface!r}, {self.ticket!r}, {self.fingerprint!r}, tree={self.tree!r})"


def same(one: Past, other: Past) -> bool:
    """Whether two runs failed in the same way; False where too little is known to say so."""
    if one.fingerprint is not None and other.fingerprint is not None:
        return one.fingerprint == other.fingerprint
    return bool(one.tests) and (one.tests, one.error) == (other.tests, other.error)


def record(place: Place, run: Past) -> str | None:
    """Keep a run; why not, where it could not be kept."""
    return ledger.add(place, {"runs": [row(place, run)]})


def row(place: Place, run: Past) -> dict[str, str | int | float | None]:
    """As the ledger keeps it."""
    tests = json.dumps(run.tests, ensure_ascii=True)
    return {
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
        "run": run.run,
        "loop": run.loop,
        "failing": run.failing,
        "found": run.found,
        "given": run.given,
        "bytes": run.bytes,
    }


def earlier(place: Place, ticket: str | None = None, most: int = MOST) -> list[Past]:
    """The failed runs of this work tree with that ticket or with none, newest first; [] where none can be
    read."""
    return [run for run in newest(place, ticket, most) if not run.passed]


def newest(place: Place, ticket: str | None = None, most: int = MOST) -> list[Past]:
    """The same, with the runs that passed."""
    if not journal_file.exists(place):
        return []
    try:
        database = journal_file.opened(place)
        try:
            there = {found[1] for found in database.execute("pragma table_info(runs)")}
            # a journal of an earlier version lacks some
            asked = ", ".join(name if name in there else "null" for name in _COLUMNS)
            query = f"select {asked} from runs where root = ? and ticket is ? order by rowid desc limit ?"
            rows = database.execute(query, (_text(place.root), _text(ticket), most)).fetchall()
        finally:
            database.close()
    except (sqlite.Error, OSError):
        return []
    found = (_past(*row) for row in rows)
    return [run for run in found if run is not None]


def _past(at: object, surface: object, *rest: object) -> Past | None:
    """A row as it was written; None for what is no row of ours."""
    ticket, fingerprint, error, tests, tree, code, digest, run, loop, *numbers = rest
    words = (ticket, fingerprint, error, tests, tree, digest, run, loop)
    if not isinstance(at, int) or not isinstance(surface, str):
        return None
    if not all(isinstance(number, int | None) for number in (code, *numbers)):
        return None
    if not all(isinstance(word, str | None) for word in words):
        return None
    try:
        ids = json.loads(str(tests)) if tests is not None else []
    except (ValueError, RecursionError):
        return None
    if not isinstance(ids, list) or not all(isinstance(test, str) for test in ids):
        return None
    told = {name: value for name, value in zip(_COLUMNS[2:], rest, strict=True) if name != "tests"}
    return Past(surface, at=at, tests=ids, **told)  # type: ignore[arg-type]


def _text(value: str | None) -> str | None:
    """What SQLite can hold of it: UTF-8, and no longer than a line."""
    return None if value is None else value.encode("utf-8", "replace").decode()[:ERROR_CHARACTERS]
