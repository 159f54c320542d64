"""Dead ends below `tried` that a decider says rule the proposal out: far paraphrases, which no word tells.

The five that come nearest are asked about, where nothing is sure enough to interrupt. A yes makes a ruling of
one; a no takes nothing away.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.answers import deciding, deciding_state

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.answers.deciding import Decided, Decider
    from chalkgit.answers.ruling import Ruling
    from chalkgit.store.place import Place

DECIDED = "decided"


def lift(decider: Decider, place: Place, proposal: str, candidates: Sequence[Ruling]) -> Decided:
    """Ask about the best of these dead ends, and where it may act have those it says yes to interrupt."""
    if decider.idle is not None:
        return decider.idle
    best = sorted(candidates, key=lambda one: (not one.near, -one.order, one.record.id))
    best = best[: thresholds.DECIDER_CANDIDATES]
    if not best:
        return decider.unasked()
    records = [one.record for one in best]
    decided = decider.ask(place, deciding.CHECK, deciding_state.check(proposal, records), records)
    for ruling in best if decided.acts else ():
        if decided.yes(ruling.record):
            ruling.decided = ruling.confidence = decided.probabilities[ruling.record.id]
            ruling.matched = True
            ruling.method = f"{ruling.method}, {DECIDED}"
    return decided
