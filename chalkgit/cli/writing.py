"""What every writing command does around its write: find the place and the record, then say what was done."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from chalkgit import ids
from chalkgit.answers import damaged, repair, stored
from chalkgit.cli import asking, terminal, voiding
from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.index.table import FIRST
from chalkgit.records.record import Record, title
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store import worktree, writes
from chalkgit.store.place import Place

T = TypeVar("T")


class Session:
    """The place and its refreshed index, for one command."""

    def __init__(self, directory: str | None) -> None:
        self.place: Place = places.find(directory).require_store()
        self._index: Index | None = None

    def look(self, at: Callable[[Index], T]) -> T:
        """What `at` finds in the index, which is rebuilt where it turns out damaged."""
        return repair.once(lambda rebuild: at(self._opened(rebuild)))

    def _opened(self, rebuild: bool) -> Index:
        if self._index is None or rebuild:
            self._index = refresh.up_to_date(self.place, asking.progress("indexing"), rebuild=rebuild)
        return self._index

    def ids(self) -> dict[str, str]:
        """Every id to the path that counts for it."""
        return self.look(lambda index: index.table.ids())

    def tell_problems(self) -> None:
        """Name the damaged records on stderr."""
        terminal.tell_problems(self.look(stored.problems))

    def add(self, fields: Mapping[str, Any], known: Callable[[], Record | None] | None = None) -> Record:
        """A new record, its references checked first; or the one that is `known` when nobody else writes."""
        fields = {**fields}
        if fields.get("supersedes"):
            fields["supersedes"] = [self.found(i).id for i in fields["supersedes"]]
        if not fields.get("ref") and known is None:
            return writes.add(self.place, fields, self.ids())
        with writes.lock(self.place):
            self._index = None  # as the files are now that nobody else writes
            found = known() if known is not None else None
            if found is not None:
                return found
            if fields.get("ref"):
                self.refuse_ref(str(fields["ref"]))
            return writes.add(self.place, fields, self.ids())

    def found(self, prefix: str, *, notes: bool | None = False) -> Record:
        """The record (or the working note, or with None either) with this id or unique prefix of it."""
        known = {
            i: path
            for i, path in self.ids().items()
            if notes in (None, path.startswith(worktree.NOTES + "/"))
        }
        try:
            return self._record(known[ids.resolve(prefix, known, lambda i: self._named(known[i], i))])
        except ChalkError:
            if not any(i.startswith(prefix.strip().lower()) for i in known):
                damaged.refuse(self.place, self.look(stored.problems), prefix)
            raise

    def _record(self, path: str) -> Record:
        return Record(json.loads(self.look(lambda index: index.table.bodies([path]))[path]), path)

    def _named(self, path: str, record_id: str) -> str:
        return f"{record_id} ({line(title(self._record(path)))[:60]})"

    def refuse_ref(self, ref: str, of: str = "") -> None:
        """ChalkError where another record than `of` has it: a ref is unique."""
        for path, record in self.records().items():
            if record.get("ref") == ref and record.id != of:
                raise ChalkError(
                    f"the ref “{ref}” is taken by {record.id}", where=path, hint=f"chalkgit show {record.id}"
                )

    def records(self) -> dict[str, Record]:
        """Every record of the store by path, working notes left out."""
        return {path: r for path, r in self._all().items() if not path.startswith(worktree.NOTES + "/")}

    def notes(self) -> dict[str, Record]:
        """The working notes of this machine by path."""
        return {path: r for path, r in self._all().items() if path.startswith(worktree.NOTES + "/")}

    def _all(self) -> dict[str, Record]:
        query = f"select id, {FIRST} from files where body is not null group by id order by 2"
        paths = [row[1] for row in self.look(lambda index: index.table.rows(query))]
        bodies = self.look(lambda index: index.table.bodies(paths))
        rows = [(path, bodies[path]) for path in paths]
        return {path: Record(json.loads(body), path) for path, body in rows}


def command_line(*words: str) -> str:
    """A command to copy: its words quoted as a shell wants them."""
    return shlex.join(["chalkgit", *words])


def refuse_git(record: Record, given: Mapping[str, Any]) -> None:
    """ChalkError where a working note was to be staged or committed; asked before anything is written."""
    if (given.get("commit") or given.get("stage")) and record.path.startswith(worktree.NOTES + "/"):
        raise ChalkError(
            f"{record.id} is a working note, which git never sees", hint=f"chalkgit promote {record.id}"
        )


def done(
    session: Session,
    record: Record,
    what: str,
    given: Mapping[str, Any],
    step: str | None = None,
    *,
    was: Record | None = None,
) -> int:
    """Stage and commit as asked, then print id and path, and the command that comes next where one does.

    was: the record before the command, where its approval may be lost.
    """
    voided = voiding.told(session.place, was, record) if was is not None else None
    commit = None
    if given.get("commit"):
        subject = f"lessons: {what} {record.id} ({line(title(record))[:60]})"
        commit = writes.commit(session.place, record.path, subject)
    elif given.get("stage"):
        writes.stage(session.place, record.path)
    if voided is not None:
        terminal.tell(voided)
    if given.get("as_json"):
        from chalkgit.render import json as rendered

        answer = {"version": rendered.VERSION, "id": record.id, "path": record.path, "commit": commit}
        terminal.answer({**answer, "next": step} if step else answer)
    else:
        terminal.out(f"{record.id} {line(record.path)}" + (f" {commit[:12]}" if commit else ""))
        if step:
            terminal.out(f"next: {step}")
    return 0
