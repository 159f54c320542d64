"""What the user measured of their models (`chalkgit model calibrate`), kept by model name and revision.

Every `check` with a model looks here, in one small file of the user's. A file or an entry that is not as it
was written counts as none.
"""

from __future__ import annotations

import json
import os

from chalkgit import config, settings, thresholds
from chalkgit.calibration import Calibration
from chalkgit.errors import ChalkError
from chalkgit.store import atomic

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

BYTES = 1 << 20  # our choice: some thousand models


class Kept:
    """One measurement. consent: a cosine; near: an order; records: how many it was measured among; when: a
    date."""

    __slots__ = ("consent", "near", "records", "when")

    def __init__(self, consent: float, near: float, records: int, when: str) -> None:
        self.consent = consent
        self.near = near
        self.records = records
        self.when = when


def path() -> str:
    return os.path.join(config.home("DATA"), "calibrations.json")


def kept(name: str, revision: str) -> Kept | None:
    """What was measured of this very model, None where nothing was or it cannot be read."""
    try:
        return _sound(_entries().get(_key(name, revision)))
    except ChalkError:
        return None  # `model status` says so: an answer is the same as before the measurement


def of(name: str, revision: str) -> Calibration | None:
    """The same as thresholds: how much two texts say in the same words is a matter of the words alone."""
    found = kept(name, revision)
    if found is None:
        return None
    like = thresholds.MODELS[thresholds.MEASURED_MODEL]
    return Calibration(
        like.lexical,
        like.shared,
        f"measured here on {found.when}",
        consent=found.consent,
        near=found.near,
        records=found.records,
        sure=like.sure,
        unsure=like.unsure,
    )


def trouble(name: str, revision: str) -> ChalkError | None:
    """What is wrong with what is kept of this model, None where nothing is."""
    try:
        entry = _entries().get(_key(name, revision))
    except ChalkError as error:
        return error
    return None if entry is None or _sound(entry) else _damaged()


def keep(name: str, revision: str, found: Kept) -> None:
    """Put a measurement in the place of an older one; ChalkError where it cannot be written."""
    file = path()
    with settings.Lock(file + ".lock"):
        try:
            entries = _entries()
        except ChalkError:
            entries = {}  # derived data: what is damaged is begun again
        entries[_key(name, revision)] = {key: getattr(found, key) for key in Kept.__slots__}
        atomic.replace(file, json.dumps(entries, indent=2).encode() + b"\n", 0o600)


def _key(name: str, revision: str) -> str:
    return f"{name}@{revision}"


def _entries() -> dict[str, Any]:
    """All that is kept, as it stands in the file; ChalkError where that is no mapping."""
    file = path()
    if not os.path.lexists(file):
        return {}
    try:
        if not os.path.isfile(file):  # a FIFO in its place would be waited for
            raise ValueError("no file")
        with open(file, "rb") as handle:
            found = json.loads(handle.read(BYTES))
    except (OSError, ValueError, RecursionError):
        raise _damaged() from None
    if not isinstance(found, dict):
        raise _damaged()
    return found


def _damaged() -> ChalkError:
    return ChalkError(
        "what was measured of models cannot be read, and counts as nothing",
        where=path(),
        hint="chalkgit model calibrate",
    )


def _sound(entry: object) -> Kept | None:
    if not isinstance(entry, dict):
        return None
    consent, near, records, when = (entry.get(key, "") for key in Kept.__slots__)
    if not (_between(consent, -1, 1) and _between(near, -thresholds.ORDER_MOST, thresholds.ORDER_MOST)):
        return None
    if (
        type(records) is not int
        or not 1 <= records <= 10**9
        or not (isinstance(when, str) and when.isascii())
    ):
        return None
    return Kept(float(consent), float(near), records, when[:10])


def _between(value: Any, low: float, high: float) -> bool:
    # false for what is not a number, too; a bool is a slip of whoever wrote it
    return type(value) in (int, float) and low <= value <= high
