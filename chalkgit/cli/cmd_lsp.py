"""`chalkgit lsp`: the language server, which an editor starts."""

from __future__ import annotations

import signal
import sys

import click

from chalkgit.cli import crash, terminal
from chalkgit.errors import ChalkError

_EXTRA = ("pygls", "lsprotocol", "attrs", "cattrs")


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="As always: some clients say so.")
def command(stdio: bool) -> int:
    """Serve an editor over stdin and stdout: rulings on open files, and help inside records."""
    try:
        from chalkgit.doors.lsp import server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in _EXTRA:
            raise
        from chalkgit.doors.setup import here

        said = f"the language server needs {error.name}, which is not installed"
        raise ChalkError(said, hint=here.extra()) from None
    if sys.stdin.isatty():
        terminal.tell("this speaks the Language Server Protocol on stdin and stdout: an editor starts it")
    # a thread waits for stdin: an interrupt would wait for it too, and there is nothing to put away
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return server.serve(crash.report)
