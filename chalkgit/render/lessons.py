"""Recalled lessons: the block that a person or a model reads after a failed run, and the same as JSON.

The block is data. A tag of its own inside stored text is written so that it ends nothing, and the same
answer has the same bytes.
"""

from __future__ import annotations

import re
import unicodedata

from chalkgit.records.record import person
from chalkgit.render.clean import line
from chalkgit.render.json import VERSION, as_of

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.answers.as_of import AsOf
    from chalkgit.answers.loop import Verdict
    from chalkgit.answers.recall import Lesson, Recalled
    from chalkgit.failures.reading import Run
    from chalkgit.records.record import Record

# A weaker match never reads like the same failure.
_ALIKE = {
    "error": "of a failure whose error line is alike",
    "output": "of a failure whose output is alike",
    "tests": "of another error of the same test",
    "spec": "of a failure that the specification speaks of",
    "meaning": "of the same failure in other words",
    "decider": "of a failure whose error line is somewhat alike",
}
OPEN, CLOSE = "<lessons>", "</lessons>"
# What a reader would take for a tag: brackets and slashes of other alphabets, blanks, what nobody sees, and
# wide letters among its own. Letters of other alphabets that look like Latin ones are not told apart.
_BRACKET = re.compile("[<\u02c2\u1438\u2039\u2329\u276c\u276e\u27e8\u27ea\u3008\u300a\ufe64\uff1c]")
_SLASHES = "/\\\u2044\u2215\u29f8\uff0f"
_WINDOW = 40  # characters behind a bracket that are looked at


def block(recalled: Recalled) -> str:
    """The lessons as text, "" where there are none."""
    if not recalled.lessons:
        return ""
    return "\n".join([OPEN, *(row for lesson in recalled.lessons for row in rows(lesson)), CLOSE])


def rows(lesson: Lesson) -> list[str]:
    """One lesson: what was seen, the fix, and how it was found where that is not by the same failure here."""
    record = lesson.record
    seen = [f"- Seen before: {reason(record)}"]
    code, error = record.part("failure", "exit-code"), first_error(record)
    seen += [f"(exit {code})"] if code else []
    seen += [error] if error else []
    how = [_ALIKE[lesson.by]] if lesson.by in _ALIKE else []
    how += [f"a decider finds that it applies, {lesson.decided:.2f}"] if lesson.decided is not None else []
    how += ["distilled by a program"] if distilled(record) else []
    how += [f"from {lesson.source.label}, another repository"] if lesson.source.elsewhere else []
    lines = [" ".join(seen), f"  Fix: {fix(record)}{_bracketed(how)}"]
    return [_quoted(text) for text in lines]


def _bracketed(how: Sequence[str]) -> str:
    return f" [{'; '.join(how)}]" if how else ""


def size(lesson: Lesson) -> int:
    """The bytes of it that reach the reader."""
    return len("\n".join(rows(lesson)).encode())


def reason(record: Record) -> str:
    """Why the run failed, as it was said, else what failed."""
    said = record.part("failure", "reason")
    if said:
        return str(said)
    tests = record.part("failure", "tests") or []
    if not tests:
        return "a run failed"
    return f"{tests[0]} failed" + (f", and {len(tests) - 1} more" if len(tests) > 1 else "")


def first_error(record: Record) -> str:
    """The error as it is stored; a line without a value has its details with it."""
    return str(record.part("failure", "error") or "")


def fix(record: Record) -> str:
    """The rule, else what the person said."""
    return record.text("lesson") or record.text("resolution") or ""


def before(lesson: Lesson) -> str:
    """That the same failure was resolved before, and how, in one line."""
    record = lesson.record
    how = " [distilled by a program]" if distilled(record) else ""
    return f"the same failure was resolved before, by {record.id}: {fix(record)}{how}"


def distilled(record: Record) -> bool:
    """Whether a program wrote the rule from the person's note."""
    return record.get("distilled-by") is not None


def _quoted(text: str) -> str:
    indent = text[: len(text) - len(text.lstrip(" "))]
    shown = line(text)
    return indent + _BRACKET.sub(lambda found: _bracket(shown, found.start()), shown)


def _bracket(text: str, at: int) -> str:
    """The character, or a bracket that ends nothing where a tag of ours would begin."""
    behind = unicodedata.normalize("NFKC", text[at + 1 : at + _WINDOW]).casefold()
    read = "".join(c for c in behind if c.isalnum() or c in _SLASHES).lstrip(_SLASHES)
    return "\u2039" if read.startswith("lesson") else text[at]


def loop(verdict: Verdict) -> str:
    """Where somebody stands who runs failing tests again and again, in one line."""
    return f"Loop: {verdict.word}: {line(verdict.why)}"


def withheld(count: int, experiment: str) -> str:
    """That lessons were found and are not shown: a weaker answer never looks like a full one."""
    some = "1 lesson is" if count == 1 else f"{count} lessons are"
    return f"{some} withheld by experiment {experiment} (chalkgit experiment status)"


def as_json(
    recalled: Recalled,
    run: Run | None,
    verdict: Verdict | None = None,
    *,
    bypassed: bool = False,
    moment: AsOf | None = None,
    withheld_by: str | None = None,
) -> dict[str, Any]:
    """The object of `recall`. withheld_by: the experiment that withholds its lessons."""
    return {
        "version": VERSION,
        "lessons": [_object(lesson) for lesson in recalled.lessons],
        "fingerprint": run.fingerprint if run else None,
        "tests": list(run.tests) if run else [],
        "error": run.error if run else None,
        "loop": _loop(verdict) if verdict else None,
        "skipped": recalled.skipped,
        "withheld_by": withheld_by,
        "decider": recalled.decider.as_json() if recalled.decider else None,
        "bypassed": bypassed,
        "as_of": as_of(moment),
    }


def _loop(verdict: Verdict) -> dict[str, Any]:
    return {"verdict": verdict.word, "why": verdict.why, "times": verdict.times, "ticket": verdict.ticket}


def _object(lesson: Lesson) -> dict[str, Any]:
    record = lesson.record
    failure: Any = record.get("failure") or {}
    tests: Sequence[str] = failure.get("tests") or []
    return {
        "id": record.id,
        "step": lesson.step,
        "by": lesson.by,
        "similarity": round(lesson.similarity, 4),
        "decided": None if lesson.decided is None else round(lesson.decided, 4),
        "reason": failure.get("reason"),
        "exit_code": failure.get("exit-code"),
        "error": failure.get("error"),
        "tests": list(tests),
        "ticket": failure.get("ticket"),
        "fix": fix(record),
        "resolution": record.get("resolution"),
        "lesson": record.get("lesson"),
        "distilled": distilled(record),
        "resolved_by": person(record.get("resolved-by")),
        "scope": record.get("scope"),
        "elsewhere": lesson.source.elsewhere,
        "store": lesson.source.place.root,
        "trust": lesson.trust,
        "when": record.get("valid-from"),
        "path": record.path,
    }
