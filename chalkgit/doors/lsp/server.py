"""The server as a process: its streams, and its exit code.

Standard output carries frames and nothing else, whatever prints.
"""

from __future__ import annotations

import logging
import os
from typing import BinaryIO

from chalkgit.doors.lsp import notices, requests
from chalkgit.doors.lsp.desk import Bug, Server


def serve(bug: Bug) -> int:
    """Speak to the client until it says exit or goes away: 0 after a shutdown, else 1."""
    for name in ("pygls", "asyncio"):  # what they say on stderr, an editor shows as an error
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    server = Server(bug)
    requests.serve(server)
    notices.serve(server)
    frames_in, frames_out = _streams()
    server.start_io(frames_in, frames_out)
    return server.exit_code


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The client's two pipes, on descriptors of their own. What prints, here or in a library or a child,
    prints to stderr: one stray byte between frames ends the connection with VS Code."""
    frames = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # closed by whoever started us
        os.dup2(null, 1)
    os.close(null)
    return frames
