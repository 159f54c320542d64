"""The editor's door without a language server: a line for each ruling about a file that was saved.

    src/a.py:1:1: note: Tried before, and failed: … [k7q2m9xd]

One line a ruling, in the shape that errorformat, compile-mode, File Watchers and problem matchers read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from chalkgit import config
from chalkgit.doors import showing
from chalkgit.errors import ChalkError, Problem
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store import worktree
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.ahead import Ahead

Tell = Callable[[str], None]


def saved(
    directory: str | None,
    paths: Sequence[str],
    *,
    session: str | None,
    out: Tell,
    tell: Tell,
    ahead: Ahead | None = None,
) -> int:
    """Always 0: an editor never waits for a verdict. A file outside any store is none of our business."""
    if config.bypassed("RULINGS"):
        return 0
    try:
        typed = {os.path.abspath(os.path.join(directory or "", path)): path for path in paths}
    except OSError as error:  # the folder we stand in is gone
        tell(f"nothing is shown: {error.strerror}")
        return 0
    asked: dict[str, tuple[Place, dict[str, str]]] = {}
    for file, shown in typed.items():
        try:
            place = places.store_of(os.path.dirname(file))
            if place is not None:
                named = asked.setdefault(place.root, (place, {}))[1]
                named.update(dict.fromkeys(showing.repository_paths(place, [file], "/"), shown))
        except (ChalkError, OSError, ValueError) as error:
            tell(f"nothing is shown for {line(file)}: {error}")
    for place, named in asked.values():
        begun = ahead if ahead is not None and ahead.place.root == place.root else None
        try:
            show(place, named, session=session, out=out, tell=tell, ahead=begun)
        except (ChalkError, OSError) as error:
            tell(f"nothing is shown for {line(place.root)}: {error}")
    return 0


def show(
    place: Place,
    named: Mapping[str, str],
    *,
    session: str | None,
    out: Tell,
    tell: Tell,
    surface: str = "save",
    most: int | None = None,
    ahead: Ahead | None = None,
    began: float | None = None,
) -> None:
    """A line for each mistake in a saved record and for each ruling, and at most `most` of these.

    named: repository paths, each with what it is called in the line. began: as `showing.Found` has it.
    """
    # as it was typed, so that editors find it again, but for what a terminal would obey
    named = {path: shown if shown.isprintable() else line(shown) for path, shown in named.items()}
    for path, shown in named.items():
        for found in _problems(place, path):
            out(f"{shown}:{found.line or 1}:1: error: {line(found.message)}")
    about = showing.about(place, list(named), surface="editor", session=session, ahead=ahead)
    for said in about.told:
        tell(said)
    about.began = began
    shown_now = about.rulings[:most]
    for ruling in shown_now:
        out(f"{named[ruling.path]}:1:1: note: {ruling.text}")
    refused = about.shown(surface, shown_now)
    if refused and session:
        tell(f"what was shown is not kept, and is shown again: {refused}")
    if len(about.rulings) > len(shown_now):
        left = about.rulings[len(shown_now)]
        count = len(about.rulings) - len(shown_now)
        tell(f"{count:,} more rulings on files saved at once (hint: chalkgit at {named[left.path]})")


def _problems(place: Place, path: str) -> list[Problem]:
    """What is wrong with a saved record."""
    if not worktree.is_record(path):
        return []
    from chalkgit.store import snapshot

    return snapshot.decoded(path, snapshot.content(place, path))[1]
