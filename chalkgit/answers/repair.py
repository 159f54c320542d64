"""Derived data may be damaged at any moment: whoever meets that rebuilds it once and looks again.

This is the one place where that happens. Opening an index finds most damage; what a query meets later, in a
page that was not read until then, comes through here.
"""

from __future__ import annotations

from collections.abc import Callable

from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def once(look: Callable[[bool], T]) -> T:
    """look(False), and look(True), which rebuilds, where that met damage."""
    try:
        return look(False)
    except Exception as error:
        if not is_damage(error):
            raise
    try:
        return look(True)
    except Exception as error:
        if not is_damage(error):
            raise
        raise ChalkError(
            f"the index cannot be read, and a new one neither: {error}", hint="chalkgit index --rebuild"
        ) from error


def is_damage(error: Exception) -> bool:
    # imported here, where something has failed already; the words' own kind is one of this
    from chalkgit.index import table

    return isinstance(error, table.Damaged)
