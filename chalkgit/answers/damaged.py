"""Which file holds a record that is asked for by id, and cannot be read: in a merge conflict, most often."""

from __future__ import annotations

import os
import re

from chalkgit import ids
from chalkgit.errors import ChalkError, Problem
from chalkgit.store import snapshot, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable

    from chalkgit.store.place import Place

_ID = re.compile(rb"^id: *[\"']?(\w+)", re.MULTILINE)


def refuse(place: Place, problems: Iterable[Problem], prefix: str) -> None:
    """ChalkError where one of these files is of this id: it says what is wrong with the file, and where."""
    asked = prefix.strip().lower()
    if len(asked) < ids.SHORTEST:
        return
    for problem in problems:
        if problem.fatal and any(one.startswith(asked) for one in _ids(place, problem.path)):
            raise ChalkError(
                f"the record {asked} cannot be read: {problem.message}",
                where=problem.where,
                hint=f"chalkgit lint {problem.path}",
            )


def _ids(place: Place, path: str) -> list[str]:
    """What a file that cannot be read is called by, and says of itself."""
    content = snapshot.content(place, path)
    said = [] if isinstance(content, ChalkError) else [one.decode("latin-1") for one in _ID.findall(content)]
    name = os.path.basename(path).removesuffix(worktree.SUFFIX).rpartition(".")[2]
    # a file that says its id is not another record's, whatever it is called
    return said or [name]
