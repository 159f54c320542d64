"""A question that was put, or a showing that nobody asked for, as the journal keeps it.

    questions.keep(place, [Asked("check", "check", verdict="tried", showings=[…])])

One row a question and one a record that reached the reader, all in one transaction, written once what was
printed has left us. A journal that takes nothing costs the rows, never an answer. A question that was
switched off has a row without records, and only where there is a journal.
"""

from __future__ import annotations

import time

from chalkgit import BEGAN, config
from chalkgit.store import journal, journal_file, ledger

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chalkgit.store.journal import Showing
    from chalkgit.store.ledger import Value
    from chalkgit.store.place import Place

CHECK, AT, RECALL = "check", "at", "recall"
RULINGS = "rulings"  # shown unasked
ON_CHECK = "@check"  # the path of what a proposal is shown: no path of a repository


class Asked:
    """One question and what it came to. Make it when the answer was printed: that is when the clock stops.

    kind, surface, verdict: as `ledger.TABLES` has them. began, ended: `time.monotonic()` when somebody began
    to wait and had the answer; the process's start and now where they are not given. switch: the faculty
    whose switch answered it.
    """

    __slots__ = (
        "at",
        "bypassed",
        "kind",
        "ms",
        "run",
        "session",
        "showings",
        "surface",
        "switched",
        "verdict",
    )

    def __init__(
        self,
        kind: str,
        surface: str,
        *,
        session: str | None = None,
        verdict: str | None = None,
        showings: Iterable[Showing] = (),
        began: float | None = None,
        ended: float | None = None,
        run: str | None = None,
        switch: str | None = None,
    ) -> None:
        self.at = time.time_ns() // 1_000_000
        self.kind = kind
        self.surface = surface
        self.session = session
        self.verdict = verdict
        self.showings = list(showings)
        ended = time.monotonic() if ended is None else ended
        self.ms = round(1000 * (ended - (BEGAN if began is None else began)))
        self.run = run
        self.bypassed = ",".join(config.switched_off()) or None
        self.switched = switch is not None


def keep(place: Place, asked: Sequence[Asked], more: ledger.Rows | None = None) -> str | None:
    """Keep these, with `more` rows of other tables, all or none; why not, where that could not be."""
    if not more and all(one.switched for one in asked) and not journal_file.exists(place):
        return None
    return ledger.add(place, {**rows(place, asked), **(more or {})})


def rows(place: Place, asked: Sequence[Asked]) -> dict[str, list[dict[str, Value]]]:
    """As the ledger keeps them. A showing without an id is a mark, and no record that reached anybody."""
    questions: list[dict[str, Value]] = []
    shown: list[dict[str, Value]] = []
    for one in asked:
        name = ledger.new_id()
        records = [showing for showing in one.showings if showing.id]
        questions.append(
            {
                "id": name,
                "at": one.at,
                "kind": one.kind,
                "surface": one.surface,
                "session": one.session,
                "root": place.root,
                "verdict": one.verdict,
                "shown": len({showing.id for showing in records}),
                "bytes": sum(showing.bytes for showing in records),
                "ms": one.ms,
                "bypassed": one.bypassed,
                "run": one.run,
            }
        )
        shown += journal.rows(one.session, one.surface, one.showings, one.at, name)
    return {"asked": questions, "shown": shown}
