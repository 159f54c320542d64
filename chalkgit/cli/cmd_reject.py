"""`chalkgit reject`: a record is wrong, and is never recalled."""

from __future__ import annotations

from chalkgit.cli import reviewing

command = reviewing.restriction(
    "rejected", "Reject a record: it is never recalled again, from now on and by anybody's word."
)
