"""The fields of a record: name, shape, kinds and meaning, once.

The codec's order, the JSON Schema, `correct`'s options and docs/format.md all come from this table.
"""

from __future__ import annotations

KINDS = ("dead-end", "lesson", "procedure")
FOLDERS = {kind: kind + "s" for kind in KINDS}

LAYERS = ("implementation", "design", "environment", "dependency", "requirement")
SCOPES = ("local", "version-bound", "general")
LESSON_SCOPES = ("repo", "general")
DEGREES = ("contradicted", "partial", "inconclusive", "unstable")
ACTIONS = ("retry", "change-method", "narrow-scope", "abandon")
REVIEWS = ("approved", "rejected", "quarantined")

# What a value may be. All leaves are strings.
TEXT = "text"  # one or more lines
LINE = "line"  # one line
WORD = "word"  # one of an enumeration
DATE = "date"  # YYYY, YYYY-MM, YYYY-MM-DD or an instant
FLAG = "flag"  # the word true
LINES = "lines"  # a list of lines; one line alone is read as a list of one
VERSIONS = "versions"  # a mapping of name to version
PERSON = "person"  # a name, or a mapping of name and agent
PARTS = "parts"  # a mapping whose keys are listed in `parts`

ALL = KINDS


class Field:
    """One row of the table.

    words: the enumeration of a WORD, by kind. parts: sub-fields of PARTS, name to shape.
    """

    __slots__ = ("kinds", "meaning", "name", "parts", "shape", "words")

    def __init__(
        self,
        name: str,
        shape: str,
        meaning: str,
        kinds: tuple[str, ...] = ALL,
        *,
        words: dict[str, tuple[str, ...]] | None = None,
        parts: dict[str, str] | None = None,
    ) -> None:
        self.name = name
        self.shape = shape
        self.meaning = meaning
        self.kinds = kinds
        self.words = words or {}
        self.parts = parts or {}


def _words(words: tuple[str, ...], kinds: tuple[str, ...] = ALL) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(kinds, words)


_DEAD, _LESSON, _BOTH = ("dead-end",), ("lesson",), ("dead-end", "procedure")

FIELDS: tuple[Field, ...] = (
    Field("id", LINE, "eight random base-32 characters: the identity, minted once"),
    Field("kind", WORD, "dead-end, lesson or procedure", words=_words(KINDS)),
    Field("route", TEXT, "what was tried, in the words one would propose it in", _BOTH),
    Field("observation", TEXT, "what happened, and why that rules it out", _DEAD),
    Field("trap", TEXT, "what goes wrong on the way", ("procedure",)),
    Field(
        "failure",
        PARTS,
        "the failed run this lesson is about",
        _LESSON,
        parts={
            "reason": LINE,
            "exit-code": LINE,
            "tests": LINES,
            "error": TEXT,
            "output": TEXT,
            "fingerprint": LINE,
            "ticket": LINE,
        },
    ),
    Field(
        "resolution",
        TEXT,
        "what a person said fixed it; absent, with no rule either: the lesson is open",
        _LESSON,
    ),
    Field("resolved-by", PERSON, "who said so", _LESSON),
    Field("lesson", TEXT, "the rule distilled from it: When S, do Y, because Z", _LESSON),
    Field(
        "distilled-by",
        LINE,
        "the program that distilled the rule from failure, note and fix; absent: a person wrote it",
        _LESSON,
    ),
    Field("layer", WORD, "where the cause lies; absent: unclassified", words=_words(LAYERS)),
    Field(
        "scope",
        WORD,
        "how far it holds; for lessons: repo (recalled in its own repository alone) or general",
        words={**_words(SCOPES, _BOTH), "lesson": LESSON_SCOPES},
    ),
    Field("degree", WORD, "how sure the refutation is", _DEAD, words=_words(DEGREES, _DEAD)),
    Field("action", WORD, "what to do with the route now", _DEAD, words=_words(ACTIONS, _DEAD)),
    Field("alternative", TEXT, "what to do instead", _DEAD),
    Field("files", LINES, "repository paths, globs or bare names it is about"),
    Field("depends-on", VERSIONS, "name: version of what it was observed with"),
    Field("evidence", LINES, "commits, URLs, test ids"),
    Field("by", PERSON, "who found out: name, and agent where a program wrote it"),
    Field("at-commit", LINE, "HEAD when it was written"),
    Field("valid-from", DATE, "it holds in the world from here"),
    Field("valid-until", DATE, "and up to here, exclusive"),
    Field(
        "reopens-when",
        LINES,
        "library:NAME>=VERSION, date:DATE, file:PATH changes, or manual:TEXT; met: shown as open again",
    ),
    Field("ref", LINE, "where it was imported from: source:identifier, unique"),
    Field("supersedes", LINES, "ids this record replaces, once it is committed"),
    Field("retired", PARTS, "why and when it was withdrawn", parts={"because": TEXT, "on": DATE}),
    Field("settled", LINE, "the commit that removed the cause", ("dead-end", "lesson")),
    Field("probe", LINE, "a command that fails now and passes once the cause is gone"),
    Field(
        "review",
        PARTS,
        "approved, rejected or quarantined; by whom; the hash of the content it speaks of",
        parts={"state": WORD, "by": PERSON, "hash": LINE, "because": TEXT, "on": DATE},
    ),
    Field("tags", LINES, "free words"),
    Field("raw", TEXT, "the entry as it was written, when it came as one line or prose", _DEAD),
    Field("truncated", FLAG, "the raw entry was cut at the cap", _DEAD),
)

# What names a commit. Another word says nothing to git later: `HEAD` would be another commit each day.
COMMITS = ("at-commit", "settled")


def is_commit(text: str) -> bool:
    """Whether it can be a commit's id: hexadecimal digits, at least as many as git takes for one."""
    return 4 <= len(text) <= 64 and all(c in "0123456789abcdefABCDEF" for c in text)


BY_NAME = {field.name: field for field in FIELDS}
ORDER = {field.name: place for place, field in enumerate(FIELDS)}
# Words of sub-fields that are enumerations, by "field.part".
PART_WORDS = {"review.state": REVIEWS}
