"""Models made ready: a graph that onnxruntime has optimised once, and the plan that says how to use it.

What is kept lies in the user's cache folder, and only saves time. It is used for the very files it was made
from (size, times, inode), by the onnxruntime and the kind of machine that made it, and only while nobody has
touched it since: otherwise there is no plan, and the model is loaded as it comes.
"""

from __future__ import annotations

import json
import os
import time
import zlib

from chalkgit import config, settings
from chalkgit.errors import ChalkError
from chalkgit.index import models
from chalkgit.store import atomic

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GRAPH, PLAN = "model.onnx", "plan.json"
# What is read besides the weights when a model is loaded; the last two may be absent.
BESIDE = (*models.TOKENIZER, "config.json", "special_tokens_map.json")
POOLINGS = ("cls", "mean")
UNUSED_DAYS = 30  # our choice: an optimised copy is as large as its model, and takes a second to make


class Plan:
    """How hidden states become a vector (`pooling`: that of the first token, or the mean of all).

    `dimension` is the vector's length, `graph` the optimised graph's path, None where the model is used as
    it comes.
    """

    __slots__ = ("dimension", "graph", "pooling")

    def __init__(self, pooling: str, dimension: int, graph: str | None = None) -> None:
        self.pooling = pooling
        self.dimension = dimension
        self.graph = graph

    def __repr__(self) -> str:
        return f"Plan({self.pooling} of {self.dimension} in {self.graph})"


def home() -> str:
    return os.path.join(config.home("CACHE"), "prepared")


def folder(model: models.Model, runtime: str) -> str:
    """Where what this onnxruntime made of these files lies."""
    system = os.uname()
    # or two copies of one model would take turns in one folder; what counts is compared in full
    copy = f"{zlib.crc32(repr(_source(model)).encode()):08x}"
    words = (model.name, model.revision, copy, runtime, system.sysname, system.machine)
    return os.path.join(home(), "-".join(_plain(word) for word in words))


def plan(model: models.Model, runtime: str) -> Plan | None:
    """The plan of a model that was made ready here, None where there is none or anything moved since."""
    try:
        where = folder(model, runtime)
        file = os.path.join(where, PLAN)
        # a FIFO in its place is not waited for
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as handle:
            found = json.loads(handle.read())
        if found.pop("sum") != _sum(found):
            return None
        if found["source"] != _source(model) or found["made"] != _made(where) or GRAPH not in found["made"]:
            return None
        made = Plan(found["pooling"], found["dimension"], os.path.join(where, GRAPH))
        if made.pooling not in POOLINGS or type(made.dimension) is not int:
            return None
        _used(file)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return made


def make(model: models.Model, runtime: str, made: Plan, build: Callable[[str], object]) -> bool:
    """Let `build` put the graph into a folder, and keep that with the plan; whether it is kept now.

    What `build` raises passes, and nothing is kept. Where somebody else is at it, or nothing can be
    written, the answer is False and `build` is not called.
    """
    import shutil

    try:
        with settings.Lock(os.path.join(home(), ".lock"), wait=False):
            if plan(model, runtime) is not None:
                return True
            target = folder(model, runtime)
            _sweep(target)
            temporary = f"{target}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
            os.mkdir(temporary, 0o700)
            try:
                build(temporary)
                return _put(model, made, temporary, target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    except (BlockingIOError, ChalkError, OSError):
        return False


def _put(model: models.Model, made: Plan, temporary: str, target: str) -> bool:
    for name in os.listdir(temporary):
        handle = os.open(os.path.join(temporary, name), os.O_RDONLY)
        try:
            os.fsync(handle)  # or a power cut could leave zeros of the right length
        finally:
            os.close(handle)
    os.rename(temporary, target)
    known = {"source": _source(model), "made": _made(target)}
    said = {**known, "pooling": made.pooling, "dimension": made.dimension}
    text = json.dumps({**said, "sum": _sum(said)})
    atomic.replace(os.path.join(target, PLAN), text.encode())
    return True


def _sum(said: dict[str, object]) -> int:
    return zlib.crc32(json.dumps(said, sort_keys=True).encode())


def _sweep(target: str) -> None:
    """Drop what nobody will use: this model's broken copy, others long unused, and what a kill left."""
    import shutil

    shutil.rmtree(target, ignore_errors=True)
    for entry in os.scandir(home()):
        if entry.is_dir(follow_symlinks=False):
            try:
                used = os.stat(os.path.join(entry.path, PLAN)).st_mtime
            except OSError:
                used = 0.0  # without a plan, and we hold the lock: left by a kill
            if time.time() - used > UNUSED_DAYS * 86_400:
                shutil.rmtree(entry.path, ignore_errors=True)


def _used(file: str) -> None:
    """Note the day of use, for `_sweep`."""
    if time.time() - os.stat(file).st_mtime > 86_400:
        try:
            os.utime(file)
        except OSError:
            pass  # a cache that is read and not written: then nothing sweeps it either


def _source(model: models.Model) -> list[list[int] | None]:
    return [_signs(os.path.join(model.directory, name)) for name in (model.weights, *BESIDE)]


def _made(where: str) -> dict[str, Any]:
    return {name: _signs(os.path.join(where, name)) for name in sorted(os.listdir(where)) if name != PLAN}


def _signs(path: str) -> list[int] | None:
    """What moves when a file is written; ctime moves also when somebody sets the others back."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _plain(word: str) -> str:
    return "".join(c if c.isalnum() or c in "._" else "-" for c in word)
