"""`chalkgit hooks status`: which hook git would really run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from chalkgit.cli import terminal
from chalkgit.render.clean import json_text, line
from chalkgit.store import place as places

if TYPE_CHECKING:
    from chalkgit.doors.setup.git_status import Event, Status


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, as_json: bool) -> int:
    """Say what git runs at each event, and what is wrong with it. Changes nothing."""
    from chalkgit.doors.setup import git_status

    found = git_status.status(places.find(directory))
    if as_json:
        import json

        terminal.out(json_text(json.dumps(found.json(), ensure_ascii=False, indent=2)))
        return 0
    for said in lines(found):
        terminal.out(said)
    return 0


def lines(found: Status) -> Iterator[str]:
    """A line an event, and one for each trouble below it."""
    yield f"git {'.'.join(map(str, found.where.version))}, hook files in {line(found.where.folder)}"
    for event in found.events:
        yield f"{event.event:<17} {_said(event)}"
        for other in event.others:
            yield f"{'':<17} beside it: {line(other)}"
        for problem, hint in event.troubles:
            yield f"{'':<17} {line(problem)}{f' (hint: {line(hint)})' if hint else ''}"
    for framework in found.frameworks:
        plugged = ", ".join(sorted(framework.plugged)) or "nothing"
        config = line(framework.config or "installed")
        yield f"{framework.name} is here ({config}), and runs of chalkgit: {plugged}"
    if found.agents:
        yield f"run by agents: {', '.join(found.agents)}"
    if found.editors:
        yield f"run by editors: {', '.join(found.editors)}"
    if not found.installed:
        yield "hint: chalkgit hooks install"


def _said(event: Event) -> str:
    if event.by is None:
        return "not run"
    path = line(event.path or "")
    python = f", with {line(event.mark.python)}" if event.mark else ""
    return f"run by {path}{python}"
