"""What a door asks of words that somebody wrote: was it tried? Only a sure answer interrupts.

Words are compared and no meaning: loading a model costs seventy interpreters, and a person waits. This
repository alone is asked, since what failed elsewhere may not fail here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chalkgit import times
from chalkgit.answers import repair, sources
from chalkgit.answers.check import TRIED, Checker
from chalkgit.answers.ruling import Ruling
from chalkgit.answers.semantic import Semantic
from chalkgit.answers.standing import Standing, reopen, trust
from chalkgit.store.ahead import Ahead
from chalkgit.store.place import Place

Tell = Callable[[str], None]


def tried(
    place: Place, steps: Sequence[str], most: int, tell: Tell, surface: str, ahead: Ahead | None = None
) -> list[Standing]:
    """The rulings that are sure, of all steps, each once, and at most `most` of them.

    surface: one of `policy.SURFACES`.
    """
    return repair.once(
        lambda rebuild: _tried(place, steps, most, tell, surface, None if rebuild else ahead, rebuild)
    )


def _tried(
    place: Place,
    steps: Sequence[str],
    most: int,
    tell: Tell,
    surface: str,
    ahead: Ahead | None,
    rebuild: bool,
) -> list[Standing]:
    now = times.system_clock()
    asked = sources.opened(place, here=True, tell=tell, ahead=ahead, rebuild=rebuild)
    index = asked[0].index
    checker = Checker(place, asked, Semantic(lexical=True), now)
    found: dict[str, Ruling] = {}
    for step in steps:
        answer = checker.ask(step, most, measured=False)
        if answer.verdict == TRIED:
            found.update((ruling.record.id, ruling) for ruling in answer.rulings)
    chosen = [ruling.record for ruling in found.values()][:most]
    hashes = index.table.hashes([record.path for record in chosen])
    stand = [Standing(record, [], hashes.get(record.path, "")) for record in chosen]
    stand = trust(index, stand, surface)
    reopen(index, stand, now)
    return stand
