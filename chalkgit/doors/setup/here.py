"""What this machine lacks for an editor or an agent to run chalkgit, and the command that helps.

Their settings name chalkgit and no path, since they are a team's, and are silent where there is none: what
would never be noticed there is said at the installation.
"""

from __future__ import annotations

import os
import shutil
import sys
from shlex import quote

from chalkgit import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    Lack = tuple[str, str]

_PROGRAM = "chalkgit"
_OWN = "~/.local/bin"
_SERVER = ("pygls", "lsprotocol")
_WANTED = "'pygls>=2,<3'"


def off_path() -> Lack | None:
    """No program of this name where a shell would look for it."""
    if shutil.which(_PROGRAM) is not None:
        return None
    said = "no chalkgit is on PATH: what runs it by that name, as agents and editors do, stays silent"
    program = _program()
    return said, _linked(program) if program else "pipx install PATH-OF-ITS-CLONE"


def without_server() -> Lack | None:
    """The extra that the language server needs is not installed beside this chalkgit."""
    from importlib.util import find_spec

    missing = next((name for name in _SERVER if find_spec(name) is None), None)
    return None if missing is None else (f"the language server needs {missing}, which is not here", extra())


def extra() -> str:
    """The command that installs what the language server needs, into the environment that runs us."""
    from importlib.util import find_spec

    python = quote(sys.executable or "python")
    if find_spec("pip") is None:  # uv makes environments without it
        return f"uv pip install --python {python} {_WANTED}"
    return f"{python} -m pip install {_WANTED}"


def _program() -> str | None:
    """The script that starts this chalkgit, wherever it lies."""
    beside = os.path.join(os.path.dirname(sys.executable or ""), _PROGRAM)
    called = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == _PROGRAM else ""
    return next((path for path in (beside, called) if os.path.isabs(path) and os.path.isfile(path)), None)


def _linked(program: str) -> str:
    folder = os.path.expanduser(_OWN)
    link = f"ln -s {quote(program)} {_OWN}/"
    make = "" if os.path.isdir(folder) else f"mkdir -p {_OWN} && "
    on_path = folder in (config.environment_value("PATH") or "").split(os.pathsep)
    return f"{make}{link}" + ("" if on_path else f", with {_OWN} on your PATH")
