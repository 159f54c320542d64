"""Which experiments there were, which one runs, and how one begins and ends.

A small file beside the journal names the newest one and says whether it runs, so that whoever runs none pays
for one look at the file system. An experiment runs where that file, the journal and the manifest agree.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import atomic, experiment_manifest, journal_file, ledger
from chalkgit.store.experiment_manifest import Manifest
from chalkgit.store.lock import Lock

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FILE = "experiment"
RUNNING, ENDED = "running", "ended"
STOPPED, ABORTED = "stopped", "aborted"
_COLUMNS = ("id", "at", "manifest", "digest", "ended", "why")
_LOCK_SECONDS = 5.0


class Kept:
    """One experiment, as the journal has it.

    at, ended: milliseconds since 1970, `ended` None while it runs. manifest: as it was at the start; None
    where the journal's own copy is damaged. trouble: what is wrong with its file now, None where nothing is.
    """

    __slots__ = ("at", "ended", "id", "manifest", "trouble", "why")

    def __init__(
        self,
        id: str,
        at: int,
        manifest: Manifest | None,
        trouble: str | None,
        ended: int | None,
        why: str | None,
    ) -> None:
        self.id = id
        self.at = at
        self.manifest = manifest
        self.trouble = trouble
        self.ended = ended
        self.why = why


def path(place: Place) -> str:
    return os.path.join(os.path.dirname(journal_file.path(place)), FILE)


def pointed(place: Place) -> tuple[str, str]:
    """(id, RUNNING or ENDED) of the newest experiment; ChalkError where the file does not say, with the way
    out: to end what runs, or to take away what ending it cannot write over."""
    what = in_the_way(place)
    if what is not None:
        kind = "symbolic link" if os.path.islink(what) else "folder"
        raise ChalkError(
            f"a {kind} lies where it stands which experiment runs; nothing is withheld",
            where=what,
            hint=journal_file.removal(what),
        )
    try:
        experiment, state = experiment_manifest.small_file(path(place)).split()
    except FileNotFoundError:
        return "", ENDED
    except (OSError, ValueError):
        experiment, state = "", ""
    if state not in (RUNNING, ENDED):
        raise ChalkError(
            "it does not say which experiment runs; nothing is withheld",
            where=path(place),
            hint="chalkgit experiment stop",
        )
    return experiment, state


def in_the_way(place: Place) -> str | None:
    """What `stop` cannot write over: a folder in the file's place, or a link in the journal's folder's."""
    folder, file = os.path.dirname(path(place)), path(place)
    if os.path.islink(folder):
        return folder
    return file if os.path.isdir(file) and not os.path.islink(file) else None


def way_out(place: Place) -> str:
    """The command that ends whatever runs, or takes away what is in its way."""
    what = in_the_way(place)
    return "chalkgit experiment stop" if what is None else journal_file.removal(what)


def every(place: Place) -> list[Kept]:
    """All that the journal knows of, oldest first. ChalkError where it cannot be read."""
    return [_kept(place, *row) for row in ledger.read(place, "experiments", _COLUMNS)]


def kept(place: Place, experiment: str) -> Kept | None:
    rows = ledger.read(place, "experiments", _COLUMNS, "id = ?", (experiment,))
    return _kept(place, *rows[-1]) if rows else None


def state(place: Place, known: list[Kept]) -> tuple[str | None, str | None]:
    """(the id of the experiment that runs, what is wrong): one of `known`, if all is as it should be."""
    try:
        experiment, state = pointed(place)
    except ChalkError as error:
        return None, error.message
    if state == ENDED:
        return None, None
    one = next((one for one in known if one.id == experiment), None)
    if one is None:
        return None, f"experiment {experiment} runs, and is not in the journal"
    if one.ended is not None:
        return None, None
    return experiment, None if one.trouble is None else f"experiment {experiment}: {one.trouble}"


