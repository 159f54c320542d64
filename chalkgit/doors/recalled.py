"""The lessons that reached a reader after a failed run, as the journal keeps them."""

from __future__ import annotations

from chalkgit.render import lessons as rendered
from chalkgit.store import questions
from chalkgit.store.journal import Showing
from chalkgit.store.questions import Asked

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.answers.recall import Lesson


def asked(lessons: Sequence[Lesson], by: str | None, surface: str = "recall") -> Asked:
    """The question that they answered. by: what the ladder found first, shown or withheld."""
    shown = [_showing(lesson, rendered.size(lesson)) for lesson in lessons]
    return Asked(questions.RECALL, surface, verdict=by, showings=shown)


def unasked(lessons: Sequence[Lesson], said: Sequence[str], surface: str) -> Asked:
    """What was shown of them where nobody had asked. said: the line of each."""
    shown = [
        _showing(one, len(text.encode("utf-8", "replace"))) for one, text in zip(lessons, said, strict=True)
    ]
    return Asked(questions.RULINGS, surface, showings=shown)


def _showing(lesson: Lesson, size: int) -> Showing:
    path = lesson.record.path
    content = lesson.source.index.table.hashes([path]).get(path, "")
    return Showing(path, lesson.record.id, content, size)


def size(question: Asked) -> int:
    return sum(showing.bytes for showing in question.showings)
