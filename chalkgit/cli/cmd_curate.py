"""`chalkgit curate`: what could be tidied up; nothing is changed."""

from __future__ import annotations

import click

from chalkgit import thresholds, times
from chalkgit.answers import repair
from chalkgit.answers.curate import Curator, Page
from chalkgit.answers.semantic import Semantic
from chalkgit.cli import asking, terminal
from chalkgit.index import refresh
from chalkgit.store import place as places


@click.command("curate")
@click.option(
    "--months",
    type=click.IntRange(1, 1200),
    default=thresholds.CURATE_MONTHS,
    show_default=True,
    metavar="N",
    help="After how many months without being shown, or open, a record is named.",
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, months: int, as_json: bool) -> int:
    """Show what could be tidied up, each with the command that would mend it. It is no gate: exit 0.

    Records that replace each other in a circle or are replaced by several, that contradict each other, say
    the same or nearly the same, that nobody would find, whose files are gone or have changed, that have
    expired, are open for long, that people marked wrong, or that were shown often and never used, or never.
    """
    from chalkgit.render import curate, json

    place = places.find(directory).require_store()

    def look(rebuild: bool) -> Page:
        index = refresh.up_to_date(place, asking.progress("indexing"), rebuild=rebuild)
        if index.unwritten:
            terminal.tell(index.unwritten)
        curator = Curator(index, times.system_clock(), months, Semantic(lexical=False))
        return curator.page(asking.progress)

    page = repair.once(look)
    if as_json:
        terminal.answer({"version": json.VERSION, **curate.as_json(page)})
    else:
        terminal.out(curate.text(page, terminal.style()))
    return 0