def start(place: Place, *, holdout: float, size: int, aa: bool) -> Manifest:
    """Lock a manifest and have the next loops take part. ChalkError where one runs already, and where the
    journal keeps nothing. Whatever it dies of, no experiment runs whose manifest is not kept."""
    from chalkgit import __version__, ids, times

    if ledger.is_off(place):
        where = os.path.dirname(journal_file.path(place))
        raise ChalkError(
            "the journal is switched off, and an experiment is kept in it",
            where=os.path.join(where, ledger.OFF),
            hint="chalkgit journal on",
        )
    least = thresholds.EXPERIMENT_HOLDOUT_LEAST
    if not least <= holdout <= 1 - least:  # nor is what is no number
        raise ChalkError(f"a share of {holdout} cannot be held out", hint="chalkgit experiment start --help")
    smaller = min(holdout, 1 - holdout)
    if size / smaller > ledger.BOUNDS["trials"]:
        raise ChalkError(
            f"{size:,} loops in each arm take some {size / smaller:,.0f} in all, and the journal keeps "
            f"{ledger.BOUNDS['trials']:,}",
            hint="chalkgit experiment start --holdout 0.5",
        )
    try:
        refused = journal_file.made(place)
    except OSError as error:
        refused = f"cannot be made: {error.strerror}"
    if refused is not None:
        raise ChalkError(f"the journal {refused}", where=journal_file.path(place), hint="chalkgit doctor")
    with _lock(place):
        before = every(place)
        _only_one(place, before)
        manifest = Manifest(
            ids.mint({one.id for one in before}),
            seed=os.urandom(16).hex(),
            holdout=float(holdout),
            size=size,
            aa=aa,
            started=times.iso(times.system_clock()),
            chalkgit=__version__,
            rules=experiment_manifest.RULES,
            thresholds=experiment_manifest.judged_by(),
        )
        experiment_manifest.keep(place, manifest)
        _written_down(place, manifest)
        _point(place, manifest.id, RUNNING)
    return manifest


def stop(place: Place, why: str = STOPPED, only: str | None = None) -> str:
    """End the experiment that runs, whatever became of its manifest; its id. ChalkError where none runs.

    only: where another one runs by now, that one goes on.
    """
    none = ChalkError("no experiment runs here", where=place.root, hint="chalkgit experiment start")
    if not os.path.lexists(path(place)):
        raise none
    with _lock(place):
        try:
            experiment, state = pointed(place)
        except ChalkError:
            if in_the_way(place) is not None:
                raise
            experiment, state = "", RUNNING  # nobody can tell which: all that have not ended
        if state == ENDED or (only is not None and experiment != only):
            raise none
        if _known(place, experiment):
            _ended(place, why, "id = ?" if experiment else "1", (experiment,) if experiment else ())
        _point(place, experiment or "unknown", ENDED)
    return experiment or "unknown"


def _known(place: Place, experiment: str) -> bool:
    """Whether the journal has it; one that was lost or damaged keeps nobody from stopping."""
    try:
        return any(experiment in ("", one.id) for one in every(place))
    except ChalkError:
        return False


def _only_one(place: Place, before: list[Kept]) -> None:
    """Refuse a second one; one whose start was broken off is ended first."""
    experiment, state = pointed(place)
    ended = {one.id for one in before if one.ended is not None}
    if state == RUNNING and experiment not in ended:
        raise ChalkError(
            f"experiment {experiment} runs already", where=place.root, hint="chalkgit experiment stop"
        )
    if any(one.ended is None for one in before):
        _ended(place, "its start was broken off", "1", ())


def _written_down(place: Place, manifest: Manifest) -> None:
    row: dict[str, ledger.Value] = {
        "id": manifest.id,
        "at": _now(),
        "manifest": experiment_manifest.text(manifest),
        "digest": manifest.digest,
    }
    refused = ledger.add(place, {"experiments": [row]})
    if refused is not None:
        os.unlink(experiment_manifest.path(place, manifest.id))
        raise ChalkError(
            f"the experiment cannot be kept in the journal: {refused}",
            where=journal_file.path(place),
            hint="chalkgit doctor",
        )


def _ended(place: Place, why: str, where: str, values: tuple[str, ...]) -> None:
    statement = f"update experiments set ended = ?, why = ? where ended is null and {where}"
    ledger.change(place, statement, (_now(), why, *values))


def _point(place: Place, experiment: str, state: str) -> None:
    atomic.replace(path(place), f"{experiment} {state}\n".encode(), 0o600)


def _lock(place: Place) -> Lock:
    file = path(place) + ".lock"
    return Lock(file, _LOCK_SECONDS, "another process starts or stops an experiment", required=False)


def _kept(place: Place, *row: ledger.Value) -> Kept:
    experiment, at, said, digest, ended, why = row
    name, wanted = str(experiment), str(digest)
    trouble, manifest = _trouble(place, name, wanted), None
    try:
        manifest = experiment_manifest.parsed(str(said))
    except ValueError:
        trouble = trouble or "its manifest is damaged in the journal"
    if manifest is not None and (manifest.digest, manifest.id) != (wanted, name):
        manifest, trouble = None, "its manifest is not the one of the journal"
    since = at if isinstance(at, int) else 0
    return Kept(
        name, since, manifest, trouble, ended if isinstance(ended, int) else None, str(why) if why else None
    )


def _trouble(place: Place, experiment: str, wanted: str) -> str | None:
    from chalkgit import ids

    if not ids.is_id(experiment):  # whoever can write the journal can put anything there
        return "its id is none"
    return experiment_manifest.trouble(place, experiment, wanted)


def _now() -> int:
    return time.time_ns() // 1_000_000
