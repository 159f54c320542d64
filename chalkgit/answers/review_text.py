"""What a record's text does to whoever reads it: secrets in it, hidden characters, instructions.

Only what the change brings is told: a text that stood there before is not this change's. Of a secret no
character is repeated, in any finding.
"""

from __future__ import annotations

from chalkgit.answers import review_hides, review_instructs
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_secrets import bare_name, exposes, plain
from chalkgit.answers.review_words import called, named, quoted, some
from chalkgit.failures.secrets import masked
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from chalkgit.answers.review_sides import Sides

COMMENT = "a comment"
NAME = "the name of a field"


class _File:
    """One touched record file: its record where it can be read, its text, and what is new in both."""

    __slots__ = ("before", "lines", "old_lines", "path", "record", "sides")

    def __init__(self, sides: Sides, path: str, content: bytes, record: Record | None) -> None:
        self.sides = sides
        self.path = path
        self.record = record
        self.before = sides.before.get(self.record.id) if self.record is not None else None
        old = sides.was.get(self.before.path if self.before is not None else path)
        self.lines = _lines(content)
        self.old_lines = frozenset(_lines(old) if isinstance(old, bytes) else ())

    @property
    def name(self) -> str:
        return named(self.record) if self.record is not None else self.path

    def texts(self) -> Iterator[tuple[str, str]]:
        """(field, text) of what the change wrote: fields as they are read, their names, lines of comments."""
        if self.record is None:
            # what cannot be read as a record is read as text
            yield from ((COMMENT, line) for line in self.lines if line not in self.old_lines)
            return
        for name, value in self.record.fields.items():
            if self.before is None or name not in self.before.fields:
                yield NAME, name
            old = set(_leaves(self.before.get(name))) if self.before is not None else set[str]()
            yield from ((name, leaf) for leaf in _leaves(value) if leaf not in old)
        for line in self.lines:
            if line.lstrip().startswith("#") and line not in self.old_lines:
                yield COMMENT, line

    def names(self) -> Iterator[str]:
        """The names of fields, and of parts of them, that the change wrote."""
        old = set(_names(self.before.fields)) if self.before is not None else set[str]()
        yield from (name for name in _names(self.record.fields if self.record else {}) if name not in old)

    def finding(self, rule: str, message: str, line: int | None, details: list[str]) -> Finding:
        record = self.record
        return Finding(
            rule,
            self.path,
            message,
            line=line,
            record=record.id if record is not None else "",
            title=called(record) if record is not None else "",
            details=details,
        )

    def line(self, field: str) -> int | None:
        if self.record is not None and field not in (COMMENT, NAME):
            return self.sides.line(self.record, field)
        return None


def findings(sides: Sides) -> Iterator[Finding]:
    by_path = {record.path: record for i in sides.changed if (record := sides.after.get(i)) is not None}
    for path, content in sides.contents.items():
        if not isinstance(content, bytes):
            continue
        file = _File(sides, path, content, by_path.get(path))
        yield from _secret(file)
        yield from _hides(file)
        yield from _instructs(file)


def _secret(file: _File) -> Iterator[Finding]:
    lines = _masked_lines(file.lines, file.old_lines)
    fields = list(dict.fromkeys(field for field, text in file.texts() if field != NAME and exposes(text)))
    fields += [NAME] if any(bare_name(name) != name for name in file.names()) else []
    if not lines and not fields:
        return
    line = lines[0] if lines else file.line(fields[0])
    where = f" in {_where(fields)}" if fields else ""
    message = f"{file.name} has text{where} that looks like a secret"
    yield file.finding("secret", message, line, [])


def _masked_lines(lines: list[str], old: frozenset[str]) -> list[int]:
    """The new lines that a mask would change, from 1."""
    text = plain("\n".join(lines))
    clean = masked(text)
    if clean == text:
        return []
    kept, shown = clean.split("\n"), text.split("\n")
    if len(kept) == len(lines):
        pairs = zip(shown, kept, strict=True)
        return [n for n, (one, other) in enumerate(pairs, 1) if one != other and lines[n - 1] not in old]
    # a key of several lines became one: up to it nothing differs
    first = next((n for n, (one, other) in enumerate(zip(shown, kept, strict=False)) if one != other), 0)
    return [first + 1] if any(line not in old for line in lines[first : first + 2]) else []


def _hides(file: _File) -> Iterator[Finding]:
    counts: dict[str, int] = {}
    fields: list[str] = []
    for field, text in file.texts():
        for words, count in review_hides.found(text).items():
            counts[words] = counts.get(words, 0) + count
            fields += [] if field in fields else [field]
    if counts:
        said = [words if count == 1 else f"{words} ({count} times)" for words, count in counts.items()]
        message = f"{file.name} hides characters in {_where(fields)}: {some(said)}"
        yield file.finding("hides", message, file.line(fields[0]), [])


def _instructs(file: _File) -> Iterator[Finding]:
    for field, text in file.texts():
        found = review_instructs.found(text)
        if found is not None:
            words, passage = found
            message = f"{file.name}, in {_where([field])}: {words}"
            yield file.finding("instructs", message, file.line(field), [f"it says: {quoted(passage)}"])
            return


def _where(fields: list[str]) -> str:
    return some([field if field in (COMMENT, NAME) else f"its {bare_name(field)}" for field in fields])


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield str(key)
            yield from _leaves(part)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name)
            yield from _names(part)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
