"""One page about this installation here: what is used, what is found, and what is wrong with it.

Nothing is changed and nothing is loaded that costs: the records are read, the model is only looked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from chalkgit import __version__, config, times
from chalkgit.answers import lint
from chalkgit.doors.setup import git_status
from chalkgit.errors import ChalkError
from chalkgit.index import generation, models
from chalkgit.index.table import Damaged
from chalkgit.store import history, journal_care, journal_file, moments, policy, snapshot, worktree
from chalkgit.store import place as places
from chalkgit.store.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CURRENT, STALE, ABSENT = "current", "stale", "absent"


class Report:
    """facts: section to its values; troubles: what is wrong, and the command that helps."""

    __slots__ = ("bypassed", "facts", "hooks", "troubles")

    def __init__(self) -> None:
        self.bypassed: list[str] = []
        self.facts: dict[str, dict[str, Any]] = {}
        self.hooks: git_status.Status | None = None
        self.troubles: list[tuple[str, str | None]] = []

    def trouble(self, what: str, hint: str | None = None) -> None:
        self.troubles.append((what, hint))

    def json(self) -> dict[str, Any]:
        hooks = self.hooks.json() if self.hooks is not None else None
        return {
            "version": 1,
            **self.facts,
            "bypassed": self.bypassed,
            "hooks": {key: value for key, value in hooks.items() if key != "version"} if hooks else None,
            "troubles": [{"problem": what, "hint": hint} for what, hint in self.troubles],
        }


def examined(directory: str | None) -> Report:
    report = Report()
    report.facts["chalkgit"] = {
        "version": __version__,
        "python": sys.executable,
        "python_version": ".".join(map(str, sys.version_info[:3])),
        "package": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    }
    try:
        place: Place | None = places.find(directory)
    except ChalkError as error:
        place = None
        _told(report, error)
    sections: list[Callable[[Report, Place], None]] = [_store, _past, _index, _hooks, _journal, _policy]
    for section in sections if place is not None else ():
        assert place is not None
        try:
            section(report, place)
        except ChalkError as error:
            _told(report, error)
    _model(report)
    _bypasses(report)
    return report


def _told(report: Report, error: ChalkError) -> None:
    report.trouble(f"{error.where}: {error.message}" if error.where else error.message, error.hint)


def _store(report: Report, place: Place) -> None:
    facts: dict[str, Any] = {
        "repository": place.root,
        "path": None,
        "records": None,
        "problems": None,
    }
    report.facts["store"] = facts
    seen = snapshot.of_work_tree(place)
    found = lint.findings(place, seen)
    facts.update(path=place.lessons, records=len(seen.records), problems=len(found))
    if found:
        one = len(found) == 1
        report.trouble(
            f"{len(found):,} {'thing is' if one else 'things are'} wrong with records", "chalkgit lint"
        )


def _past(report: Report, place: Place) -> None:
    if moments.boundary(place):
        what = "this clone is shallow" if history.shallow(place) else "grafts hide commits here"
        report.trouble(
            f"{what}: who wrote or approved what, and what changed since, may be unknown",
            history.deepen(place),
        )


def _index(report: Report, place: Place) -> None:
    report.facts["index"] = facts = {"state": ABSENT, "path": place.derived}
    try:
        index = generation.current(place)
        if index is not None:
            facts["state"] = CURRENT if _follows(index, place) else STALE
            index.table.close()
    except Damaged as error:
        report.trouble(f"the index is damaged ({error}); the next question builds it anew", "chalkgit index")
    folder = place.derived if os.path.isdir(place.derived) else place.git_dir
    if not os.access(folder, os.W_OK):
        report.trouble(f"{folder} takes no writes: each answer is made from the files, which is slower")


def _follows(index: generation.Index, place: Place) -> bool:
    """Whether the table saw the files as they are; one too young to be sure of is no difference."""
    seen, now = worktree.unpacked(*index.table.looked()), worktree.look(place).by_path()
    unsure = (worktree.UNSURE,)
    return seen.keys() == now.keys() and all(
        seen[path] == now[path] or seen[path] in unsure or now[path] in unsure for path in now
    )


def _hooks(report: Report, place: Place) -> None:
    report.hooks = found = git_status.status(place)
    if not any(event.runs for event in found.events):
        report.trouble("git runs no hook of chalkgit here", "chalkgit hooks install")
    rows = [(event.event, what, hint) for event in found.events for what, hint in event.troubles]
    for events, what, hint in git_status.grouped(rows):
        report.trouble(f"{', '.join(events)}: {what}", hint)
    report.troubles += found.troubles


def _journal(report: Report, place: Place) -> None:
    path = journal_file.path(place)
    there = os.path.isfile(path)
    folder = os.path.dirname(path)
    asked = path if there else folder if os.path.isdir(folder) else place.common_dir
    writable = os.access(asked, os.W_OK) and not os.path.islink(path) and not os.path.islink(folder)
    found = journal_care.state(place)
    rows = found.tables.get("shown", 0) if found.tables is not None else None
    report.facts["journal"] = {
        "path": path,
        "state": found.state,
        "rows": rows,
        "tables": found.tables,
        "since": times.iso(times.of_milliseconds(found.since)) if found.since is not None else None,
        "bytes": found.bytes,
        "writable": writable,
    }
    if rows is None:
        report.trouble(f"{path} cannot be read: what was shown is shown again")
    way = journal_file.in_the_way(place)
    if way is not None:
        report.trouble(f"{way} is a folder, and in the way: nothing is kept", journal_file.removal(way))
    if not writable:
        report.trouble(f"{path} takes no writes: what was shown is shown again", f"chmod u+w {asked}")


def _policy(report: Report, place: Place) -> None:
    wanted = policy.hooks(place)
    report.facts["policy"] = {"block": wanted.block, "check_message": wanted.check_message}
    if wanted.trouble is not None:
        _told(report, wanted.trouble)
    runs = {event.event for event in report.hooks.events if event.runs} if report.hooks is not None else set()
    if (wanted.block != policy.NEVER or wanted.check_message) and "commit-msg" not in runs:
        asks = (
            f"hooks.block is {wanted.block}" if wanted.block != policy.NEVER else "hooks.check-message is set"
        )
        report.trouble(f"{asks}, and no commit-msg hook of chalkgit runs", "chalkgit hooks install")


def _model(report: Report) -> None:
    found: models.Model | models.Missing | ChalkError
    try:
        found = models.configured()
    except ChalkError as error:
        _told(report, error)
        return
    if isinstance(found, models.Missing):
        report.facts["model"] = {"name": None, "directory": None}
        report.trouble(f"checks are lexical: {found.why}", found.hint)
    else:
        report.facts["model"] = {"name": found.name, "directory": found.directory}


def _bypasses(report: Report) -> None:
    names = [name for name in config.FACULTIES if config.bypassed(name)]
    report.bypassed = [name.lower() for name in names]
    for name in names:
        variable = f"CHALKGIT_BYPASS_{name}"
        report.trouble(f"{variable} is set: {name.lower()} is switched off", f"unset {variable}")
    for variable in config.no_switches():
        known = ", ".join(f"CHALKGIT_BYPASS_{name}" for name in config.FACULTIES)
        report.trouble(
            f"{variable} is set, and is no switch: it switches nothing off. The switches are {known}",
            f"unset {variable}",
        )
