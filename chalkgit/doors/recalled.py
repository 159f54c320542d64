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
    shown = []
    for lesson in lessons:
        path = lesson.record.path
        content = lesson.source.index.table.hashes([path]).get(path, "")
        shown.append(Showing(path, lesson.record.id, content, rendered.size(lesson)))
    return Asked(questions.RECALL, surface, verdict=by, showings=shown)


def size(question: Asked) -> int:
    return sum(showing.bytes for showing in question.showings)
