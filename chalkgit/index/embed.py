"""Texts to vectors: the only door to fastembed.

`load` reads one folder and nothing else: no hub is asked, no cache is made, no weights run under another
model's pooling. Vectors are float32 of length one; one that is not a number is an error, never stored.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from chalkgit.errors import ChalkError
from chalkgit.index import models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Vector = Any  # a numpy array; its name is index/vectors.py's alone

# Long texts in batches of 256 took 2.2 GB, in batches of 16 457 MB; there was no speed in more.
BATCH = 16
SENTENCE = "We tried to cache the parsed manifest and the tests went stale."


class Embedder:
    """A loaded model; use it from one thread at a time."""

    def __init__(self, model: models.Model, engine: Any, dimension: int) -> None:
        self.model = model
        self.dimension = dimension
        self._engine = engine

    def embed(self, texts: Iterable[str], progress: Callable[[int], None] | None = None) -> Iterator[Vector]:
        """One vector a text, in order, sixteen at a time; `progress` is told how many are done."""
        source, done = iter(texts), 0
        while batch := list(islice(source, BATCH)):
            yield from self._batch(batch)
            done += len(batch)
            if progress is not None:
                progress(done)

    def _batch(self, texts: list[str]) -> list[Vector]:
        try:
            found = list(self._engine.embed(texts, batch_size=BATCH))
        except Exception as error:
            raise _broken(self.model, error) from error
        return [self._unit(vector) for vector in found]

    def _unit(self, vector: Any) -> Vector:
        if len(vector) != self.dimension:
            raise _broken(self.model, f"{len(vector)} dimensions where {self.dimension} were expected")
        vector = vector.astype("float32")
        length = float(vector @ vector) ** 0.5
        if not 0 < length < float("inf"):  # false for what is not a number, too
            raise _broken(self.model, "it gave a vector that is not a number")
        return vector / length


def load(model: models.Model) -> Embedder:
    """The model, ready. ChalkError where fastembed does not know it or its files are damaged."""
    known = description(model.name)
    try:
        engine = _engine(model, known)
    except Exception as error:
        raise _broken(model, error) from error
    model.dimension = int(known.dim)
    return Embedder(model, engine, int(known.dim))


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


def _text_embedding() -> Any:
    # onnxruntime 1.32 makes a device id and a queue of events to upload when it is imported. putenv, because
    # it is C that reads this, and our own children have no use for it.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        from fastembed import TextEmbedding
        from loguru import logger
    except ImportError as error:
        hint = "python -m pip install --force-reinstall chalkgit"
        raise ChalkError(f"fastembed cannot be loaded: {error}", hint=hint) from error
    logger.disable("fastembed")  # what it logs arrives here as an exception as well
    return TextEmbedding


def _engine(model: models.Model, known: Any) -> Any:
    from dataclasses import replace

    engine = _text_embedding()(
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
        engine.model.model_description = replace(known, model_file=model.weights)
    engine.model.load_onnx_model()
    return engine


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
