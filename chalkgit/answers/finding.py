"""What `review` finds in a change: one thing a reviewer should read, and the rule that found it.

The rules stand once, here: the documents, SARIF's catalogue and `--fail-on` come from this table.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE, WARNING, ERROR = "note", "warning", "error"
LEVELS = (NOTE, WARNING, ERROR)


class Rule:
    """name: the stable identifier; level: one of LEVELS; short: one line; help: what to do about it."""

    __slots__ = ("help", "level", "name", "short")

    def __init__(self, name: str, level: str, short: str, help: str) -> None:
        self.name = name
        self.level = level
        self.short = short
        self.help = help


RULES: tuple[Rule, ...] = (
    # what the change does to the lessons
    Rule("adds", NOTE, "A record is new", "Read it: would its next reader know what to do?"),
    Rule("retires", NOTE, "A record is withdrawn", "Is the reason true for all who would have met it?"),
    Rule("deletes", WARNING, "A record's file is gone", "Retire it instead: the tombstone tells why."),
    Rule(
        "weakens", WARNING, "A ruling claims less than before", "What was seen that the old one did not know?"
    ),
    Rule("strengthens", NOTE, "A ruling claims more than before", "Does the evidence carry it?"),
    Rule(
        "reopens",
        WARNING,
        "What closed a ruling is taken back, or what would reopen it has come",
        "Ask what has changed since: does it hold?",
    ),
    Rule("supersedes", NOTE, "A record replaces another", "Does the new one keep what the old one knew?"),
    Rule("settles", NOTE, "The cause of a ruling is said to be gone", "Does the commit named remove it?"),
    Rule(
        "resolves", NOTE, "An open lesson has got its resolution", "Would it work for the next who meets it?"
    ),
    Rule("corrects", NOTE, "A record says something else than before", "Is the new text true?"),
    Rule("moves", NOTE, "A record's file has moved", "Nothing but its place has changed."),
    Rule("approves", NOTE, "A person approves a record's exact content", "Is the content worth it?"),
    Rule(
        "unapproves",
        WARNING,
        "An approval counts no longer",
        "A listed reviewer approves the record as it is now: chalkgit approve ID.",
    ),
    Rule("rejects", NOTE, "A record is rejected, and is never recalled", "Is the reason given true?"),
    Rule("quarantines", NOTE, "A record is put aside, and is never recalled", "Is the reason given true?"),
    Rule(
        "reviewers",
        WARNING,
        "The rules of trust are changed",
        "It counts once it is merged, not here.",
    ),
    Rule(
        "merges",
        WARNING,
        "Git merges or keeps records otherwise than chalkgit does",
        "Name merge=chalkgit for them, never union, and no filter, encoding or ident.",
    ),
    # what is wrong with it
    Rule(
        "forged",
        ERROR,
        "An approval that git does not prove",
        "A listed reviewer approves: chalkgit approve ID.",
    ),
    Rule("damaged", ERROR, "A record cannot be read", "chalkgit lint names the line."),
    Rule(
        "secret", ERROR, "Text that has the shape of a secret", "Take it out of the history, and revoke it."
    ),
    Rule(
        "hides",
        ERROR,
        "Characters that hide text or turn it round",
        "Take them out: what is read must be what is there.",
    ),
    Rule(
        "instructs",
        WARNING,
        "Text that tries to instruct its reader",
        "A record says what happened, not what to obey.",
    ),
    Rule(
        "contradicts",
        WARNING,
        "Two records say opposite things",
        "Supersede one by the other, or narrow one's scope.",
    ),
    Rule("repeats", WARNING, "A record says nearly what another says", "Correct or supersede the other one."),
    Rule(
        "rots", WARNING, "A record speaks of what is there no longer", "Correct it, settle it or retire it."
    ),
    Rule("dangles", WARNING, "A record refers to one that is not there", "Correct the id."),
    Rule(
        "touches",
        NOTE,
        "The change edits a file that a record rules about",
        "Is it still true? Settle it where not.",
    ),
)

BY_NAME = {rule.name: rule for rule in RULES}


class Finding:
    """One finding: its rule, where it stands, and what it says in one line.

    path and line: where to put it, repository path and a line that counts from 1 (None: the whole file); for
    `touches` the file that the change edits. record: the record's id, "" where none could be read. title: the
    record's title. details: further lines (field-wise differences, the other record). mend: the command that
    would help, None where there is none. weight: sorts findings of one level, the larger first.
    """

    __slots__ = ("details", "line", "mend", "message", "path", "record", "rule", "title", "weight")

    def __init__(
        self,
        rule: str,
        path: str,
        message: str,
        *,
        line: int | None = None,
        record: str = "",
        title: str = "",
        details: Sequence[str] = (),
        mend: str | None = None,
        weight: float = 0.0,
    ) -> None:
        self.rule = BY_NAME[rule]
        self.path = path
        self.message = message
        self.line = line
        self.record = record
        self.title = title
        self.details = list(details)
        self.mend = mend
        self.weight = weight

    @property
    def level(self) -> str:
        return self.rule.level

    def __repr__(self) -> str:
        return f"Finding({self.rule.name} {self.path}:{self.line} {self.message})"


class Review:
    """What a change does to the lessons: findings, the most important first.

    base and head: full commit ids; head is None for the work tree. asked: BASE..HEAD as it was typed. before
    and after: how many records there are. skipped: what could not be looked at, each in words.
    """

    __slots__ = ("after", "asked", "base", "before", "findings", "head", "skipped")

    def __init__(self, asked: str, base: str, head: str | None) -> None:
        self.asked = asked
        self.base = base
        self.head = head
        self.before = 0
        self.after = 0
        self.findings: list[Finding] = []
        self.skipped: list[str] = []

    def sort(self) -> None:
        """By level, then by weight, then by path and line."""
        self.findings.sort(
            key=lambda f: (-LEVELS.index(f.level), -f.weight, f.path, f.line or 0, f.rule.name, f.record)
        )

    def at_or_over(self, level: str) -> list[Finding]:
        return [f for f in self.findings if LEVELS.index(f.level) >= LEVELS.index(level)]
