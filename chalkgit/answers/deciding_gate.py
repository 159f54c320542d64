"""Whether a decider may act: 20 of its answers were judged, of 20 records, and 90 % of these were right.

Of this very URL, model and revision: another build of a model is another decider. One record counts once, by
its newest judged answer: a second answer about it says little that the first did not. What people said is of
the record, so each answer is counted as it is at the threshold of now, whatever was chosen then. A journal
that is off or cannot be read has no answers.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import ledger

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.store.place import Place

    Identity = tuple[str, str, str]  # url, model, revision


class Answers:
    """How many were judged, and how many of these were right."""

    __slots__ = ("judged", "right")

    def __init__(self, rights: Sequence[bool] = ()) -> None:
        self.judged = len(rights)
        self.right = rights.count(True)

    def as_json(self) -> dict[str, int]:
        return {"judged": self.judged, "right": self.right}


class Gate:
    """yes, no: the judged answers by what they say at the threshold, one a record. left_out: how many more
    were judged about the same records. why: what keeps it shut, or None."""

    __slots__ = ("left_out", "model", "no", "revision", "url", "why", "yes")

    def __init__(
        self, identity: Identity, yes: Answers, no: Answers, left_out: int = 0, why: str | None = None
    ) -> None:
        self.url, self.model, self.revision = identity
        self.yes = yes
        self.no = no
        self.left_out = left_out
        self.why = why or self._short()

    @property
    def judged(self) -> int:
        return self.yes.judged + self.no.judged

    @property
    def right(self) -> int:
        return self.yes.right + self.no.right

    @property
    def met(self) -> bool:
        return self.why is None

    def _short(self) -> str | None:
        least = thresholds.DECIDER_JUDGED
        if self.judged < least:
            return f"{self.judged} of the {least} answers it takes were judged"
        if self.right < thresholds.DECIDER_RIGHT * self.judged:
            return (
                f"{self.right} of {self.judged} judged answers were right, "
                f"less than {thresholds.DECIDER_RIGHT:.0%}"
            )
        return None

    def as_json(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "model": self.model,
            "revision": self.revision or None,
            "judged": self.judged,
            "right": self.right,
            "yes": self.yes.as_json(),
            "no": self.no.as_json(),
            "left_out": self.left_out,
            "met": self.met,
            "why": self.why,
        }


def gate(place: Place, identity: Identity, threshold: float) -> Gate:
    """Whether this decider may act here, with a yes from this probability on."""
    try:
        rows = ledger.read(
            place,
            "decided",
            ("id", "probability", "chosen", "judged"),
            "url = ? and model = ? and revision = ? and judged in (0, 1)",
            identity,
        )
    except ChalkError as error:
        return Gate(identity, Answers(), Answers(), why=error.message)
    said: dict[bool, list[bool]] = {True: [], False: []}
    valid = [row for row in rows if _is_answer(*row)]
    newest = {row[0]: row for row in valid}
    for _, probability, chosen, judged in newest.values():
        assert isinstance(probability, float)
        # what was chosen then, and whether that was right, tell what a right answer is
        yes = probability >= threshold
        said[yes].append(yes == ((chosen == 1) == (judged == 1)))
    return Gate(identity, Answers(said[True]), Answers(said[False]), len(valid) - len(newest))


def gates(place: Place, url: str, model: str, threshold: float) -> list[Gate]:
    """Of every revision of this model that has answered, the last one first."""
    rows = ledger.read(
        place,
        "decided",
        ("url", "model", "revision"),
        "url = ? and model = ? and trouble is null",
        (url, model),
    )
    seen = dict.fromkeys((str(row[0]), str(row[1]), str(row[2] or "")) for row in reversed(rows))
    return [gate(place, identity, threshold) for identity in seen]


def _is_answer(name: object, probability: object, chosen: object, judged: object) -> bool:
    """Whether a row holds what an answer that was judged does: anybody may have written it."""
    told = isinstance(probability, float) and 0 <= probability <= 1
    return isinstance(name, str) and told and chosen in (0, 1) and judged in (0, 1)
