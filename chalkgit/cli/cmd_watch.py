"""`chalkgit watch`: the rulings on every file that is saved, until interrupted."""

from __future__ import annotations

import os
import signal
import stat
import sys

import click

from chalkgit.cli import terminal


class _Ended(BaseException):
    """SIGTERM: asked to end, which is no failure."""


@click.command("watch")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--session", metavar="NAME", help="Each ruling is shown once in it; one of its own if absent.")
@click.option(
    "--poll", is_flag=True, help="Look again and again, where the file system tells nothing (a network's)."
)
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], session: str | None, poll: bool) -> int:
    """Show what is known about each file that is saved here, as `hook save` does, until interrupted."""
    from chalkgit.doors import watch

    before = signal.signal(signal.SIGTERM, _end)
    try:
        return watch.watched(
            directory,
            paths,
            session=session,
            out=terminal.show,
            tell=terminal.tell,
            poll=poll,
            reader=_pipe(),
        )
    except _Ended:
        return 0
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: object) -> None:
    raise _Ended


def _pipe() -> int | None:
    """The descriptor of standard output, where somebody reads it who may leave."""
    try:
        descriptor = sys.stdout.fileno()
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError):
        return None
    return descriptor if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None
