"""`chalkgit fingerprint`: what a failed run is recognised by."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import failing, terminal
from chalkgit.errors import ChalkError
from chalkgit.failures import rules
from chalkgit.render import json
from chalkgit.store import place as places


@click.command("fingerprint")
@failing.options(root=True)
@click.option("--json", "as_json", is_flag=True, help="As it is anyway.")
@click.pass_obj
def command(directory: str | None, /, as_json: bool, **given: Any) -> int:
    """Say as JSON what a failed run is recognised by: its failing tests, its first error line, a hash of
    both.

    No repository and no record is needed for it.
    """
    run = failing.run(directory, given, _here(directory))
    if run is None:
        raise ChalkError(
            "there is no run to look at: --report or --output is needed",
            hint="chalkgit fingerprint --output FILE --exit-code N",
        )
    terminal.answer(
        {
            "version": json.VERSION,
            "rules": rules.VERSION,
            "tests": list(run.tests),
            "error": run.error,
            "normalized": run.normalized,
            "fingerprint": run.fingerprint,
            "why": run.why,
            "exit_code": run.exit_code,
            "runner": run.runner,
            "notes": list(run.notes),
        }
    )
    return 0


def _here(directory: str | None, /) -> str | None:
    try:
        return places.find(directory).root
    except ChalkError:  # outside of a repository
        return None
