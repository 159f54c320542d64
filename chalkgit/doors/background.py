"""After a merge, a checkout or a rewrite: derived data follows, so that no question has to wait for it.

It runs detached and is never heard: what fails here is done again, and said, by the next question.
"""

from __future__ import annotations

from chalkgit import config
from chalkgit.answers import repair
from chalkgit.errors import ChalkError
from chalkgit.index import moves, refresh
from chalkgit.store import place as places


def refreshed(directory: str | None) -> int:
    if config.bypassed("RULINGS") and config.bypassed("CHECK"):
        return 0
    try:
        place = places.find(directory)
        index = repair.once(lambda rebuild: refresh.up_to_date(place, rebuild=rebuild))
        moves.earlier_names(index, [], [])
    except ChalkError:
        pass  # the next question meets the same, and says so
    return 0
