"""`chalkgit diff`: what differs between the records of two revisions, field by field."""

from __future__ import annotations

import click

from chalkgit import times
from chalkgit.answers import comparing
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import history, snapshot
from chalkgit.store import place as places

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place


@click.command("diff")
@click.argument("before", metavar="REV")
@click.argument("after", metavar="[REV]", required=False)
@click.option("--staged", is_flag=True, help="Compare with what is staged, not with the work tree.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, before: str, after: str | None, staged: bool, as_json: bool) -> int:
    """Tell what became of each record from REV to the other REV, or to the work tree. Always exits with 0.

    A..B means A and B. What is compared is the two trees; `log` tells what happened in between.
    """
    place = places.find(directory)
    if after is None and ".." in before and not staged:
        before, _, after = before.partition("..")
        before, after = before or "HEAD", after.lstrip(".") or "HEAD"
    old, new = _of(place, before), _after(place, after, staged)
    for seen in (old, new):
        terminal.tell_problems(seen.problems)
    found = comparing.differences(old, new)
    from chalkgit.render import comparing as rendered

    if as_json:
        from chalkgit.render import json

        rows = [rendered.json(one) for one in found]
        names = {"before": old.source, "after": new.source}
        terminal.answer({"version": json.VERSION, **names, "records": rows})
    elif found:
        terminal.out(rendered.text(found, terminal.style()))
    else:
        terminal.tell("no record differs")
    return 0


def _after(place: Place, revision: str | None, staged: bool) -> snapshot.Snapshot:
    if revision is not None:
        return _of(place, revision)
    return snapshot.of_index(place) if staged else snapshot.of_work_tree(place)


def _of(place: Place, revision: str) -> snapshot.Snapshot:
    """The records of a revision; UnknownPast where a shallow clone does not reach back to it."""
    try:
        return snapshot.of_revision(place, revision)
    except UnknownPast:
        raise
    except ChalkError:
        if history.shallow(place):
            raise UnknownPast(
                f"“{revision}” is no revision that this shallow clone can see", hint=history.DEEPEN
            ) from None
        if times.is_date(revision):
            raise ChalkError(
                f"“{revision}” is a date, and diff takes revisions",
                hint=f"git log -1 --before={revision} names one; chalkgit list --known-at {revision}",
            ) from None
        raise
