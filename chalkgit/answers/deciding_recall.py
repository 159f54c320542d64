"""What a decider is asked about for a failed run, beyond the same failure: five lessons, and no more.

The ladder's own first (they would be shown without it), then those whose error line is less alike, then the
same failure in other words, where an embedding model lies ready. None of these is shown unless it says yes.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import lessons, models
from chalkgit.records.status import excluded

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from chalkgit.answers.sources import Source
    from chalkgit.failures.reading import Run
    from chalkgit.index.embed import Embedder
    from chalkgit.index.models import Model
    from chalkgit.records.record import Record

_AT_ONCE = 200  # lessons read from the table before they are counted


def resolved(sources: Sequence[Source], now: datetime, most: int | None = None) -> int:
    """How many resolved lessons of these stores may be recalled; counted up to as many as it takes."""
    most = thresholds.DECIDER_LESSONS if most is None else most
    count = 0
    for source in sources:
        paths = lessons.paths(source.index)
        for start in range(0, len(paths), _AT_ONCE):
            records = source.records(paths[start : start + _AT_ONCE])
            count += sum(excluded(one, now=now, superseded=source.superseded) is None for one in records)
            if count >= most:
                return most
    return count


def first(source: Source, now: datetime) -> Record | None:
    """One of them, of this store: an example."""
    for path in lessons.paths(source.index):
        for record in source.records([path]):
            if excluded(record, now=now, superseded=source.superseded) is None:
                return record
    return None


def said(run: Run) -> str:
    """What a run is compared by in meaning: as a lesson's failure is."""
    return lessons.likeness(run.normalized) or lessons.last_line(run.tail)


class Meant:
    """Lessons of the same meaning. The model is loaded when first asked; nothing is downloaded."""

    def __init__(self, run: Run) -> None:
        self._said = said(run)
        found = models.configured() if self._said else None
        self._model: Model | None = None if isinstance(found, models.Missing) else found
        self._least = least(self._model) if self._model is not None else None
        self._embedder: Embedder | None = None
        self.trouble: str | None = None

    def close(self, source: Source) -> list[tuple[str, float]]:
        """(path, cosine) in one store, best first; none where no model can tell."""
        if self._model is None or self._least is None or self.trouble is not None:
            return []
        from chalkgit.answers import failure_vectors  # numpy costs six bare interpreters
        from chalkgit.index import embed

        try:
            self._embedder = self._embedder or embed.load(self._model)
            name, revision = self._model.name, self._model.revision
            return failure_vectors.nearest(
                source.index, self._embedder, name, revision, self._said, self._least
            )
        except ChalkError as error:
            self.trouble = f"lessons were not compared by meaning: {error.message}"
            return []


def least(model: Model) -> float | None:
    """The cosine from which on two failures may be one; None for a model of which nothing is known."""
    from chalkgit.index import calibrations

    known = calibrations.of(model.name, model.revision) or thresholds.MODELS.get(model.name)
    if known is not None and known.measured:
        return known.consent
    return thresholds.DECIDER_MEANT.get(model.name)
