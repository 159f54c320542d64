"""`chalkgit fmt`: records in their canonical form."""

from __future__ import annotations

import os

import click

from chalkgit import ids
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session
from chalkgit.errors import ChalkError
from chalkgit.records import edit
from chalkgit.render.clean import line
from chalkgit.store import atomic, worktree, writes
from chalkgit.store import place as places


@click.command("fmt")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 when something would change."
)
@click.option("--new-id", is_flag=True, help="Mint a new id for these files, such as the copy of a record.")
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], only_check: bool, new_id: bool) -> int:
    """Put records into canonical order and style, comments kept. A file without an id gets one."""
    session = Session(directory)
    base = os.path.abspath(directory or ".")
    if new_id and not paths:
        raise ChalkError("--new-id needs the files it is meant for", hint="chalkgit fmt --new-id PATH")
    chosen = [places.path_in(session.place, path, base) for path in paths]
    known = [p for p in worktree.look(session.place).paths if not p.startswith(worktree.NOTES)]
    for path in chosen:
        if path not in known:
            raise ChalkError("is no record file", where=path, hint="chalkgit list")
    taken, changed, broken = set(session.ids()), 0, 0
    for path in sorted(chosen or known):
        try:
            changed += _format(session, path, taken, only_check, new_id)
        except ChalkError as error:
            if chosen:
                raise
            broken += 1
            terminal.tell(f"{error.where or path}: {error.message}")
    if broken:
        raise ChalkError(f"{broken} of the files could not be read", hint="chalkgit lint")
    return 1 if only_check and changed else 0


def _format(session: Session, path: str, taken: set[str], only_check: bool, new_id: bool) -> bool:
    with writes.lock(session.place):
        return _formatted(session, path, taken, only_check, new_id)


def _formatted(session: Session, path: str, taken: set[str], only_check: bool, new_id: bool) -> bool:
    before = worktree.read(session.place, path)
    minted = ids.mint(taken)
    given = edit.edit(before, {"id": minted}, path) if new_id else before
    after = edit.formatted(given, path, minted)
    if after == before:
        return False
    taken.add(minted)
    if not only_check:
        file = worktree.file_of(session.place, path)
        atomic.replace(file, after, scratch=writes.scratch(session.place))
    terminal.out(("would change " if only_check else "changed ") + line(path))
    return True
