"""The history table: commits, versions and contents, in SQLite in memory; a file is an image of it.

Derived: it may be lost at any moment. It is asked here; `history_growth` brings it to a tip, `history_file`
keeps it.
"""

from __future__ import annotations

from chalkgit.store import sqlite
from chalkgit.store.versions import NOBODY, Nothing, Version

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

FORMAT = "1"  # another one, too, where records are read otherwise: the table holds their fields
_SCHEMA = """
create table meta (key text primary key, value text) without rowid;
create table commits (seq integer primary key, oid text, at integer, latest integer, author text, email text,
  subject text, signed integer, parents text);
create table touched (seq integer, path text, id text, blob text);
create table versions (seq integer, place integer, id text, path text, old_path text, blob text, before text,
  events text, names text, successor text, title text, replaces text, primary key (seq, place)) without rowid;
create table replaced (id text, successor text, seq integer, primary key (id, successor, seq)) without rowid;
create table contents (blob text primary key, fields text, problem text) without rowid;
"""
# Made after the first rows are in: they then take half the time.
_INDEXES = """
create index if not exists commits_by_oid on commits (oid);
create index if not exists touched_by_path on touched (path, seq);
create index if not exists touched_by_id on touched (id) where id <> '';
create index if not exists versions_by_id on versions (id, seq);
"""
_TABLES = "select type, name, sql from sqlite_master"
_VERSION = "seq, id, path, old_path, blob, before, events, names, successor, title, replaces"
_KEPT_FIELDS = 4096  # records in memory at once, of some kilobytes each


class Unusable(Exception):
    """The bytes are no history table of this format."""


class HistoryTable:
    """One table. `tip` is the commit it reaches, "" while it is empty; `cut`: history goes on, unseen."""

    def __init__(self, image: bytes | memoryview | None = None) -> None:
        self._fields: dict[str, Any] = {}
        try:
            if image is None:
                self.db = sqlite.connect(":memory:", isolation_level=None)
                self.db.executescript(_SCHEMA)
                self.say("format", FORMAT)
            else:
                self.db = sqlite.loaded(image)
                self._judge()
        except (sqlite.Error, OverflowError) as error:
            raise Unusable(str(error)) from error

    def __del__(self) -> None:
        # Python 3.13 warns of a connection that is collected while open
        if hasattr(self, "db"):
            self.db.close()

    def _judge(self) -> None:
        """Unusable where it has other tables, or a view that somebody made for us, which may have no end."""
        empty = sqlite.connect(":memory:", isolation_level=None)
        try:
            empty.executescript(_SCHEMA + _INDEXES)
            wanted = set(empty.execute(_TABLES).fetchall())
        finally:
            empty.close()
        if set(self.rows(_TABLES)) != wanted or self.meta("format") != FORMAT:
            raise Unusable("another format")

    def image(self) -> bytes:
        return sqlite.image(self.db)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self.db.execute(query, values).fetchall()
        except (sqlite.Error, UnicodeDecodeError) as error:
            raise Unusable(str(error)) from error

    def put(self, query: str, values: Iterable[Sequence[object]]) -> None:
        try:
            self.db.executemany(query, values)
        except sqlite.Error as error:
            raise Unusable(str(error)) from error

    def index(self) -> None:
        self.db.executescript(_INDEXES)

    def meta(self, key: str) -> str:
        rows = self.rows("select value from meta where key = ?", key)
        return str(rows[0][0]) if rows else ""

    def say(self, key: str, value: str) -> None:
        self.put("insert or replace into meta values (?, ?)", [(key, value)])

    @property
    def tip(self) -> str:
        return self.meta("tip")

    @property
    def cut(self) -> bool:
        return self.meta("cut") == "1"

    def versions(self, where: str = "1", *values: object) -> list[Version]:
        """From the oldest to the newest, as `where` chooses."""
        query = f"select {_VERSION} from versions where {where} order by seq, place"
        return [_version(row) for row in self.rows(query, *values)]

    def fields(self, blob: str | None) -> Mapping[str, Any] | None:
        """The fields of a content; None where it is no record."""
        if blob is None:
            return None
        if blob not in self._fields:
            rows = self.rows("select fields from contents where blob = ?", blob)
            self.remember(blob, sqlite.json_value(rows[0][0]) if rows and rows[0][0] else None)
        found: Mapping[str, Any] | None = self._fields[blob]
        return found

    def remember(self, blob: str, fields: Mapping[str, Any] | None) -> None:
        if len(self._fields) >= _KEPT_FIELDS:
            self._fields.clear()
        self._fields[blob] = fields

    def add(self, versions: Sequence[Version]) -> None:
        """The versions of one commit."""
        marks = ", ".join("?" * 12)
        rows = [_row(version, number) for number, version in enumerate(versions)]
        self.put(f"insert into versions values ({marks})", rows)
        replaced = [(other, version.id, version.seq) for version in versions for other in version.replaces]
        self.put("insert or ignore into replaced values (?, ?, ?)", replaced)

    def drop(self, after: int) -> None:
        """Take out all that came after a commit, and the contents that nothing else has: somebody may have
        rewritten history to be rid of them."""
        dropped = self.rows("select distinct blob from touched where seq > ?", after)
        self.rows("pragma secure_delete = on")
        for name in ("commits", "touched", "versions", "replaced"):
            self.put(f"delete from {name} where seq > ?", [(after,)])
        if dropped:
            kept = {blob for (blob,) in self.rows("select blob from touched")}
            self.put("delete from contents where blob = ?", [row for row in dropped if row[0] not in kept])
        self._fields.clear()


