"""After an agent's edit: the rulings about the files it names, and what is wrong with a record it wrote."""

from __future__ import annotations

import os

from chalkgit.doors import agent_session, showing
from chalkgit.doors.agent_words import Said, Tell, Text
from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store import worktree
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.doors.agent_event import Event
    from chalkgit.doors.showing import Found, Ruling
    from chalkgit.store.ahead import Ahead


def context(event: Event, tell: Tell, ahead: Ahead | None) -> Said | None:
    """Each store is asked about its own files; one that cannot answer costs its own."""
    text = Text()
    shown: list[tuple[Found, list[Ruling]]] = []
    cwd = os.path.realpath(event.cwd)
    for place, paths in _stores(event.paths, tell):
        try:
            lead = "" if f"{cwd}/".startswith(f"{place.root}/") else line(place.root) + "/"
            if event.written:
                _add_problems(text, place, paths, lead)
            begun = ahead if ahead is not None and ahead.place.root == place.root else None
            session = agent_session.name(place, event)
            found = showing.about(place, paths, surface="agent", session=session, ahead=begun)
            shown.append((found, _add(text, found.rulings, lead)))
            for said in found.told:
                tell(said)
        except ChalkError as error:
            tell(f"nothing is shown for {line(place.root)}: {error.message}")
    if not text:
        return None

    def keep() -> None:
        for found, rulings in shown:
            why = found.shown("agent", rulings)
            if why is not None:
                tell(f"what was shown is not kept, and is shown again: {why}")

    return text.text(), keep


def _add(text: Text, rulings: Sequence[Ruling], lead: str) -> list[Ruling]:
    """The rulings that fit, below the name of their file."""
    fitted: list[Ruling] = []
    named: str | None = None
    for ruling in rulings:
        head = [] if ruling.path == named else [f"{lead}{line(ruling.path)}:"]
        if text.add(*head, ruling.text):
            fitted.append(ruling)
            named = ruling.path
    return fitted


def _add_problems(text: Text, place: Place, paths: Sequence[str], lead: str) -> None:
    """What is wrong with the record files among these; a record that is gone is no mistake."""
    for path in paths:
        if worktree.is_record(path) and os.path.lexists(os.path.join(place.root, path)):
            from chalkgit.store import snapshot

            for found in snapshot.decoded(path, snapshot.content(place, path))[1]:
                cost = "this record is not read until it is mended" if found.fatal else "this is not read"
                hint = f" (hint: {line(found.hint)})" if found.hint else ""
                text.add(f"{lead}{line(found.where)}: {line(found.message)}{hint}; {cost}")


def _stores(paths: Sequence[str], tell: Tell) -> list[tuple[Place, list[str]]]:
    """The stores of these files, each with their paths in it, in the order they are named."""
    found: dict[str, tuple[Place, list[str]]] = {}
    for path in paths:
        try:
            place = places.store_of(os.path.dirname(path))
            if place is not None:
                found.setdefault(place.root, (place, []))[1].extend(
                    showing.repository_paths(place, [path], "/")
                )
        except (ChalkError, ValueError) as error:
            tell(f"nothing is shown for {line(path)}: {error}")
    return list(found.values())
