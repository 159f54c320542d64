"""SQLite, without what the standard library's package brings along. Its only importer.

`import sqlite3` loads datetime and adapters that nothing here uses: a seventh of a bare interpreter, in every
hook. What it re-exports is the C module's own.
"""

from __future__ import annotations

import sys

try:
    from _sqlite3 import Connection, DatabaseError, Error, OperationalError, connect
except ImportError:  # a Python that names it otherwise
    from sqlite3 import Connection, DatabaseError, Error, OperationalError, connect

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "Connection",
    "DatabaseError",
    "Error",
    "OperationalError",
    "connect",
    "image",
    "json_value",
    "loaded",
]


def image(database: Connection) -> bytes:
    """What the file of a database in memory would be."""
    if hasattr(database, "serialize"):
        return bytes(database.serialize())
    import tempfile  # an SQLite before 3.36 that was built without it

    with tempfile.TemporaryDirectory() as folder:
        on_disk = connect(f"{folder}/table")
        try:
            database.backup(on_disk)
        finally:
            on_disk.close()
        with open(f"{folder}/table", "rb") as file:
            return file.read()


def loaded(data: bytes | memoryview) -> Connection:
    """A database in memory, from the bytes of a file: no file is locked, and none is written beside it."""
    database = connect(":memory:", isolation_level=None)
    try:
        if hasattr(database, "deserialize"):
            database.deserialize(data)
            return database
        _from_file(database, data)
    except BaseException:
        database.close()
        raise
    return database


def _from_file(database: Connection, data: bytes | memoryview) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        on_disk = connect(file.name)
        try:
            on_disk.backup(database)
        finally:
            on_disk.close()


def json_value(text: str, database: Connection | None = None) -> Any:
    """A JSON text as values, or ValueError: importing json costs half a bare interpreter."""
    loaded = sys.modules.get("json")
    if loaded is not None:  # then it is free, and ten times as fast
        return loaded.loads(text)
    asked = database or connect(":memory:")
    try:
        nodes = asked.execute("select id, parent, key, type, atom from json_tree(?)", (text,)).fetchall()
    except Error as error:
        if "malformed" in str(error) or "too big" in str(error):
            raise ValueError(str(error)) from error
        import json  # an SQLite that was built without JSON

        return json.loads(text)
    finally:
        if database is None:
            asked.close()
    values: dict[int, Any] = {}
    for node, parent, key, kind, atom in nodes:
        made = {"object": {}, "array": [], "true": True, "false": False}.get(kind, atom)
        values[node] = made
        above = values.get(parent)
        if isinstance(above, list):
            above.append(made)
        elif isinstance(above, dict):
            above[key] = made
    if not nodes:
        raise ValueError("no JSON")
    return values[nodes[0][0]]
