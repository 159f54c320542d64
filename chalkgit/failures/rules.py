"""What two runs of one failure tell differently, and what they tell alike: one table of rules, versioned.

`normal` of a line is what a fingerprint is made of and what likeness is measured on. What the machine or the
moment gave goes (times, addresses, temporary roots, line numbers, durations, ids by context); what the
failure means stays: integers, quoted text, exit, HTTP and errno codes, versions, names of hosts and files. A
change of any row is a new `VERSION`: records keep the raw line, so that old fingerprints can be computed
anew.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from chalkgit import thresholds
from chalkgit.failures import rules_free, rules_ids, rules_paths, rules_text, rules_times

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.failures.rule import Rule

VERSION = "v1"
LINE_CHARACTERS = thresholds.FAILURE_LINE_CHARACTERS
# What one rule uncovers another may take: real lines are settled after one pass, hostile ones after these.
_PASSES = 20

# Temporary roots come before the dates and ids in their names; quantities after all else that has digits.
RULES = (*rules_text.FIRST, *rules_paths.RULES, *rules_times.RULES, *rules_ids.RULES, *rules_text.LAST)
_IN_IDS = tuple(rule for rule in RULES if rule.ids)
_DIGIT = re.compile(r"\d")

value_free = rules_free.value_free
generic = rules_free.generic
joined = rules_free.joined


def normal(line: str | None, root: str | None) -> str:
    """The line without what differs between two runs; "" for None. root: the folder the run was started in.

    normal(normal(x)) == normal(x).
    """
    if not line:
        return ""
    return _settled(relative(line[:LINE_CHARACTERS], root), RULES)


def mask_id(test: str, root: str | None = None) -> str:
    """A test's id with what differs between two runs masked inside it: `test_day[<date>]`."""
    return _settled(relative(test[:LINE_CHARACTERS], root), _IN_IDS)


def relative(line: str, root: str | None) -> str:
    """The line with the run's root taken off its paths; in whatever form they are printed."""
    pattern = _root(root) if root else None
    return pattern.sub(_inside, line) if pattern else line


def _settled(line: str, table: tuple[Rule, ...]) -> str:
    for _ in range(_PASSES):
        before = line
        line = " ".join(line[:LINE_CHARACTERS].split())  # a mask may be longer than what it covers
        digit = _DIGIT.search(line) is not None
        for rule in table:
            line = rule.apply(line, digit)
        if line == before:
            break
    return line


@lru_cache(maxsize=8)
def _root(root: str) -> re.Pattern[str] | None:
    """The root as it may be printed: resolved, with Windows' separators, doubled and escaped ones."""
    bare = root.rstrip("/\\")
    if len(bare.strip("/\\")) < 2 or bare[1:] == ":":
        return None  # every absolute path would be below it
    places = {bare, os.path.realpath(bare), "/private" + bare}
    forms = set()
    for place in places:
        parts = [re.escape(part) for part in re.split(r"[\\/]+", place)]
        if re.fullmatch(r"[A-Za-z]:", place[:2]):
            drive = f"[{place[0].upper()}{place[0].lower()}]"
            forms.add(
                r"[\\/]{1,4}".join([rf"(?:{drive}:|/{drive.lower()}|/mnt/{drive.lower()})", *parts[1:]])
            )
        else:
            forms.add(r"(?:\\?/)".join(parts))
    listed = "|".join(sorted(forms, key=len, reverse=True))
    return re.compile(
        rf"{rules_paths.BEFORE}(?:file:(?:/{{2,3}}(?=[A-Za-z]:|/))?)?(?:{listed})(?:[\\/]+(?P<rest>{rules_paths.REST})|(?![\w.@~-]))"
    )


def _inside(found: re.Match[str]) -> str:
    rest = found["rest"]
    return re.sub(r"[\\/]+", "/", rest) if rest else "."
