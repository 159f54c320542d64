"""A failed run as the `failure` of a record: what `detain` and `lesson` store."""

from __future__ import annotations

from typing import Any

from chalkgit import thresholds
from chalkgit.failures import secrets
from chalkgit.failures.reading import Run


def failure(run: Run | None, **said: str | None) -> dict[str, Any]:
    """The parts of the field, those alone that are known. said: reason and ticket, in a person's words."""
    found: dict[str, Any] = {
        "reason": _line(said.get("reason")),
        "exit-code": None if run is None or run.exit_code is None else str(run.exit_code),
        "tests": list(run.tests) if run else [],
        "error": storable(run.text) if run and run.text else None,
        "output": _tail(run) if run else None,
        "fingerprint": run.fingerprint if run else None,
        "ticket": _line(said.get("ticket")),
    }
    return {name: value for name, value in found.items() if value}


def storable(text: str) -> str:
    """Text as a record can hold it: without controls but tabs and line ends."""
    return "".join(c for c in text if c in "\t\n" or c.isprintable())


def ticket(text: str | None) -> str | None:
    """A ticket as it is stored and compared, whoever was told of it."""
    return _line(text)


def _line(text: str | None) -> str | None:
    return " ".join(secrets.masked(storable(text)).split()) if text else None


def _tail(run: Run) -> str:
    text = secrets.masked(storable("\n".join(run.tail[-thresholds.OUTPUT_LINES :])))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
