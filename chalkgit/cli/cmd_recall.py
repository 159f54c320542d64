"""`chalkgit recall`: the lessons recorded for the same failure."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import config, times
from chalkgit.answers import recall, recalling, repair, sources, stored
from chalkgit.answers.as_of import AsOf
from chalkgit.answers.loop import Verdict
from chalkgit.cli import asked, asking, failed, failing, looping, moment, terminal
from chalkgit.doors import recalled
from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.failures.reading import Run
from chalkgit.render import as_of
from chalkgit.render import lessons as rendered
from chalkgit.store import place as places
from chalkgit.store import questions
from chalkgit.store.place import Place


@click.command("recall")
@failing.options(root=True)
@click.option(
    "--spec", metavar="FILE", help="What is about to be built, before any failure; - for standard input."
)
@click.option("--loop", is_flag=True, help="Say too what this run is beside the earlier ones of its ticket.")
@click.option("--ticket", metavar="T", help="The task the run was for, with --loop.")
@moment.options
@click.option("--here", is_flag=True, help="Ask this repository alone.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(
    directory: str | None,
    /,
    spec: str | None,
    loop: bool,
    ticket: str | None,
    valid_at: str | None,
    known_at: str | None,
    here: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Print the lessons for a failed run, at most three, as a <lessons> block; nothing where there are none.

    The same failure first, then one whose first error line is alike or whose failing tests are the same.
    A store that cannot be read costs its lessons and a line on standard error; the exit code is 0. A past
    that this clone cannot see is no such trouble: nobody could tell that there was no lesson.
    """
    if spec is None and not given["report"] and given["output"] is None:
        raise ChalkError(
            "there is no run to recall lessons for: --report, --output or --spec is needed",
            hint="chalkgit recall --output FILE --exit-code N",
        )
    if spec == "-" and "-" in (*given["report"], given["output"]):
        raise ChalkError("standard input is one of them: --spec, --report or --output", hint="--spec FILE")
    if loop and not given["report"] and given["output"] is None:
        raise ChalkError("--loop is about a run: --report or --output is needed", hint="--output FILE")
    say, ticket = Answer(as_json), failed.ticket(ticket)
    if config.bypassed("RECALL"):
        code = say(bypassed=True)
        terminal.finish()
        asked.keep(None, directory, [asked.off("recall", "RECALL")])
        return code
    try:
        place = places.find(directory)
        if known_at is None:
            place.require_store()
    except ChalkError as error:
        _tell(error)
        return say()
    say.moment = asking.as_of(place, known_at, valid_at)
    say.run = failing.run(directory, given, place.root)
    text = _spec(directory, spec)
    found = recall.Recalled([], [])
    try:
        found = repair.once(lambda rebuild: _ask(place, say.run, text, here, rebuild, say.moment))
    except UnknownPast:
        raise
    except ChalkError as error:
        say.moment = None  # of which nothing can be said now
        _tell(error)
    surface = "loop" if loop else "recall"
    run = (
        looping.tracked(place, say.run, ticket, directory, given, surface=surface, looping=loop)
        if say.run is not None
        else None
    )
    if loop and run is not None:
        say.verdict = run.verdict(looping.open_lessons(place))
    count, by = len(found.lessons), found.lessons[0].by if found.lessons else None
    if run is not None:
        say.withheld_by = run.withheld(count)
        if run.trouble is not None:
            terminal.tell(run.trouble)
    if say.withheld_by is not None:
        found.lessons.clear()
    code = say(found, count)
    terminal.finish()
    # a journal that hangs or is damaged costs no answer
    question = recalled.asked(found.lessons, by)
    if run is not None:
        given_out, size = len(found.lessons), recalled.size(question)
        looping.tell(run.keep(found=count, given=given_out, size=size, asked=[question]))
    else:
        looping.tell(questions.keep(place, [question]))
    return code


def _spec(directory: str | None, spec: str | None) -> str | None:
    if spec is None:
        return None
    content = failing.content(directory, spec, "the spec") or b""
    return content.decode("utf-8", "replace").removeprefix("\ufeff")


class Answer:
    """Prints what was found: the block, or JSON; nothing where there is nothing to say."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self.run: Run | None = None
        self.verdict: Verdict | None = None
        self.moment: AsOf | None = None  # that was asked about
        self.withheld_by: str | None = None  # an experiment

    def __call__(
        self, found: recall.Recalled | None = None, count: int = 0, *, bypassed: bool = False
    ) -> int:
        """count: lessons that were found, shown or not."""
        found = found or recall.Recalled([], [])
        if self.withheld_by is not None:
            terminal.tell(rendered.withheld(count, self.withheld_by))
        for skipped in found.skipped:
            terminal.tell(skipped)
        if self._as_json:
            answer = rendered.as_json(
                found,
                self.run,
                self.verdict,
                bypassed=bypassed,
                moment=self.moment,
                withheld_by=self.withheld_by,
            )
            terminal.answer(answer)
            return 0
        if found.lessons:
            asking.say_moment(self.moment)
            terminal.out(rendered.block(found))
        elif self.moment is not None and not count:  # on stderr: stdout has lessons or nothing
            terminal.tell(f"no lesson is recalled. {as_of.sentence(self.moment)}")
        if self.verdict is not None:
            terminal.out(rendered.loop(self.verdict))
        if bypassed:
            terminal.tell("not looked up: switched off by CHALKGIT_BYPASS_RECALL")
        return 0


def _ask(
    place: Place, run: Run | None, spec: str | None, here: bool, rebuild: bool, asked: AsOf | None
) -> recall.Recalled:
    if asked is not None and asked.known_at is not None:
        index = asking.past(place, asked, here=here)
        opened = [sources.Source(index, elsewhere=False, label="", hidden=set())]
    else:
        report = asking.progress("indexing")
        opened = sources.opened(
            place, here=here, tell=terminal.tell, report=report, rebuild=rebuild, words=False
        )
    terminal.tell_problems(stored.problems(opened[0].index))
    for source in opened[1:]:
        terminal.tell_elsewhere(source.place.root, stored.problems(source.index))
    now = asked.now if asked is not None else times.system_clock()
    ladder = recalling.ladder(place, opened, now, terminal.tell, asking.progress("reading failures"))
    if run is None:
        return ladder.spec(spec or "")
    found = ladder.run(run)
    return found if found.lessons or not spec else ladder.spec(spec)


def _tell(error: ChalkError) -> None:
    """Why there is no answer: one line, for recall is best effort."""
    where, hint = f"{error.where}: " if error.where else "", f" (hint: {error.hint})" if error.hint else ""
    terminal.tell(f"no lessons are recalled: {where}{error.message}{hint}")
