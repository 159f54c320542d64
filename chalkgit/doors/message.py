"""git's commit-msg: what the repository asked to have acknowledged, and the message as a proposal.

A ruling is acknowledged by a trailer `Lesson: <id>`, or any prefix of it of four letters and more.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalkgit.doors import commit
from chalkgit.doors.commit import Tell
from chalkgit.render.clean import line
from chalkgit.store import git, policy
from chalkgit.store.place import Place

TRAILER = "lesson"
SHORTEST = 4


def message(directory: str | None, file: str, *, out: Tell, tell: Tell) -> int:
    """1 where a ruling that the policy names is not acknowledged, else 0."""
    place = commit.store(directory, lambda said: None)  # pre-commit has said why
    wanted = policy.hooks(place) if place is not None else None
    # what is wrong with the policy pre-commit has said
    if place is None or wanted is None or wanted.trouble is not None or wanted.block == policy.NEVER:
        return 0
    held = commit.held(place, wanted.block, tell)
    left = unacknowledged(held, trailers(place, file)) if held else []
    if left:
        out("chalkgit: this commit changes what these records rule about. Read them (chalkgit show ID), and")
        out("acknowledge each in the last paragraph of the message, or git commit --no-verify:\n")
        out("\n".join(f"    Lesson: {record_id}" for record_id in left) + "\n")
    return 1 if left else 0


def unacknowledged(ids: Sequence[str], said: Sequence[str]) -> list[str]:
    return [i for i in ids if not any(i.startswith(word) and len(word) >= SHORTEST for word in said)]


def trailers(place: Place, file: str) -> list[str]:
    """The words after `Lesson:` in the message's trailers, as git reads them."""
    code, out, _ = git.ask(place.root, "interpret-trailers", "--parse", "--", file)
    said = out.decode("utf-8", "replace").splitlines() if code == 0 else []
    pairs = [row.partition(":") for row in said]
    values = [value for name, _, value in pairs if name.strip().lower() == TRAILER]
    return [word.strip("[](){}.") for value in values for word in line(value).replace(",", " ").split()]
