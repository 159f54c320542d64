"""Which embedding model is used here, found without loading anything.

Every `check` asks: so this reads a few small files and imports no library. Weights are never taken for
those of another model: without a name, or under a name their folder contradicts, there is no model.
"""

from __future__ import annotations

import os

from chalkgit import config, settings
from chalkgit.errors import ChalkError

DEFAULT = "BAAI/bge-small-en-v1.5"
# Where the hub keeps the two models that thresholds were measured for, and their dimension.
MEASURED = {
    DEFAULT: ("Qdrant/bge-small-en-v1.5-onnx-Q", 384),
    "sentence-transformers/all-MiniLM-L6-v2": ("Qdrant/all-MiniLM-L6-v2-onnx", 384),
}
# fastembed 0.9.1 refuses to load without these two; config.json and special_tokens_map.json are optional.
TOKENIZER = ("tokenizer.json", "tokenizer_config.json")
WEIGHTS = ("model.onnx", "model_optimized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
PULL = "chalkgit model pull"
USE = "chalkgit model use DIR"
REVISIONS = "revisions.json"


class Model:
    """An installed model: `weights` is the file in `directory`, `origin` says who chose it.

    `dimension` is None until the model was loaded, where we do not know it by name.
    """

    __slots__ = ("dimension", "directory", "name", "origin", "revision", "weights")

    def __init__(self, name: str, directory: str, weights: str, revision: str, origin: str) -> None:
        self.name = name
        self.directory = directory
        self.weights = weights
        self.revision = revision
        self.origin = origin
        self.dimension = MEASURED[name][1] if name in MEASURED else None

    def __repr__(self) -> str:
        return f"Model({self.name} {self.revision} in {self.directory})"


class Missing:
    """Why there is no model, in one line, and the command that gets one (None: it is off on purpose)."""

    __slots__ = ("hint", "why")

    def __init__(self, why: str, hint: str | None = PULL) -> None:
        self.why = why
        self.hint = hint

    def __repr__(self) -> str:
        return f"Missing({self.why})"


def configured() -> Model | Missing:
    """The model of CHALKGIT_MODEL_DIR or CHALKGIT_MODEL, else of the user's settings, else the pulled one."""
    if config.bypassed("SEMANTIC"):
        return Missing("the semantic arm is switched off by CHALKGIT_BYPASS_SEMANTIC", None)
    directory, name = config.variable("MODEL_DIR"), config.variable("MODEL")
    if directory:
        return at(directory, name, "CHALKGIT_MODEL_DIR")
    try:
        chosen = settings.read().get("model") or {}
    except ChalkError as error:
        return Missing(f"{error.message} ({error.where})", error.hint)
    if not isinstance(chosen, dict):
        chosen = {"name": chosen}
    directory, known = _word(chosen, "dir"), _word(chosen, "name")
    if name and not (known and canonical(name) == canonical(known)):
        return pulled(name, "CHALKGIT_MODEL")
    if directory:
        return at(directory, known, settings.path())
    return pulled(known or DEFAULT, settings.path() if known else home())


def at(directory: str, name: str | None, origin: str) -> Model | Missing:
    """The model in a folder of the user's."""
    directory = os.path.abspath(os.path.expanduser(directory))
    if not os.path.isdir(directory):
        return Missing(f"the model folder {directory} does not exist{_chosen(origin)}", USE)
    absent = lacking(directory)
    if absent:
        return Missing(f"the model folder {directory} lacks {absent}{_chosen(origin)}", USE)
    told = name_of(directory)
    if name and told and canonical(name) != told:
        return Missing(f"the model folder {directory} holds {told}, not {name}", _naming(directory, told))
    if name is None and told is None:
        return Missing(f"which model {directory} holds is not said", _naming(directory, "NAME"))
    return _model(told or canonical(str(name)), directory, origin)


def pulled(name: str, origin: str) -> Model | Missing:
    """The model that `chalkgit model pull` or another fastembed put into our data folder."""
    name = canonical(name)
    for folder in _folders(name):
        revision = _line(os.path.join(folder, "refs", "main"))
        directory = os.path.join(folder, "snapshots", revision)
        if revision and not lacking(directory):
            return _model(name, directory, origin)
    if name == DEFAULT:
        return Missing("no embedding model is installed")
    return Missing(f"the embedding model {name} is not installed", f"{PULL} {name}")


def _chosen(origin: str) -> str:
    return f" ({origin})" if origin else ""


def lacking(directory: str) -> str | None:
    """The first file that a model cannot be loaded without and that is not there."""
    if _weights(directory) is None:
        return WEIGHTS[0]
    return next((name for name in TOKENIZER if not os.path.isfile(os.path.join(directory, name))), None)


def home() -> str:
    return os.path.join(config.home("DATA"), "models")


def folder(name: str) -> str:
    """Where a pulled model lies, laid out as the hub's own client would."""
    return os.path.join(home(), "models--" + name.replace("/", "--"))


def canonical(name: str) -> str:
    """The spelling that thresholds and stored vectors go by."""
    return next((known for known in MEASURED if known.lower() == name.lower()), name)


def name_of(directory: str) -> str | None:
    """The measured model a folder is named after: `all-MiniLM-L6-v2`, or a snapshot in a hub cache."""
    base, parent = os.path.basename(directory), os.path.dirname(directory)
    if os.path.basename(parent) == "snapshots":
        base = os.path.basename(os.path.dirname(parent))
    for known, (source, _) in MEASURED.items():
        names = (known.split("/")[1], *("models--" + repo.replace("/", "--") for repo in (known, source)))
        if base.lower() in [name.lower() for name in names]:
            return known
    return None


def _word(settings: dict[str, object], key: str) -> str | None:
    value = settings.get(key)
    return value if isinstance(value, str) and value else None


def _naming(directory: str, name: str) -> str:
    return f"chalkgit model use {directory} --name {name} (CHALKGIT_MODEL with CHALKGIT_MODEL_DIR)"


def _folders(name: str) -> list[str]:
    return [folder(name), *([folder(MEASURED[name][0])] if name in MEASURED else [])]


def _model(name: str, directory: str, origin: str) -> Model | Missing:
    weights = _weights(directory) or WEIGHTS[0]
    try:
        return Model(name, directory, weights, revision(directory, weights), origin)
    except OSError as error:
        return Missing(f"the model folder {directory} cannot be read: {error.strerror} ({origin})")


def _weights(directory: str) -> str | None:
    return next((name for name in WEIGHTS if os.path.isfile(os.path.join(directory, name))), None)


def _line(file: str) -> str:
    try:
        with open(file, encoding="ascii", errors="replace") as handle:
            return handle.read(200).strip()
    except OSError:
        return ""


def revision(directory: str, weights: str) -> str:
    """The hub's id of a snapshot; of any other folder, 16 digits of what weights and tokenizer hash to."""
    base = os.path.basename(directory)
    if len(base) == 40 and os.path.basename(os.path.dirname(directory)) == "snapshots":
        return base
    files = [os.path.join(directory, name) for name in (weights, TOKENIZER[0])]
    # ctime and inode: another file can have the size, and be given the time, of the one it replaces
    key = [[s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino] for s in map(os.stat, files)]
    known = settings.kept(REVISIONS)
    known = known if isinstance(known, dict) else {}
    entry = known.get(directory)
    if isinstance(entry, dict) and entry.get("key") == key:
        return str(entry["revision"])
    found = _hash(files)
    living = {path: entry for path, entry in known.items() if os.path.isdir(path)}
    settings.keep(REVISIONS, {**living, directory: {"key": key, "revision": found}})
    return found


def _hash(files: list[str]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for file in files:
        with open(file, "rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()[:16]
