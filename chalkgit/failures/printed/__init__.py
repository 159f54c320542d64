"""What test runners print, one module a family. Each has `read(lines) -> Reading | None`."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.failures.run import Reading

# The inner runners before those that print what they ran (ctest runs gtest, a build tool runs everything):
# of two that know the text, the first that names failing tests is believed.
FAMILIES = (
    "python",
    "go",
    "rust",
    "jest",
    "vitest",
    "mocha",
    "nodetest",
    "rspec",
    "minitest",
    "phpunit",
    "java",
    "ctest",
    "gtest",
    "catch2",
    "elixir",
    "lua",
    "tap",
    "compiler",
)


def read(lines: Sequence[str]) -> Reading:
    """What these lines (of `failures.lines`) say failed; of a runner nobody knows, the first error alone."""
    second: Reading | None = None
    for family in FAMILIES:
        found: Reading | None = importlib.import_module(f"{__name__}.{family}").read(lines)
        if found is None:
            continue
        if any(failure.test for failure in found.failures):
            return found
        if second is None or (not _told(second) and _told(found)):
            second = found
    if second is not None and _told(second):
        return second
    from chalkgit.failures.printed import generic

    return generic.read(lines) or second or _nothing()


def _told(reading: Reading) -> bool:
    return any(failure.error for failure in reading.failures)


def _nothing() -> Reading:
    from chalkgit.failures.run import Reading

    return Reading("unknown", ())
