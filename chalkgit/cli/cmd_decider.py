"""`chalkgit decider`: the server that decides whether a record applies, and whether it is trusted so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from chalkgit import thresholds, times
from chalkgit.answers import deciding_judged, deciding_recall, deciding_state, sources
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting, lessons
from chalkgit.render import decider as rendered
from chalkgit.store import place as places

if TYPE_CHECKING:
    from chalkgit.index.decider_setting import Setting
    from chalkgit.records.record import Record
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
@click.pass_obj
def trust(directory: str | None, /, url: str, show: bool, remove: bool) -> int:
    """Let what failures and lessons say be sent to URL, after printing what that would be.

    A server on this machine needs no trust. The answer stands in your own settings.
    """
    address = decider_setting.normal(url)
    if show and remove:
        raise ChalkError("--show and --remove are two things", hint="chalkgit decider trust --help")
    if remove:
        decider_setting.distrust(address)
        terminal.out(f"{address} is not asked any more, unless it is on this machine")
        return 0
    example = _example(_place(directory))
    terminal.out("\n".join(rendered.sent(address, *example)))
    if show:
        return 0
    if decider_setting.on_loopback(address):
        terminal.out(f"{address} is this machine: it may be asked as it is")
        return 0
    decider_setting.trust(address)
    terminal.out(f"{address} may be asked from now on; chalkgit decider trust {address} --remove ends it")
    return 0


def _place(directory: str | None) -> Place | None:
    """The repository, None outside of one: the setting is the user's."""
    try:
        return places.find(directory).require_store()
    except ChalkError:
        return None


def _lessons(place: Place) -> tuple[int, Record | None]:
    """(resolved lessons, up to as many as it takes; one of this repository)."""
    opened = sources.opened(place, here=False, tell=terminal.tell, words=False)
    now = times.system_clock()
    for source in opened:
        try:
            lessons.fill(source.index)
        except ChalkError as error:  # another process writes for long
            terminal.tell(f"the newest lessons of {source.place.root} are not counted: {error.message}")
    return deciding_recall.resolved(opened, now), deciding_recall.first(opened[0], now)


def _example(place: Place | None) -> tuple[dict[str, Any], dict[str, str], bool]:
    """A request made of a lesson of this repository, as if its failure had just come back; whether it is."""
    own = _lessons(place)[1] if place is not None else None
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
    count = _lessons(place)[0] if place is not None else None
    least = thresholds.DECIDER_LESSONS
    found["lessons"] = {
        "resolved": count,
        "needed": least,
        "there": None if count is None else count >= least,
    }
    found["gates"], found["troubles"] = [], []
    if place is not None and setting is not None:
        found["gates"] = [gate.as_json() for gate in deciding_judged.gates(place, setting.url, setting.model)]
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
        return {"reachable": False, "problem": error.message, "hint": error.hint}
    return {"reachable": True, "revision": answered.revision or None}
