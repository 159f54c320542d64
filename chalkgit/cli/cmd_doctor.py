"""`chalkgit doctor`: the installation told in one page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from chalkgit.cli import terminal
from chalkgit.cli.hooks_status import installed
from chalkgit.render.clean import line

if TYPE_CHECKING:
    from chalkgit.doors.doctor import Report

# what an index that does not follow the files is in for
_NEXT = {
    "stale": " (the next question brings it up to date)",
    "absent": " (the next question builds it)",
}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, as_json: bool) -> int:
    """Tell the installation, store, index, model and hooks in one page. Changes nothing, and exits 0."""
    from chalkgit.doors import doctor

    report = doctor.examined(directory)
    if as_json:
        terminal.answer(report.json())
        return 0
    for said in (*_facts(report), *_troubles(report)):
        terminal.out(said)
    return 0


def _facts(report: Report) -> Iterator[str]:
    facts = report.facts
    chalkgit = facts["chalkgit"]
    yield f"chalkgit   {chalkgit['version']}, in {line(chalkgit['package'])}"
    yield f"python     {chalkgit['python_version']}, {line(chalkgit['python'])}"
    if "store" in facts:
        store = facts["store"]
        if store["path"]:
            counts = f"{_counted(store['records'], 'record')}, {_counted(store['problems'], 'problem')}"
            yield f"store      {line(store['path'])}: {counts}"
        else:
            yield f"store      none in {line(store['repository'])}"
    if "index" in facts:
        state = facts["index"]["state"]
        yield f"index      {state}{_NEXT.get(state, '')}, in {line(facts['index']['path'])}"
    if "model" in facts:
        name = facts["model"]["name"]
        yield (
            f"model      {line(name)}, in {line(facts['model']['directory'])}" if name else "model      none"
        )
    if "journal" in facts:
        journal = facts["journal"]
        tables = journal["tables"]
        counts = ", ".join(f"{rows:,} {table}" for table, rows in (tables or {}).items())
        kept = "not readable" if tables is None else counts or "nothing kept yet"
        size = f", {journal['bytes']:,} bytes" if journal["bytes"] else ""
        since = f", since {journal['since']}" if journal["since"] else ""
        off = "off; " if journal["state"] == "off" else ""
        yield f"journal    {off}{line(journal['path'])}: {kept}{size}{since}"
    if "policy" in facts:
        also = ", hooks.check-message: true" if facts["policy"]["check_message"] else ""
        yield f"policy     hooks.block: {facts['policy']['block']}{also}"
    if report.hooks is not None:
        yield from (
            f"{'hooks' if not i else '':<10} {said}" for i, said in enumerate(installed(report.hooks))
        )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _troubles(report: Report) -> Iterator[str]:
    yield ""
    if not report.troubles:
        yield "nothing is wrong"
    for what, hint in report.troubles:
        yield f"- {line(what)}{f' (hint: {line(hint)})' if hint else ''}"
