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

    @property
    def words(self) -> set[str]:
        """A text that says none of these does not hold it."""
        return self._matcher.words

    def in_message(self, message: Message) -> bool:
        said = message.said
        if self._id in message.lower:
            rows = [row for row in message.rows if not self._quotes(row)]
            said = _words(self._words, "\n".join(rows))
        return self._held(said, thresholds.ECHO_MESSAGE)

    def in_lines(self, added: Added) -> bool:
        """Whether a few neighbouring lines hold it."""
        near = (run for run in added.runs if self._held(run.said, thresholds.ECHO_ADDED))
        return any(self._in_run(run.lines) for run in near)

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

    def _quotes(self, row: str) -> bool:
        return self._id in row.lower() or trailers.is_one(row)


class Message:
    """A commit's message, its words looked for once, whatever number of records asks for them. rows: its
    lines without trailers. said: the words of these."""

    def __init__(self, words: Lexical, message: str) -> None:
        self.lower = message.lower()
        self.rows = [row for row in message.splitlines() if not trailers.is_one(row)]
        self.said = _words(words, "\n".join(self.rows))


class Added:
    """The runs of lines that a commit added. said: all their words, and some more."""

    def __init__(self, words: Lexical, runs: Sequence[Sequence[str]]) -> None:
        self.runs = [_Run(words, [row[:_LINE] for row in run], run) for run in runs]
        self.said = {word for run in self.runs for word in run.said}


class _Run:
    """Neighbouring lines. What they say together is looked for at once, a hundred times for each line that is
    read alone: most hold nothing."""

    def __init__(self, words: Lexical, cut: Sequence[str], rows: Sequence[str]) -> None:
        self._words = words
        self._rows = rows
        self._lines: list[tuple[str, set[str]]] | None = None
        whole = " \n ".join(cut)
        if whole.isascii():
            self.said = {*words.analyse(whole), *words.whole_names(whole)}
        else:  # in other scripts what stands beside a word may change how it is read
            self.said = {word for _, said in self.lines for word in said}

    @property
    def lines(self) -> list[tuple[str, set[str]]]:
        """Each line with its words."""
        if self._lines is None:
            self._lines = [(row, _words(self._words, row[:_LINE])) for row in self._rows]
        return self._lines


def _words(words: Lexical, text: str) -> set[str]:
    return {*words.content(text), *words.whole_names(text)}
