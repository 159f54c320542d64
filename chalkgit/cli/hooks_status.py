"""`chalkgit hooks status`: which hook git would really run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from chalkgit.cli import terminal
from chalkgit.doors.setup.shim import GATES
from chalkgit.render.clean import line
from chalkgit.store import place as places

if TYPE_CHECKING:
    from chalkgit.doors.setup.frameworks import Framework
    from chalkgit.doors.setup.git_status import Event, Status


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, as_json: bool) -> int:
    """Say what git runs at each event, and what is wrong with it. Changes nothing."""
    from chalkgit.doors.setup import git_status

    found = git_status.status(places.find(directory))
    if as_json:
        terminal.answer(found.json())
        return 0
    for said in lines(found):
        terminal.out(said)
    return 0


def lines(found: Status) -> Iterator[str]:
    """What is installed, and then what is wrong with it."""
    from chalkgit.doors.setup.git_status import grouped

    yield from installed(found)
    rows = [(event.event, what, hint) for event in found.events for what, hint in event.troubles]
    for events, what, hint in grouped(rows):
        yield _hinted(f"{', '.join(events)}: {what}", hint)
    for what, hint in found.troubles:
        yield _hinted(what, hint)
    if not found.installed:
        yield "hint: chalkgit hooks install"


def installed(found: Status) -> Iterator[str]:
    """What runs at the events, those in one line of which the same is true, and who else is here."""
    from chalkgit.doors.setup.git_status import grouped

    yield f"git {'.'.join(map(str, found.where.version))}, hook files in {line(found.where.folder)}"
    rows: list[tuple[str, str, str | None]]
    rows = [(event.event, _said(event, found), None) for event in found.events]
    rows += [
        (event.event, f"also there: {_near(other, found)}", None)
        for event in found.events
        for other in event.others
    ]
    for events, what, _ in grouped(rows):
        yield f"{', '.join(events)}: {line(what)}"
    if found.driver.runs:
        yield f"records are merged by {'chalkgit' if found.driver.by == 'chalkgit' else 'a command of yours'}"
    for framework in found.frameworks:
        yield line(_role(framework))
    if found.agents:
        yield f"run by agents: {', '.join(found.agents)}"
    if found.editors:
        yield f"run by editors: {', '.join(found.editors)}"


def _said(event: Event, found: Status) -> str:
    if event.by is None:
        return "not run"
    python = f", with {event.mark.python}" if event.mark else ""
    return f"run by {_near(event.path or '', found)}{python}"


def _near(path: str, found: Status) -> str:
    """A path as people know it here."""
    return path.removeprefix(f"{found.where.place.root}/")


def _role(framework: Framework) -> str:
    name, config = framework.name, framework.config or "installed"
    here = f"{config}/ is the team's" if framework.folder else f"{name} is here ({config})"
    runs = [event for event in GATES if event in framework.plugged]
    return f"{here}, and " + (f"runs chalkgit at {', '.join(runs)}" if runs else "does not run chalkgit")


def _hinted(what: str, hint: str | None) -> str:
    return f"{line(what)}{f' (hint: {line(hint)})' if hint else ''}"
