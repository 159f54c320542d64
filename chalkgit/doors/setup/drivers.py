"""git's merge of records, and its headings of their differences: settings of this repository, put in and out.

`.lessons/.gitattributes` only names them, and names alone run nothing: what runs is in the user's settings of
git, which no clone brings along. Nothing is overwritten that chalkgit did not write.
"""

from __future__ import annotations

import os

from chalkgit import __version__
from chalkgit.doors.setup import shim
from chalkgit.doors.setup.git_python import interpreter
from chalkgit.store import git
from chalkgit.store.place import LESSONS, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from chalkgit.doors.setup.git import Outcome

DRIVER = "merge.chalkgit.driver"
NAME = "merge.chalkgit.name"
HEADING = "diff.chalkgit.xfuncname"
# Every value that a chalkgit has written, the newest first: they say no version of themselves.
NAMES = ("records of chalkgit, field by field",)
# A hunk is headed by the last line above it that fits. A folded text stands below its field's name, where no
# pattern of one line can tell it from another field's: then it is the id. Not a textconv: git dies of one
# whose command is missing.
HEADINGS = (r"^((id|route|lesson|raw): +[^ >|].*|  error: +[^ >|].*)$",)
_WANTED = "*.yaml text eol=lf merge=chalkgit diff=chalkgit"
# What `init` writes to .lessons/.gitattributes, and what an older one wrote.
ATTRIBUTES = f"""\
# One file a record: two branches that each add one never conflict. Never merge=union: it keeps both edits.
# `chalkgit hooks install` tells git what merge=chalkgit is; where it is not told, git merges the text.
{_WANTED}
"""
OLDER_ATTRIBUTES = (
    """\
# One file a record: two branches that each add one never conflict. Never merge=union: it keeps both edits.
*.yaml text eol=lf diff
""",
)

_INSTALL = "chalkgit hooks install"


class Status:
    """asked: the attribute `merge` of a record; by: whose driver is there, chalkgit's or the user's."""

    __slots__ = ("asked", "by", "troubles")

    def __init__(self, asked: str, by: str | None, troubles: list[tuple[str, str | None]]) -> None:
        self.asked = asked
        self.by = by
        self.troubles = troubles

    @property
    def runs(self) -> bool:
        return self.asked == "chalkgit" and self.by is not None

    def json(self) -> dict[str, str | bool | None]:
        return {"runs": self.runs, "by": self.by, "attribute": self.asked}


def install(place: Place, outcome: Outcome) -> None:
    """Running it again changes nothing, or renews what an older chalkgit wrote."""
    found = _settings(place)
    text = shim.driver_text(interpreter())
    changed = False
    for key, new in ((DRIVER, text), (NAME, NAMES[0]), (HEADING, HEADINGS[0])):
        there = found.get(key, [])
        if any(not _is_ours(key, value) for value in there):
            outcome.left.append(_kept(key, there, f"git config --unset-all {key}, then {_INSTALL}"))
        elif there[-1:] != [new]:
            git.run(place.root, "config", "--local", "--replace-all", key, new)
            changed = True
    if changed:
        outcome.did("installed in git's settings of this repository: the merge of records (merge.chalkgit)")


def uninstall(place: Place, outcome: Outcome) -> None:
    """Take out what is ours; a section that holds nothing else goes with it."""
    local = _settings(place, "--local")
    removed = False
    for section in ("merge.chalkgit", "diff.chalkgit"):
        keys = [key for key in local if key.rpartition(".")[0] == section]
        ours = [key for key in keys if all(_is_ours(key, value) for value in local[key])]
        for key in set(keys) - set(ours):
            if key in (DRIVER, HEADING):
                outcome.left.append(_kept(key, local[key], f"git config --unset-all {key}"))
        if ours and ours == keys:
            git.run(place.root, "config", "--local", "--remove-section", section)
        for key in ours if ours != keys else ():
            git.run(place.root, "config", "--local", "--unset-all", key)
        removed = removed or bool(ours)
    if removed:
        outcome.did("removed from git's settings: the merge of records")


def status(place: Place) -> Status:
    asked = _attribute(place)
    values = _settings(place).get(DRIVER, [])
    mark = shim.read(values[-1]) if values else None
    by = None if not values else "user" if mark is None else "chalkgit"
    found = Status(asked, by, [])
    said = found.troubles.append
    if asked == "union":
        said((f"{LESSONS}: merge=union keeps both edits of a record", f"in .gitattributes: {_WANTED}"))
    elif asked == "chalkgit" and not values:
        said(
            ("records are merged as text: the merge that .gitattributes asks for is not installed", _INSTALL)
        )
    elif asked != "chalkgit" and by == "chalkgit" and os.path.isdir(place.lessons):
        hint = "chalkgit init" if is_older(place) else f"add the line: {_WANTED}"
        said((f"the merge of records is installed, and {LESSONS}/.gitattributes does not ask for it", hint))
    if mark is not None:
        _look_at(mark, said)
    return found


def is_older(place: Place) -> bool:
    """Whether .lessons/.gitattributes is missing, or exactly what an older `init` wrote."""
    file = os.path.join(place.lessons, ".gitattributes")
    if not os.path.lexists(file):
        return True
    if os.path.islink(file) or not os.path.isfile(file):
        return False
    with open(file, "rb") as opened:
        return opened.read(4096) in [text.encode() for text in OLDER_ATTRIBUTES]


def _look_at(mark: shim.Mark, said: Callable[[tuple[str, str | None]], None]) -> None:
    python = mark.python.replace("%%", "%")
    if mark.edited:
        said((f"{DRIVER} was edited since chalkgit wrote it", None))
    if not os.access(python, os.X_OK):
        said((f"the merge of records: its interpreter {python or '(none)'} is gone", _INSTALL))
    if mark.version != __version__:
        said(
            (f"the merge of records was written by chalkgit {mark.version}, this is {__version__}", _INSTALL)
        )


def _is_ours(key: str, value: str) -> bool:
    """Whether a chalkgit wrote it, and nobody changed it since."""
    if key == DRIVER:
        mark = shim.read(value)
        return mark is not None and mark.event == shim.DRIVER and not mark.edited
    return value in {NAME: NAMES, HEADING: HEADINGS}.get(key, ())


def _kept(key: str, values: list[str], command: str) -> str:
    edited = any(shim.read(value) is not None for value in values)
    why = "was edited since chalkgit wrote it" if edited else "is not chalkgit's"
    return f"{key} {why}, and stays as it is (hint: {command})"


def _settings(place: Place, scope: str = "") -> dict[str, list[str]]:
    """Setting to its values, of merge.chalkgit and diff.chalkgit; of every scope, or of one."""
    args = ["config", *([scope] if scope else []), "--null", "--get-regexp", r"^(merge|diff)\.chalkgit\."]
    code, out, _ = git.ask(place.root, *args)
    found: dict[str, list[str]] = {}
    for entry in out.decode("utf-8", "surrogateescape").split("\0") if code == 0 else ():
        key, _, value = entry.partition("\n")
        if key:
            found.setdefault(key, []).append(value)
    return found


def _attribute(place: Place) -> str:
    """What git would merge a record with: a driver's name, or unspecified, set, unset."""
    asked = ("check-attr", "-z", "merge", "--", f"{LESSONS}/dead-ends/a.aaaaaaaa.yaml")
    code, out, _ = git.ask(place.root, *asked)
    parts = out.split(b"\0")
    return parts[2].decode("utf-8", "replace") if code == 0 and len(parts) > 2 else "unspecified"
