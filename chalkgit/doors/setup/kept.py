"""Hooks that were kept when ours came, and that nothing runs any more, since ours is gone some other way."""

from __future__ import annotations

import os
from shlex import quote

from chalkgit.doors.setup import shim
from chalkgit.doors.setup.frameworks import text_of
from chalkgit.doors.setup.git_where import MOVED_BY, Where


def unrun(where: Where, event: str) -> tuple[str, str] | None:
    """What is wrong with the hook kept for this event, and the command that helps; None without one."""
    path = where.file(event)
    kept = path + shim.KEPT
    texts = [text_of(path + end) for end in ("", *MOVED_BY)]
    if not os.path.lexists(kept) or any(text is not None and shim.read(text) is not None for text in texts):
        return None
    if os.path.lexists(path):
        return (
            f"{kept} is run by nothing, and {path} is another hook",
            f"make one of them, then rm {quote(kept)}",
        )
    return f"{kept} is run by nothing any more", f"mv {quote(kept)} {quote(path)}"