class Standing(Nothing):
    """What stands at the end of a table, read as far as it is asked for."""

    def __init__(self, table: HistoryTable) -> None:
        self._table = table

    def held(self, path: str) -> tuple[str, str] | None:
        query = "select id, blob from touched where path = ? order by seq desc limit 1"
        rows = self._table.rows(query, path)
        return (rows[0][0], rows[0][1]) if rows and rows[0][1] else None

    def paths(self, record_id: str) -> set[str]:
        if not record_id:
            return set()  # of damaged files nobody asks
        rows = self._table.rows("select distinct path from touched where id = ? and id <> ''", record_id)
        return {path for (path,) in rows if (self.held(path) or ("",))[0] == record_id}

    def latest(self, record_id: str) -> Version | None:
        where = "id = ? and seq = (select max(seq) from versions where id = ?)"
        return next(iter(self._table.versions(where, record_id, record_id)), None)

    def successors(self, record_id: str) -> set[str]:
        # what any version replaced, ever; the last one decides
        rows = self._table.rows("select distinct successor from replaced where id = ?", record_id)
        versions = [self.latest(successor) for (successor,) in rows]
        return {v.id for v in versions if v is not None and v.blob is not None and record_id in v.replaces}

    def damaged(self, path: str) -> str | None:
        held = self.held(path)
        if held is None or held[0]:
            return None
        query = "select id from touched where path = ? and id <> '' order by seq desc limit 1"
        for (record_id,) in self._table.rows(query, path):
            version = self.latest(record_id)
            if version is not None and version.path == path and version.blob is None:
                return version.id
        return None


def _row(version: Version, number: int) -> tuple[object, ...]:
    about = (version.id, version.path, version.old_path, version.blob, version.before)
    words = (" ".join(version.events), "\n".join(version.names), version.by, version.title)
    return (version.seq, number, *about, *words, " ".join(version.replaces))


def _version(row: tuple[Any, ...]) -> Version:
    version = Version.__new__(Version)  # `log` makes all there are: its own start would set all fields twice
    version.seq, version.id, version.path, version.old_path, version.blob, version.before = row[:6]
    events, names, version.by, version.title, replaces = row[6:]
    version.events = events.split()
    version.names = names.split("\n") if names else []
    version.replaces = tuple(replaces.split()) if replaces else NOBODY
    return version
