"""The one error that reaches users, and the problem that costs one record.

Both carry what, where and the command that helps; rendering them is `render.text`'s work.
"""

from __future__ import annotations


class ChalkError(Exception):
    """Something the user can mend: exit code 2, one line `what`, one `hint:` line with a command."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


class NoStore(ChalkError):
    """No `.lessons/` here; callers that ask several stores tell and go on."""


class UnknownPast(ChalkError):
    """A past that this clone cannot see was asked for: the answer is unknown, never no."""


class Problem:
    """What is wrong with one record file: it costs that record, and nothing else.

    `line` counts from 1 and is None where the whole file is meant. `fatal` is False for a finding
    that left the record readable (a word outside an enumeration was dropped, say).
    """

    __slots__ = ("fatal", "hint", "line", "message", "path")

    def __init__(
        self, path: str, line: int | None, message: str, hint: str | None = None, *, fatal: bool = True
    ) -> None:
        self.path = path
        self.line = line
        self.message = message
        self.hint = hint
        self.fatal = fatal

    @property
    def where(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Problem({self.where}: {self.message})"

    def _key(self) -> tuple[str, int | None, str, str | None, bool]:
        return self.path, self.line, self.message, self.hint, self.fatal


class Twice(Problem):
    """An id that another file has already. `first`: the file that is read."""

    __slots__ = ("first", "id")

    def __init__(self, path: str, record_id: str, first: str) -> None:
        self.id = record_id
        self.first = first
        super().__init__(
            path,
            None,
            f"has the id {record_id}, which {first} has too; the other one is read",
            f"chalkgit fmt --new-id {path}",
        )


def twice(path: str, record_id: str, first: str) -> Problem:
    return Twice(path, record_id, first)
