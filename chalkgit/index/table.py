"""The table: what the last look saw, the records as JSON, and the files they name. SQLite's only user.

Derived: it may be lost at any moment. `index.refresh` alone writes it, under its lock.
"""

from __future__ import annotations

import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import sqlite
from chalkgit.store.worktree import nameable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_SCHEMA = """
create table meta (key text primary key, value text) without rowid;
create table looks (paths blob, signatures blob);
create table since_look (path text primary key) without rowid;
create table vouched (folders text, states text, index_file text, tag text, doubtful text, notes blob);
create table pending (path text primary key, body text) without rowid;
create table problems (path text, line integer, message text, hint text, fatal integer);
create table files (path text primary key, hash text, blob text, id text, kind text, body text, sum integer,
  vectors text);
create table unread_lessons (path text primary key) without rowid;
create table lessons (key integer primary key, path text, computed text, stated text, tests text);
create index lessons_by_path on lessons (path);
create index lessons_by_computed on lessons (computed) where computed is not null;
create index lessons_by_stated on lessons (stated) where stated is not null;
create table failing (test text, key integer, primary key (test, key)) without rowid;
create index failing_by_key on failing (key);
create table alike_strings (number integer primary key, key integer, text text);
create table alike_sizes (part integer primary key, sizes blob);
create table alike_trigrams (place integer primary key, numbers blob);
create index alike_by_key on alike_strings (key) where key is not null;
create table names (key text, form text, path text);
create table successors (old text, new text, path text, effective integer);
create table recorded (path text primary key, head text, made text, at text) without rowid;
create table moved (old text primary key, new text) without rowid;
create table unsearched (key text);
create table moved_since (old text, new text);
"""
# Made after the first rows are in: 100,000 rows then take half the time.
_INDEXES = """
create index files_by_id on files (id);
create index files_by_kind on files (kind, id);
create index names_by_key on names (key, form);
create index names_by_path on names (path);
create index moved_ones on moved (new) where new <> '';
create index globs on names (key, path) where form = 'glob';
"""


# Of two files with one id the one that is named by it counts: the other is a copy, whatever it is called.
_TURN = "case when path like '%.' || id || '.yaml' then '0' else '1' end || path"
FIRST = f"substr(min({_TURN}), 2)"


def checksum(body: str) -> int:
    import zlib

    return zlib.crc32(body.encode("utf-8", "surrogatepass"))


class Damaged(Exception):
    """The table cannot be used: it is rebuilt."""


def _busy(error: Exception) -> ChalkError:
    return ChalkError(f"another process is writing the index ({error})", hint="the same again in a moment")


