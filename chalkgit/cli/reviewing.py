"""What approve, reject and quarantine share: a review of a record's exact content, by a person."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import config, times
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.records.sealing import seal
from chalkgit.store import approvals, git, snapshot, writes
from chalkgit.store.place import Place, head


def person(place: Place) -> tuple[str, str]:
    """Name and e-mail address that git would write into a commit here."""
    code, out, err = git.ask(place.root, "var", "GIT_AUTHOR_IDENT")
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"git does not know who you are: {said[:200]}", hint="git config user.email YOU")
    name, _, rest = out.decode("utf-8", "replace").partition("<")
    return name.strip(), rest.partition(">")[0].strip()


def refuse_agent(verb: str) -> None:
    agent = config.agent()
    if agent:
        raise ChalkError(
            f"{agent} runs this, and only a person can {verb} a record",
            hint=f"ask a reviewer to run chalkgit {verb} in a terminal of their own",
        )


def committed(place: Place, record: Record) -> None:
    """ChalkError where HEAD does not have the record as it stands: what is approved, others can see."""
    if head(place) is not None:
        seen = snapshot.of_paths(place, "HEAD", [record.path]).records.get(record.id)
        if seen is not None and seal(seen) == seal(record):
            return
    raise ChalkError(
        f"{record.id} is not committed as it stands, and an approval speaks of what is",
        hint=f"git commit -- {record.path}",
    )


def reviewed(session: Session, record: Record, state: str, because: str | None, given: dict[str, Any]) -> int:
    """Write the review, and print what every writing command prints."""
    name, _ = person(session.place)
    review = {"state": state, "by": name, "hash": seal(record), "on": times.day(times.system_clock())}
    changes = {"review": {**review, **({"because": because} if because else {})}}
    verb = {"approved": "approve", "rejected": "reject", "quarantined": "quarantine"}[state]

    def unchanged(there: Record) -> None:
        if seal(there) != seal(record):
            raise ChalkError(f"{record.id} was edited meanwhile", hint=command_line("show", record.id))

    code = done(session, writes.change(session.place, record, changes, unchanged), verb, given)
    if state == "approved" and given.get("commit"):
        trust = approvals.Judge(session.place).of(session_record(session, record))
        if trust.state != approvals.APPROVED:
            raise ChalkError(
                f"committed, but {trust.why}", hint="git reset --soft HEAD~1, then as a reviewer again"
            )
    elif state == "approved":
        terminal.tell(f"{record.id} stays unreviewed until you have committed it: git proves who approved")
    return code


def session_record(session: Session, record: Record) -> Record:
    """The record as its file says by now."""
    found, problems = snapshot.decoded(record.path, snapshot.content(session.place, record.path))
    if found is None:
        raise ChalkError(problems[0].message, where=problems[0].where, hint=problems[0].hint)
    return found


def restricted(directory: str | None, record_id: str, state: str, because: str | None, given: Any) -> int:
    """reject and quarantine: they count as written, by whoever wrote them."""
    session = Session(directory)
    record = session.found(record_id)
    verb = {"rejected": "reject", "quarantined": "quarantine"}[state]
    if not because or not because.strip():
        raise ChalkError(
            f"not {state}: --because is missing, and whoever asks for the record will want to know",
            hint=f'chalkgit {verb} {record.id} --because "what is wrong with it"',
        )
    if record.part("review", "state") == state:
        raise ChalkError(f"{record.id} is {state} already", hint=f"chalkgit show {record.id}")
    return reviewed(session, record, state, because, given)


def withdrawn(session: Session, record: Record, given: Any) -> int:
    """Take a review away: the record is unreviewed again."""
    if record.get("review") is None:
        raise ChalkError(f"{record.id} has no review", hint=f"chalkgit show {record.id}")
    return done(
        session, writes.change(session.place, record, {"review": None}), "withdraw the review of", given
    )


because_option = click.option("--because", metavar="WHY", help="Why.")
