"""What a command prints where: data on stdout, all else on stderr, colour only where it is wanted."""

from __future__ import annotations

import sys

from chalkgit import config
from chalkgit.errors import Problem
from chalkgit.render import text
from chalkgit.render.clean import line

_wanted = ["auto"]


def choose(color: str) -> None:
    """--color auto, always or never."""
    _wanted[0] = color


def style() -> text.Style:
    """--color, then NO_COLOR, then FORCE_COLOR, then whether stdout is a terminal."""
    if _wanted[0] != "auto":
        return text.coloured if _wanted[0] == "always" else text.plain
    if config.environment_value("NO_COLOR"):
        return text.plain
    forced = config.environment_value("FORCE_COLOR")
    if forced is not None and forced != "0":
        return text.coloured
    return text.coloured if sys.stdout.isatty() and config.environment_value("TERM") != "dumb" else text.plain


def out(data: str) -> None:
    try:
        sys.stdout.write(data + "\n")
    except UnicodeEncodeError:  # a terminal of a narrow encoding: what it cannot show is escaped
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(data.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def tell(message: str) -> None:
    print(f"chalkgit: {line(message)}", file=sys.stderr)


def tell_problems(problems: list[Problem]) -> None:
    """Name each damaged record; it costs itself and never changes what the command exits with."""
    for found in problems:
        if found.fatal:
            print("chalkgit: skipped " + text.problem(found), file=sys.stderr)
