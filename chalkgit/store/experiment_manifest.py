"""The manifest of an experiment: what was decided before its first loop, locked by its hash.

It is a file beside the journal, read-only, and its SHA-256 stands in the journal. Whatever is not as it was
at the start (another word, a link, no file) is told as what it is, and never read as a manifest.
"""

from __future__ import annotations

import os
import stat

from chalkgit import thresholds, times
from chalkgit.store import atomic, journal_file

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.store.place import Place

FORMAT = 1
RULES = 2  # of answers/experiment_rules: raised where a rule judges otherwise than it did
WITH, WITHOUT = "with", "without"
A, B = "a", "b"  # of an A/A run: in both the lessons are shown


class Manifest:
    """aa: whether nothing is withheld. holdout: the share of loops in the arm without lessons, or in arm a.

    size: loops that are planned for each arm. seed: hexadecimal; with a loop's id it gives the loop's arm.
    started: an instant. chalkgit: the version that started it. rules, thresholds: what it is judged by, as
    `RULES` and `judged_by()` were. digest: SHA-256 of its text.
    """

    __slots__ = (
        "aa",
        "chalkgit",
        "digest",
        "holdout",
        "id",
        "rules",
        "seed",
        "size",
        "started",
        "thresholds",
    )

    def __init__(
        self,
        id: str,
        *,
        seed: str,
        holdout: float,
        size: int,
        aa: bool,
        started: str,
        chalkgit: str,
        rules: int,
        thresholds: str,
    ) -> None:
        self.id = id
        self.seed = seed
        self.holdout = holdout
        self.size = size
        self.aa = aa
        self.started = started
        self.chalkgit = chalkgit
        self.rules = rules
        self.thresholds = thresholds
        self.digest = digest(text(self))

    @property
    def arms(self) -> tuple[str, str]:
        """The arm that the difference speaks of, and the one it is compared with."""
        return (A, B) if self.aa else (WITH, WITHOUT)

    def __repr__(self) -> str:
        return f"Manifest({text(self).strip()})"


def arm(manifest: Manifest, loop: str) -> str:
    """The arm of a loop: the same whoever asks, and nobody's choice."""
    import hashlib

    drawn = hashlib.sha256((manifest.seed + loop).encode("utf-8", "replace")).digest()
    held = int.from_bytes(drawn[:8], "big") / 2**64 < manifest.holdout
    if manifest.aa:
        return A if held else B
    return WITHOUT if held else WITH


def text(manifest: Manifest) -> str:
    """Canonical JSON: the same values are the same bytes."""
    import json

    names = (name for name in Manifest.__slots__ if name != "digest")
    values = {"format": FORMAT, **{name: getattr(manifest, name) for name in names}}
    return json.dumps(values, sort_keys=True, separators=(",", ":")) + "\n"


def parsed(said: str) -> Manifest:
    """A manifest's text as values; ValueError for any other text, even if it says the same."""
    import json

    try:
        values = dict(json.loads(said))
        if values.pop("format", None) != FORMAT:
            raise ValueError("of another format")
        made = Manifest(**values)
    except (TypeError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if text(made) != said or not _plausible(made):
        raise ValueError("not as it is written")
    return made


def digest(said: str) -> str:
    import hashlib

    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def judged_by() -> str:
    """The hash of every threshold that an experiment is judged by."""
    import json

    names = [name for name in vars(thresholds) if name.startswith("EXPERIMENT_") or name == "LOOP_SECONDS"]
    return digest(json.dumps({name: getattr(thresholds, name) for name in names}, sort_keys=True))


def path(place: Place, experiment: str) -> str:
    return os.path.join(os.path.dirname(journal_file.path(place)), f"experiment-{experiment}.json")


def keep(place: Place, manifest: Manifest) -> None:
    """Write its file, for nobody to change; ChalkError where that cannot be."""
    atomic.replace(path(place, manifest.id), text(manifest).encode(), 0o400)


def trouble(place: Place, experiment: str, wanted: str) -> str | None:
    """What is wrong with its file, whose hash should be `wanted`; None where nothing is."""
    try:
        said = small_file(path(place, experiment))
    except FileNotFoundError:
        return "its manifest is missing"
    except OSError as error:
        return f"its manifest cannot be read: {error.strerror}"
    return None if digest(said) == wanted else "its manifest was edited after the start"


def small_file(file: str) -> str:
    """A file's text, without following a link or waiting for a FIFO; OSError where it is no file of ours."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "it is no file")
        data = os.read(handle, thresholds.EXPERIMENT_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > thresholds.EXPERIMENT_BYTES:
        raise OSError(0, "it is too large")
    return data.decode("utf-8", "surrogateescape")


def _plausible(made: Manifest) -> bool:
    kinds: dict[str, Any] = {"aa": bool, "size": int, "rules": int}
    typed = all(type(getattr(made, name)) is kind for name, kind in kinds.items())
    words = (made.id, made.seed, made.started, made.chalkgit, made.thresholds)
    return (
        typed
        and all(isinstance(word, str) for word in words)
        and isinstance(made.holdout, float)
        and 0 < made.holdout < 1
        and made.size > 0
        and times.is_date(made.started)
    )
