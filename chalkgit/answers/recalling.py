"""Who is shown a lesson's fix after a failed run: `recall`'s ladder, as the settings of a repository have it.

One for every surface that names a fix. `same` is its first step alone, for who was not asked for lessons:
never more than `recall` would show of the same failure, and the same is said of what is left out.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import recall, sources
from chalkgit.answers.trusted import Trusted, Withheld
from chalkgit.errors import ChalkError
from chalkgit.store import policy

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from chalkgit.answers.recall import Ladder, Recalled, Tell
    from chalkgit.answers.sources import Source
    from chalkgit.failures.reading import Run
    from chalkgit.index import refresh
    from chalkgit.store.place import Place


def ladder(
    place: Place,
    opened: Sequence[Source],
    now: datetime,
    tell: Tell,
    report: refresh.Progress | None = None,
) -> Ladder:
    """Over stores that are open, this repository's first; by its settings, and its approvals up to the commit
    that is asked about."""
    return recall.Ladder(
        opened,
        now,
        tell=tell,
        fingerprints=_fingerprints(place, tell),
        report=report,
        withheld=Withheld(place, "recall", Trusted(opened[0].index.commit or "HEAD")),
    )


def same(place: Place, run: Run, tell: Tell, *, rebuild: bool = False) -> Recalled:
    """The lessons of the same failure in this repository that `recall` would show first."""
    if not _fingerprints(place, tell):
        return recall.Recalled([], ["the same failure is not looked for: fingerprints are switched off"])
    opened = sources.opened(place, here=False, tell=tell, rebuild=rebuild, words=False)
    own = [source for source in opened if not source.elsewhere]
    return ladder(place, own, times.system_clock(), _nobody).run(run, same=True)


def _nobody(_: str) -> None:
    """It was said before."""


def _fingerprints(place: Place, tell: Tell) -> bool:
    try:
        return policy.fingerprints(place)
    except ChalkError as error:
        tell(f"{error.where}: {error.message}; failures are compared by fingerprint, as by default")
        return True
