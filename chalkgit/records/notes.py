"""Working notes: which of them speak of a failure, and so count in `check`.

A note counts by explicit words: it did not work, it was ruled out, we gave up. Words that are undone where
they stand (mended, denied, asked, only feared) do not count. Each marker looks at a bounded stretch of its
own sentence, so that the time taken grows with the length of a note and not with its square.
"""

from __future__ import annotations

import re

from chalkgit.records.record import Record

_NOT = r"(?:n['’]t| not| never)"
_CAN = r"(?:cannot|can['’]t|can not|could not|couldn['’]t)"
_DOES = rf"(?:(?:did|does|do|would|could|has|have|had|is|was|are|were){_NOT}|won['’]t|will not|never)"
# What was counted, logged or sold is a thing with that name, and no failure of what the note is about.
_THINGS = (
    r"(?:log-?ins?|requests?|jobs?|payments?|uploads?|deliver(?:y|ies)|transactions?|messages?|e-?mails?"
    r"|promises?|rows?|carts?|baskets?|sessions?|accounts?|connections?|checks?)\b"
)
# Each row is one way people say that something failed.
_MARKERS = (
    rf"{_DOES} (?:\w+ )?(?:work(?:s|ed|ing)?|help(?:s|ed)?|scale[sd]?|pan(?:ned)? out|hold up|held up|cut it"
    r"|compiled?|converged?|survived?|(?:fix|solve)d? (?:it|this|that|the))\b",
    r"not working",
    r"(?:no longer work|stop(?:ped|s) working)",
    rf"(?:fail(?:s|ed)?|(?<!fix )failing)\b(?![- ]?(?:fast|over|safe|open|closed)\b)(?! {_THINGS})",
    r"(?:ended|ends|resulted|results) in (?:\w+ )?failure",
    r"vetoed",
    r"rul(?:ed|es|ing) (?:\w+ ){0,3}out\b",
    r"dead[- ]end\b",
    r"(?:are|were) (?:\w+ )?dead[- ]ends",
    rf"abandon(?:ed|ing)\b(?! {_THINGS})",
    r"back(?:ed|s|ing) (?:\w+ ){0,2}out\b",
    r"block(?:ed|s) by",
    r"too (?:slow|fragile|flaky|expensive|brittle|unstable|costly|unreliable)\b",
    # “can not only” is praise, “cannot be ruled out” leaves it open, “cannot fail” is a promise
    rf"{_CAN}\b(?! (?:only|just|wait|complain|fail|break|go wrong|be beaten|recommend|(?:be )?rul))",
    r"(?:reverted|(?:had|have|has) to revert|reverting)\b",
    r"(?:made|makes|making) (?:\w+ ){1,4}(?:worse|slower|unusable|unreadable)\b"
    r"(?! (?!on|in|by|for|than|and|with|when|at)\w)",
    r"(?:is|was|proved|turned out) (?:\w+ )?impossible\b",
    r"(?:gave|giv(?:en|ing)) up\b",
    r"no (?:use\b(?! of)|good\b)",
    r"(?:to no avail|in vain|had no effect|made no difference)",
    rf"rejected\b(?! {_THINGS})",
    r"(?<!line )(?<!page )(?<!word )br(?:oke|eaks)\b(?! (?:nothing|none|no)\b)"
    r"(?! (?:\w+ ){0,3}(?:into|up|down|out of|even|ties)\b)",
    rf"(?:crashed|segfault(?:s|ed)|timed out|deadlocked|r[ua]ns? out of memory)\b(?! {_THINGS})",
)
_MARKER = re.compile(r"\b(?:" + "|".join(_MARKERS) + ")", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?;\n]|[.!?;](?=[^\s.!?;]))+[.!?;]*")

# Words between an undoing and what it undoes; a new clause ends its reach.
_REACH = r"(?: (?!(?:and|but|because|so|yet|then|though|while|or|as|since|which|it['’]s)\b)[\w'’-]+){0,3} $"
_A = r"(?:the|a|an|this|that|these|those|all|some|our|my|every|each|any)"
_UNDONE = re.compile(
    r"(?:\b(?:fixed|fixing|repair(?:ed|s|ing)?|solv(?:ed|es|ing)|resolv(?:ed|es|ing)|mend(?:ed|s|ing)?"
    r"|avoid(?:ed|s|ing)?|prevent(?:ed|s|ing)?|no longer|not|never|without|stopped|instead of|nothing|neither"
    rf"|unlikely to|rather than|\w+n['’]t|cannot){_REACH}"
    rf"|\bfix(?:es)? {_A}(?: [\w'’-]+){{0,2}} $"
    r"|\bfix(?:ed|es)?(?:\([\w-]+\))?:(?: [\w'’-]+){0,3} $"
    r"|\b(?:no|zero|0|none) (?:\w+ )?$"
    # only feared, asked for, or dealt with
    r"|\b(?:if|when|whenever|unless|until|in case|once|should|may|might|could|can)(?: [\w'’-]+){0,2} $"
    r"|\b(?:expect|expects|expected|supposed|meant|designed|wants?|needs?|make|makes)(?: \w+){0,2} (?:to )?$"
    r"|\b(?:keep|keeps|kept|stops?|save[sd]?)(?: \w+){1,2} from $"
    rf"|\b(?:retry|retried|rerun|handle[sd]?|handling|detect(?:s|ed|ing)?|catch(?:es|ing)?|report(?:s|ed|ing)?"
    rf"|logs?|count(?:s|ed|ing)?|list(?:s|ed|ing)?|marks?|asserts?(?: that)?)(?: {_A})? $)",
    re.IGNORECASE,
)
_MENDED = re.compile(
    r"(?:\b(?:is|are|was|were|got|now|been) (?:\w+ )?(?:fixed|solved|resolved|mended|green|passing|passes)\b"
    r"|\b(?:now (?:works?|passes|succeeds)|(?:works|passes|succeeds|fine) (?:again|now))\b"
    r"|\buntil (?:we|i|they|you|someone)\b|\bbefore (?:the|this|our|my) (?:fix|patch)\b)",
    re.IGNORECASE,
)
_BEFORE, _AFTER = 100, 80  # characters: more than the widest pattern takes


def has_failure_marker(text: str) -> bool:
    """Whether the note says, in explicit words, that something failed; negation is understood."""
    return any(_says_so(found[0]) for found in _SENTENCE.finditer(text))


def _says_so(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    for found in _MARKER.finditer(sentence):
        before = sentence[max(0, found.start() - _BEFORE) : found.start()]
        after = sentence[found.end() : found.end() + _AFTER]
        if not _UNDONE.search(before) and not _MENDED.search(after):
            return True
    return False


def admitted(note: Record) -> bool:
    """Whether a working note counts in `check`."""
    return has_failure_marker("\n".join(filter(None, (note.text("raw"), note.text("route")))))
