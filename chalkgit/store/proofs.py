"""Which commit brought what a file says, kept: what commits hold never changes, so it is looked for once.

Derived data, without a word of any record: a key is a hash of the commit, the file's name and its content.
What cannot be kept or read is looked for again. Who may approve, and what is signed, is never kept.
"""

from __future__ import annotations

import os

from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FILE = "proofs.db"
_TABLE = "create table if not exists proofs (key text primary key, oid text, author text, email text)"

Proof = tuple[str, str, str]  # the commit, "" for nobody's; its author's name and address


class Proofs:
    """One for a repository; whoever asks nothing opens nothing."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._database: sqlite.Connection | None = None
        self._broken = False

    @staticmethod
    def key(commit: str, path: str, blob: str) -> str:
        import hashlib

        return hashlib.sha256("\0".join((commit, path, blob)).encode("utf-8", "surrogateescape")).hexdigest()

    def kept(self, key: str) -> Proof | None:
        try:
            database = self._opened()
            if database is None:
                return None
            row = database.execute("select oid, author, email from proofs where key = ?", (key,)).fetchone()
        except (sqlite.Error, OSError):
            self._broken = True
            return None
        whole = row is not None and all(isinstance(value, str) for value in row)
        return (row[0], row[1], row[2]) if whole else None

    def keep(self, key: str, proof: Proof) -> None:
        try:
            database = self._opened()
            if database is not None:
                database.execute("insert or replace into proofs values (?, ?, ?, ?)", (key, *proof))
        except (sqlite.Error, OSError, UnicodeEncodeError):
            self._broken = True

    def _opened(self) -> sqlite.Connection | None:
        if self._broken or self._database is not None:
            return None if self._broken else self._database
        derived = self._place.derived
        file = os.path.join(derived, FILE)
        # a FIFO in its place would be waited for
        odd = os.path.lexists(file) and (os.path.islink(file) or not os.path.isfile(file))
        if odd or os.path.islink(derived) or not os.path.isdir(derived):
            self._broken = True
            return None
        self._database = sqlite.connect(file, timeout=0.1, isolation_level=None)
        self._database.execute("pragma synchronous = off")
        self._database.execute(_TABLE)
        return self._database

    def __del__(self) -> None:
        if self._database is not None:
            self._database.close()
