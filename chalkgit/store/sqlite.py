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

__all__ = ["Connection", "DatabaseError", "Error", "OperationalError", "connect", "json_value"]


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
