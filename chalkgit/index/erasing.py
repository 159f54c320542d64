"""What erases one record from the derived data of a work tree: nothing of it stays in a file.

Deleted rows stay in a table's free pages and deleted documents in the segments of the words, so that all of
it is taken away and built anew. Vectors cost most to make: their files are written anew without the record's.
"""

from __future__ import annotations

import json
import os
import shutil
import stat

from chalkgit.errors import ChalkError
from chalkgit.index import bits, refresh, vector_files
from chalkgit.index.arrays import numpy
from chalkgit.index.generation import is_generation, withdraw
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.index import vectors

_VECTORS = "vectors"


def traces(place: Place, record_id: str) -> int:
    """In how many files of derived data the id stands as it is; the words may hold more than can be seen."""
    name = record_id.encode()
    return sum(name in vector_files.read(path) for path in _files(place.derived))


def derived(place: Place, record_id: str) -> bool:
    """Erase the record, under the lock of a refresh; whether there was an index, which is gone now.

    ChalkError where another process holds the lock for long, or a link stands in a folder's place.
    """
    if not os.path.lexists(place.derived):
        return False
    vector_files.refuse_links(place.derived, os.path.join(place.derived, _VECTORS))
    try:
        with refresh.lock(place):
            withdraw(place)
            had = any(map(is_generation, os.listdir(place.derived)))
            for name in sorted(os.listdir(place.derived)):
                if name != _VECTORS:
                    _take(os.path.join(place.derived, name))
            _vectors(place, record_id)
            return had
    except OSError as error:
        raise ChalkError(f"cannot be erased: {error.strerror}", where=place.derived) from None


def _files(folder: str) -> Iterator[str]:
    for above, _, names in os.walk(folder):
        yield from (os.path.join(above, name) for name in names)


def _take(path: str) -> None:
    """Remove what is no lock and no socket: others wait at these, and they hold no text."""
    mode = os.lstat(path).st_mode
    if stat.S_ISDIR(mode):
        shutil.rmtree(path)
    elif not stat.S_ISSOCK(mode) and not path.endswith("lock"):
        os.unlink(path)


def _vectors(place: Place, record_id: str) -> None:
    above = os.path.join(place.derived, _VECTORS)
    for name in sorted(os.listdir(above)) if os.path.isdir(above) else ():
        folder = os.path.join(above, name)
        if os.path.islink(folder) or not os.path.isdir(folder):
            os.unlink(folder)
        elif not _whole(folder) or not _forgotten(place, folder, record_id):
            shutil.rmtree(folder)  # of another format, or torn: it is made anew by the next `check`


def _forgotten(place: Place, folder: str, record_id: str) -> bool:
    """Whether the files of one model say nothing of the record any more."""
    rows = os.path.join(folder, "rows")
    if record_id.encode() in vector_files.read(rows):
        stored = _opened(place, folder)
        if stored is None:
            return False
        stored.forget(record_id)
    return record_id.encode() not in vector_files.read(rows)


def _opened(place: Place, folder: str) -> vectors.Vectors | None:
    from chalkgit.index import vector_store, vectors

    try:
        meta = json.loads(vector_files.read(os.path.join(folder, "meta.json")))
        name, revision, dimension = str(meta["model"]), str(meta["revision"]), int(meta["dimension"])
    except (ValueError, KeyError, TypeError):
        return None
    said = os.path.basename(folder).split("-")
    kind = said[1] if said[0] == vector_store.FORMAT and len(said) > 2 else ""
    for of in ("", kind):
        found = vectors.Vectors(place, vector_files.Key(name, revision, dimension, of))
        if found.folder == folder:
            return found
    return None


def _whole(folder: str) -> bool:
    """Whether each row has its vector and tokens, and nothing lies behind the last: a crash leaves that."""
    said = vector_files.read(os.path.join(folder, "rows"))
    if len(said) % vector_files.ROW.itemsize:
        return False
    rows = numpy.frombuffer(said, vector_files.ROW)
    try:
        dimension = int(json.loads(vector_files.read(os.path.join(folder, "meta.json")))["dimension"])
        end = int(rows[-1]["start"]) + bits.size(dimension) * int(rows[-1]["tokens"]) if len(rows) else 0
        sizes = [_size(os.path.join(folder, name)) for name in ("data", "tokens")]
    except (ValueError, KeyError, TypeError):
        return False
    return sizes == [4 * len(rows) * dimension, end]


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.isfile(path) else 0
