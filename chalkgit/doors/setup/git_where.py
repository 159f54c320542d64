"""Where git looks for hooks here: its version, its folder of hook files, its settings."""

from __future__ import annotations

import os
import re

from chalkgit.doors.setup import shim
from chalkgit.doors.setup.shim import Mark
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store import place as places
from chalkgit.store.place import Place
from chalkgit.thresholds import CONFIG_HOOKS

NAME = "chalkgit-{}"  # never an event's name: git 2.55 warns of that
MOVED_BY = (".legacy", ".old")  # how pre-commit and prek, and lefthook, rename a hook that was there


class Where:
    """folder is where git looks for hook files; shared: outside of this repository, so for others too."""

    __slots__ = ("_common", "folder", "place", "shared", "version")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.version = version(place)
        # not --path-format=absolute: it resolves links, which are to be seen
        out = git.run(place.root, "rev-parse", "--git-path", "hooks")
        self.folder = os.path.normpath(os.path.join(place.root, os.fsdecode(out).removesuffix("\n")))
        self._common = os.path.realpath(place.common_dir)
        real = os.path.realpath(self.folder)
        self.shared = not any(_below(real, top) for top in (place.root, self._common))

    @property
    def by_config(self) -> bool:
        return self.version[:2] >= CONFIG_HOOKS

    @property
    def dead(self) -> str | None:
        """The folder of hook files that core.hooksPath has silenced, where there is one."""
        usual = os.path.join(self._common, "hooks")
        moved = os.path.realpath(self.folder) != os.path.realpath(usual)
        return usual if moved and os.path.isdir(usual) else None

    @property
    def shown(self) -> str:
        """The folder as people know it."""
        relative = os.path.relpath(self.folder, self.place.root)
        return self.folder if relative.startswith("..") else relative

    @property
    def team(self) -> bool:
        """Whether the folder lies among files that are committed, of this work tree or a linked one."""
        real = os.path.realpath(self.folder)
        if _below(real, self._common):
            return False
        roots = [self.place.root]
        if self.shared:
            roots += [sibling.root for sibling in places.siblings(self.place)]
        root = next((root for root in roots if _below(real, root)), None)
        if root is None:
            return False
        # Asked of a file: what is tracked is not ignored, whatever .gitignore says. Not `ask`: check-ignore
        # takes no --literal-pathspecs, and an absolute path is literal to it.
        asked = ("check-ignore", "--quiet", "--", os.path.join(real, shim.EVENTS[0]))
        return git.ask_as_user(root, "-c", "core.fsmonitor=false", *asked)[0] != 0

    def file(self, event: str) -> str:
        return os.path.join(self.folder, event)

    def writable(self) -> None:
        """ChalkError where a file of ours would have to go through a link, or into what is no folder."""
        if os.path.realpath(self.folder) == os.path.realpath(self.place.root):
            message = "core.hooksPath is empty or the work tree itself: git runs no hook files here"
            raise ChalkError(message, where=self.folder, hint="git config --unset core.hooksPath")
        hint = f"git config core.hooksPath {os.path.realpath(self.folder)}, or mend it"
        if os.path.islink(self.folder):
            raise ChalkError("is a symbolic link, which is not written through", where=self.folder, hint=hint)
        inside = _below(self.folder, self.place.root)
        if inside and not any(
            _below(os.path.realpath(self.folder), top) for top in (self.place.root, self._common)
        ):
            raise ChalkError("leads out of the repository by a link", where=self.folder, hint=hint)
        if os.path.lexists(self.folder) and not os.path.isdir(self.folder):
            raise ChalkError(
                "core.hooksPath is no folder, so git runs no hook files",
                where=self.folder,
                hint="git config --unset core.hooksPath",
            )


def version(place: Place) -> tuple[int, ...]:
    """(2, 39, 5) of `git version 2.39.5 (Apple Git-154)`."""
    said = git.run(place.root, "version").decode("utf-8", "replace")
    found = re.search(r"\d+(?:\.\d+)+", said)
    return tuple(map(int, found[0].split("."))) if found else (0,)


def configured(place: Place, scope: str = "--local") -> dict[str, dict[str, list[str]]]:
    """Event to the settings of our config hook: {"command": […], "event": […], "enabled": […]}."""
    args = ["config", *([scope] if scope else []), "--null", "--get-regexp", r"^hook\.chalkgit-"]
    code, out, _ = git.ask(place.root, *args)
    hooks: dict[str, dict[str, list[str]]] = {}
    for entry in out.decode("utf-8", "surrogateescape").split("\0") if code == 0 else ():
        key, _, value = entry.partition("\n")
        name, _, variable = key.removeprefix("hook.").rpartition(".")
        event = name.removeprefix("chalkgit-")
        if event in shim.EVENTS:
            hooks.setdefault(event, {}).setdefault(variable, []).append(value)
    return hooks


def config_mark(settings: dict[str, list[str]] | None) -> Mark | None:
    return shim.read((settings or {}).get("command", [""])[-1])


def _below(path: str, top: str) -> bool:
    return path == top or path.startswith(os.path.join(top, ""))
