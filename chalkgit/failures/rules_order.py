"""Members of what has no order, sorted: `{…}` and Go's `map[…]`.

Text is split at its own level only, quotes and brackets are kept whole, and what is not balanced stays as it
is.
"""

from __future__ import annotations

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LEVELS = 16  # deeper is no value that a person reads, and each level is sorted once more


def ordered(text: str) -> str:
    """The text with the members of each set or map sorted; as it is where its brackets do not match."""
    stack: list[_Group] = [_Group("")]
    at = 0
    while at < len(text):
        character = text[at]
        if character in "'\"" and (end := _quoted(text, at)):
            stack[-1].add(text[at:end])
            at = end
            continue
        if character in _CLOSING:
            if len(stack) > _LEVELS:
                return text
            stack.append(_Group(character, go=character == "[" and text.endswith("map", 0, at)))
        elif character in ")]}":
            if len(stack) < 2 or _CLOSING[stack[-1].opening] != character:
                return text
            group = stack.pop()
            stack[-1].add(group.shown(character))
        else:
            stack[-1].put(character)
        at += 1
    return stack[0].shown("") if len(stack) == 1 else text


def _quoted(text: str, at: int) -> int:
    """Where the quoted text that begins here ends; 0 where none does (an apostrophe)."""
    if at and (text[at - 1].isalnum() or text[at - 1] in "_\\"):
        return 0
    end = text.find(text[at], at + 1)
    while end > 0 and text[end - 1] == "\\":
        end = text.find(text[at], end + 1)
    return end + 1


class _Group:
    """What is between two brackets, member by member."""

    def __init__(self, opening: str, *, go: bool = False) -> None:
        self.opening = opening
        self.go = go
        self.members = [""]

    def add(self, part: str) -> None:
        self.members[-1] += part

    def put(self, character: str) -> None:
        if (self.opening == "{" and character == ",") or (self.go and character == " "):
            self.members.append("")
        else:
            self.members[-1] += character

    def shown(self, closing: str) -> str:
        if self.go:
            inside = " ".join(sorted(self.members))
        elif len(self.members) > 1:
            inside = self._sorted()
        else:
            inside = self.members[0]
        return f"{self.opening}{inside}{closing}"

    def _sorted(self) -> str:
        """The members in order; blanks at the ends, between members and a comma after the last stay."""
        first, last = self.members[0], self.members[-1]
        before = first[: len(first) - len(first.lstrip())]
        after = "" if last.strip() else f",{last}"
        members = sorted(member.strip() for member in (self.members[:-1] if after else self.members))
        after = after or last[len(last.rstrip()) :]
        return before + (", " if self.members[1][:1] == " " else ",").join(members) + after
