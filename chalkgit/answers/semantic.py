"""The semantic arm of one run: whether it runs, why not, and how many records it covers.

The model is loaded when the first proposal is put, and only then. What was skipped is always said.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

from chalkgit import thresholds
from chalkgit.answers.sources import Source
from chalkgit.calibration import Calibration
from chalkgit.errors import ChalkError
from chalkgit.index import models, texts
from chalkgit.index.generation import Index
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.index.embed import Embedder, Reading
    from chalkgit.index.vectors import Vectors

Report = Callable[[int, int], None]
Wanted = dict[str, str]  # record id to content hash


class Meaning:
    """A record beside a proposal: cosine, and late interaction both ways (None where there is none)."""

    __slots__ = ("backward", "cosine", "forward")

    def __init__(self, cosine: float, forward: float | None, backward: float | None) -> None:
        self.cosine = cosine
        self.forward = forward
        self.backward = backward


class Semantic:
    """`skipped` says why the arm did not run, `hint` the command that helps; both None when it did."""

    def __init__(self, *, lexical: bool) -> None:
        self.lexical = lexical  # no model is to take part, of whatever kind
        self.model: str | None = None
        self.revision: str | None = None
        self.skipped: str | None = None
        self.hint: str | None = None
        self._embedder: Embedder | None = None
        self._vectors: dict[str, Vectors] = {}
        self._wanted: dict[str, Wanted] = {}
        self._complete: set[str] = set()  # roots whose records all have vectors
        found = models.Missing("--lexical was given", None) if lexical else models.configured()
        if isinstance(found, models.Missing):
            self.skipped, self.hint = found.why, found.hint
        else:
            self.model, self.revision, self._found = found.name, found.revision, found

    @property
    def ran(self) -> bool:
        return self.skipped is None

    @property
    def calibration(self) -> Calibration:
        """What the user measured of this model and revision, else what is known of the model's name."""
        if not self.ran:
            return thresholds.WORDS
        from chalkgit.index import calibrations

        own = calibrations.of(str(self.model), str(self.revision))
        return own or thresholds.MODELS.get(str(self.model), thresholds.UNMEASURED)

    @property
    def uncalibrated(self) -> str | None:
        """What to say of a model whose cosines were never measured."""
        if self.calibration.measured:
            return None
        known = f"{self.model} has no calibration: it ranks, and the words alone decide"
        return f"{known}: chalkgit model calibrate"

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
        edition = index.table.meta("edition") if index.folder is not None else None
        if edition is not None and vectors.complete(edition):
            self._complete.add(index.place.root)
            return 0
        self._complete.discard(index.place.root)
        missing = vectors.missing(self._wanted_of(index))
        deadline = None if seconds is None else time.monotonic() + seconds
        for done in range(0, len(missing), thresholds.EMBED_RECORDS):
            if deadline is not None and time.monotonic() > deadline:
                return done
            self._embed(index, vectors, missing[done : done + thresholds.EMBED_RECORDS])
            if report is not None:
                report(min(done + thresholds.EMBED_RECORDS, len(missing)), len(missing))
        if edition is not None and vectors.unwritten is None:
            vectors.keep_complete(edition)
            self._complete.add(index.place.root)
        return len(missing)

    def _embed(self, index: Index, vectors: Vectors, ids: list[str]) -> None:
        from chalkgit.index.vector_files import Entry

        bodies = index.table.bodies(index.table.paths(ids))
        records = [Record(json.loads(body), path) for path, body in bodies.items()]
        # a batch is padded to its longest text: alike lengths together cost half of what chance order does
        records.sort(key=lambda record: len(texts.embedded(record)))
        readings = self.engine().read(map(texts.embedded, records))
        entries = []
        for record, reading in zip(records, readings, strict=True):
            tokens, route = reading.tokens, 0
            if tokens is not None:
                rows, route = _telling(texts.embedded(record), reading.spans, texts.routed(record))
                tokens = tokens[rows]
            entries.append(Entry(record.id, texts.embedded_hash(record), reading.vector, tokens, route))
        vectors.add(entries, kept=index.folder is not None)

    def load(self) -> None:
        """Load the model without writing anything."""
        try:
            self.engine()
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
        return sum(map(self._covered, sources))

    def read(self, proposal: str) -> Reading:
        return next(iter(self.engine().read([proposal])))

    def nearest(self, source: Source, reading: Reading, most: int) -> list[str]:
        """The ids of the `most` records whose present content is nearest, best first."""
        vectors, asked = self._of(source.index), most
        while True:
            # rows of earlier contents, and of records that are gone, take no place of those that are there
            rows = list(dict.fromkeys(vectors.nearest(reading.vector, asked)))
            now = source.index.table.digests([record_id for record_id, _ in rows])
            found = [i for i, digest in rows if now.get(i) == digest and i not in source.hidden]
            if len(found) >= most or asked >= len(vectors):
                return found[:most]
            asked *= 4

    def compare(
        self, source: Source, reading: Reading, weights: Sequence[float], records: Sequence[Record]
    ) -> dict[str, Meaning]:
        """What the records with an opinion mean for a proposal; weights: of its tokens."""
        wanted = {record.id: texts.embedded_hash(record) for record in records}
        vectors = self._of(source.index)
        found = vectors.compared(reading.vector, reading.tokens, weights, wanted)
        if vectors.doubted:
            self.fill(source.index, thresholds.FILL_SECONDS)
            found = vectors.compared(reading.vector, reading.tokens, weights, wanted)
        return {i: Meaning(cosine, *(late or (None, None))) for i, (cosine, late) in found.items()}

    def _covered(self, source: Source) -> int:
        if source.index.place.root in self._complete:
            return source.count()
        wanted = self._visible(source)
        return len(wanted) - len(self._of(source.index).missing(wanted))

    def _visible(self, source: Source) -> Wanted:
        wanted = self._wanted_of(source.index)
        return {i: w for i, w in wanted.items() if i not in source.hidden} if source.hidden else wanted

    def _wanted_of(self, index: Index) -> Wanted:
        root = index.place.root
        if root not in self._wanted:
            self._wanted[root] = {row[0]: row[1] for row in index.table.vectors()}
        return self._wanted[root]

    def _of(self, index: Index) -> Vectors:
        root = index.place.root
        if root not in self._vectors:
            from chalkgit.index.vector_files import Key
            from chalkgit.index.vectors import Vectors

            key = Key(str(self.model), str(self.revision), self.engine().dimension)
            self._vectors[root] = Vectors(index.place, key)
        return self._vectors[root]

    def engine(self) -> Embedder:
        """The model, loaded when first asked."""
        if self._embedder is None:
            from chalkgit.index import embed

            self._embedder = embed.load(self._found)
        return self._embedder


def _telling(text: str, spans: Sequence[tuple[int, int]], route: tuple[int, int]) -> tuple[list[int], int]:
    """The tokens of a record that are kept, its route's first, and how many of these are the route's.

    Words that any two proposals share, and marks, are left out where others are left.
    """
    stop = set(thresholds.STOP_WORDS.split())
    kept = [n for n, (start, end) in enumerate(spans) if _says(text[start:end].lower(), stop)]
    kept = kept or list(range(len(spans)))
    own = [n for n in kept if route[0] <= spans[n][0] and spans[n][1] <= route[1]]
    others = set(own)
    rows = [*own, *(n for n in kept if n not in others)][: thresholds.LATE_TOKENS]
    return rows, min(len(own), len(rows))


def _says(piece: str, stop: set[str]) -> bool:
    return piece not in stop and any(map(str.isalnum, piece))
