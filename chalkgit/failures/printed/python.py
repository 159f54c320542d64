"""Python's two test runners: pytest, and unittest (and what prints like it: Django's)."""

from __future__ import annotations

from chalkgit.failures.printed import pytest, unittest

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.failures.run import Reading


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a run of either; None where this is neither."""
    found = pytest.read(lines)
    return found if found is not None else unittest.read(lines)
