"""A second model that reads a proposal and a record together, as `rerank:` of the user's settings names it.

Cross-encoders are fastembed's, whose import costs forty bare interpreters: nothing of it is loaded where the
settings name none. Only files that are there are read, and no hub is asked.
"""

from __future__ import annotations

import os

from chalkgit import config, settings
from chalkgit.errors import ChalkError
from chalkgit.index import models

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

BATCH = 4  # twenty pairs at once took 573 MB, four at a time 380, and no longer
EXAMPLE = "Xenova/ms-marco-MiniLM-L-6-v2"


class Named:
    """What the settings say: a name in fastembed's list, and a folder (None: where our models lie)."""

    __slots__ = ("directory", "name")

    def __init__(self, name: str, directory: str | None) -> None:
        self.name = name
        self.directory = directory


class CrossEncoder:
    """A loaded model; use it from one thread at a time."""

    def __init__(self, name: str, directory: str, engine: Any) -> None:
        self.name = name
        self.directory = directory
        self._engine = engine

    def scores(self, proposal: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the proposal: the more, the better, on a scale of the model's own.

        ChalkError where the model fails, or gives what is not a number.
        """
        try:
            found = [float(score) for score in self._engine.rerank(proposal, texts, batch_size=BATCH)]
        except Exception as error:
            raise _broken(self.name, self.directory, error) from error
        if len(found) != len(texts) or not all(abs(score) < float("inf") for score in found):
            raise _broken(self.name, self.directory, "it gave a score that is not a number")
        return found


_loaded: list[tuple[list[Any], CrossEncoder]] = []  # a process that answers many questions loads it once


def configured() -> Named | None:
    """What the settings name, None where that is nothing; ChalkError where it cannot be understood."""
    if config.bypassed("SEMANTIC"):
        return None
    said = settings.read().get("rerank")
    if not said:
        return None
    said = said if isinstance(said, dict) else {"name": said}
    name, directory = said.get("name"), said.get("dir")
    if not isinstance(name, str) or not name or not (directory is None or isinstance(directory, str)):
        raise ChalkError(
            "`rerank:` in the settings names no model", where=settings.path(), hint=f"rerank: {EXAMPLE}"
        )
    return Named(name, os.path.abspath(os.path.expanduser(directory)) if directory else None)


def load(named: Named) -> CrossEncoder:
    """The model, ready. ChalkError where fastembed knows none of that name, or its files do not work."""
    if named.directory is not None and not os.path.isdir(named.directory):
        raise ChalkError(
            f"the folder {named.directory} does not exist", where=settings.path(), hint=_hint(named.name)
        )
    known = _description(named.name)
    directory = named.directory or _pulled(known)
    weights = next((n for n in (known.model_file, *models.WEIGHTS) if _there(directory, n)), known.model_file)
    lacks = next((name for name in (weights, *models.TOKENIZER) if not _there(directory, name)), None)
    if directory is None or lacks is not None:
        where = directory or models.folder(known.model)
        raise ChalkError(f"{known.model} is not there: {where} lacks {lacks}", hint=_hint(known.model))
    try:
        sign = [known.model, directory, *(_sign(directory, name) for name in (weights, *models.TOKENIZER))]
        if not _loaded or _loaded[0][0] != sign:
            made = CrossEncoder(known.model, directory, _engine(directory, known, weights))
            _loaded[:] = [(sign, made)]
    except Exception as error:
        raise _broken(known.model, directory, error) from error
    return _loaded[0][1]


def _engine(directory: str, known: Any, weights: str) -> Any:
    from dataclasses import replace

    made = _class()(
        known.model,
        cache_dir=directory,  # made if absent, so it is one that is there
        specific_model_path=directory,
        local_files_only=True,
        lazy_load=True,
        threads=1,
        providers=["CPUExecutionProvider"],
    )
    made.model.model_description = replace(known, model_file=weights)
    made.model.load_onnx_model()
    return made


def _description(name: str) -> Any:
    listed = _class()._list_supported_models()
    for known in listed:
        if known.model.lower() == name.lower():
            return known
    raise ChalkError(
        f"fastembed knows no cross-encoder “{name}”",
        where=settings.path(),
        hint=f"one of {', '.join(known.model for known in listed)}",
    )


def _class() -> Any:
    from chalkgit.index import embed

    embed._text_embedding()  # it says first what the libraries are to leave alone, and what cannot be loaded
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder


def _there(directory: str | None, name: str) -> bool:
    return directory is not None and os.path.isfile(os.path.join(directory, name))


def _sign(directory: str, name: str) -> tuple[int, int, int, int]:
    seen = os.stat(os.path.join(directory, name))
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino


def _pulled(known: Any) -> str | None:
    """The snapshot of a hub's client in our data folder."""
    for name in dict.fromkeys((known.model, known.sources.hf or known.model)):
        revision = models._line(os.path.join(models.folder(name), "refs", "main"))
        directory = os.path.join(models.folder(name), "snapshots", revision)
        if revision and os.path.isdir(directory):
            return directory
    return None


def _hint(name: str) -> str:
    files = ", ".join(("model.onnx", *models.TOKENIZER))
    return f"put {files} into a folder, and into {settings.path()}: rerank: {{name: {name}, dir: FOLDER}}"


def _broken(name: str, directory: str, error: object) -> ChalkError:
    said = " ".join(str(error).split())[:300] or type(error).__name__
    return ChalkError(f"the cross-encoder {name} does not work: {said}", where=directory, hint=_hint(name))
