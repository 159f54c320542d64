"""Our own bug: exit code 3, one line, and where the log is."""

from __future__ import annotations

import os
import sys
import time
import traceback

from chalkgit import __version__, config
from chalkgit.cli import terminal
from chalkgit.render.clean import line


def report() -> int:
    """Write the traceback of the exception being handled to a log; 3."""
    said = traceback.format_exc()
    python = f"Python {sys.version.split()[0]}, {sys.platform}"
    head = f"chalkgit {__version__}, {python}\narguments: {sys.argv[1:]}\n"
    try:
        folder = os.path.join(config.home("CACHE"), "logs")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        log = os.path.join(
            folder, time.strftime("crash-%Y%m%dT%H%M%SZ", time.gmtime()) + f"-{os.getpid()}.log"
        )
        with open(log, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(head + said)
        where = f"the log is {log}"
    except OSError:
        where = "no log could be written:\n" + said
    last = said.strip().splitlines()[-1]
    terminal.say(f"chalkgit: this is a bug in chalkgit ({line(last)}); {where}")
    return 3
