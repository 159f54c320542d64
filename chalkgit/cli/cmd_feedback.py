"""`chalkgit feedback`: a person says that a record was wrong here, or useful."""

from __future__ import annotations

import click

from chalkgit import config, thresholds
from chalkgit.answers.marking import Marking, Said
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.records.record import title
from chalkgit.render.clean import line
from chalkgit.store import feedback, writes
from chalkgit.store import place as places


@click.command("feedback")
@click.argument("record_id", metavar="ID")
@click.argument("word", metavar="[wrong|useful]", required=False, type=click.Choice(feedback.WORDS))
@click.option("--because", metavar="TEXT", help="Why, for whoever tidies up: chalkgit curate shows it.")
@click.option("--withdraw", is_flag=True, help="Take back what you said of it.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(
    directory: str | None,
    /,
    record_id: str,
    word: str | None,
    because: str | None,
    withdraw: bool,
    as_json: bool,
) -> int:
    """Say that a record was wrong where it was shown, or useful. It is kept in the journal of this machine.

    A record that more people here call wrong than useful interrupts nobody here any more: `check` says that
    it comes near, prompts and commit messages leave it out, and at its files it is shown last. What
    hooks.block asks for stays. An edit of the record starts from zero. For everybody it is changed by
    `correct`, `settle` and `retire`, which `curate` proposes.
    """
    if withdraw == (word is not None):
        both = "--withdraw takes no word" if withdraw else f"was {record_id} wrong, or useful?"
        raise ChalkError(both, hint=f"chalkgit feedback {record_id} {'--withdraw' if withdraw else 'wrong'}")
    if because is not None and (withdraw or len(because) > thresholds.FEEDBACK_CHARACTERS):
        most = f"--because has {len(because):,} characters, and {thresholds.FEEDBACK_CHARACTERS:,} are kept"
        raise ChalkError("--because goes with a word" if withdraw else most, hint="chalkgit feedback --help")
    agent = config.agent()
    if agent:
        raise ChalkError(
            f"{agent} runs this, and what is counted here is what people say of a record",
            hint=f"ask the person you work for to run chalkgit feedback {record_id} {word or '--withdraw'}",
        )
    place = places.find(directory).require_store()
    feedback.refuse_off(place)
    marking = Marking(place, record_id, writes.author(place), terminal.tell)
    said = marking.say(word, because) if word is not None else marking.withdraw()
    if said.trouble is not None:
        terminal.tell(f"no answer of a decider was judged by it: {said.trouble}")
    if as_json:
        terminal.answer({"version": 1, **_as_json(said, because)})
    else:
        for row in _told(said):
            terminal.out(row)
    return 0


def _as_json(said: Said, because: str | None) -> dict[str, object]:
    return {
        "id": said.record.id,
        "title": title(said.record),
        "word": said.word,
        "because": because,
        "who": said.who,
        "surface": said.surface,
        "withdrawn": said.taken_back,
        "wrong": said.marks.wrong,
        "useful": said.marks.useful,
        "interrupts": said.interrupts,
        "decider": said.judged,
    }


def _told(said: Said) -> list[str]:
    who = line(said.who or "somebody")
    named = f"{said.record.id}  {line(title(said.record))}"
    if said.word is not None:
        done = f"marked {said.word} by {who}"
    else:
        done = f"nothing that {who} said of it is kept any more" if said.taken_back else f"{who} said nothing"
    marks = f"People here say of it as it stands: {said.marks.wrong} wrong, {said.marks.useful} useful."
    rows = [f"{named}: {done}", marks, _effect(said)]
    if said.judged is not None:
        rows.append(f"The decider's last answer about it was {'right' if said.judged else 'wrong'}.")
    if said.marks.silenced:
        rows.append("Here alone, until it is edited. What would change it for everybody: chalkgit curate")
    return rows


def _effect(said: Said) -> str:
    kind = said.record.kind
    if not said.alive:
        return "It is never recalled as it stands, so this changes nothing."
    if kind == "lesson":
        last = ", and comes last at its files" if said.marks.silenced else ""
        return f"It is counted{last}: recall gives it as before."
    if not said.marks.silenced:
        return "It is shown as any other."
    if kind == "procedure":
        return "It is shown last from now on: by check, and at its files."
    return (
        "It does not interrupt from now on: check says that it comes near, prompts and commit messages leave "
        "it out, and at its files it comes last. What hooks.block asks for stays."
    )
