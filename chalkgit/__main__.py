"""The program: `chalkgit` and `python -I -m chalkgit`.

Questions that are asked hundreds of times a day go through `cli.quick` when their arguments are plain, so
that click (three bare interpreters) is not imported; everything else goes through click.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal makes enumerations of it, which costs
import os
import sys

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping

_hurried: list[bool] = []
_UNASKED = frozenset({"hook", "lsp", "watch", "serve", "merge-driver"})


def main(codes: Mapping[int, int] | None = None) -> None:
    """Run the command line and exit with its code, or with what `codes` has in its place."""
    codes = codes or {}
    # whoever ignores it (a supervisor) leaves that to its children, and the end of a git would be missed
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    try:
        code = _run(sys.argv[1:])
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by whoever started us
                stream.flush()
        if _hurried:
            # taking an interpreter down costs a fifth of a bare one, and nothing here is left to close
            os._exit(codes.get(code, code))
    except BrokenPipeError:
        # whoever read us has enough: what is still buffered must not raise again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        # not even the report of a bug could be made; Python's own code for it is that of a gate
        os.write(2, f"chalkgit: {error!r}\n".encode("utf-8", "backslashreplace"))
        os._exit(codes.get(3, 3))
    sys.exit(codes.get(code, code))


def _run(arguments: list[str]) -> int:
    from chalkgit.errors import ChalkError

    try:
        _warn(arguments)
        from chalkgit.cli import quick

        code = quick.run(arguments)
        _hurried[:] = [True] if code is not None else []
        if code is None:
            from chalkgit.cli import app

            code = app.run(arguments)
            if arguments[:1] == ["log"]:  # which holds a table of all history in memory
                _hurried[:] = [True]
        return code
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except ChalkError as error:
        from chalkgit.cli import terminal
        from chalkgit.render import text

        terminal.say(text.error(error))
        return 2
    except Exception as error:
        from chalkgit.cli import crash, terminal

        if isinstance(error, FileNotFoundError) and _is_nowhere():
            terminal.say(
                "chalkgit: the folder that this was started in is gone\nhint: cd to one that is there"
            )
            return 2
        return crash.report()


def _warn(arguments: list[str]) -> None:
    """What is set and ignored; git's hooks, editors and agents are no place for it."""
    from chalkgit import config

    if config.of_chalk() and not _UNASKED & set(arguments):
        from chalkgit.cli import of_chalk, terminal

        terminal.tell(of_chalk.warning() or "")


def _is_nowhere() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


if __name__ == "__main__":
    main()
