"""The user's other stores: repositories of this machine that ran `init` or were named by `stores add`."""

from __future__ import annotations

import os

from chalkgit import settings
from chalkgit.errors import ChalkError
from chalkgit.store import place as places


def roots() -> list[str]:
    """Absolute roots, in the order they were added."""
    listed = settings.read().get("stores") or []
    return _paths(listed)


def _paths(listed: object) -> list[str]:
    """Those that can be a path at all."""
    found = listed if isinstance(listed, list) else []
    return [root for root in found if isinstance(root, str) and os.path.isabs(root) and "\0" not in root]


def add(directory: str) -> str:
    """Add the repository of a directory; its root. ChalkError when it has no `.lessons/`."""
    root = places.find(directory).require_store().root
    settings.update(lambda old: {"stores": list(dict.fromkeys([*_listed(old), root]))})
    return root


def remove(directory: str) -> str:
    root = os.path.realpath(directory)
    if root not in roots():
        raise ChalkError(f"{root} is not one of your stores", hint="chalkgit stores list")
    forget(root)
    return root


def forget(root: str) -> None:
    """Drop a store that has vanished."""
    settings.update(lambda old: {"stores": [r for r in _listed(old) if r != root] or None})


def _listed(old: dict[str, object]) -> list[str]:
    listed = old.get("stores")
    return [r for r in listed if isinstance(r, str)] if isinstance(listed, list) else []
