"""Which hook git would really run at each event, and what is wrong with it; nothing is changed."""

from __future__ import annotations

import os

from chalkgit import __version__
from chalkgit.doors.setup import agents, drivers, editors, frameworks, git_where, here, kept, shim
from chalkgit.doors.setup.frameworks import Framework
from chalkgit.doors.setup.git_where import NAME, Where
from chalkgit.doors.setup.shim import Mark
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store.place import Place
from chalkgit.thresholds import CONFIG_HOOKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_INSTALL = "chalkgit hooks install"
_HOOKDIR = "hook from hookdir"  # what `git hook list` says of a file


class Event:
    """One event: whether chalkgit runs at it, by what, and who else. by: config, file, framework or None."""

    __slots__ = ("by", "event", "mark", "others", "path", "troubles")

    def __init__(self, event: str) -> None:
        self.event = event
        self.by: str | None = None
        self.path: str | None = None
        self.mark: Mark | None = None
        self.others: list[str] = []
        self.troubles: list[tuple[str, str | None]] = []

    @property
    def runs(self) -> bool:
        return self.by is not None


class Status:
    """What is installed here: at git's events, and by name in the settings of agents and editors."""

    __slots__ = ("agents", "driver", "editors", "events", "frameworks", "where")

    def __init__(self, where: Where, found: list[Framework], events: list[Event]) -> None:
        self.where = where
        self.frameworks = found
        self.events = events
        self.driver = drivers.status(where.place)
        self.agents = _running(agents.NAMES, lambda name: agents.installed(where.place, name))
        self.editors = _running(editors.NAMES, lambda name: editors.installed(where.place, name))

    @property
    def installed(self) -> bool:
        return any(event.runs or event.mark for event in self.events)

    @property
    def troubles(self) -> list[tuple[str, str | None]]:
        """What is wrong beside git's events: agents and editors that find no chalkgit, and git's merge."""
        lack = here.off_path() if self.agents or self.editors else None
        return [*([] if lack is None else [lack]), *self.driver.troubles]

    def json(self) -> dict[str, Any]:
        return {
            "version": 1,
            "git": ".".join(map(str, self.where.version)),
            "hooks_folder": self.where.folder,
            "installed": self.installed,
            "frameworks": [framework.name for framework in self.frameworks],
            "events": [_json(event) for event in self.events],
            "merge_driver": self.driver.json(),
            "agents": self.agents,
            "editors": self.editors,
            "troubles": _troubles(self.troubles),
        }


def status(place: Place) -> Status:
    where = Where(place)
    found = frameworks.found(where)
    settings = git_where.configured(place, "")
    events = [_event(where, found, settings, event) for event in shim.EVENTS]
    return Status(where, found, events)


def asks(place: Place, event: str) -> bool:
    """Whether something runs chalkgit at this event: we, a framework, or a hook file that names us."""
    told = next(told for told in status(place).events if told.event == event)
    return told.runs or "chalkgit" in (frameworks.text_of(Where(place).file(event)) or "")


def grouped(rows: Iterable[tuple[str, str, str | None]]) -> list[tuple[list[str], str, str | None]]:
    """(event, what, hint): events of which the same is told are put together; their name in it becomes …"""
    same: dict[tuple[str, str | None], list[tuple[str, str]]] = {}
    for event, what, hint in rows:
        same.setdefault((what.replace(event, "…"), hint), []).append((event, what))
    return [
        ([event for event, _ in found], found[0][1] if len(found) == 1 else what, hint)
        for (what, hint), found in same.items()
    ]


def _running(names: Sequence[str], installed: Callable[[str], bool]) -> list[str]:
    """Those whose settings run us; settings that cannot be read run nothing."""
    found = []
    for name in names:
        try:
            if installed(name):
                found.append(name)
        except ChalkError:
            continue
    return found


def _event(
    where: Where, found: list[Framework], settings: dict[str, dict[str, list[str]]], event: str
) -> Event:
    told = Event(event)
    _look_at_file(told, where)
    rows = _hook_list(where, event)
    if event in settings:
        disabled = any(row[-1] == NAME.format(event) and "disabled" in row for row in rows)
        _look_at_config(told, where, settings[event], disabled=disabled)
    plugged = next((framework for framework in found if event in framework.plugged), None)
    if plugged is not None:
        if told.by is not None:
            told.troubles.append((f"{plugged.name} runs it too: it is shown twice", _INSTALL))
        else:
            told.by, told.path = "framework", plugged.config
    told.others += [" ".join(row) for row in rows if row[-1] not in (_HOOKDIR, NAME.format(event))]
    if told.mark is not None:
        _look_at_mark(told, told.mark)
    _look_for_dead(told, where)
    _look_at_team(told, found)
    unrun = kept.unrun(where, event)
    if unrun is not None:
        told.troubles.append(unrun)
    return told


