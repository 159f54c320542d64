"""`chalkgit review`: what does a change do to the lessons?"""

from __future__ import annotations

import click

from chalkgit import times
from chalkgit.answers.finding import LEVELS, WARNING
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.render.review import FORMATS, SILENT
from chalkgit.store import place as places

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.finding import Review

NEVER = "never"


@click.command("review")
@click.argument("revisions", required=False, metavar="[BASE[..HEAD]]")
@click.option("--staged", is_flag=True, help="What is staged, against HEAD.")
@click.option("--work-tree", is_flag=True, help="What is not committed, against HEAD: the default.")
@click.option("--format", "form", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output: all of it, uncut.")
@click.option(
    "--fail-on",
    type=click.Choice([*LEVELS, NEVER]),
    default=WARNING,
    show_default=True,
    help="Exit with 1 where a finding is at this level, or over it.",
)
@click.option("--lexical", is_flag=True, help="Compare records by their words alone.")
@click.pass_obj
def command(
    directory: str | None,
    /,
    revisions: str | None,
    staged: bool,
    work_tree: bool,
    form: str,
    as_json: bool,
    fail_on: str,
    lexical: bool,
) -> int:
    """Say what a change does to the lessons, and which of them it calls in question; exit 1 at --fail-on.

    BASE..HEAD is compared from the commit where the two parted, as a pull request is; HEAD is the one checked
    out where it is left out. Without BASE what is not committed is reviewed.
    """
    if sum((revisions is not None, staged, work_tree)) > 1:
        raise ChalkError("BASE, --staged and --work-tree exclude each other", hint="chalkgit review --help")
    if as_json and _was_given("form"):
        raise ChalkError("--format and --json exclude each other", hint=f"chalkgit review --format {form}")
    review = _reviewed(directory, revisions, staged=staged, lexical=lexical)
    _print(review, form, as_json)
    return 1 if fail_on != NEVER and review.at_or_over(fail_on) else 0


def _was_given(option: str) -> bool:
    found = click.get_current_context().get_parameter_source(option)
    return found is click.core.ParameterSource.COMMANDLINE


def _reviewed(directory: str | None, revisions: str | None, *, staged: bool, lexical: bool) -> Review:
    from chalkgit.answers import repair, review
    from chalkgit.answers.semantic import Semantic

    place = places.find(directory)
    now, semantic = times.system_clock(), Semantic(lexical=lexical)
    if revisions is not None:
        return review.of_commits(place, revisions, now, semantic)
    return repair.once(lambda rebuild: review.of_uncommitted(place, now, semantic, staged=staged))


def _print(review: Review, form: str, as_json: bool) -> None:
    from chalkgit.render.review import as_json as jsoned
    from chalkgit.render.review import rendered

    if as_json:
        terminal.answer(jsoned(review))
        return
    terminal.out(rendered(review, form, terminal.style()))
    if form in SILENT:
        for text in review.skipped:
            terminal.tell(f"not looked at: {text}")
