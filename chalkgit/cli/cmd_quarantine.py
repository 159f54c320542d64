"""`chalkgit quarantine`: a record is put aside until somebody has looked at it."""

from __future__ import annotations

from chalkgit.cli import reviewing

command = reviewing.restriction(
    "quarantined", "Put a record aside: it is not recalled until somebody has looked at it."
)
