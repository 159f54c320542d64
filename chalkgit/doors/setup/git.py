"""Installing git's hooks, and taking them away again.

Where git runs hooks from its settings (2.54 and later) ours are settings of this repository, beside whatever
else is there; an older git gets a file for each event, which runs the hook it found there first. Never both.
Uninstalling leaves the files as they were found. Nothing that a user edited is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from shlex import quote

from chalkgit.doors.setup import frameworks, git_where, kept, shim
from chalkgit.doors.setup.frameworks import Framework
from chalkgit.doors.setup.git_python import interpreter
from chalkgit.doors.setup.git_where import MOVED_BY, NAME, Where
from chalkgit.doors.setup.shim import Interpreter, Mark
from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.store import atomic, git
from chalkgit.store.place import Place

EXECUTABLE = 0o755


class Outcome:
    """What was done, in lines that are harmless to show; `left` is for the user to do: exit 2."""

    __slots__ = ("done", "left")

    def __init__(self) -> None:
        self.done: list[str] = []
        self.left: list[str] = []

    def did(self, said: str) -> None:
        self.done.append(line(said))


def install(place: Place) -> Outcome:
    """Run at git's events from now on. Running it again changes nothing, or moves to what this git can."""
    where = Where(place)
    python = interpreter()
    outcome = Outcome()
    if where.by_config:
        _by_config(where, python, outcome)
    else:
        _by_file(where, python, outcome)
    return outcome


def uninstall(place: Place) -> Outcome:
    where = Where(place)
    outcome = Outcome()
    _take_files(where, outcome)
    _take_config(place, outcome)
    for event in shim.EVENTS:
        unrun = kept.unrun(where, event)
        if unrun is not None:
            outcome.left.append(f"{unrun[0]} (hint: {unrun[1]})")
    for framework in frameworks.found(where):
        if framework.plugged:
            outcome.left.append(f"{framework.config}: take what names chalkgit out of it yourself")
    if not outcome.done and not outcome.left:
        outcome.did("no git hook of chalkgit is installed here")
    return outcome


# --- settings of git -----------------------------------------------------------------------------


def _by_config(where: Where, python: Interpreter, outcome: Outcome) -> None:
    place = where.place
    _take_files(where, outcome)
    found = frameworks.found(where)
    plugged = {event: framework for framework in found for event in framework.plugged}
    there = git_where.configured(place)
    changed = []
    for event in shim.EVENTS:
        mark = git_where.config_mark(there.get(event))
        if event in plugged:
            _say_plugged(event, plugged[event], outcome)
            _remove_section(place, event, event in there)
        elif mark is not None and mark.edited:
            section = f"hook.{NAME.format(event)}"
            command = f"git config --remove-section {section}, then chalkgit hooks install"
            outcome.left.append(_edited(f"{section}.command", command))
        elif _set(place, event, shim.config_text(event, python), there.get(event, {})):
            changed.append(event)
    _say_installed(changed, "git's settings of this repository (hook.chalkgit-*)", outcome)
    for framework in found:
        if not framework.plugged:
            outcome.did(f"{framework.shown} is left alone: git runs both")


def _set(place: Place, event: str, text: str, there: dict[str, list[str]]) -> bool:
    """Whether something had to be written. The command comes first: git fails at an event without one."""
    section = f"hook.{NAME.format(event)}"
    if there.get("command") == [text] and there.get("event") == [event]:
        return False
    git.run(place.root, "config", "--local", "--replace-all", f"{section}.command", text)
    git.run(place.root, "config", "--local", "--replace-all", f"{section}.event", event)
    return True


def _take_config(place: Place, outcome: Outcome) -> None:
    there = git_where.configured(place)
    removed = []
    for event in sorted(there, key=shim.EVENTS.index):
        mark = git_where.config_mark(there[event])
        section = f"hook.{NAME.format(event)}"
        if mark is not None and mark.edited:
            outcome.left.append(_edited(f"{section}.command", f"git config --remove-section {section}"))
        else:
            _remove_section(place, event, True)
            removed.append(event)
    if removed:
        outcome.did(f"removed from git's settings: {', '.join(removed)}")


def _remove_section(place: Place, event: str, there: bool) -> None:
    if there:
        git.run(place.root, "config", "--local", "--remove-section", f"hook.{NAME.format(event)}")


# --- files ---------------------------------------------------------------------------------------


def _by_file(where: Where, python: Interpreter, outcome: Outcome) -> None:
    where.writable()
    _take_config(where.place, outcome)
    _take_dead(where, outcome)
    found = frameworks.found(where)
    folder = not os.path.isdir(where.folder) or any(mark.folder for mark in _marks(where.folder).values())
    missing: dict[Framework, list[str]] = {}
    changed = []
    for event in shim.EVENTS:
        plugged = next((one for one in found if event in one.plugged), None)
        owner = next((one for one in found if frameworks.owns(one, where.folder, event)), None)
        if plugged is not None:
            _say_plugged(event, plugged, outcome)
            _take_events([where.file(event)], outcome)
        elif owner is not None:
            _take_events([where.file(event)], outcome)
            missing.setdefault(owner, []).append(event)
        else:
            text = shim.file_text(event, python, shared=where.shared, folder=folder)
            if _put(where.file(event), event, text, outcome):
                changed.append(event)
    if changed or not missing:
        _say_installed(changed, f"{where.shown}/", outcome)
    if changed and where.shared:
        outcome.did(f"{where.folder} serves your other repositories too: silent where no .lessons/ is")
    for framework, events in missing.items():
        _say_missing(framework, events, outcome)


