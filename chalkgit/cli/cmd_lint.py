"""`chalkgit lint`: are the records valid?"""

from __future__ import annotations

import os

import click

from chalkgit.answers import lint
from chalkgit.cli import terminal
from chalkgit.errors import Problem
from chalkgit.store import place as places
from chalkgit.store import snapshot


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--staged", is_flag=True, help="The staged records, not those of the work tree.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], staged: bool, as_json: bool) -> int:
    """Name what is wrong with records, file:line each; exit 1 when something is. Key order never is.

    With PATH, of these files and folders alone.
    """
    place = places.find(directory).require_store()
    base = os.path.abspath(directory or ".")
    asked = [places.path_in(place, path, base) for path in paths]
    seen = snapshot.of_index(place) if staged else snapshot.of_work_tree(place)
    found: list[Problem] = lint.findings(place, seen)
    if asked:
        found = [p for p in found if any(p.path == path or p.path.startswith(path + "/") for path in asked)]
    if as_json:
        from chalkgit.render import json

        terminal.out(json.text(json.findings(found)))
    else:
        from chalkgit.render import text

        for problem in found:
            if problem.hint and problem.hint.startswith("chalkgit lint"):
                problem.hint = None  # that is what is being said
            terminal.out(text.problem(problem))
        if not found:
            terminal.tell(f"{len(seen.records):,} records, nothing wrong")
    return 1 if found else 0
