"""The questions: parse nothing, call the answers, render, give the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from chalkgit import config, thresholds, times
from chalkgit.answers import unseen
from chalkgit.cli import asked as journalled
from chalkgit.cli import terminal
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.store import place as places
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from chalkgit.answers.as_of import AsOf
    from chalkgit.answers.check import Answer, Checker
    from chalkgit.answers.ruling import Ruling
    from chalkgit.answers.trusted import Withheld
    from chalkgit.cli.asked import Keep
    from chalkgit.errors import Problem, UnknownPast
    from chalkgit.store.ahead import Ahead

LIMIT = 3


def at(
    directory: str | None,
    paths: Sequence[str],
    *,
    as_json: bool,
    valid_at: str | None = None,
    known_at: str | None = None,
    ahead: Ahead | None = None,
) -> int:
    """The rulings on these files: always 0, for it is no gate."""
    if config.bypassed("RULINGS"):
        return _bypassed_at(directory, paths, as_json)
    from chalkgit.answers import at as answers
    from chalkgit.answers import repair, stored
    from chalkgit.index import texts
    from chalkgit.store import renames

    place = places.find(directory)
    moment = as_of(place, known_at, valid_at)
    now = moment.now if moment is not None else times.system_clock()
    asked = [places.path_in(place, path, os.path.abspath(directory or ".")) for path in paths]

    def look(rebuild: bool) -> tuple[Index, list[Ruling], list[Problem], int]:
        if moment is not None and known_at is not None:
            # other stores are never asked about a file
            index, staged = past(place, moment, here=True), None
        else:
            staged = renames.staged(place.root)
            index = _index(place, None if rebuild else ahead, rebuild=rebuild)
        left_out = withheld(place, "at", index.commit)
        found = answers.rulings(index, asked, now, staged, left_out)
        told[:] = [*filter(None, [left_out.told]), *unseen.notes(found).values()]
        hidden[:] = left_out.ids
        return index, found, stored.problems(index), index.table.count(texts.ALL)

    told: list[str] = []
    hidden: list[str] = []
    index, rulings, problems, count = repair.once(look)
    for note in told:
        terminal.tell(note)
    terminal.tell_problems(problems)
    if as_json:
        from chalkgit.render import json

        terminal.answer(json.at(asked, rulings, count, False, moment, withheld=len(hidden)))
    else:
        from chalkgit.render import text

        say_moment(moment)
        terminal.out(text.at(asked, rulings, terminal.style(), withheld=len(hidden)))
    terminal.finish()
    journalled.keep(place, directory, [journalled.at(index, asked, rulings, as_json=as_json)])
    return 0


def _bypassed_at(directory: str | None, paths: Sequence[str], as_json: bool) -> int:
    if as_json:
        from chalkgit.render import json

        terminal.answer(json.at(paths, [], 0, True))
    else:
        terminal.out("Not looked up: switched off by CHALKGIT_BYPASS_RULINGS.")
    terminal.finish()
    journalled.keep(None, directory, [journalled.off("at", "RULINGS")])
    return 0


def check(
    directory: str | None,
    proposal: str,
    *,
    as_json: bool,
    limit: int = LIMIT,
    opening: Callable[..., Checker] | None = None,
    keep: Keep = journalled.keep,
    **how: Any,
) -> int:
    """Has this been tried? 1 when it was, else 0; `how` is what `opened` takes, or `opening` in its place."""
    asker = Asker(directory, limit, opening, **how)
    answer = asker.ask(proposal)
    if as_json:
        from chalkgit.render import json

        terminal.answer(json.check(answer))
    elif asker.unseen is None:
        from chalkgit.render import text

        say_moment(answer.as_of)
        terminal.out(text.check(answer, terminal.style()))
    terminal.finish()
    keep(asker.place, directory, [journalled.check(asker.checker, answer, as_json=as_json)])
    if asker.unseen is not None:
        raise asker.unseen
    return 1 if answer.verdict == "tried" else 0


class Asker:
    """Puts proposals to the stores, which are opened with the first; `unseen` says what no answer could be.

    The switch is asked before any store is touched. An index that is found damaged is rebuilt, once.
    """

    def __init__(
        self, directory: str | None, limit: int, opening: Callable[..., Checker] | None = None, **how: Any
    ) -> None:
        self.unseen: UnknownPast | None = None
        self._opening = opening or opened
        self._bypassed = config.bypassed("CHECK")
        self._directory, self._limit, self._how = directory, limit, how
        self.checker: Checker | None = None
        self._told: set[str] = set()

    @property
    def place(self) -> Place | None:
        """Where it was asked, once that is known."""
        return self.checker.here if self.checker is not None else None

    def ask(self, proposal: str) -> Answer:
        from chalkgit.answers import check as answers
        from chalkgit.answers import repair
        from chalkgit.errors import UnknownPast

        if self._bypassed:
            return answers.bypassed(proposal)
        new = self.checker is None
        try:
            answer = repair.once(lambda rebuild: self._open(rebuild).ask(proposal, self._limit))
        except UnknownPast as error:
            self.unseen = error
            answer = answers.unknown(proposal, error)
            answer.as_of = self._unresolved()
            return answer
        if self.checker is not None:
            answer.as_of = self.checker.as_of
        if new:
            self._tell_problems()
        self._tell_lacking(answer)
        return answer

    def _tell_lacking(self, answer: Answer) -> None:
        """Each once for any number of proposals; every answer's JSON says what it lacks."""
        left_out = self.checker.withheld if self.checker is not None else None
        said = {"": left_out.sentence(answer.withheld) if left_out is not None else None}
        for about, note in [*said.items(), *unseen.of_answer(answer).items()]:
            if note and about not in self._told:
                self._told.add(about)
                terminal.tell(note)

    def _open(self, rebuild: bool) -> Checker:
        if self.checker is None or rebuild:
            ahead = None if rebuild else self._how.pop("ahead", None)
            self.checker = self._opening(self._directory, **self._how, ahead=ahead, rebuild=rebuild)
        return self.checker

    def _unresolved(self) -> AsOf:
        from chalkgit.answers.as_of import AsOf

        return AsOf(self._how.get("known_at"), self._how.get("valid_at"))

    def _tell_problems(self) -> None:
        from chalkgit.answers import stored

        own, *others = self.checker.sources if self.checker else ()
        terminal.tell_problems(stored.problems(own.index))
        for source in others:
            terminal.tell_elsewhere(source.place.root, stored.problems(source.index))


