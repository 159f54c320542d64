"""A model from the hub onto this machine: the one place that uses the network, when `model pull` asks for it.

The download goes to a folder of its own. What a killed or failed one leaves there is never taken for a
model: the snapshot appears in one rename, after it has embedded a sentence, and `refs/main` names it last.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from chalkgit import settings
from chalkgit.errors import ChalkError
from chalkgit.index import models

HUB_SECONDS = 5.0
WATCH_SECONDS = 0.2
# A model loads without these; where the hub has them they name special tokens.
OPTIONAL = ("config.json", "special_tokens_map.json")

Progress = Callable[[int, int], None]


class Offer(NamedTuple):
    """A model and where the hub has it: repository, graph file, files the graph needs beside it."""

    name: str
    source: str
    weights: str
    beside: list[str]

    @property
    def needed(self) -> list[str]:
        return [self.weights, *self.beside, *models.TOKENIZER]


def pull(
    offer: Offer, check: Callable[[models.Model], object], progress: Progress | None = None
) -> models.Model:
    """The newest revision of the model, in place and checked; one that is there and works is left alone."""
    try:
        with settings.Lock(os.path.join(models.home(), ".lock"), wait=False):
            return _pulled(offer, check, progress)
    except BlockingIOError:
        raise ChalkError("another `chalkgit model pull` is under way", hint="wait for it to end") from None


def _pulled(offer: Offer, check: Callable[[models.Model], object], progress: Progress | None) -> models.Model:
    revision, sizes = _offered(offer)
    folder = models.folder(offer.name)
    staging = os.path.join(models.home(), ".partial", os.path.basename(folder), revision)
    model = _model(offer, os.path.join(folder, "snapshots", revision), revision)
    if not _works(model, check):
        _download(offer, revision, sizes, staging, progress)
        staged = _model(offer, staging, revision)
        _checked(staged, check)
        model.dimension = staged.dimension
        _place(staging, model.directory)
    _point(os.path.join(folder, "refs", "main"), revision)
    return model


def _model(offer: Offer, directory: str, revision: str) -> models.Model:
    return models.Model(offer.name, directory, offer.weights, revision, models.home())


def _offered(offer: Offer) -> tuple[str, dict[str, int]]:
    """The newest revision at the hub, and the sizes of the files of it that we want."""
    import huggingface_hub

    with _translated(offer):
        # fastembed's own download sleeps 39 s before it says that there is no hub
        info = huggingface_hub.model_info(offer.source, files_metadata=True, timeout=HUB_SECONDS)
    sizes = {
        file.rfilename: file.size or 0
        for file in info.siblings or []
        if file.rfilename in (*offer.needed, *OPTIONAL)
    }
    absent = [name for name in offer.needed if name not in sizes]
    if absent or not info.sha:
        raise ChalkError(f"{offer.source} at the model hub has no {(*absent, 'revision')[0]}", where=_hub())
    return info.sha, sizes


def _download(
    offer: Offer, revision: str, sizes: dict[str, int], staging: str, progress: Progress | None
) -> None:
    from huggingface_hub import hf_hub_download

    _sweep(staging)
    with _translated(offer), _watching(staging, sum(sizes.values()), progress):
        for name in sizes:
            hf_hub_download(
                offer.source, name, revision=revision, local_dir=staging, etag_timeout=HUB_SECONDS
            )


def _sweep(staging: str) -> None:
    """Drop what a killed pull left half done: the client gives each try a new name and resumes none."""
    for parent, _, names in os.walk(staging):
        for name in names:
            if name.endswith(".incomplete"):
                os.unlink(os.path.join(parent, name))


@contextmanager
def _translated(offer: Offer) -> Iterator[None]:
    """The hub's client quiet, and what it raises as one line."""
    import logging

    from huggingface_hub import constants
    from huggingface_hub.utils.tqdm import disable_progress_bars

    # Else the client (1.33) fetches a list of coding agents, up to 3 s, and tells the hub which one runs it.
    constants.HF_HUB_DISABLE_TELEMETRY = True
    disable_progress_bars()
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    except Exception as error:
        raise _refused(offer, error) from error
    finally:
        logger.setLevel(level)


def _refused(offer: Offer, error: Exception) -> ChalkError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    said = " ".join(str(error).split())[:200] or type(error).__name__
    return ChalkError(
        f"the model hub {f'answered {status} for {offer.source}' if status else f'was not reached: {said}'}",
        where=_hub(),
        hint=f"set HF_ENDPOINT to a hub you can reach, or chalkgit model use DIR --name {offer.name}",
    )


def _hub() -> str:
    import huggingface_hub

    return str(huggingface_hub.constants.ENDPOINT)


@contextmanager
def _watching(folder: str, total: int, progress: Progress | None) -> Iterator[None]:
    """Tell `progress` how much of `total` lies in `folder`, until the block ends."""
    # The client has two ways to download and bars of another kind for each; both leave bytes on the disk.
    from threading import Event, Thread

    if progress is None:
        yield
        return
    ended = Event()

    def watch() -> None:
        while not ended.wait(WATCH_SECONDS):
            progress(min(_size(folder), total), total)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    progress(total, total)


def _size(folder: str) -> int:
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # renamed since it was listed
                size += os.stat(os.path.join(parent, name)).st_size
    return size


def _works(model: models.Model, check: Callable[[models.Model], object]) -> bool:
    try:
        return models.lacking(model.directory) is None and bool(check(model))
    except ChalkError:
        return False


def _checked(model: models.Model, check: Callable[[models.Model], object]) -> None:
    try:
        check(model)
    except ChalkError:
        shutil.rmtree(model.directory, ignore_errors=True)  # or the next pull would find it complete
        raise


def _place(staging: str, target: str) -> None:
    """Put the whole snapshot where it is looked for, in one rename."""
    shutil.rmtree(os.path.join(staging, ".cache"), ignore_errors=True)  # the client's bookkeeping
    shutil.rmtree(target, ignore_errors=True)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(staging, target)
    except OSError as error:
        raise ChalkError(f"the model cannot be put in place: {error.strerror}", where=target) from None


def _point(file: str, revision: str) -> None:
    temporary = f"{file}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(temporary, "w", encoding="ascii") as handle:
            handle.write(revision)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, file)
    except OSError as error:
        raise ChalkError(f"the model cannot be put in place: {error.strerror}", where=file) from None
