"""A decider's part in one answer: asked once, its answers journalled, and believed only behind the gate.

Modes, in the user's settings: `off` asks nothing; `shadow` asks, keeps what it would have chosen, and changes
nothing; `on` acts on it where enough of its answers were judged right, and is a shadow before that. Whatever
fails, the answer is the one without a decider, and says why.
"""

from __future__ import annotations

import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.answers.deciding_state import Asked
    from chalkgit.index.decider_setting import Setting
    from chalkgit.records.record import Record
    from chalkgit.store.place import Place

RECALL, CHECK = "recall", "check"
KEYS = ("ran", "mode", "model", "skipped", "hint")


class Decided:
    """What to say of one answer. ran: whether it answered. acts: whether the answer is to be followed.

    probabilities: of yes, by record id, as far as it was asked. request: the id of its rows in the journal.
    """

    __slots__ = ("acts", "hint", "mode", "model", "probabilities", "ran", "request", "skipped", "threshold")

    def __init__(self, setting: Setting | None, skipped: str | None = None, hint: str | None = None) -> None:
        self.mode = setting.mode if setting is not None else None
        self.model = setting.model if setting is not None else None
        self.threshold = setting.threshold if setting is not None else 1.0
        self.skipped = skipped
        self.hint = hint
        self.ran = False
        self.acts = False
        self.probabilities: dict[str, float] = {}
        self.request: str | None = None

    def yes(self, record: Record) -> bool:
        return self.probabilities.get(record.id, -1.0) >= self.threshold

    @property
    def told(self) -> str | None:
        """What a reader has to know of it, in one line."""
        if self.skipped is None:
            return None
        hint = f" (hint: {self.hint})" if self.hint else ""
        return f"the decider took no part: {self.skipped}{hint}"

    def as_json(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in KEYS}


class Decider:
    """One for a run. setting: None where `why` says what is wrong with it."""

    def __init__(self, setting: Setting | None, why: ChalkError | None = None) -> None:
        self._setting = setting
        self._why = why
        self._again = float("inf") if why is not None else 0.0

    @property
    def acting(self) -> bool:
        """Whether the user wants it to act; a shadow's reasons for doing nothing are no news."""
        return self._setting is not None and self._setting.mode == decider_setting.ON

    def unasked(self, why: str | None = None) -> Decided:
        """What to say where there was nothing to ask, or too little to ask about."""
        return Decided(self._setting, why if self.acting else None)

    @property
    def idle(self) -> Decided | None:
        """What to say where asking is of no use now: it cannot, or has just failed. None where it is."""
        # not tried again for each proposal of a plan: a server that hangs would cost two seconds a step
        if self._why is not None and time.monotonic() < self._again:
            return Decided(self._setting, self._why.message, self._why.hint)
        return None

    def ask(self, place: Place, purpose: str, asked: Asked, records: Sequence[Record]) -> Decided:
        """Put the questions, one a record, and keep the answers in the journal of `place`."""
        idle = self.idle
        if idle is not None or self._setting is None:
            return idle or self.unasked()
        from chalkgit.answers import deciding_gate, deciding_state
        from chalkgit.index import decider
        from chalkgit.store import ledger

        state, questions, about = asked
        began, self._why = time.monotonic(), None
        found = Decided(self._setting)
        found.request = ledger.new_id()
        try:
            answered = decider.ask(self._setting, state, questions, thresholds.DECIDER_SECONDS)
        except decider.NoAnswer as error:
            self._why, self._again = error, time.monotonic() + thresholds.DECIDER_AGAIN_SECONDS
            found.skipped, found.hint = error.message, error.hint
            row = self._row(found, purpose, began, "")
            ledger.add(place, {"decided": [{**row, "trouble": error.message}]})
            return found
        found.ran = True
        found.probabilities = {
            record.id: answered.probabilities[name] for record, name in zip(records, questions, strict=True)
        }
        told = deciding_state.lesson if purpose == RECALL else deciding_state.dead_end
        row = {**self._row(found, purpose, began, answered.revision), "question": about}
        rows = [{**row, **_answer(found, one), "hash": deciding_state.word(*told(one))} for one in records]
        ledger.add(place, {"decided": rows})
        if self.acting:
            identity = (self._setting.url, self._setting.model, answered.revision)
            gate = deciding_gate.gate(place, identity, self._setting.threshold)
            found.acts = gate.met
            if gate.why is not None:
                found.skipped = f"it does not act yet: {gate.why}"
                found.hint = "chalkgit decider status"
        return found

    def _row(self, found: Decided, purpose: str, began: float, revision: str) -> dict[str, Any]:
        assert self._setting is not None
        return {
            "at": time.time_ns() // 1_000_000,
            "request": found.request,
            "purpose": purpose,
            "url": self._setting.url,
            "model": self._setting.model,
            "revision": revision,
            "mode": self._setting.mode,
            "ms": round((time.monotonic() - began) * 1000),
        }


def configured() -> Decider | None:
    """The decider of the user's settings; None where they name none, or its mode is off."""
    try:
        setting = decider_setting.configured()
    except ChalkError as error:
        if decider_setting.bypassed():
            return None
        return Decider(None, error)
    if setting is None:
        return None
    if decider_setting.bypassed():
        return Decider(setting, ChalkError("it is switched off by CHALKGIT_BYPASS_DECIDER"))
    return Decider(setting)


def _answer(found: Decided, record: Record) -> dict[str, Any]:
    """The chosen ones are those at or over the threshold, whether there was room for them or not."""
    probability = found.probabilities[record.id]
    return {"id": record.id, "probability": probability, "chosen": int(found.yes(record))}
