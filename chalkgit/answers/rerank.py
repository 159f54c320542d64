"""The best candidates of a check in the order of a second model, where the user's settings name one.

It ranks and nothing else: what is tried, what is near and how sure that is are decided without it. Where it
cannot be used the answer is the same as without, and says so.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import crossing, texts

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.ruling import Ruling


class Reranked:
    """What to say of one answer. model: as the settings name it, None where they name none that can be
    understood. ran: whether it took part; where it could not, `skipped` and `hint` say why."""

    __slots__ = ("hint", "model", "ran", "skipped")

    def __init__(self, model: str | None, *, ran: bool = False, why: ChalkError | None = None) -> None:
        self.model = model
        self.ran = ran
        self.skipped = why.message if why is not None else None
        self.hint = why.hint if why is not None else None


class Reranker:
    """The second model of one run; it is loaded when the first proposal has candidates."""

    def __init__(self, named: crossing.Named | None, why: ChalkError | None = None) -> None:
        self._named = named
        self._why = why
        self._again = 0.0

    def reorder(self, proposal: str, found: Sequence[Ruling]) -> Reranked:
        """Let the best dead ends exchange their `order` as the model ranks them; nothing else changes."""
        if self._named is None:
            return Reranked(None, why=self._why)
        dead = (one for one in found if one.record.kind == "dead-end" and not one.barred)
        best = sorted(dead, key=lambda one: (-one.order, one.record.id))[: thresholds.RERANKED]
        # not tried again for each proposal of a plan, but by a helper that lives for hours
        if self._why is not None and time.monotonic() < self._again:
            return Reranked(self._named.name, why=self._why)
        if len(best) < 2:
            return Reranked(self._named.name)
        try:
            scores = crossing.load(self._named).scores(proposal, [texts.embedded(one.record) for one in best])
        except ChalkError as error:
            self._why, self._again = error, time.monotonic() + thresholds.HELPER_AGAIN_SECONDS
            return Reranked(self._named.name, why=error)
        self._why = None
        orders = [one.order for one in best]
        ranked = sorted(range(len(best)), key=lambda at: (-scores[at], at))
        for order, at in zip(orders, ranked, strict=True):
            best[at].order = order
        return Reranked(self._named.name, ran=True)


def configured() -> Reranker | None:
    """The second model of the user's settings, None where they name none."""
    try:
        named = crossing.configured()
    except ChalkError as error:
        return Reranker(None, error)
    return Reranker(named) if named is not None else None
