"""What a decider is told: the failure or proposal of now, and up to five records beside it.

At most 4,000 characters as JSON writes them: what is current takes at most 1,500, and the records share the
rest alike. Secrets are masked, every text is one line, and a text that was cut ends in “…”.
"""

from __future__ import annotations

import hashlib
import json

from chalkgit import thresholds
from chalkgit.failures import secrets
from chalkgit.records.record import title

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.failures.reading import Run
    from chalkgit.records.record import Record

    Pair = tuple[str, str]
    State = dict[str, str | dict[str, dict[str, str]]]
    Put = tuple[State, dict[str, str]]  # and the questions, by the names of the records in it
    Asked = tuple[State, dict[str, str], str]  # and one word for what failed or is proposed

CURRENT_FAILURE, LESSONS = "current_failure", "lessons"
PROPOSAL, DEAD_ENDS = "proposal", "dead_ends"
_DIGITS = 32  # of SHA-256, as in a fingerprint
_LESSON = ("failure", "fix")
_DEAD_END = ("tried", "why_it_failed")


def recall(run: Run, lessons: Sequence[Record]) -> Asked:
    """Does each of these lessons apply to this run?"""
    put = asked(current(run), [lesson(one) for one in lessons])
    return *put, run.fingerprint or word(run.normalized or current(run))


def asked(failed: str, lessons: Sequence[Pair]) -> Put:
    """The same of what failed, in words, and of lessons as `lesson` gives them."""
    state = built(CURRENT_FAILURE, failed, LESSONS, _LESSON, lessons)
    ask = 'Does the lesson "{}" apply to the current failure, so that its fix would help?'
    return state, {name: ask.format(name) for name in _names(len(lessons))}


def check(proposal: str, records: Sequence[Record]) -> Asked:
    """Does what each of these recorded rule the proposal out?"""
    state = built(PROPOSAL, proposal, DEAD_ENDS, _DEAD_END, [dead_end(one) for one in records])
    ask = 'Does the dead end "{}" rule the proposal out: would the same thing be tried again?'
    questions = {name: ask.format(name) for name in _names(len(records))}
    return state, questions, word(" ".join(proposal.casefold().split()))


def word(*texts: str) -> str:
    """One word for texts, equal for the same ones, which nobody can read in it."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def current(run: Run) -> str:
    """A run in one text: its error, the tests that failed, and the end of its output."""
    tests = [*run.tests[: thresholds.DECIDER_TESTS]]
    parts = [run.text or run.error or ""]
    parts += [f"failing tests: {', '.join(tests)}"] if tests else []
    parts += [f"exit code {run.exit_code}"] if run.exit_code is not None else []
    parts += ["end of the output: " + " / ".join(run.tail)] if run.tail else []
    return "; ".join(part for part in parts if part.strip())


def lesson(record: Record) -> Pair:
    """(what failed, what fixed it)."""
    tests = record.part("failure", "tests") or []
    said = [record.part("failure", "reason"), record.part("failure", "error")]
    said += [f"failing tests: {', '.join(tests[: thresholds.DECIDER_TESTS])}"] if tests else []
    failed = "; ".join(str(part) for part in said if part)
    output = str(record.part("failure", "output") or "")[-thresholds.DECIDER_TEXT_CHARACTERS :]
    return failed or output, record.text("lesson") or record.text("resolution") or ""


def dead_end(record: Record) -> Pair:
    """(what was tried, why it failed)."""
    return title(record), record.text("observation") or ""


def built(about: str, now: str, key: str, fields: Pair, pairs: Sequence[Pair]) -> State:
    """The state, within its budget whatever the texts hold."""
    names = _names(len(pairs))
    empty = {about: "", key: {name: dict.fromkeys(fields, "") for name in names}}
    room = thresholds.DECIDER_STATE_CHARACTERS - _size(empty)
    now = cut(now, min(thresholds.DECIDER_CURRENT_CHARACTERS, room))
    share = (room - (_size(now) - 2)) // max(len(pairs), 1)
    records = {}
    for name, (first, second) in zip(names, pairs, strict=True):
        # half each, and what one does not need is the other's
        half = cut(second, share // 2)
        one = cut(first, share - (_size(half) - 2))
        records[name] = dict(zip(fields, (one, cut(second, share - (_size(one) - 2))), strict=True))
    return {about: now, key: records}


def cut(text: str, room: int) -> str:
    """The text on one line, secrets masked, its beginning in so many characters of a JSON string."""
    text = secrets.masked(text[: thresholds.DECIDER_TEXT_CHARACTERS])
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if _size(text) - 2 <= room:
        return text
    left = room - 1  # “…” takes one
    for at, character in enumerate(text):
        left -= 2 if character in '"\\' else 1  # nothing else that is printable is escaped
        if left < 0:
            return text[:at].rstrip() + "…" if room > 0 else ""
    return text


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _names(count: int) -> list[str]:
    return [f"record_{number}" for number in range(1, count + 1)]
