"""The semantic arm of one run: whether it runs, why not, and how many records it covers.

The model is loaded when the first proposal is put, and only then. What was skipped is always said.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

from chalkgit import thresholds
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.index import models, texts
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.thresholds import Limits

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.index.embed import Embedder
    from chalkgit.index.vectors import Vectors

Report = Callable[[int, int], None]
Wanted = dict[str, tuple[str, list[str]]]  # record id to content hash and the marks of its vectors


class Semantic:
    """`skipped` says why the arm did not run, `hint` the command that helps; both None when it did."""

    def __init__(self, *, lexical: bool) -> None:
        self.model: str | None = None
        self.revision: str | None = None
        self.skipped: str | None = None
        self.hint: str | None = None
        self._embedder: Embedder | None = None
        self._vectors: dict[str, Vectors] = {}
        self._wanted: dict[str, Wanted] = {}
        found = models.Missing("--lexical was given", None) if lexical else models.configured()
        if isinstance(found, models.Missing):
            self.skipped, self.hint = found.why, found.hint
        else:
            self.model, self.revision, self._found = found.name, found.revision, found

    @property
    def ran(self) -> bool:
        return self.skipped is None

    @property
    def limits(self) -> Limits:
        return thresholds.MODELS.get(self.model or "", thresholds.UNMEASURED)

    @property
    def calibration(self) -> str | None:
        """What to say of a model whose cosines were never measured."""
        if self.limits is thresholds.UNMEASURED:
            return f"{self.model} has no calibration: it ranks, and the words alone decide."
        if not self.limits.measured:
            return f"The thresholds of {self.model} are starting values, not measured."
        return None

    def prepare(self, sources: Sequence[Source], seconds: float | None, report: Report | None = None) -> None:
        """Load the model and write the vectors that are missing, for up to `seconds` (None: all of them)."""
        if not self.ran or not any(source.index.table.count(texts.CHECKED) for source in sources):
            return
        try:
            for source in sources:
                self.fill(source.index, seconds, report)
        except ChalkError as error:
            self.skipped, self.hint = f"the model could not be used: {error.message}", error.hint

    def fill(self, index: Index, seconds: float | None, report: Report | None = None) -> int:
        """Write the missing vectors of one store, up to `seconds`; how many records got theirs."""
        vectors = self._of(index)
        missing = vectors.missing({i: digest for i, (digest, _) in self._wanted_of(index).items()})
        deadline = None if seconds is None else time.monotonic() + seconds
        for done in range(0, len(missing), thresholds.EMBED_RECORDS):
            if deadline is not None and time.monotonic() > deadline:
                return done
            self._embed(index, vectors, missing[done : done + thresholds.EMBED_RECORDS])
            if report is not None:
                report(min(done + thresholds.EMBED_RECORDS, len(missing)), len(missing))
        return len(missing)

    def _embed(self, index: Index, vectors: Vectors, ids: list[str]) -> None:
        bodies = index.table.bodies(index.table.paths(ids))
        records = [Record(json.loads(body), path) for path, body in bodies.items()]
        entries = [
            (record.id + mark, texts.embedded_hash(record), text)
            for record in records
            for mark, text in texts.embedded(record).items()
        ]
        # a batch is padded to its longest text: alike lengths together cost half of what chance order does
        entries.sort(key=lambda entry: len(entry[2]))
        made = self._engine().embed(text for _, _, text in entries)
        rows = [(key, digest, vector) for (key, digest, _), vector in zip(entries, made, strict=True)]
        # a record counts as covered by its deciding vector, so that one is written last
        vectors.add(
            sorted(rows, key=lambda row: not row[0].endswith(texts.TITLED)), kept=index.folder is not None
        )

    def load(self) -> None:
        """Load the model without writing anything."""
        try:
            self._engine()
        except ChalkError as error:
            self.skipped, self.hint = f"the model could not be used: {error.message}", error.hint

    @property
    def unwritten(self) -> str | None:
        """Why vectors of this run were not kept, None when they were."""
        return next((v.unwritten for v in self._vectors.values() if v.unwritten), None)

    def covered(self, sources: Sequence[Source]) -> int:
        """How many records have a vector that can take part."""
        if not self.ran or self._embedder is None:
            return 0
        return sum(len(self._vectors_there(source)) for source in sources)

    def vector(self, proposal: str) -> Any:
        return next(iter(self._engine().embed([proposal])))

    def similar(self, source: Source, vector: Any) -> tuple[dict[str, float], dict[str, float]]:
        """Record id to cosine, of the records with an opinion: the one that decides, the one that ranks."""
        wanted = self._visible(source)
        keys = {i + mark: digest for i, (digest, marks) in wanted.items() for mark in marks}
        cosines = self._of(source.index).similar(vector, keys)
        decides = {i: cosines[i] for i in wanted if i in cosines}
        ranks = {i: max(cosine, cosines.get(i + texts.TITLED, cosine)) for i, cosine in decides.items()}
        return decides, ranks

    def _vectors_there(self, source: Source) -> set[str]:
        wanted = {i: digest for i, (digest, _) in self._visible(source).items()}
        return set(wanted) - set(self._of(source.index).missing(wanted))

    def _visible(self, source: Source) -> Wanted:
        wanted = self._wanted_of(source.index)
        return {i: w for i, w in wanted.items() if i not in source.hidden} if source.hidden else wanted

    def _wanted_of(self, index: Index) -> Wanted:
        root = index.place.root
        if root not in self._wanted:
            rows = index.table.vectors()
            self._wanted[root] = {row[0]: (row[1], row[2].split(",")) for row in rows}
        return self._wanted[root]

    def _of(self, index: Index) -> Vectors:
        root = index.place.root
        if root not in self._vectors:
            from chalkgit.index.vectors import Key, Vectors

            key = Key(str(self.model), str(self.revision), self._engine().dimension)
            self._vectors[root] = Vectors(index.place, key)
        return self._vectors[root]

    def _engine(self) -> Embedder:
        if self._embedder is None:
            from chalkgit.index import embed

            self._embedder = embed.load(self._found)
        return self._embedder
