"""What both ways into `hook agent` end in: the answer is kept as shown only once it has left us."""

from __future__ import annotations

from chalkgit.cli import terminal
from chalkgit.doors import agent

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.ahead import Ahead


def answered(data: bytes, client: str | None, directory: str | None, ahead: Ahead | None) -> int:
    terminal.begin()
    return agent.answer(
        data,
        client,
        directory=directory,
        out=terminal.show,
        tell=terminal.tell,
        ahead=ahead,
        failed=_failed,
    )


def _failed() -> None:
    from chalkgit.cli import crash  # traceback costs more than the answer

    crash.report()
