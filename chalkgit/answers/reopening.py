"""Whether what a ruling said would reopen it has come: `reopens-when`, a closed grammar.

    library:django>=5.0    a lockfile has such a version
    date:2027-01-01        the day has come
    file:PATH changes      a commit since the ruling's touched it, or it is gone
    manual:...             a person decides

A rule that is none of these is ignored here; lint tells.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from chalkgit import times

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.dependencies import Dependencies
    from chalkgit.records.record import Record

Touched = Callable[[str | None, str], bool]

LIBRARY = r"([^\s<>=!]+)\s*(>=|<=|==|!=|>|<)\s*([^\s<>=!]+)"


def met(
    record: Record, *, root: str, dependencies: Dependencies, now: datetime, touched: Touched
) -> str | None:
    """What met the first rule that is met, in words; None while none is."""
    for rule in record.items("reopens-when"):
        kind, _, rest = rule.strip().partition(":") if isinstance(rule, str) else ("", "", "")
        words = None
        if kind == "library":
            words = _library(rest, rule.strip(), dependencies)
        elif kind == "date":
            words = _date(rest.strip(), now)
        elif kind == "file":
            words = _file(rest, record.text("at-commit"), touched)
        if words:
            return words
    return None


def _library(rest: str, rule: str, dependencies: Dependencies) -> str | None:
    import re

    parts = re.fullmatch(LIBRARY, rest.strip())
    found = dependencies.satisfying(parts[1], parts[2] + parts[3]) if parts else None
    return f"{parts[1]} is {found[0]} in {found[1]} (reopens when {rule})" if parts and found else None


def _date(rest: str, now: datetime) -> str | None:
    return f"{rest} has come" if times.is_date(rest) and times.parse(rest) <= now else None


def _file(rest: str, at_commit: str | None, touched: Touched) -> str | None:
    path = rest.strip().removesuffix(" changes").strip()
    if not path or not rest.strip().endswith(" changes"):
        return None
    return f"{path} has changed since" if touched(at_commit, path) else None
