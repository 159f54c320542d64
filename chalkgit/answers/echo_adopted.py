"""Whether a commit did what a record says to do instead: in its message, or in lines that it added.

What the alternative says and the route does not is looked for, by the measure that `check` decides with. A
line that holds the record's id is a quotation, and no adoption.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.answers.matching import Matcher
from chalkgit.index import texts
from chalkgit.index.lexical import Lexical
from chalkgit.records import trailers
from chalkgit.records.record import Record

_LINE = thresholds.DIFF_LINE_CHARACTERS


class Alternative:
    """What a record says to do instead. `telling`: whether it says enough of its own to be looked for."""

    def __init__(self, words: Lexical, record: Record) -> None:
        self._words = words
        self._id = record.id
        said = record.text("alternative") or ""
        self._route = {*words.content(texts.route(record)), *words.whole_names(texts.route(record))}
        self._matcher = Matcher(words, said, 0.0, thresholds.WORDS)
        self._wanted = self._matcher.words - self._route
        own = [word for word in words.content(said) if word not in self._route]
        self.telling = record.kind == "dead-end" and len(own) >= thresholds.ECHO_WORDS

    def in_message(self, message: str) -> bool:
        rows = [row for row in message.splitlines() if not self._quotes(row)]
        return self._held(self._said("\n".join(rows)), thresholds.ECHO_MESSAGE)

    def in_lines(self, added: Added) -> bool:
        """Whether a few neighbouring lines hold it."""
        return any(self._in_run(run) for run in added.runs)

    def _in_run(self, run: Sequence[tuple[str, set[str]]]) -> bool:
        hits = [(at, said & self._wanted) for at, (_, said) in enumerate(run) if said & self._wanted]
        for number, (first, said) in enumerate(hits):
            together = set(said)
            for at, more in hits[number + 1 :]:
                if at - first >= thresholds.ECHO_ADDED_LINES:
                    break
                together |= more
            near = run[first : first + thresholds.ECHO_ADDED_LINES]
            if self._held(together, thresholds.ECHO_ADDED) and not any(self._quotes(row) for row, _ in near):
                return True
        return False

    def _held(self, said: set[str], least: float) -> bool:
        share, count = self._matcher.containment(said, self._route)
        return share >= least and count >= thresholds.ECHO_WORDS

    def _said(self, text: str) -> set[str]:
        return {*self._words.content(text), *self._words.whole_names(text)}

    def _quotes(self, row: str) -> bool:
        return self._id in row.lower() or trailers.is_one(row)


class Added:
    """The runs of lines that a commit added, each line with its words."""

    def __init__(self, words: Lexical, runs: Sequence[Sequence[str]]) -> None:
        self.runs = [[(row, _words(words, row)) for row in run] for run in runs]


def _words(words: Lexical, row: str) -> set[str]:
    cut = row[:_LINE]
    return {*words.content(cut), *words.whole_names(cut)}
