"""Which interpreter a hook should start: this one, where it will still be there and can import us alone."""

from __future__ import annotations

import os
import re
import sys

from chalkgit.doors.setup.shim import Interpreter
from chalkgit.errors import ChalkError

# Folders that their owners empty: `uv cache prune`, `pre-commit gc`, `prek cache clean`, pipx after days.
_CACHES = re.compile(
    r"/(?:archive|environments|builds)-v\d+/"
    r"|/pre-commit/repo[^/]+/py_env-"
    r"|/prek/(?:hooks|repos|cache)/"
    r"|/pipx/(?:\.cache|cache)/|/\.cache/pipx/"
)
# -I also leaves out the user's own site-packages, where `pip install --user` puts us: -E -P keep those
_FLAGS = ("-I", "-E -P")


def interpreter() -> Interpreter:
    """ChalkError where this one lives in a cache, or has us by a variable or the current folder."""
    path = sys.executable
    if not path or not os.path.isabs(path):
        raise ChalkError("the Python that runs chalkgit does not say where it is", hint=_hint("chalkgit"))
    if _CACHES.search(os.path.join(sys.prefix, "")):
        raise ChalkError(
            "this chalkgit runs from a cache that is emptied now and then, and the hooks with it",
            where=sys.prefix,
            hint=_hint("uv tool install PATH-OF-ITS-CLONE"),
        )
    flags = next((flags for flags in _FLAGS if _imports(path, flags)), None)
    if flags is None:
        raise ChalkError(
            "this Python has chalkgit by PYTHONPATH or the current folder, which a hook does not read",
            where=path,
            hint=_hint("python -m pip install PATH-OF-ITS-CLONE"),
        )
    return Interpreter(path, flags)


def _imports(path: str, flags: str) -> bool:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        pid = os.posix_spawn(
            path,
            [path, *flags.split(), "-c", "import chalkgit.__main__"],
            {"LC_ALL": "C"},
            file_actions=[(os.POSIX_SPAWN_DUP2, null, handle) for handle in (0, 1, 2)],
        )
    except OSError:
        return False
    finally:
        os.close(null)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _hint(first: str) -> str:
    return f"{first}, then with that one: chalkgit hooks install"
