"""What a command prints where: data on stdout, all else on stderr, colour only where it is wanted."""

from __future__ import annotations

import os
import sys

from chalkgit import config
from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from chalkgit.errors import Problem
    from chalkgit.render import text

_wanted = ["auto"]


def choose(color: str) -> None:
    """--color auto, always or never."""
    _wanted[0] = color


def style() -> text.Style:
    """--color, then NO_COLOR, then FORCE_COLOR, then whether stdout is a terminal."""
    from chalkgit.render import text

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
        sys.stdout.write("".join(_shown(c, encoding) for c in data) + "\n")
    except OSError as error:
        raise _unwritable(error) from None


def answer(value: Mapping[str, Any], *, in_a_line: bool = False) -> None:
    """A JSON answer; it says what is switched off, so that an empty one is not taken for a full one."""
    from chalkgit.render import json

    written = json.line if in_a_line else json.text
    out(written({**value, "switched_off": config.switched_off()}))


def show(data: str) -> None:
    """A line that has left us when this returns: what is kept as shown was printed."""
    out(data)
    finish()


def say(text: str, end: str = "\n") -> None:
    """A line on standard error; where nobody can take it, it is lost and changes no exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()  # what was said before is read before, where both end in one place
    except (OSError, ValueError):
        pass  # `finish` meets it again, and says so
    try:
        if sys.stderr is not None:  # closed by whoever started us: print would turn to standard output
            print(text, end=end, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # what is buffered must not raise again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def begin() -> None:
    """Have somewhere to write to and to read from, where whoever started us closed the streams (`>&-`)."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115


def finish() -> None:
    """Let everything printed leave us; ChalkError where the disk is full."""
    try:
        sys.stdout.flush()
    except OSError as error:
        raise _unwritable(error) from None


def _unwritable(error: OSError) -> Exception:
    if isinstance(error, BrokenPipeError):
        return error
    # what is still buffered must not raise again at exit
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ChalkError(f"standard output cannot be written: {error.strerror}")


def _shown(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        from chalkgit.render.clean import escaped

        return escaped(character)
    return character


def tell(message: str) -> None:
    from chalkgit.render.clean import line

    say(f"chalkgit: {line(message)}")


def tell_elsewhere(root: str, problems: list[Problem]) -> None:
    """One line for all the damaged records of another store: whoever asks here may not be who mends there."""

    fatal = [found for found in problems if found.fatal]
    if fatal:
        more = f" and {len(fatal) - 1} more" if len(fatal) > 1 else ""
        where = f"{root}/{fatal[0].where}"
        tell(f"skipped {where}: {fatal[0].message}{more} (hint: chalkgit -C {root} lint)")


def tell_problems(problems: list[Problem]) -> None:
    """Name each damaged record; it costs itself and never changes what the command exits with."""
    for found in problems:
        if found.fatal:
            from chalkgit.render import text

            say("chalkgit: skipped " + text.problem(found))
