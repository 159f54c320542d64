"""`hooks install --editor NAME`: what to put where, so that an editor shows rulings.

Printed, unless asked to write. Then a file of its own is written where the editor reads one unasked; no file
of the user's is changed, and what cannot have a file of its own is left to the user, who is told what to do.
The texts lie in `snippets/`, a folder an editor.
"""

from __future__ import annotations

import hashlib
import os

from chalkgit import config
from chalkgit.doors.setup import here, names
from chalkgit.errors import ChalkError
from chalkgit.store import atomic
from chalkgit.store.place import Place

NAMES = ("neovim", "neovim-save", "vim", "emacs", "vscode", "helix", "jetbrains")
_ALSO = {
    "nvim": "neovim",
    "nvim-save": "neovim-save",
    "code": "vscode",
    "vs-code": "vscode",
    "visual-studio-code": "vscode",
    "vscodium": "vscode",
    "codium": "vscode",
    "hx": "helix",
    **dict.fromkeys(("idea", "intellij", "pycharm", "webstorm", "goland", "rider", "clion"), "jetbrains"),
}
SERVED = ("neovim", "helix")  # those whose snippet starts the language server

# Of each editor: the files of its snippet, and how their language begins and ends a comment.
_FILES = {
    "neovim": (("chalkgit.lua", "-- ", ""),),
    "neovim-save": (("chalkgit.lua", "-- ", ""),),
    "vim": (("chalkgit.vim", '" ', ""),),
    "emacs": (("chalkgit.el", ";; ", ""),),
    "vscode": (("tasks.json", "// ", ""), ("settings.json", "// ", "")),
    "helix": (("languages.toml", "# ", ""),),
    "jetbrains": (("watcherTasks.xml", "<!-- ", " -->"),),
}
# In the repository; the others belong to the user.
_FOLDERS = {"vscode": ".vscode", "helix": ".helix", "jetbrains": ".idea"}
_MADE = (*_FOLDERS.values(), "plugin", "nvim", ".vim", "vim", ".emacs.d", "emacs")
_THEN = {
    "neovim": ["restart Neovim"],
    "neovim-save": ["restart Neovim"],
    "vim": ["restart Vim"],
    "emacs": [],
    "vscode": [
        "settings.json is read by the extension emeraldwalk.runonsave; its rulings are in the Output panel",
        "tasks.json has the task “chalkgit: this file”; its rulings are in the Problems panel",
        "this was not tried in VS Code itself",
    ],
    "jetbrains": ["open Settings > Tools > File Watchers once; this was not tried in an IDE itself"],
}
_MARK = "written by chalkgit hooks install; unchanged it is "


def text(name: str, file: str) -> str:
    """One file of an editor's snippet."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "snippets", name, file)
    with open(path, encoding="utf-8") as opened:
        return opened.read()


def known(name: str) -> str:
    return names.known(name, "editor", NAMES, _ALSO)


def own(name: str) -> bool:
    """Whether this editor's file is the user's, for all repositories."""
    return known(name) not in _FOLDERS


def lacks(name: str) -> list[tuple[str, str]]:
    """What keeps this editor from showing anything on this machine, and the command that helps."""
    found = [here.off_path(), here.without_server() if known(name) in SERVED else None]
    return [lack for lack in found if lack is not None]


def install(place: Place | None, name: str, write: bool = False) -> list[str]:
    """The snippet, each file led by a comment that says where it goes; or what was written.

    place may be None where the file is the user's `own`.
    """
    name = known(name)
    if not write:
        return [said for file, *comment in _FILES[name] for said in _printed(place, name, file, *comment)]
    if name == "helix":
        raise ChalkError(
            "which servers a language has is yours to list, and a file of ours would replace your list",
            where=os.path.join(_FOLDERS[name], "languages.toml"),
            hint=f"chalkgit hooks install --editor {name}, and merge what it prints",
        )
    targets = {_target(place, name, file): (file, *comment) for file, *comment in _FILES[name]}
    for path in targets:
        if os.path.lexists(path) and not _unchanged(path):
            raise ChalkError(
                "there is one already, which is not overwritten",
                where=path,
                hint=f"chalkgit hooks install --editor {name}, and merge what it prints",
            )
    said = [_written(place, name, path, *rest) for path, rest in targets.items()]
    if name == "emacs":
        return [*said, f'add to your init file: (load "{next(iter(targets))}")']
    return said + _THEN[name]


def uninstall(place: Place | None, name: str) -> list[str]:
    """Remove what `install` wrote; a file that was changed since is the user's."""
    name = known(name)
    said = []
    for path in (_target(place, name, file) for file, *_ in _FILES[name]):
        if not os.path.lexists(path):
            said.append(f"there is no {path}")
        elif _unchanged(path):
            os.unlink(path)
            _take_folders(os.path.dirname(path))
            said.append(f"removed {path}")
        else:
            said.append(f"left {path}: it is not as chalkgit wrote it")
    if name == "emacs" and said[0].startswith("removed"):
        said.append("take the (load …) of it out of your init file")
    return said


