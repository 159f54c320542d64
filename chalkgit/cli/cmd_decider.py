"""`chalkgit decider`: the server that decides whether a record applies, and whether it is trusted so far."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from chalkgit import config, ids, settings, thresholds, times
from chalkgit.answers import deciding_gate, deciding_judged, deciding_recall, deciding_state, sources
from chalkgit.cli import terminal
from chalkgit.cli.writing import command_line
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting, lessons
from chalkgit.records.record import title
from chalkgit.render import decider as rendered
from chalkgit.store import feedback, writes
from chalkgit.store import place as places

if TYPE_CHECKING:
    from chalkgit.answers.sources import Source
    from chalkgit.index.decider_setting import Setting
    from chalkgit.store.place import Place


@click.group("decider")
def command() -> None:
    """The server that says whether a lesson applies; without one, likeness alone decides.

    It is named in your own settings alone: decider: {url: …, model: …, mode: off|shadow|on, threshold: 0.7}.
    """


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def status(directory: str | None, /, as_json: bool) -> int:
    """Say which decider there is, whether it answers, and what keeps it from acting."""
    setting = decider_setting.named()
    found = _status(setting, _place(directory))
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, **found})
    else:
        terminal.out("\n".join(rendered.status(found)))
    return 0


@command.command()
@click.argument("url")
@click.option("--show", is_flag=True, help="Print what would be sent, and change nothing.")
@click.option("--remove", is_flag=True, help="Trust it no more.")
@click.option("--yes", is_flag=True, help="Trust it without asking.")
@click.pass_obj
def trust(directory: str | None, /, url: str, show: bool, remove: bool, yes: bool) -> int:
    """Let what failures and lessons say be sent to URL, after printing what that would be.

    It asks first, and your answer stands in your own settings. A server on this machine needs no trust.
    """
    address = decider_setting.normal(url, argument=True)
    if show + remove + yes > 1:
        raise ChalkError(
            "--show, --remove and --yes exclude one another", hint="chalkgit decider trust --help"
        )
    here = decider_setting.on_loopback(address)
    if remove:
        if decider_setting.distrust(address):
            terminal.out(
                f"{address} is trusted no more" + (", and needs no trust: it is this machine" * here)
            )
        else:
            terminal.out(f"{address} was not trusted: nothing was changed")
        return 0
    if here and not show:
        terminal.out(f"{address} is this machine: it may be asked as it is, and needs no trust")
        return 0
    example = _example(_place(directory))
    terminal.out("\n".join(rendered.sent(address, *example)))
    if show:
        return 0
    agent = config.agent()
    if agent:
        raise ChalkError(
            f"{agent} runs this, and what leaves this machine is for a person to decide; nothing was stored",
            hint=f"ask the person you work for to run {command_line('decider', 'trust', address)}",
        )
    if decider_setting.trusted(address):
        terminal.out(f"{address} is trusted already; chalkgit decider trust {address} --remove ends it")
        return 0
    if not (yes or _agreed(address)):
        terminal.say("Nothing was stored.")
        return 2
    decider_setting.trust(address)
    terminal.out(f"{address} may be asked from now on; chalkgit decider trust {address} --remove ends it")
    return 0


@command.command()
@click.argument("record_id", metavar="ID")
@click.argument("word", metavar="yes|no", type=click.Choice(("yes", "no")))
@click.pass_obj
def judge(directory: str | None, /, record_id: str, word: str) -> int:
    """Say what the decider's newest answer about a record should have been, and nothing of the record.

    yes: it applied to the failure, or ruled the proposal out. no: it did not. `status` lists the answers that
    wait. It counts in the gate; `feedback`, which judges too, changes what the record may do.
    """
    agent = config.agent()
    if agent:
        raise ChalkError(
            f"{agent} runs this, and what is counted here is what people say of an answer",
            hint=f"ask the person you work for to run chalkgit decider judge {record_id} {word}",
        )
    place = places.find(directory).require_store()
    feedback.refuse_off(place)
    asked = deciding_judged.asked(place)
    name = ids.resolve(record_id, asked) if any(one.startswith(record_id) for one in asked) else record_id
    said, right = deciding_judged.answered(place, name, word == "yes", writes.author(place))
    terminal.out(rendered.judged(name, said, right))
    return 0


def _agreed(address: str) -> bool:
    """What the person says; ChalkError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        raise ChalkError(
            "nobody can be asked here, so nothing was stored",
            hint=f"read what would be sent, then {command_line('decider', 'trust', address, '--yes')}",
        )
    terminal.say("Trust it? [y/N]", end=" ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _place(directory: str | None) -> Place | None:
    """The repository, None outside of one: the setting is the user's."""
    try:
        return places.find(directory).require_store()
    except ChalkError:
        return None


def _opened(place: Place) -> list[Source]:
    """The stores that are asked here, with their lessons."""
    opened = sources.opened(place, here=False, tell=terminal.tell, words=False)
    for source in opened:
        try:
            lessons.fill(source.index)
        except ChalkError as error:  # another process writes for long
            terminal.tell(f"the newest lessons of {source.place.root} are not counted: {error.message}")
    return opened


def _unjudged(place: Place, opened: list[Source], setting: Setting) -> list[dict[str, Any]]:
    """The newest answers that wait for a person's word, of records that there are."""
    paths = [(source, source.index.table.ids()) for source in opened]
    found: list[dict[str, Any]] = []
    for one in deciding_judged.unjudged(place, setting.url, setting.model):
        source, path = next(
            ((source, named[one.id]) for source, named in paths if one.id in named), (None, "")
        )
        for record in source.records([path]) if source is not None else ():
            found.append(
                {
                    "id": one.id,
                    "title": title(record),
                    "probability": one.probability,
                    "yes": one.probability >= setting.threshold,
                    "purpose": one.purpose,
                    "at": one.at,
                    "failed": one.failed,
                    "command": f"chalkgit decider judge {one.id} yes|no",
                }
            )
        if len(found) == thresholds.DECIDER_UNJUDGED:
            break
    return found


def _example(place: Place | None) -> tuple[dict[str, Any], dict[str, str], bool]:
    """A request made of a lesson of this repository, as if its failure had just come back; whether it is."""
    own = deciding_recall.first(_opened(place)[0], times.system_clock()) if place is not None else None
    failed, fix = ("(the failure of a run)", "(what fixed it)") if own is None else deciding_state.lesson(own)
    state, questions = deciding_state.asked(failed, [(failed, fix)])
    return dict(state), questions, own is not None


def _status(setting: Setting | None, place: Place | None) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(
        ("url", "model", "threshold", "local", "trusted", "reachable", "revision", "problem", "hint")
    )
    found["mode"] = decider_setting.OFF
    found["bypassed"] = decider_setting.bypassed()
    if setting is not None:
        found |= {name: getattr(setting, name) for name in ("url", "model", "mode", "threshold")}
        found |= {
            "local": decider_setting.on_loopback(setting.url),
            "trusted": decider_setting.trusted(setting.url),
            **_reached(setting),
        }
    opened = _opened(place) if place is not None else []
    count = deciding_recall.resolved(opened, times.system_clock()) if place is not None else None
    least = thresholds.DECIDER_LESSONS
    found["lessons"] = {
        "resolved": count,
        "needed": least,
        "there": None if count is None else count >= least,
    }
    found["gates"], found["unjudged"], found["troubles"] = [], [], []
    if place is not None and setting is not None:
        gates = deciding_gate.gates(place, setting.url, setting.model, setting.threshold)
        found["gates"] = [gate.as_json() for gate in gates]
        found["unjudged"] = _unjudged(place, opened, setting)
        found["troubles"] = deciding_judged.troubles(place)
    return found


def _reached(setting: Setting) -> dict[str, Any]:
    """Whether it answers a question that says nothing of this repository, where it may be asked."""
    from chalkgit.index import decider

    if decider_setting.bypassed() or not decider_setting.trusted(setting.url):
        hint = None if decider_setting.bypassed() else f"chalkgit decider trust {setting.url}"
        return {"reachable": None, "hint": hint}
    try:
        answered = decider.ask(
            setting, {"text": "hello"}, {"question": "Is this a greeting?"}, thresholds.DECIDER_SECONDS
        )
    except decider.NoAnswer as error:
        path = settings.path()
        hint = f"see that `url` and `model` of `decider:` in {path} are those of a System One server"
        if error.kind in (decider.UNREACHED, decider.LATE):
            hint = f"start the server, or mend `url` of `decider:` in {path}"
        return {"reachable": False, "problem": error.message, "hint": error.hint or hint}
    return {"reachable": True, "revision": answered.revision or None}
