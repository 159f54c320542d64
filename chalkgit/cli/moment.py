"""The two options that ask about another moment: what the repository knew, and what holds in the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def options(function: F) -> F:
    """--valid-at and --known-at, which are independent: each defaults to now."""
    valid = click.option(
        "--valid-at", metavar="DATE", help="What holds in the world then; now if absent, with --known-at too."
    )
    known = click.option(
        "--known-at",
        metavar="REV|DATE",
        help="What this repository knew then, committed; the work tree of now if absent.",
    )
    decorated: F = valid(known(function))
    return decorated
