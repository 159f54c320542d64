"""Texts to vectors: the only door to models, and to fastembed.

`load` reads the model's folder and our cache, and nothing else: no hub is asked, no weights run under
another model's pooling. Vectors are float32 of length one; one that is not a number is an error, never
stored. How fastembed pools a model is asked once and kept, since its import costs forty bare interpreters:
with that and an optimised graph, loading a model and embedding a query costs twelve in all.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from chalkgit.errors import ChalkError
from chalkgit.index import models, prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Vector = Any  # a numpy array; its name is index/arrays.py's alone

# Long texts in batches of 256 took 2.2 GB, in batches of 16 457 MB; there was no speed in more.
BATCH = 16
SENTENCE = "We tried to cache the parsed manifest and the tests went stale."
# What is embedded before a plan is believed: nothing at all, other scripts, and more than a model reads.
SAMPLES = (
    SENTENCE,
    "",
    "ünïcödé 中文 🙂\n\tif x is None: return [y]",
    "longer than what a model reads " * 200,
)
ALIKE = 0.9999  # the least cosine of two ways to compute one vector
# How the measured models are pooled, as fastembed 0.7 to 0.9 do: their first load needs no fastembed either.
POOLING = {models.DEFAULT: "cls", "sentence-transformers/all-MiniLM-L6-v2": "mean"}
# fastembed's classes that do nothing but this to what the graph puts out.
CLASSES = {"OnnxTextEmbedding": "cls", "PooledEmbedding": "mean", "PooledNormalizedEmbedding": "mean"}


class Reading:
    """One text, read: its unit `vector` (dimension), and its n word pieces, special ones left out.

    `tokens` is n × dimension, float32, rows of length one: the last hidden states, before pooling. None where
    the model gives no such. `spans` are n (start, end) places in the text, in characters; `pieces` n ids.
    Of a text longer than the model reads there is the beginning.
    """

    __slots__ = ("pieces", "spans", "tokens", "vector")

    def __init__(
        self, vector: Vector, tokens: Vector | None, spans: list[tuple[int, int]], pieces: list[int]
    ) -> None:
        self.vector = vector
        self.tokens = tokens
        self.spans = spans
        self.pieces = pieces


class Embedder:
    """A loaded model; use it from one thread at a time.

    A model that fastembed pools in a way of its own is run by fastembed, and its readings have no token
    vectors, spans and pieces.
    """

    def __init__(self, model: models.Model, engine: Any, dimension: int) -> None:
        self.model = model
        self.dimension = dimension
        self._engine = engine

    def embed(self, texts: Iterable[str], progress: Callable[[int], None] | None = None) -> Iterator[Vector]:
        """One vector a text, in order, sixteen at a time; `progress` is told how many are done."""
        source, done = iter(texts), 0
        while batch := list(islice(source, BATCH)):
            yield from [self._unit(vector) for vector in self._asked(self._engine.vectors, batch)]
            done += len(batch)
            if progress is not None:
                progress(done)

    def read(self, texts: Iterable[str]) -> Iterator[Reading]:
        """One reading a text, in order, sixteen at a time; texts of one length together cost the least."""
        source = iter(texts)
        while batch := list(islice(source, BATCH)):
            for vector, *rest in self._asked(self._engine.read, batch):
                yield Reading(self._unit(vector), *rest)

    def _asked(self, ask: Callable[[list[str]], list[Any]], texts: list[str]) -> list[Any]:
        try:
            return ask(texts)
        except Exception as error:
            raise _broken(self.model, error) from error

    def _unit(self, vector: Any) -> Vector:
        if len(vector) != self.dimension:
            raise _broken(self.model, f"{len(vector)} dimensions where {self.dimension} were expected")
        vector = vector.astype("float32")
        length = float(vector @ vector) ** 0.5
        if not 0 < length < float("inf"):  # false for what is not a number, too
            raise _broken(self.model, "it gave a vector that is not a number")
        return vector / length


class Through:
    """fastembed in the engine's place."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def vectors(self, texts: list[str]) -> list[Vector]:
        return list(self._model.embed(texts, batch_size=BATCH))

    def read(self, texts: list[str]) -> list[tuple[Vector, None, list[tuple[int, int]], list[int]]]:
        return [(vector, None, [], []) for vector in self.vectors(texts)]


def load(model: models.Model) -> Embedder:
    """The model, ready. ChalkError where fastembed does not know it or its files are damaged.

    The first load makes it ready for the next, and takes a second longer.
    """
    engine = _engine()
    plan = prepared.plan(model, engine.RUNTIME)
    if plan is None:
        return _first(model)
    try:
        made = engine.Engine(model.directory, model.weights, plan)
    except (
        Exception
    ):  # taken away since we looked, or no memory to map it: as it comes, or with its own error
        return _first(model)
    model.dimension = plan.dimension
    return Embedder(model, made, plan.dimension)


def ready(model: models.Model) -> bool:
    """Whether an optimised copy of the model is there, so that loading it is quick."""
    return prepared.plan(model, _engine().RUNTIME) is not None