def installed(place: Place, name: str) -> bool:
    """Whether all of this editor's files are where it reads them, as this version writes them."""
    targets = [
        (_target(place, name, file), _data(name, file, begin, end)) for file, begin, end in _FILES[name]
    ]
    return all(_read(path) == data for path, data in targets)


def _take_folders(folder: str) -> None:
    """Those that the editor looks into, where nothing is left in them; `install` makes them."""
    try:
        while os.path.basename(folder) in _MADE:
            os.rmdir(folder)
            folder = os.path.dirname(folder)
    except OSError:
        pass  # other files, or a link


def _printed(place: Place | None, name: str, file: str, begin: str, end: str) -> list[str]:
    target = _target(place, name, file)
    home = os.path.expanduser("~")
    if place is not None and target.startswith(place.root + "/"):
        target = os.path.relpath(target, place.root)
    elif target.startswith(home + "/"):
        target = "~" + target.removeprefix(home)
    also = ", loaded by your init file" if name == "emacs" else ""
    first, *rest = text(name, file).splitlines()
    leading = f"{begin}{target}{also}{end}"
    # an XML declaration and Emacs' lexical-binding count in a first line alone
    first_of_all = first.startswith("<?xml") or "-*-" in first
    return [first, leading, *rest] if first_of_all else [leading, first, *rest]


def _target(place: Place | None, name: str, file: str) -> str:
    if name in _FOLDERS:
        assert place is not None
        return os.path.join(place.root, _FOLDERS[name], file)
    home = os.path.expanduser("~")
    settings = config.environment_value("XDG_CONFIG_HOME") or ""
    if not os.path.isabs(settings):
        settings = os.path.join(home, ".config")
    if name.startswith("neovim"):
        return os.path.join(settings, "nvim", "plugin", file)
    own, kept = (".vim", "vim") if name == "vim" else (".emacs.d", "emacs")
    folder = os.path.join(home, own)
    if not os.path.isdir(folder) and os.path.isdir(os.path.join(settings, kept)):
        folder = os.path.join(settings, kept)
    return os.path.join(folder, "plugin", file) if name == "vim" else os.path.join(folder, file)


def _written(place: Place | None, name: str, path: str, file: str, begin: str, end: str) -> str:
    data = _data(name, file, begin, end)
    there = os.path.lexists(path)
    try:
        if there and _read(path) == data:
            return f"{path} is there already"
        if place is not None and name in _FOLDERS:
            atomic.folder(place.root, _FOLDERS[name])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if there:
            atomic.replace(path, data)
        else:
            atomic.create(path, data)
    except OSError as error:
        raise ChalkError(f"cannot be written: {error.strerror}", where=path) from None
    return f"{'updated' if there else 'wrote'} {path}"


def _data(name: str, file: str, begin: str, end: str) -> bytes:
    """What is written: the snippet, and a last line that tells whether somebody changed it since."""
    body = text(name, file)
    return (body + f"{begin}{_MARK}{_digest(body)}{end}\n").encode()


def _unchanged(path: str) -> bool:
    """Whether a file is as some version of chalkgit wrote it."""
    data = b"" if os.path.islink(path) else _read(path)
    body, newline, last = data.decode("utf-8", "replace").rstrip("\n").rpartition("\n")
    return _MARK in last and last.partition(_MARK)[2].startswith(_digest(body + newline))


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