class Table:
    """One open table. Paths are those of `worktree.look`; bodies are JSON objects of record fields.

    wait: seconds for another process's write. A query that takes longer than any of ours does is damage.
    """

    def __init__(self, file: str, *, create: bool = False, wait: float = thresholds.TABLE_SECONDS) -> None:
        self._until = time.monotonic() + thresholds.TABLE_SECONDS
        self._without_indexes = create
        try:
            self._db = sqlite.connect(file, timeout=wait, isolation_level=None, check_same_thread=False)
            # a view in a file that somebody made for us may have no end
            self._db.set_progress_handler(lambda: time.monotonic() > self._until, 1_000_000)
            if create:
                self._db.executescript(_SCHEMA)
            elif self.meta("format") is None:
                raise Damaged(file)
        except sqlite.OperationalError as error:
            raise (_busy(error) if "locked" in str(error) else Damaged(str(error))) from error
        except sqlite.Error as error:
            raise Damaged(str(error)) from error

    def close(self) -> None:
        self._db.close()

    def __del__(self) -> None:
        # Python 3.13 warns of a connection that is collected while open
        if hasattr(self, "_db"):
            self._db.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        self._until = time.monotonic() + thresholds.TABLE_SECONDS
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite.OperationalError as error:
            raise (_busy(error) if "locked" in str(error) else Damaged(str(error))) from error
        except (sqlite.Error, UnicodeDecodeError) as error:
            raise Damaged(str(error)) from error

    def meta(self, key: str) -> str | None:
        rows = self.rows("select value from meta where key = ?", key)
        return rows[0][0] if rows else None

    def looked(self) -> tuple[bytes, bytes]:
        """What the last exact look saw, packed as `worktree.Look` does."""
        rows = self.rows("select paths, signatures from looks")
        return rows[0] if rows else (b"", b"")

    def since_look(self) -> list[str]:
        """The files that were read or found gone since then: the look does not speak of them."""
        return [path for (path,) in self.rows("select path from since_look")]

    def vouched(self) -> tuple[Any, ...] | None:
        """(folders, states, index, tag, doubtful, notes) of what `index.vouching` keeps."""
        rows = self.rows("select folders, states, index_file, tag, doubtful, notes from vouched")
        return rows[0] if rows else None

    def blobs(self) -> dict[str, str]:
        """Path to git's id for the content that was read."""
        return dict(self.rows("select path, blob from files"))

    def pending(self) -> list[tuple[str, str | None]]:
        """(path, text) of the changes that the words do not know yet; None: the path only leaves them."""
        return [(path, body) for path, body in self.rows("select path, body from pending order by path")]

    def pending_count(self) -> int:
        return int(self.rows("select count(*) from pending")[0][0])

    def hashes(self, paths: Sequence[str]) -> dict[str, str]:
        if len(paths) < 500:
            return dict(self.some("select path, hash from files where path in", paths))
        return dict(self.rows("select path, hash from files"))

    def bodies(self, paths: Sequence[str]) -> dict[str, str]:
        """Path to the JSON of its record, for those that are records."""
        rows = self.some("select path, body, sum from files where body is not null and path in", paths)
        # a flipped bit in a row still reads as text: no record is shown that is not what was stored
        if any(checksum(body) != total for _, body, total in rows):
            raise Damaged("a record's text is not what was stored")
        return {path: body for path, body, _ in rows}

    def fields(self, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Path to the fields of its record, for those that are records."""
        return {path: sqlite.json_value(body, self._db) for path, body in self.bodies(paths).items()}

    def with_id(self, record_id: str) -> list[str]:
        """The files that carry an id; the first is the one that counts."""
        return [
            row[0] for row in self.rows(f"select path from files where id = ? order by {_TURN}", record_id)
        ]

    def ids(self) -> dict[str, str]:
        """Every id to the path that counts for it."""
        return dict(self.rows(f"select id, {FIRST} from files where id is not null group by id"))

    def vectors(self) -> list[tuple[Any, ...]]:
        """(id, content hash, path) of every record that may have vectors."""
        return self.rows(f"select id, vectors, {FIRST} from files where vectors is not null group by id")

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        """Id to content hash, of those of these records that may have vectors."""
        found: dict[str, str] = {}
        for record_id, digest, *_ in self.some(
            f"select id, vectors, {FIRST} from files where vectors is not null and id in", ids, " group by id"
        ):
            found[record_id] = digest
        return found

    def paths(self, ids: Sequence[str]) -> list[str]:
        """The files that count for these ids."""
        return [r[1] for r in self.some(f"select id, {FIRST} from files where id in", ids, " group by id")]

    def count(self, kinds: Sequence[str]) -> int:
        rows = self.some("select value from meta where key in", [f"count:{kind}" for kind in kinds])
        return sum(int(row[0]) for row in rows)

    def problems(self) -> list[tuple[Any, ...]]:
        """(path, line, message, hint, fatal) of what is wrong with the files."""
        return self.rows("select path, line, message, hint, fatal from problems order by path")

    def named(self, keys: Sequence[str], form: str) -> list[tuple[Any, ...]]:
        """(path, key) of the records that name one of these keys in this form."""
        return self.some(f"select path, key from names where form = '{form}' and key in", keys)

    def globs(self) -> list[tuple[Any, ...]]:
        return self.rows("select path, key from names where form = 'glob'")

    def write(self, statements: Iterable[tuple[str, Sequence[Sequence[object]]]]) -> None:
        """All statements in one transaction, or none; ChalkError when the disk refuses."""

        def work(database: sqlite.Connection) -> None:
            for statement, values in statements:
                database.executemany(statement, values)
            for statement in _INDEXES.split(";")[:-1] if self._without_indexes else ():
                database.execute(statement)

        self.change(work)
        self._without_indexes = False

    def change(self, work: Callable[[sqlite.Connection], None]) -> None:
        """What `work` does in one transaction, or nothing of it; ChalkError when the disk refuses."""
        self._until = time.monotonic() + thresholds.TABLE_SECONDS
        try:
            self._db.execute("begin immediate")
            work(self._db)
            self._db.execute("commit")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.rollback()
            if isinstance(error, sqlite.OperationalError):
                raise ChalkError(f"the index cannot be written: {error}") from error
            if isinstance(error, sqlite.DatabaseError):
                raise Damaged(str(error)) from error
            if isinstance(error, UnicodeEncodeError):
                raise ChalkError("the index takes no names that are not UTF-8") from error
            raise

    def some(self, query: str, values: Sequence[str], end: str = "") -> list[tuple[Any, ...]]:
        """The rows of a query that ends in `… in`, for any number of values."""
        found: list[tuple[Any, ...]] = []
        values = [value for value in values if nameable(value)]  # no row has a value of another kind
        for start in range(0, len(values), 500):  # SQLite takes 999 variables in its older builds
            part = values[start : start + 500]
            found += self.rows(f"{query} ({','.join('?' * len(part))}){end}", *part)
        return found
