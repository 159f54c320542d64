"""What writes TAP (Test Anything Protocol): bats and prove, which say more than it does, and any other."""

from __future__ import annotations

from chalkgit.failures.printed import bats, prove, tap_stream

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.failures.run import Reading


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests of bats, prove or a stream of TAP; None where this is none of them."""
    return bats.read(lines) or prove.read(lines) or tap_stream.read(lines)
