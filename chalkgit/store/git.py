"""The git program, for the hot paths: importing pygit2 costs eight bare interpreters.

Children are started with `posix_spawn`, because importing `subprocess` costs one bare interpreter too.
Nothing here runs what a repository's configuration names: fsmonitor, pagers and content filters are switched
off for every call. `difference` alone asks for the text of one, without the programs that could render it.
"""

from __future__ import annotations

import os
import time

from chalkgit import config
from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ROOM = 1 << 20  # what Linux lets any user have (fs.pipe-max-size)

QUIET = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    "-c",
    "log.showRoot=true",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "color.ui=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "i18n.logOutputEncoding=UTF-8",
)


class Child:
    """A git process under way; `output` waits for it and gives its exit code, stdout and stderr.

    roomy: it says much, and goes on saying it before it is read, where the system has pipes that large.
    """

    __slots__ = ("_err", "_out", "args", "pid")

    def __init__(
        self,
        root: str,
        args: Sequence[str],
        stdin: int | None = None,
        quiet: Sequence[str] = QUIET,
        *,
        roomy: bool = False,
    ) -> None:
        self.args = args
        out_read, out_write = os.pipe()
        if roomy:
            _widen(out_write)
        err_read, err_write = os.pipe()
        actions: list[tuple[int, ...]] = [
            (os.POSIX_SPAWN_DUP2, out_write, 1),
            (os.POSIX_SPAWN_DUP2, err_write, 2),
        ]
        null = None
        if stdin is None:
            null = stdin = os.open(os.devnull, os.O_RDONLY)
        actions.insert(0, (os.POSIX_SPAWN_DUP2, stdin, 0))
        try:
            # pipes made by os.pipe are closed on exec by default; the dup2'ed copies are not
            self.pid = os.posix_spawn(
                _program(),
                ["git", *quiet, "-C", root, *args],
                config.git_environment(root, _disarmed.get(root, ()) if quiet else ()),
                file_actions=actions,
            )
        except BaseException:
            os.close(out_read)
            os.close(err_read)
            raise
        finally:
            os.close(out_write)
            os.close(err_write)
            if null is not None:
                os.close(null)
        self._out, self._err = out_read, err_read

    def output(self, seconds: float | None = None) -> tuple[int, bytes, bytes]:
        """TimeoutError where git takes longer than that; it is killed then."""
        deadline = None if seconds is None else time.monotonic() + seconds
        # both at once: a commit's hooks may say more on stderr than the 64 KiB that a pipe holds
        import select

        read: dict[int, list[bytes]] = {self._out: [], self._err: []}
        poll = select.poll()
        for handle in read:
            poll.register(handle, select.POLLIN)
        left = len(read)
        while left:
            wait = None if deadline is None else max(deadline - time.monotonic(), 0) * 1000
            ready = poll.poll(wait)
            if not ready:
                self._end(read)
                raise TimeoutError(f"git {self.args[0]} took longer than {seconds} s")
            for handle, _ in ready:
                data = os.read(handle, _ROOM)
                read[handle].append(data)
                if not data:
                    poll.unregister(handle)
                    os.close(handle)
                    left -= 1
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), b"".join(read[self._out]), b"".join(read[self._err])

    def _end(self, handles: Iterable[int]) -> None:
        import signal

        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        for handle in handles:
            try:
                os.close(handle)
            except OSError:
                pass  # the one that had ended already


def _widen(pipe: int) -> None:
    import fcntl

    try:
        fcntl.fcntl(pipe, getattr(fcntl, "F_SETPIPE_SZ", 1031), _ROOM)  # Linux; named from Python 3.10 on
    except (OSError, ValueError):
        pass  # a smaller pipe makes git wait until it is read


def start(root: str, *args: str) -> Child:
    """Start git in `root` without waiting, so that several can run at once."""
    return Child(root, args)


def ask(root: str, *args: str, stdin: bytes | None = None) -> tuple[int, bytes, bytes]:
    """(exit code, stdout, stderr) of git; `stdin` of any length is handed over through a file."""
    if stdin is None:
        return Child(root, args).output()
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        return Child(root, args, file.fileno()).output()


def ask_as_user(root: str, *args: str) -> tuple[int, bytes, bytes]:
    """`ask` for a call that runs the user's hooks, which would inherit what QUIET says: pathspecs that are
    no patterns, say. A path among `args` is written `:(literal)path`."""
    return Child(root, args, quiet=()).output()


# before a command that may write git's index, which runs a hook (post-index-change): `git diff` is one
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def run(root: str, *args: str, stdin: bytes | None = None) -> bytes:
    """stdout of a git call that must succeed; git's own message is what the user reads otherwise."""
    code, out, err = ask(root, *args, stdin=stdin)
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split()) or f"exit code {code}"
        name = args[2] if args[0] == "-c" else args[0]
        raise ChalkError(f"git {name} failed: {said}", where=root)
    return out


def disarm(root: str, configs: Sequence[str]) -> None:
    """Switch off all content filters, where the repository of `root` may name one in its configuration.

    git compares a file of doubtful age by content, through `filter.NAME.clean`. Files without such a word
    (nearly all) cost a read; in the others git itself finds the names, includes and all.
    """
    if not any(word in _read(path) for path in configs for word in (b"filter", b"include")):
        return
    # of every scope, since `--local` does not list a work tree's own file
    code, out, _ = ask(root, "config", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.")
    keys = {os.fsdecode(key).rpartition(".")[0] for key in out.split(b"\0") if key} if code == 0 else set()
    off = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    # `-c` splits at the first `=`, which a filter's name may hold
    _disarmed[root] = tuple((f"{key}.{name}", value) for key in sorted(keys) for name, value in off)


def configuration(git_dir: str) -> bytes:
    """The text of a git directory's configuration file, in lower case."""
    return _read(os.path.join(git_dir, "config"))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read().lower()
    except OSError:
        return b""


_disarmed: dict[str, tuple[tuple[str, str], ...]] = {}
_found: list[str] = []


def _program() -> str:
    if not _found:
        # not shutil.which: importing shutil costs half a bare interpreter
        folders = (config.environment_value("PATH") or os.defpath).split(os.pathsep)
        places = (os.path.join(folder, "git") for folder in folders if os.path.isabs(folder))
        path = next((p for p in places if os.path.isfile(p) and os.access(p, os.X_OK)), None)
        if path is None:
            raise ChalkError("the program git was not found on PATH", hint="install git")
        _found.append(path)
    return _found[0]
