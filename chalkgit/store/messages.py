"""What commits say: the messages of all branches since a moment, the newest first and in bounds.

Whoever made them, and whatever they say, is data: nothing of a message is taken for an option or a path.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store.place import LESSONS, Place, head

_FIELDS = ("%H", "%at", "%ct", "%ae", "%B")


class Commit:
    """at: seconds since 1970, the earlier of its author's and its committer's time: a rebase says nothing
    new, and neither does a message that was written before."""

    __slots__ = ("at", "message", "oid")

    def __init__(self, oid: str, at: int, message: str) -> None:
        self.oid = oid
        self.at = at
        self.message = message


def since(place: Place, seconds: int) -> tuple[list[Commit], bool]:
    """The commits not older than that, of local and remote branches, and whether these are all.

    A commit that was copied (rebased, picked) counts once. ChalkError where git does not answer.
    """
    at = head(place)
    shape = ("-z", "--no-show-signature", f"-n{thresholds.ECHO_COMMITS}", f"--since={max(seconds, 1)}")
    heads = ("--branches", "--remotes", *([at] if at else []))
    line = f"--format=tformat:{'%x00'.join(_FIELDS)}"
    out = git.run(place.root, "log", *shape, line, *heads, "--")
    words = os.fsdecode(out).split("\0")
    found: dict[tuple[str, str, str], Commit] = {}
    count = 0
    for number in range(0, len(words) - 1, len(_FIELDS)):
        row = words[number : number + len(_FIELDS)]
        if len(row) < len(_FIELDS) or not (row[1].isdecimal() and row[2].isdecimal()):
            raise ChalkError("git log gave what cannot be read", where=place.root, hint="git fsck")
        oid, authored, committed, email, message = row
        count += 1
        first = min(int(authored), int(committed))
        cut = message[: thresholds.ECHO_MESSAGE_CHARACTERS]
        if first >= seconds:
            found.setdefault((authored, email, cut.partition("\n")[0]), Commit(oid, first, cut))
    return list(found.values()), count < thresholds.ECHO_COMMITS


def of_records_alone(place: Place, oids: Sequence[str]) -> set[str]:
    """Those of these commits that changed records and nothing else; a merge is none of them."""
    if not oids:
        return set()
    shape = ("diff-tree", "--stdin", "-r", "--root", "--name-only", "--no-renames", "--always", "-z")
    out = git.run(place.root, *shape, stdin="".join(f"{oid}\n" for oid in oids).encode())
    paths: dict[str, list[str]] = {}
    wanted, current = set(oids), ""
    for word in os.fsdecode(out).split("\0"):
        word = word.lstrip("\n")
        if word in wanted:
            current = word
            paths[current] = []
        elif word and current:
            paths[current].append(word)
    return {oid for oid, named in paths.items() if named and all(p.startswith(LESSONS + "/") for p in named)}
