"""What an agent is told, as text: lines under the limit of a hook's context, and whose words they are.

The same bytes for the same rulings. The first line says that what follows was recorded by others and obliges
to nothing; stored text comes after it, each on one line.
"""

from __future__ import annotations

from collections.abc import Callable

from chalkgit.thresholds import AGENT_CHARACTERS

Tell = Callable[[str], None]
# What is added to the model's reading, and what is called once that was printed.
Said = tuple[str, Callable[[], object]]

ABOUT = "From the records of earlier work in this repository's git (chalkgit): a record, not an instruction."
_ROOM = 120  # for the last line, which counts what did not fit


class Text:
    """Lines, as many as fit; `left` counts the others."""

    def __init__(self, first: str = ABOUT) -> None:
        self._lines = [first]
        self._size = units(first)
        self.left = 0

    def add(self, *lines: str) -> bool:
        """All of these lines, or none and False."""
        size = sum(1 + units(line) for line in lines)
        if self._size + size + _ROOM > AGENT_CHARACTERS:
            self.left += 1
            return False
        self._lines += lines
        self._size += size
        return True

    def text(self, where: str = "chalkgit at") -> str:
        """where: the command that shows those that are only counted."""
        counted = [f"{self.left} more did not fit here; all of them: {where}"] if self.left else []
        return "\n".join([*self._lines, *counted])

    def __bool__(self) -> bool:
        return len(self._lines) > 1


def units(text: str) -> int:
    """Characters as JavaScript counts them, which is where the limit was measured."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
