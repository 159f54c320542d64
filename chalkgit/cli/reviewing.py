"""What approve, reject and quarantine share: a review of a record's exact content, by a person."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import click

from chalkgit import config, times
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.records.sealing import seal
from chalkgit.render.clean import line
from chalkgit.store import approvals, approving, git, snapshot, writes
from chalkgit.store.place import Place, head

_VERBS = {"approved": "approve", "rejected": "reject", "quarantined": "quarantine"}
_STAYS = "\n\nThe file stays, and `show` tells why. `chalkgit approve ID --withdraw` takes that back."


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
        hint=f"git add -- {line(record.path)} && git commit -- {line(record.path)}",
    )


def reviewed(
    session: Session,
    record: Record,
    state: str,
    because: str | None,
    given: Mapping[str, Any],
    *,
    signing: bool = False,
) -> int:
    """Write the review, and print what every writing command prints.

    signing: an approval has to be signed, and git would not sign it without being told to.
    """
    name, _ = person(session.place)
    review = {"state": state, "by": name, "hash": seal(record), "on": times.day(times.system_clock())}
    changes = {"review": {**review, **({"because": because} if because else {})}}
    verb = _VERBS[state]

    def unchanged(there: Record) -> None:
        if seal(there) != seal(record):
            raise ChalkError(f"{record.id} was edited meanwhile", hint=command_line("show", record.id))

    written = writes.change(session.place, record, changes, unchanged)
    pending = state == "approved" and not given.get("commit")
    code = done(session, written, verb, given, _commit_command(written, signing) if pending else None)
    if pending:
        terminal.tell(f"{record.id} stays unreviewed until you have committed it: git proves who approved")
    elif state == "approved":
        trust = approvals.Judge(session.place).of(session_record(session, record))
        if trust.state != approvals.APPROVED:
            helps = approving.helps(trust.why or "")
            raise ChalkError(
                f"committed, but {trust.why}",
                hint="git reset --soft HEAD~1" + (f"; it counts when {helps}" if helps else ""),
            )
    return code


def _commit_command(record: Record, signing: bool) -> str:
    """The git command that makes an approval count: that file alone, as --commit would."""
    sign = ["-S"] if signing else []
    said = f"lessons: approve {record.id}"
    # `:/` is the repository's root: the command works from any folder of it
    return shlex.join(["git", "commit", *sign, "-m", said, "--", f":/{line(record.path)}"])


def session_record(session: Session, record: Record) -> Record:
    """The record as its file says by now."""
    found, problems = snapshot.decoded(record.path, snapshot.content(session.place, record.path))
    if found is None:
        raise ChalkError(problems[0].message, where=problems[0].where, hint=problems[0].hint)
    return found


def restriction(state: str, help: str) -> click.Command:
    """The command that rejects or quarantines: it counts as written, by whoever wrote it."""
    verb = _VERBS[state]

    @click.command(verb, help=help + _STAYS)
    @click.argument("record_id", metavar="ID")
    @click.option("--because", metavar="WHY", help="Why.")
    @options.git_options
    @click.pass_obj
    def command(directory: str | None, /, record_id: str, because: str | None, **given: Any) -> int:
        session = Session(directory)
        record = session.found(record_id)
        if not because or not because.strip():
            raise ChalkError(
                f"not {state}: --because is missing, and whoever asks for the record will want to know",
                hint=f'chalkgit {verb} {record.id} --because "what is wrong with it"',
            )
        if record.part("review", "state") == state:
            raise ChalkError(f"{record.id} is {state} already", hint=f"chalkgit show {record.id}")
        return reviewed(session, record, state, because, given)

    return command


def withdrawn(session: Session, record: Record, given: Any) -> int:
    """Take a review away: the record is unreviewed again."""
    if record.get("review") is None:
        raise ChalkError(f"{record.id} has no review", hint=f"chalkgit show {record.id}")
    return done(
        session, writes.change(session.place, record, {"review": None}), "withdraw the review of", given
    )
