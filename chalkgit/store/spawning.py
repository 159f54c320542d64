"""How a command is started: where, with which three files and no others, in a session of its own.

What `store.running` runs is started here. No shell reads the words of a command: the one that changes the
folder gets them as arguments.
"""

from __future__ import annotations

import fcntl
import functools
import os
import signal

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHELL = "/bin/sh"
# posix_spawn knows no folder to start in, and changing ours would move every thread
_IN_FOLDER = 'cd "$1" || exit 126; shift; exec "$@"'


def start(words: Sequence[str], cwd: str, files: Sequence[int], environment: Mapping[str, str]) -> int:
    """Start the program `words[0]`, an absolute path; its process number, which is its group's too.

    files: what are its standard input, output and error; none of them below 3. OSError where it cannot be
    started; a folder that is not there is exit code 126, as a shell has it for what it cannot run.
    """
    actions: list[tuple[int, ...]] = [
        (os.POSIX_SPAWN_DUP2, handle, stream) for stream, handle in enumerate(files)
    ]
    # what we were started with (a job server's pipes, a lock of a parent's) is nothing for it
    actions += [(os.POSIX_SPAWN_CLOSE, handle) for handle in _inheritable()]
    spawn = functools.partial(
        os.posix_spawn,
        SHELL,
        [SHELL, "-c", _IN_FOLDER, SHELL, os.path.abspath(cwd), *words],
        environment,
        file_actions=actions,
        setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores these, and a child would go on doing so
        setsigmask=(),
    )
    try:
        return spawn(setsid=True)
    except NotImplementedError:  # a system whose posix_spawn knows no sessions
        return spawn(setpgroup=0)


def pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the standard streams, which whoever started us may have closed."""
    ends = os.pipe()
    lifted: list[int] = []
    try:
        lifted += [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends]
    finally:
        for end in ends:
            os.close(end)
    return lifted[0], lifted[1]


def program(name: str, cwd: str, environment: Mapping[str, str]) -> str | None:
    """The file of a program, as an absolute path; None where there is none that may be run.

    A relative folder on PATH is left out: the repository we stand in could hold a program of that name.
    """
    if "/" in name:
        places = [os.path.join(os.path.abspath(cwd), name)]
    else:
        folders = (environment.get("PATH") or os.defpath).split(os.pathsep)
        places = [os.path.join(folder, name) for folder in folders if os.path.isabs(folder)]
    return next((p for p in places if os.path.isfile(p) and os.access(p, os.X_OK)), None)


def signal_group(group: int, which: int) -> None:
    """Send a signal to all of a group that is left."""
    try:
        os.killpg(group, which)
    except (ProcessLookupError, PermissionError):
        pass  # nothing is left of it; macOS says EPERM of a group of zombies


def _inheritable() -> list[int]:
    """The files open here, beyond the three streams, that a child would have too."""
    found = []
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:
            pass  # the one by which the folder was listed
    return found
