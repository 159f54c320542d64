"""The options that speak of another moment: what was known, what holds in the world, and since when.

An empty value, such as an unset variable of a script, is refused: it would mean now, or everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from chalkgit import times
from chalkgit.errors import ChalkError

F = TypeVar("F", bound=Callable[..., Any])


def options(function: F) -> F:
    """--valid-at and --known-at, which are independent: each defaults to now."""
    valid = click.option(
        "--valid-at",
        metavar="DATE",
        callback=date,
        help="What holds in the world then; now if absent, with --known-at too.",
    )
    known = click.option(
        "--known-at",
        metavar="REV|DATE",
        callback=filled,
        help="What this repository knew then, committed; the work tree of now if absent.",
    )
    decorated: F = valid(known(function))
    return decorated


def date(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A date as it was typed; ChalkError for what is none."""
    if filled(ctx, param, value) is None or times.is_date(str(value)):
        return value
    option = param.opts[0]
    hint = f"{ctx.command_path} {option} {times.day(times.system_clock())}"
    if option == "--valid-at":
        hint += "; what the repository knew at a revision: --known-at REV"
    raise ChalkError(
        f"{option} “{value}” is no date: write YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant", hint=hint
    )


def filled(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A value as it was typed; ChalkError for an empty one."""
    if value is not None and not value.strip():
        asked = f"{param.opts[0]} {getattr(param, 'metavar', '')}"
        raise ChalkError(f"{param.opts[0]} is empty", hint=f"{ctx.command_path} {asked}, or without it")
    return value
