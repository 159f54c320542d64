"""One row of the table of rules: a span that differs between two runs of one failure, and what it becomes.

Each row carries the evidence its test walks over: two lines that become equal by it, two that must stay
apart.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable

    Becomes = str | Callable[[re.Match[str]], str]


class Rule:
    """A row.

    pattern: takes time linear in the line. becomes: as `re.sub` has it. needs: the line holds one of these,
    or the pattern is not tried. digits: it holds a digit, likewise. ids: applied inside test ids, too.
    equal: two lines that become equal by it. differ: two that must not.
    """

    __slots__ = ("becomes", "differ", "digits", "equal", "ids", "name", "needs", "pattern", "reason")

    def __init__(
        self,
        name: str,
        reason: str,
        pattern: str,
        becomes: Becomes,
        *,
        equal: tuple[str, str],
        differ: tuple[str, str],
        needs: tuple[str, ...] = (),
        digits: bool = False,
        ids: bool = False,
        flags: int = 0,
    ) -> None:
        self.name = name
        self.reason = reason
        self.pattern = re.compile(pattern, flags)
        self.becomes = becomes
        self.needs = needs
        self.digits = digits
        self.ids = ids
        self.equal = equal
        self.differ = differ

    def apply(self, line: str, digit: bool) -> str:
        """The line with each such span replaced. digit: whether the line holds one."""
        if self.digits and not digit:
            return line
        if self.needs and not any(part in line for part in self.needs):
            return line
        return self.pattern.sub(self.becomes, line)