def description(name: str) -> Any:
    """What fastembed knows of a model, its true name among it (`.model`)."""
    for known in _text_embedding()._list_supported_models():
        if known.model.lower() == name.lower() and known.model_file in models.WEIGHTS:
            return known
    raise ChalkError(
        f"fastembed does not know a text model “{name}”, nor how what it puts out becomes a vector",
        hint=f"use one that is, such as {' or '.join(models.MEASURED)}",
    )


def validated(model: models.Model) -> models.Model:
    """The model once it has embedded a sentence."""
    list(load(model).embed([SENTENCE]))
    return model


def _first(model: models.Model) -> Embedder:
    """The model as it comes, made ready in passing where that can be done."""
    if model.name in POOLING:
        plain = _plain(model, prepared.Plan(POOLING[model.name], models.MEASURED[model.name][1]))
    else:
        through, pooling = _through(model)
        found = _same(through, pooling) if pooling else None
        if found is None:
            return through
        plain = found
    _make_ready(plain)
    return plain


def _through(model: models.Model) -> tuple[Embedder, str | None]:
    """The model run by fastembed, and how that pools it, None where that is a way of its own."""
    known = description(model.name)
    try:
        theirs = _fastembed(model, known)
    except Exception as error:
        raise _broken(model, error) from error
    model.dimension = int(known.dim)
    # weights in more than one file may be gigabytes: no second copy of those
    pooling = None if known.additional_files else CLASSES.get(type(theirs.model).__name__)
    return Embedder(model, Through(theirs), int(known.dim)), pooling


def _same(through: Embedder, pooling: str) -> Embedder | None:
    """The model run without fastembed, None where its vectors are not those of fastembed."""
    try:
        plain = _plain(through.model, prepared.Plan(pooling, through.dimension))
        return plain if _alike(through, plain) else None
    except ChalkError:
        return None


def _plain(model: models.Model, plan: prepared.Plan) -> Embedder:
    try:
        made = _engine().Engine(model.directory, model.weights, plan)
    except Exception as error:
        raise _broken(model, error) from error
    model.dimension = plan.dimension
    return Embedder(model, made, plan.dimension)


def _make_ready(plain: Embedder) -> bool:
    """Keep an optimised copy, once it has shown that its vectors are the same; whether there is one now."""
    engine, model, plan = _engine(), plain.model, plain._engine.plan

    def build(folder: str) -> None:
        graph = os.path.join(folder, prepared.GRAPH)
        engine.prepare(model.directory, model.weights, graph)
        if not _alike(plain, _plain(model, prepared.Plan(plan.pooling, plan.dimension, graph))):
            raise _broken(model, "its optimised graph gives other vectors")

    try:
        return prepared.make(model, engine.RUNTIME, plan, build)
    except (
        Exception
    ):  # a full disk, a graph that cannot be saved: loading stays slow, and `model status` says so
        return False


def _alike(one: Embedder, other: Embedder) -> bool:
    pairs = zip(one.embed(SAMPLES), other.embed(SAMPLES), strict=True)
    return all(float(a @ b) >= ALIKE for a, b in pairs)


def _engine() -> Any:
    try:
        from chalkgit.index import engine
    except ImportError as error:
        raise _unloadable("onnxruntime", error) from error
    return engine


def _text_embedding() -> Any:
    _engine()  # it says first what onnxruntime and numpy are to leave alone
    try:
        from fastembed import TextEmbedding
        from loguru import logger
    except ImportError as error:
        raise _unloadable("fastembed", error) from error
    logger.disable("fastembed")  # what it logs arrives here as an exception as well
    return TextEmbedding


def _unloadable(library: str, error: ImportError) -> ChalkError:
    hint = "python -m pip install --force-reinstall chalkgit"
    return ChalkError(f"{library} cannot be loaded: {error}", hint=hint)


def _fastembed(model: models.Model, known: Any) -> Any:
    from dataclasses import replace

    made = _text_embedding()(
        known.model,
        cache_dir=model.directory,  # made if absent, so it is one that is there
        specific_model_path=model.directory,
        local_files_only=True,
        lazy_load=True,
        threads=1,
        providers=["CPUExecutionProvider"],
    )
    # The hub calls the same graph model.onnx in one repository and model_optimized.onnx in another.
    own = os.path.join(model.directory, known.model_file)
    if not os.path.isfile(own):
        made.model.model_description = replace(known, model_file=model.weights)
    made.model.load_onnx_model()
    return made


def _broken(model: models.Model, error: object) -> ChalkError:
    said = " ".join(str(error).split())[:300] or type(error).__name__
    return ChalkError(
        f"the embedding model {model.name} does not work: {said}",
        where=model.directory,
        hint=f"{models.PULL} {model.name}",
    )


def pull(name: str, progress: Callable[[int, int], None] | None = None) -> models.Model:
    """Download a model, see that it works, and only then put it where `models.configured` looks.

    `progress` is told bytes done and bytes in all, from another thread.
    """
    from chalkgit.index import hub

    known = description(name)
    offer = hub.Offer(known.model, known.sources.hf, known.model_file, known.additional_files)
    return hub.pull(offer, validated, progress)
