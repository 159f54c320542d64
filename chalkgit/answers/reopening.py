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

Touched = Callable[[str | None, str], "bool | None"]  # None: this clone is cut off before it


def met(
    record: Record,
    *,
    dependencies: Dependencies,
    now: datetime,
    touched: Touched,
    unseen: list[str] | None = None,
) -> str | None:
    """What met the first rule that is met, in words; None while none is.

    unseen: takes the rules of which this clone cannot tell, where none is met.
    """
    rules = record.items("reopens-when")
    if not rules:
        return None
    from chalkgit.records import reopens  # its patterns are compiled only where a ruling has such a rule

    untold = []
    for rule in rules:
        words = None
        match reopens.parse(rule):
            case ("library", name, sign, version):
                words = _library(name, sign + version, rule, dependencies)
            case ("date", date) if times.parse(date) <= now:
                words = f"{date} has come"
            case ("file", path):
                since = touched(record.text("at-commit"), path)
                words = f"{path} has changed since" if since else None
                untold += [rule] if since is None else []
        if words:
            return words
    if unseen is not None:
        unseen += untold
    return None


def _library(name: str, wanted: str, rule: str, dependencies: Dependencies) -> str | None:
    found = dependencies.satisfying(name, wanted)
    return f"{name} is {found[0]} in {found[1]} (reopens when {rule.strip()})" if found else None