def _look_at_file(told: Event, where: Where) -> None:
    path = where.file(told.event)
    text = frameworks.text_of(path)
    mark = shim.read(text) if text is not None else None
    runs = os.access(path, os.X_OK)
    if mark is not None:
        told.path, told.mark = path, mark
        if os.path.lexists(path + shim.KEPT):
            told.others.append(_other(path + shim.KEPT))
        if runs:
            told.by = "file"
        else:
            told.troubles.append((f"{path} is not executable: git ignores it", f"chmod +x {path}"))
    elif os.path.lexists(path):
        owner = frameworks.owner(text)
        told.others.append(_other(path, f" ({owner})" if owner else ""))
        _look_behind(told, path, owner)


def _other(path: str, whose: str = "") -> str:
    return f"{path}{whose}{'' if os.access(path, os.X_OK) else ' (not executable: ignored)'}"


def _look_behind(told: Event, path: str, owner: str | None) -> None:
    """Ours may have been renamed: pre-commit and prek run what they found, lefthook does not."""
    for end in git_where.MOVED_BY:
        text = frameworks.text_of(path + end)
        mark = shim.read(text) if text is not None else None
        if mark is None:
            continue
        told.path, told.mark = path + end, mark
        if end == ".legacy" and owner in frameworks.CHAINING and os.access(path + end, os.X_OK):
            told.by = "file"
        else:
            told.troubles.append((f"{path + end} is ours, and nothing runs it", _INSTALL))


def _look_at_config(told: Event, where: Where, settings: dict[str, list[str]], *, disabled: bool) -> None:
    name = NAME.format(told.event)
    mark = git_where.config_mark(settings)
    if not where.by_config:
        said = f"hook.{name} is set, and git before {'.'.join(map(str, CONFIG_HOOKS))} ignores it"
        told.troubles.append((said, _INSTALL))
    elif disabled:
        told.troubles.append((f"hook.{name} is disabled", f"git config --unset hook.{name}.enabled"))
    elif told.event not in settings.get("event", []) or not settings.get("command"):
        told.troubles.append((f"hook.{name} is incomplete", _INSTALL))
    else:
        if told.by == "file":
            told.troubles.append((f"{told.path} runs it too: it is shown twice", _INSTALL))
        told.by, told.path = "config", f"hook.{name}"
    if mark is not None:
        told.mark = mark


def _look_at_mark(told: Event, mark: Mark) -> None:
    if mark.edited:
        told.troubles.append((f"{told.path or told.event} was edited since chalkgit wrote it", None))
    if not os.access(mark.python, os.X_OK):
        told.troubles.append((f"its interpreter {mark.python or '(none)'} is gone", _INSTALL))
    if mark.version != __version__:
        told.troubles.append((f"it was written by chalkgit {mark.version}, this is {__version__}", _INSTALL))


def _look_for_dead(told: Event, where: Where) -> None:
    if where.dead is None:
        return
    path = os.path.join(where.dead, told.event)
    text = frameworks.text_of(path)
    if text is not None and shim.read(text) is not None:
        told.troubles.append((f"{path} is dead: core.hooksPath points to {where.folder}", _INSTALL))


def _look_at_team(told: Event, found: Sequence[Framework]) -> None:
    if told.by == "file" and any(framework.name == frameworks.FOLDER for framework in found):
        told.troubles.append((f"{told.path} is committed, and starts this machine's Python", _INSTALL))


def _hook_list(where: Where, event: str) -> list[list[str]]:
    """What git itself lists, config hooks and file: [scope, perhaps "disabled", name]."""
    if not where.by_config:
        return []
    code, out, _ = git.ask(where.place.root, "hook", "list", "--show-scope", event)
    rows = out.decode("utf-8", "replace").splitlines() if code == 0 else []
    return [row.split("\t") for row in rows]


def _json(told: Event) -> dict[str, Any]:
    return {
        "event": told.event,
        "runs": told.runs,
        "by": told.by,
        "path": told.path,
        "interpreter": told.mark.python if told.mark else None,
        "written_by": told.mark.version if told.mark else None,
        "edited": told.mark.edited if told.mark else None,
        "others": told.others,
        "troubles": _troubles(told.troubles),
    }


def _troubles(found: Sequence[tuple[str, str | None]]) -> list[dict[str, str | None]]:
    return [{"problem": problem, "hint": hint} for problem, hint in found]