def opened(
    directory: str | None,
    *,
    lexical: bool = False,
    here: bool = False,
    valid_at: str | None = None,
    known_at: str | None = None,
    patient: bool = False,
    ahead: Ahead | None = None,
    rebuild: bool = False,
) -> Checker:
    """The stores and the semantic arm, ready for proposals. `patient`: wait until all vectors are written."""
    from chalkgit.answers import sources
    from chalkgit.answers.check import Checker
    from chalkgit.answers.semantic import Semantic

    place = places.find(directory)
    moment = as_of(place, known_at, valid_at)
    if moment is not None and known_at is not None:
        index = past(place, moment, here=here, words=True)
        asked = [sources.Source(index, elsewhere=False, label="", hidden=set())]
    else:
        report = progress("indexing")
        asked = sources.opened(
            place.require_store(),
            here=here,
            tell=terminal.tell,
            report=report,
            ahead=ahead,
            rebuild=rebuild,
        )
    semantic = Semantic(lexical=lexical)
    semantic.prepare(asked, None if patient else thresholds.FILL_SECONDS, progress("writing vectors"))
    if semantic.unwritten:
        terminal.tell(f"vectors were not kept, and are made again each time: {semantic.unwritten}")
    checker = Checker(place, asked, semantic, moment.now if moment is not None else times.system_clock())
    checker.as_of = moment
    checker.withheld = withheld(place, "check", asked[0].index.commit)
    return checker


def withheld(place: Place, surface: str, commit: str | None) -> Withheld:
    """What this repository's policy leaves out there; as of a commit, by the approvals up to it."""
    from chalkgit.answers.trusted import Trusted, Withheld

    return Withheld(place, surface, Trusted(commit or "HEAD"))


def as_of(place: Place, known_at: str | None, valid_at: str | None) -> AsOf | None:
    """The moment that these options ask about; None where neither is given."""
    if known_at is None and valid_at is None:
        return None
    from chalkgit.answers import as_of as moments

    return moments.asked(place, known_at, valid_at)


def past(place: Place, moment: AsOf, *, here: bool, words: bool = False) -> Index:
    """What was known then, in memory; what such an answer leaves out is told. `words`: `check` asks them."""
    from chalkgit.answers import as_of as moments

    index = moments.index(place, moment, words=words)
    for note in moments.notes(index, moment, here=here, checked=words):
        terminal.tell(note)
    return index


def say_moment(moment: AsOf | None) -> None:
    """The one line on stdout that says which moment a text answer speaks of."""
    if moment is not None:
        from chalkgit.render import as_of as rendered

        terminal.out(terminal.style()(rendered.sentence(moment), "dim"))


def _index(place: Place, ahead: Ahead | None = None, *, rebuild: bool = False) -> Index:
    place.require_store()
    index = refresh.up_to_date(place, progress("indexing"), rebuild=rebuild, ahead=ahead, words=False)
    if index.unwritten:
        terminal.tell(index.unwritten)
    return index


def progress(what: str) -> refresh.Progress:
    """A line on stderr that counts up, on a terminal; one plain line elsewhere for long work."""
    shown = sys.stderr is not None and sys.stderr.isatty()
    told: list[bool] = []

    def report(done: int, total: int) -> None:
        if total < thresholds.PROGRESS_FROM:
            return
        if shown:
            end = "\n" if done >= total else ""
            terminal.say(f"\rchalkgit: {what}: {done:,} of {total:,}", end)
        elif not told:
            told.append(True)
            terminal.tell(f"{what}: {total:,} records …")

    return report
