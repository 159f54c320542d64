"""Whether two records say opposite things, in words.

Precise rather than many: the caller found that both speak of nearly the same thing, and only what one of them
says outright against the other counts. Two that hold at different times, with different versions or for
different files do not contradict each other, and neither do a record and its successor.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import globs
from chalkgit.records.record import Record
from chalkgit.records.status import restriction

_SURE, _UNSURE = "contradicted", ("partial", "unstable")
_GIVEN_UP, _AGAIN = "abandon", "retry"


def contradicts(a: Record, b: Record) -> str | None:
    """Why two records of nearly the same route cannot both be followed, None where they can."""
    if not comparable(a, b):
        return None
    if {a.kind, b.kind} == {"dead-end", "procedure"}:
        return _fails_and_works(a, b) if a.kind == "dead-end" else _fails_and_works(b, a)
    if a.kind == b.kind == "dead-end":
        return _degrees(a, b) or _degrees(b, a) or _actions(a, b) or _actions(b, a)
    return None


def misleads(a: Record, b: Record) -> str | None:
    """Why `a` sends its reader into `b`, given that its alternative is nearly the route of `b`."""
    if a.kind != "dead-end" or a.text("alternative") is None or not comparable(a, b) or not _ruled_out(b):
        return None
    return f"{a.id} says to do instead what {b.id} rules out"


def comparable(a: Record, b: Record) -> bool:
    """Whether both hold, at one time, of the same versions and files, and neither replaces the other."""
    gone = any(one.get(name) is not None for one in (a, b) for name in ("retired", "settled"))
    if a.id == b.id or gone or restriction(a) or restriction(b):
        return False
    if a.id in b.items("supersedes") or b.id in a.items("supersedes"):
        return False
    return not (_other_time(a, b) or _other_time(b, a) or _other_versions(a, b) or _other_files(a, b))


def _fails_and_works(dead: Record, works: Record) -> str | None:
    if dead.get("degree") not in (None, _SURE) or dead.get("action") == _AGAIN:
        return None  # it may well work, and says so
    return f"{dead.id} says that it was tried and failed, {works.id} that it works"


def _degrees(sure: Record, unsure: Record) -> str | None:
    degree = unsure.get("degree")
    if sure.get("degree") != _SURE or degree not in _UNSURE:
        return None
    return f"{sure.id} says that it is {_SURE}, {unsure.id} that the refutation is {degree}"


def _actions(over: Record, again: Record) -> str | None:
    if over.get("action") != _GIVEN_UP or again.get("action") != _AGAIN:
        return None
    return f"{over.id} says to {_GIVEN_UP} it, {again.id} to {_AGAIN}"


def _ruled_out(dead: Record) -> bool:
    """Whether a dead end says outright that its route leads nowhere."""
    degree, action = dead.text("degree"), dead.text("action")
    return dead.kind == "dead-end" and (degree == _SURE or (degree is None and action == _GIVEN_UP))


def _other_time(a: Record, b: Record) -> bool:
    """Whether `a` has ended when `b` begins."""
    end, start = a.text("valid-until"), b.text("valid-from")
    if not (end and start and times.is_date(end) and times.is_date(start)):
        return False
    return times.parse(end) <= times.parse(start)


def _other_versions(a: Record, b: Record) -> bool:
    """Whether both were observed with a library, and not with the same version of it."""
    ours, theirs = a.get("depends-on"), b.get("depends-on")
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return False
    return any(theirs.get(name, version) != version for name, version in ours.items())


def _other_files(a: Record, b: Record) -> bool:
    """Whether both list their files, and no file of one can be a file of the other."""
    ours, theirs = a.items("files"), b.items("files")
    if not ours or not theirs:
        return False
    return not any(_meet(one, other) or _meet(other, one) for one in ours for other in theirs)


def _meet(glob: str, path: str) -> bool:
    # two globs are compared as text: that they may share a file is not looked for
    return globs.matches(glob, path) or ("/" not in glob and path.rsplit("/", 1)[-1] == glob)
