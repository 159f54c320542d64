"""What the tests of readers share: a text as lines, and what a reading tells."""

from __future__ import annotations

from textwrap import dedent

from chalkgit.failures import lines
from chalkgit.failures.run import Reading


def split(text: str) -> list[str]:
    """The lines of a text that stands indented in a test."""
    return lines.lines(dedent(text).encode())


def told(reading: Reading | None) -> dict[str, str | None]:
    """By test the first line of its error."""
    assert reading is not None
    return {failure.test: failure.error for failure in reading.failures}
