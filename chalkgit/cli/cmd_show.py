"""`chalkgit show`: one record with its history, as it stands or as it was known and held at a moment."""

from __future__ import annotations

import click

from chalkgit import ids
from chalkgit.answers import catalogue, chronicle, damaged, stored, successions, unseen
from chalkgit.cli import asking, listing, moment, terminal
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record, title
from chalkgit.render.clean import line
from chalkgit.store import approving, history, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.chronicle import Chapter

_NAME = 60


@click.command("show")
@click.argument("record_id", metavar="ID")
@moment.options
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(
    directory: str | None,
    /,
    record_id: str,
    valid_at: str | None,
    known_at: str | None,
    as_json: bool,
) -> int:
    """Show one record or working note, whatever its state, and the commits that changed it."""
    listed = listing.Listed(directory, known_at, valid_at)
    if known_at is None:
        listed.place.require_store()
    everything = listed.look(lambda index: [*catalogue.records(index), *catalogue.records(index, notes=True)])
    known = {record.id: record for record in everything}
    told = _history(listed)
    if known_at is None and not any(i.startswith(record_id.strip().lower()) for i in known):
        damaged.refuse(listed.place, listed.look(stored.problems), record_id)
    record = _found(known, told, record_id, past=known_at is not None)
    entry = listed.look(lambda index: catalogue.entries(index, [record], listed.now))[0]
    is_note = record.path.startswith(worktree.NOTES + "/")
    commit = listed.as_of.commit if listed.as_of is not None else None
    chapters = [] if is_note or told is None else _chapters(told, record, commit)
    chain = successions.chain(known, record.id)
    _tell_unseen(listed, entry, told if chapters else None)
    if as_json:
        from chalkgit.render import chronicle as rendered
        from chalkgit.render import json

        row = {
            **json.entry(entry),
            "trust_by": entry.trust_by,
            "trust_why": entry.trust_why,
            "trust_note": entry.trust_note,
            "chain": chain,
            "versions": [rendered.brief(chapter) for chapter in chapters],
        }
        answer = {"version": json.VERSION, "records": [row], "as_of": json.as_of(listed.as_of)}
        terminal.answer(answer)
    else:
        from chalkgit.render import records

        asking.say_moment(listed.as_of)
        named = [(i, title(known[i]) if i in known else None) for i in chain] if len(chain) > 1 else []
        helps = approving.helps(entry.trust_why or "")
        awaited = listed.look(stored.awaited)
        shown = records.one(entry, chapters, terminal.style(), chain=named, helps=helps, awaited=awaited)
        terminal.out(shown)
    return 0


def _history(listed: listing.Listed) -> history.History | None:
    """The history that the asked moment has; None where nothing was known."""
    commit = listed.as_of.commit if listed.as_of is not None else None
    if listed.as_of is None or listed.as_of.known_at is None:
        return history.opened(listed.place)
    if commit is None:
        return None
    told = history.opened(listed.place)
    return told if told.place_of(commit) is not None else history.opened(listed.place, commit)


def _tell_unseen(listed: listing.Listed, entry: catalogue.Entry, told: history.History | None) -> None:
    """What is unknown since this clone is cut off, and what shows more."""
    if told is not None and told.lacks:
        terminal.tell(told.lacks)
    if unseen.REOPENED in entry.unknown:
        terminal.tell(unseen.note(listed.place, [entry.record.id]))


def _chapters(told: history.History, record: Record, commit: str | None) -> list[Chapter]:
    """The record's versions, up to the commit that is asked about."""
    found = chronicle.Chronicle(told, uncommitted=commit is None).chapters(record.id)
    last = told.place_of(commit) if commit is not None else None
    return [c for c in found if last is None or (c.moment is not None and c.moment.seq <= last)]


def _found(known: dict[str, Record], told: history.History | None, prefix: str, *, past: bool) -> Record:
    def named(record_id: str) -> str:
        return f"{record_id} ({line(title(known[record_id]))[:_NAME]})"

    try:
        return known[ids.resolve(prefix, known, named)]
    except ChalkError as error:
        gone = [i for i in told.ids() if i.startswith(prefix.strip().lower())] if told is not None else []
        if len(gone) == 1 and len(prefix.strip()) >= ids.SHORTEST and gone[0] not in known:
            said = "was not known then" if past else "has no file that can be read here; history has it"
            raise ChalkError(f"{gone[0]} {said}", hint=f"chalkgit log {gone[0]}") from None
        raise error
