"""`chalkgit lint`: are the records valid?"""

from __future__ import annotations

import os

import click

from chalkgit.answers import lint
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError, Problem
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store import snapshot, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable

    from chalkgit.store.place import Place

_NAMED = 3


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--staged", is_flag=True, help="The staged records, not those of the work tree.")
@click.option("--findable", is_flag=True, help="Also the records that a reader would not find.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(
    directory: str | None, /, paths: tuple[str, ...], staged: bool, findable: bool, as_json: bool
) -> int:
    """Name what is wrong with records, file:line each; exit 1 when something is. Key order never is.

    With PATH, of these files and folders alone. With --findable each record is asked for twice, as `check`
    asks: by its own route, whole and in fewer words.
    """
    if findable and staged:
        raise ChalkError("--findable asks the work tree's records", hint="chalkgit lint --findable")
    place = places.find(directory).require_store()
    base = os.path.abspath(directory or ".")
    asked = [places.path_in(place, path, base) for path in paths]
    seen = snapshot.of_index(place) if staged else snapshot.of_work_tree(place)

    def wanted(path: str) -> bool:
        return not asked or any(one in (".", path) or path.startswith(one + "/") for one in asked)

    for one in asked:
        if not staged and not os.path.lexists(os.path.join(place.root, one)):
            terminal.tell(f"{line(one)} is not there")
    found: list[Problem] = [problem for problem in lint.findings(place, seen) if wanted(problem.path)]
    if findable:
        found += _not_found(directory, wanted)
    if as_json:
        from chalkgit.render import json

        terminal.answer(json.findings(found))
    else:
        from chalkgit.render import text

        for problem in found:
            if problem.hint and problem.hint.startswith("chalkgit lint"):
                problem.hint = None  # that is what is being said
            terminal.out(text.problem(problem))
        if not found:
            terminal.tell(f"{_looked_at(place, seen, asked, wanted)}, nothing wrong")
    return 1 if found else 0


def _looked_at(place: Place, seen: snapshot.Snapshot, asked: list[str], wanted: Callable[[str], bool]) -> str:
    """What was looked at, in words: the paths that were asked for are named."""
    count = sum(wanted(record.path) for record in seen.records.values())
    said = f"{count:,} record{'' if count == 1 else 's'}"
    if not asked:
        return said
    more = len(asked) - _NAMED
    named = ", ".join(map(line, asked[:_NAMED])) + (f" and {more} more" if more > 0 else "")
    if wanted(worktree.CONFIG) and os.path.lexists(os.path.join(place.root, worktree.CONFIG)):
        return f"{said} and the settings, of {named}"
    return f"{said} of {named}"


def _not_found(directory: str | None, wanted: Callable[[str], bool]) -> list[Problem]:
    """The records that are not found by their own route; whether meaning took part is told."""
    from chalkgit.answers import findable, repair
    from chalkgit.cli import asking

    def look(rebuild: bool) -> list[Problem]:
        checker = asking.opened(directory, here=True, patient=True, rebuild=rebuild)
        found = findable.findings(checker, wanted, asking.progress("asking for each record"))
        semantic = checker.semantic
        hint = f" ({semantic.hint})" if semantic.hint else ""
        terminal.tell(
            f"asked by words and by meaning, with {semantic.model}"
            if semantic.ran
            else f"asked by words alone; meaning was not compared: {semantic.skipped}{hint}"
        )
        return found

    return repair.once(look)