def _put(path: str, event: str, text: str, outcome: Outcome) -> bool:
    """Write a hook file, after what is there was put beside it; whether it was written."""
    there = frameworks.text_of(path)
    mark = shim.read(there) if there is not None else None
    if mark is None and os.path.lexists(path):
        if not _set_aside(path, outcome):
            return False
    elif mark is not None and mark.edited:
        aside = f"mv {quote(path)} {quote(path + '.mine')}"
        outcome.left.append(_edited(path, f"{aside}, then chalkgit hooks install"))
        return False
    elif there == text and os.access(path, os.X_OK):
        return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    atomic.replace(path, text.encode("utf-8", "surrogateescape"), EXECUTABLE)
    return True


def _set_aside(path: str, outcome: Outcome) -> bool:
    """Keep a hook that was there. It has two names until ours takes one, so that no moment is without it."""
    older = path + shim.KEPT
    if os.path.isdir(path) and not os.path.islink(path):
        raise ChalkError("is a folder where git looks for a hook", where=path)
    if os.path.islink(path) and os.path.basename(os.path.realpath(path)) != os.path.basename(path):
        # one program behind several links goes by the name it is called by, which would be another one
        outcome.left.append(f"{path} is a link to a program for several hooks: have it run chalkgit hook too")
        return False
    if os.path.lexists(older) and not os.path.samestat(os.lstat(older), os.lstat(path)):
        outcome.left.append(f"{path} and {older} are two hooks: make one of them (hint: rm {quote(older)})")
        return False
    if not os.path.lexists(older):
        try:
            os.link(path, older, follow_symlinks=False)
        except (OSError, NotImplementedError):
            _moved(path, older)
    runs = os.access(older, os.X_OK)
    note = "runs first" if runs else "is not executable: git ignored it, and so does chalkgit"
    outcome.did(f"the {os.path.basename(path)} hook that was here is kept, and {note}")
    return True


def _moved(path: str, other: str) -> None:
    try:
        os.replace(path, other)
    except OSError as error:
        raise ChalkError(f"cannot be renamed: {error.strerror}", where=path) from None


def _take_files(where: Where, outcome: Outcome) -> None:
    _take_folder(where.folder, outcome)
    _take_dead(where, outcome)


def _take_dead(where: Where, outcome: Outcome) -> None:
    if where.dead is not None:
        _take_folder(where.dead, outcome)


def _take_folder(folder: str, outcome: Outcome) -> None:
    marks = _marks(folder)
    _take_events(list(marks), outcome)
    if any(mark.folder for mark in marks.values()):
        try:
            os.rmdir(folder)
        except OSError:
            pass  # something else lives there now


def _take_events(paths: Sequence[str], outcome: Outcome) -> None:
    """Remove hook files of ours, and give their places back to what was there."""
    taken: dict[str, list[str]] = {}
    for path in paths:
        done = _take_file(path, outcome)
        if done is not None:
            taken.setdefault(done, []).append(os.path.basename(path))
    for done, names in taken.items():
        outcome.did(f"{done} {os.path.dirname(paths[0])}: {', '.join(names)}")


def _take_file(path: str, outcome: Outcome) -> str | None:
    text = frameworks.text_of(path)
    mark = shim.read(text) if text is not None else None
    if mark is None:
        return None
    older = os.path.join(os.path.dirname(path), mark.event + shim.KEPT)
    if mark.edited:
        back = f"mv {quote(older)} {quote(path)}" if os.path.lexists(older) else f"rm {quote(path)}"
        outcome.left.append(_edited(path, back))
        return None
    try:
        if os.path.lexists(older):
            os.replace(older, path)
            return "put back what was in"
        os.unlink(path)
        return "removed from"
    except OSError as error:
        raise ChalkError(f"cannot be removed: {error.strerror}", where=path) from None


def _marks(folder: str) -> dict[str, Mark]:
    """The files of ours in a folder, those included that another program has renamed."""
    paths = [os.path.join(folder, event + end) for event in shim.EVENTS for end in ("", *MOVED_BY)]
    texts = {path: frameworks.text_of(path) for path in paths}
    found = {path: shim.read(text) for path, text in texts.items() if text is not None}
    return {path: mark for path, mark in found.items() if mark is not None}


# --- words ---------------------------------------------------------------------------------------


def _say_installed(changed: Sequence[str], what: str, outcome: Outcome) -> None:
    if changed:
        outcome.did(f"installed in {what}: {', '.join(changed)}")
    elif not outcome.left:
        outcome.did(f"nothing to change in {what}")


def _say_plugged(event: str, framework: Framework, outcome: Outcome) -> None:
    where = "" if framework.folder else f" ({framework.config})"
    outcome.did(f"{event}: {framework.shown} runs it already{where}")


def _say_missing(framework: Framework, events: list[str], outcome: Outcome) -> None:
    gates = [event for event in events if event in shim.GATES]
    if not gates:
        return
    outcome.done += frameworks.snippet(framework, gates)  # harmless already, and its indentation counts
    if framework.folder:
        what = (
            f"{framework.config}/ lies among the files that are committed, and chalkgit does not write there"
        )
        outcome.left.append(f"{', '.join(gates)}: {what}; add to its hooks what stands above")
    else:
        this = "this hook" if len(gates) == 1 else "these hooks"
        outcome.left.append(
            f"{', '.join(gates)}: {framework.name} owns {this}; add to its settings what stands above"
        )


def _edited(what: str, command: str) -> str:
    return f"{what} was edited since chalkgit wrote it, and stays as it is (hint: {command})"
