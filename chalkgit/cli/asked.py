"""What a question of the command line leaves in the journal, once its answer was printed and has left us.

The rows of a `check` can be told as text: a resident helper answers, and the process that prints keeps them.
"""

from __future__ import annotations

from chalkgit.store import place as places
from chalkgit.store import questions
from chalkgit.store.journal import Showing
from chalkgit.store.questions import Asked

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chalkgit.answers.check import Answer, Checker
    from chalkgit.answers.ruling import Ruling
    from chalkgit.index.generation import Index
    from chalkgit.store.place import Place

    Keep = Callable[[Place | None, str | None, Sequence[Asked]], object]


def off(kind: str, switch: str) -> Asked:
    """For a question that a switch answered."""
    return Asked(kind, kind, switch=switch)


def at(index: Index, paths: Sequence[str], rulings: Sequence[Ruling], *, as_json: bool) -> Asked:
    """For `at`: each ruling once, at the first of the files that it names."""
    hashes = index.table.hashes([ruling.record.path for ruling in rulings])
    shown = [
        Showing(
            (ruling.files or list(paths))[0],
            ruling.record.id,
            hashes.get(ruling.record.path, ""),
            _size(ruling, as_json=as_json),
        )
        for ruling in rulings
    ]
    return Asked(questions.AT, "at", showings=shown)


def check(
    checker: Checker | None,
    answer: Answer,
    *,
    as_json: bool,
    began: float | None = None,
    ended: float | None = None,
) -> Asked:
    """For `check`: what it shows, whatever the verdict. checker: None where no store was opened."""
    rulings = [*answer.rulings, *answer.near, *answer.procedures]
    hashes: dict[tuple[str, str], str] = {}
    for source in checker.sources if checker is not None and rulings else ():
        root = source.place.root
        paths = [ruling.record.path for ruling in rulings if ruling.place.root == root]
        if paths:
            found = source.index.table.hashes(paths)
            hashes.update(((root, path), content) for path, content in found.items())
    shown = [
        Showing(
            questions.ON_CHECK,
            ruling.record.id,
            hashes.get((ruling.place.root, ruling.record.path), ""),
            _size(ruling, as_json=as_json),
        )
        for ruling in rulings
    ]
    switch = "CHECK" if answer.bypassed else None
    return Asked(
        questions.CHECK,
        "check",
        verdict=answer.verdict,
        showings=shown,
        began=began,
        ended=ended,
        switch=switch,
    )


def _size(ruling: Ruling, *, as_json: bool) -> int:
    """The bytes of it that reached the reader."""
    if as_json:
        from chalkgit.render import json

        return len(json.text(json.ruling(ruling)).encode())
    from chalkgit.render import text

    return len("\n".join(text.block(ruling, text.plain)).encode())


def keep(place: Place | None, directory: str | None, asked: Sequence[Asked]) -> None:
    """Heard by nobody: an answer is an answer, and `doctor` says what is wrong with a journal.

    place: None where no store was touched; then it is looked for in the files alone.
    """
    if asked:
        found = place if place is not None else places.near(directory)
        if found is not None:
            questions.keep(found, asked)


def told(asked: Sequence[Asked]) -> str:
    """One `check` as text."""
    return "\n".join(
        " ".join((one.verdict or "-", *(f"{s.id}:{s.hash}:{s.bytes}" for s in one.showings))) for one in asked
    )


def heard(text: str) -> list[Asked]:
    """What `told` told, with the clock of this process; nothing of what is no such text."""
    found = []
    for row in text.splitlines():
        verdict, *words = row.split(" ")
        parts = [word.split(":") for word in words]
        if not all(len(part) == 3 and part[2].isdecimal() for part in parts):
            continue
        shown = [Showing(questions.ON_CHECK, name, content, int(size)) for name, content, size in parts]
        found.append(Asked(questions.CHECK, "check", verdict=verdict, showings=shown))
    return found
