"""What the server asks of the stores, each file of its own repository: on one thread, one question at a time.

Trouble costs the one answer, and is told once. A file outside any store is none of our business.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable

from chalkgit import config, ids, times
from chalkgit.answers import at, repair, stored
from chalkgit.answers.ruling import Ruling
from chalkgit.doors import showing
from chalkgit.errors import ChalkError, Problem, twice
from chalkgit.index import refresh
from chalkgit.records import emit, fields
from chalkgit.records.record import Record, slug, title
from chalkgit.render import text
from chalkgit.render.clean import line
from chalkgit.store import atomic, journal, renames, snapshot, worktree, writes
from chalkgit.store import place as places
from chalkgit.store.place import LESSONS, NoRepository, Place
from chalkgit.thresholds import LSP_OFFERED

Tell = Callable[[str], None]
DEAD_END = fields.KINDS[0]


class About:
    """The rulings on one file, the repository they are from, and when they began to be looked up."""

    __slots__ = ("began", "place", "rulings")

    def __init__(self, place: Place | None, rulings: list[showing.Ruling], began: float = 0.0) -> None:
        self.place = place
        self.rulings = rulings
        self.began = began

    def keys(self) -> list[tuple[object, ...]]:
        return [(*ruling.key, ruling.text) for ruling in self.rulings]

    def record_file(self, ruling: showing.Ruling) -> str:
        assert self.place is not None
        return worktree.file_of(self.place, ruling.standing.record.path)


NOTHING = About(None, [])


class Lookups:
    """`session` is whose journal it is; `tell` hears what was left out and why, each thing once."""

    def __init__(self, tell: Tell) -> None:
        self.session = "lsp"
        self._told: set[str] = set()
        self._tell = tell
        self._looked: set[str] = set()
        self._shown: set[tuple[str, journal.Key]] = set()
        self._counting: dict[tuple[str, str, str], str] = {}  # the file that counts for an id

    def about(self, path: str) -> About:
        """What stands about a file. It is a state, not an interruption: what was shown stays."""
        self._counting.clear()
        began = time.monotonic()
        if config.bypassed("RULINGS"):
            return NOTHING
        try:
            place, name = _named(path)
            if place is None:
                return NOTHING
            found = showing.about(place, [name], surface="editor")
            self._tell_damaged(place)
        except ChalkError as error:
            return self.trouble(path, error)
        for said in found.told:
            self.tell(f"{place.root}: {said}")
        return About(place, found.rulings, began)

    def shown(self, about: About) -> None:
        """Keep in the journal what reached the client, each ruling once a file."""
        place = about.place
        new = [r for r in about.rulings if place and (place.root, r.key) not in self._shown]
        if not place or not new:
            return
        self._shown.update((place.root, ruling.key) for ruling in new)
        rows = [journal.Showing(*ruling.key, len(ruling.text.encode())) for ruling in new]
        refused = showing.keep(place, self.session, "lsp", rows, about.began)
        if refused:
            self.tell(f"{place.root}: the journal takes nothing ({refused})")

    def whole(self, path: str) -> str | None:
        """The rulings on a file in full, as `chalkgit at` shows them; None where there are none."""
        if config.bypassed("RULINGS"):
            return None
        place, name = _named(path)
        if place is None:
            return None
        now = times.system_clock()

        def look(rebuild: bool) -> list[Ruling]:
            staged = renames.staged(place.root)
            return at.rulings(refresh.up_to_date(place, rebuild=rebuild), [name], now, staged)

        found = repair.once(look)
        return text.at([name], found) if found else None

    def problems(self, path: str, source: str) -> list[Problem]:
        """What is wrong with the text of a record's file, saved or not; nothing where it is no record's."""
        place, name = _named(path)
        if place is None or not worktree.is_record(name):
            return []
        # half of a surrogate pair can come over the wire; it is no UTF-8, and said to be so
        record, found = snapshot.decoded(name, source.encode("utf-8", "surrogatepass"))
        if record is not None:
            other = self._file_of(place, name, record.id)
            found += [twice(name, record.id, other)] if other != name else []
        return found

    def is_in_store(self, path: str) -> bool:
        return _named(path)[0] is not None

    def records(self, path: str, typed: str) -> tuple[list[tuple[str, str]], bool]:
        """Ids with titles of the records beside this one that begin with or speak of what was typed; the
        newest first, and whether there are more."""
        place, name = _named(path)
        if place is None:
            return [], False
        found = [r for r in repair.once(lambda rebuild: _all(place, rebuild)) if r.path != name]
        found = [r for r in found if r.id.startswith(typed) or typed in title(r).lower()]
        found.sort(key=lambda r: (r.text("valid-from") or "", r.id), reverse=True)
        return [(r.id, line(title(r))) for r in found[:LSP_OFFERED]], len(found) > LSP_OFFERED

    def files(self, path: str, typed: str) -> tuple[list[str], bool]:
        """The files and folders (with a slash) one step below the folder that was typed."""
        place, _ = _named(path)
        folder, _, start = typed.rpartition("/")
        if place is None or not _inside(place, folder):
            return [], False
        with os.scandir(os.path.join(place.root, folder)) as entries:
            found = sorted(
                (f"{folder}/" if folder else "") + entry.name + ("/" if entry.is_dir() else "")
                for entry in entries
                if entry.name.startswith(start) and entry.name != ".git"
            )
        return [name for name in found if line(name) == name][:LSP_OFFERED], len(found) > LSP_OFFERED

    def begin(self, path: str) -> tuple[str, int]:
        """A new dead end's file about this one, and the line of its route. It is no valid record until it is
        filled in."""
        place, name = _named(path)
        if place is None:
            raise ChalkError(f"no {LESSONS}/ for this file", where=path, hint="chalkgit init")
        taken = repair.once(lambda rebuild: refresh.up_to_date(place, rebuild=rebuild).table.ids())
        given: dict[str, object] = {
            "id": ids.mint(taken),
            "kind": DEAD_END,
            **{field: _asking(field) for field in ("route", "observation")},
            "files": [name],
            "by": _author(place),
            "at-commit": places.head(place),
            "valid-from": times.day(times.system_clock()),
        }
        kept = {field: value for field, value in given.items() if value}
        target = f"{LESSONS}/{fields.FOLDERS[DEAD_END]}/{slug(os.path.basename(name))}.{given['id']}.yaml"
        content = f"{emit.modeline(target)}\n{emit.document(kept)}"
        atomic.folder(place.root, os.path.dirname(target))
        file = os.path.join(place.root, target)
        atomic.create(file, content.encode(), scratch=writes.scratch(place))
        return file, content[: content.index("\nroute:") + 1].count("\n")

    def tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self._tell(line(message))

    def trouble(self, path: str, error: ChalkError) -> About:
        hint = f" (hint: {error.hint})" if error.hint else ""
        self.tell(f"nothing is shown for {os.path.dirname(path)}: {error.message}{hint}")
        return NOTHING

    def moved(self) -> None:
        """Records changed: what is damaged is looked for again."""
        self._looked.clear()

    def _file_of(self, place: Place, name: str, record_id: str) -> str:
        """The file that counts for an id, this one where it is the only one; kept while one types."""
        key = place.root, name, record_id
        if key not in self._counting:
            paths = repair.once(
                lambda rebuild: refresh.up_to_date(place, rebuild=rebuild).table.with_id(record_id)
            )
            self._counting[key] = paths[0] if paths else name
        return self._counting[key]

    def _tell_damaged(self, place: Place) -> None:
        if place.root in self._looked:
            return
        self._looked.add(place.root)
        found = repair.once(
            lambda rebuild: [
                p for p in stored.problems(refresh.up_to_date(place, rebuild=rebuild)) if p.fatal
            ]
        )
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            where = f"{place.root}/{found[0].where}"
            self.tell(f"skipped {where}: {found[0].message}{more} (hint: chalkgit lint)")


def _named(path: str) -> tuple[Place | None, str]:
    """The place of a file, where it has records, and the file's repository path."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):  # a new file in a folder that is not there yet
        folder = os.path.dirname(folder)
    try:
        place = places.find(folder)
    except NoRepository:
        return None, ""
    if not os.path.isdir(place.lessons):
        return None, ""
    return place, places.path_in(place, path, "/")


def _all(place: Place, rebuild: bool) -> list[Record]:
    table = refresh.up_to_date(place, rebuild=rebuild).table
    paths = [path for path in table.ids().values() if not path.startswith(worktree.NOTES + "/")]
    return [Record(json.loads(body), path) for path, body in table.bodies(paths).items()]


def _asking(field: str) -> emit.Noted:
    """A field with nothing in it, below a comment that says what it is for."""
    return emit.Noted(None, [f"# {fields.BY_NAME[field].meaning}"])


def _author(place: Place) -> object:
    name, agent = writes.author(place), config.agent()
    person = {"name": name, "agent": agent} if agent else name
    return {part: value for part, value in person.items() if value} if isinstance(person, dict) else person


def _inside(place: Place, folder: str) -> bool:
    """Whether a folder is there and in the repository; a link that leads out is not followed."""
    path = os.path.realpath(os.path.join(place.root, folder))
    return os.path.isdir(path) and os.path.commonpath((path, place.root)) == place.root
