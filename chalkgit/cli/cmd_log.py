"""`chalkgit log`: the versions of the records, along the first parents."""

from __future__ import annotations

import gc
import os

import click

from chalkgit import ids, times
from chalkgit.answers import chronicle
from chalkgit.cli import moment, terminal
from chalkgit.errors import ChalkError
from chalkgit.records import changes, fields
from chalkgit.store import checkpoints, history
from chalkgit.store import place as places

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.chronicle import Chapter
    from chalkgit.store.place import Place


@click.command("log")
@click.argument("record_id", metavar="[ID]", required=False)
@click.option(
    "--ref", metavar="REV", callback=moment.filled, help="Along the first parents of REV; HEAD if absent."
)
@click.option(
    "--since",
    metavar="DATE",
    callback=moment.date,
    help="Versions recorded from then on, and what is not committed.",
)
@click.option("--event", type=click.Choice(changes.EVENTS), help="Versions in which this happened.")
@click.option("--kind", type=click.Choice(fields.KINDS), help="Records of this kind.")
@click.option("--file", metavar="PATH", help="Records that name this file.")
@click.option("--tag", metavar="WORD", help="Records with this tag.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The newest N.")
@click.option("--audit", is_flag=True, help="Who changed what when, and whether history was rewritten.")
@click.option("--verify", is_flag=True, help="With --audit: have git check the signatures.")
@click.option("--csv", "as_csv", is_flag=True, help="With --audit: as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, record_id: str | None, as_json: bool, **given: Any) -> int:
    """Tell what happened to each record, or to one with what differs, newest first.

    What is not committed comes first. The order is that of the commits; dates are those of the committer.
    """
    collecting = gc.isenabled()
    gc.disable()  # a collection goes over all that was read so far: an eighth of reading 12,000 versions
    try:
        return _logged(directory, record_id, as_json, given)
    finally:
        if collecting:
            gc.enable()


def _logged(directory: str | None, record_id: str | None, as_json: bool, given: dict[str, Any]) -> int:
    place = places.find(directory)
    if given["ref"] is None:
        place.require_store()
    audit = _audited(given, record_id, as_json)
    unlike = None
    if given["ref"] is None and not audit:
        unlike = chronicle.Unlike(place, places.head(place) or "")
    try:
        told = history.opened(place, given["ref"] or "HEAD")
    except BaseException:
        if unlike is not None:
            unlike.dropped()
        raise
    if told.lacks:
        terminal.tell(told.lacks)
    if told.unkept:
        terminal.tell(f"the history table cannot be kept ({told.unkept}): the next question reads it again")
    if audit:
        return _audit(told, as_json, given)
    if given["ref"] is None:
        checkpoints.keep(told)  # the next audit says what it could not
    whole = chronicle.Chronicle(told, uncommitted=given["ref"] is None, unlike=unlike)
    one = _resolved(told, whole, record_id) if record_id else None
    found = _chosen(place, directory, whole.chapters(one), given)
    if as_json:
        from chalkgit.render import chronicle as rendered
        from chalkgit.render import json

        now = times.system_clock()
        rows = [rendered.json(chapter, now) for chapter in found]
        if one:  # of all versions it would cost a git call for each merge
            people = [rendered.people(chapter) for chapter in found]
            rows = [{**row, "writers": who} for row, who in zip(rows, people, strict=True)]
        terminal.answer({"version": json.VERSION, "cut": told.cut, "versions": rows})
    elif found:
        from chalkgit.render import chronicle as rendered

        shape = rendered.blocks if one else rendered.table
        terminal.out(shape(found, terminal.style()))
    else:
        terminal.tell("no version of a record")
    return 0


def _audited(given: dict[str, Any], record_id: str | None, as_json: bool) -> bool:
    """Whether the audit is asked for; ChalkError for options that do not go together."""
    others = [f"--{name}" for name in ("ref", "event", "kind", "file", "tag", "limit") if given[name]]
    others += ["ID"] if record_id else []
    if given["audit"] and others:
        raise ChalkError(f"--audit is of everything: it takes no {others[0]}", hint="chalkgit log --audit")
    if not given["audit"] and (given["verify"] or given["as_csv"]):
        raise ChalkError("--verify and --csv belong to --audit", hint="chalkgit log --audit --csv")
    if given["as_csv"] and as_json:
        raise ChalkError("--csv and --json exclude each other", hint="chalkgit log --audit --csv")
    return bool(given["audit"])


def _audit(told: history.History, as_json: bool, given: dict[str, Any]) -> int:
    from chalkgit.answers import audit
    from chalkgit.render import audit as rendered

    since = times.asked(given["since"], "--since").timestamp() if given["since"] else None
    found = audit.Audit(told, since)
    if given["verify"]:
        found.verify(told)
    if found.untold:
        terminal.tell(f"a later rewriting may go unnoticed: the journal takes nothing ({found.untold})")
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, **rendered.json(found, times.system_clock())})
    elif given["as_csv"]:
        terminal.out(rendered.csv(found))
    elif said := rendered.text(found, terminal.style()):
        terminal.out(said)
    else:
        terminal.tell("no version of a record")
    return 0


def _resolved(told: history.History, whole: chronicle.Chronicle, prefix: str) -> str:
    """The record's id, of those in the history and in the work tree."""
    try:
        return ids.resolve(prefix, told.ids())
    except ChalkError as error:
        ahead = {chapter.version.id for chapter in whole.chapters() if chapter.moment is None}
        if any(i.startswith(prefix.strip().lower()) for i in ahead):
            return ids.resolve(prefix, ahead)
        raise error


def _chosen(
    place: Place, directory: str | None, chapters: list[Chapter], given: dict[str, Any]
) -> list[Chapter]:
    from chalkgit.answers import catalogue

    if given["since"]:
        since = times.asked(given["since"], "--since").timestamp()
        chapters = [c for c in chapters if c.moment is None or c.moment.at >= since]
    if given["event"]:
        chapters = [c for c in chapters if given["event"] in c.version.events]
    if given["kind"]:
        chapters = [c for c in chapters if c.fields.get("kind") == given["kind"]]
    if given["tag"]:
        chapters = [c for c in chapters if given["tag"] in c.record.items("tags")]
    if given["file"]:
        path = places.path_in(place, given["file"], os.path.abspath(directory or "."))
        chapters = [c for c in chapters if catalogue.names(c.record, path)]
    return chapters[: given["limit"]] if given["limit"] else chapters
