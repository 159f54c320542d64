"""What `forget` says: what there is before, what is gone after, and what history still has."""

from __future__ import annotations

import shlex

from chalkgit.records.record import title
from chalkgit.render.clean import line

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.answers.forgetting import Traces

_COMMITS = 5


def question(found: Traces, *, asked: bool = True) -> list[str]:
    """What one has to know before saying yes. asked: not the whole of it is said again afterwards."""
    record = found.record
    gone = f"{found.id}: what is left of a record whose file is gone, or cannot be read"
    rows = [f"{record.kind} {record.id}: {line(title(record))[:90]}" if record else gone]
    rows += [f"  file: {line(path)}{_where(found, root)}" for root, path in found.files]
    rows += [f"  in git's index: {line(path)}{_where(found, root)}" for root, path in found.staged]
    rows.append(
        f"  traces: {_count(found.derived, 'file')} of derived data, {_count(found.journal, 'journal row')}"
    )
    return rows + (_named(found) if asked else [])


def done(found: Traces, unbuilt: Sequence[str], uncommitted: Sequence[str], *, asked: bool = False) -> str:
    """What was erased, what is left to commit, and what git keeps. asked: `question` said who names it."""
    rows = []
    if found:
        rows.append(f"{found.id} is erased here: {', '.join(_erased(found))}.")
    else:
        rows.append(f"Nothing of {found.id} is left here: no file, no journal row; the index was built anew.")
    rows += [line(said) for said in unbuilt]
    rows += _mends(found) if asked else [*_named(found), *_mends(found)]
    if uncommitted:
        rows.append(f"next: {commit_command(found, uncommitted)}")
    rows += _history(found)
    return "\n".join(rows)


def commit_command(found: Traces, paths: Sequence[str]) -> str:
    return shlex.join(["git", "commit", "-m", f"lessons: forget {found.id}", "--", *map(line, paths)])


def rewriting(found: Traces) -> list[str]:
    """The commands that take the record out of history; each person runs them knowingly."""
    if not found.history:
        return ["git gc --prune=now"] if found.staged else []
    named = [word for path in found.paths for word in ("--path", line(path))]
    return [
        shlex.join(["git", "filter-repo", "--invert-paths", *named]),
        "git push --force --all",
        "git push --force --tags",
        "git reflog expire --expire=now --all",
        "git gc --prune=now",
    ]


def as_json(found: Traces, unbuilt: Sequence[str], uncommitted: Sequence[str]) -> dict[str, Any]:
    return {
        "id": found.id,
        "kind": found.record.kind if found.record else None,
        "erased": bool(found),
        "files": [{"root": root, "path": path} for root, path in found.files],
        "staged": [{"root": root, "path": path} for root, path in found.staged],
        "derived": found.derived,
        "journal": found.journal,
        "named_by": [record.id for record in found.named_by],
        "unbuilt": list(unbuilt),
        "next": commit_command(found, uncommitted) if uncommitted else None,
        "history": found.history,
        "paths": found.paths,
        "remote": found.remote,
        "rewrite": rewriting(found),
    }


def _erased(found: Traces) -> list[str]:
    said = [_count(len(found.files), "file")] if found.files else []
    if found.staged:
        said.append(f"{_count(len(found.staged), 'entry', 'entries')} of git's index")
    return [*said, "the index, its vectors", _count(found.journal, "row") + " of the journal"]


def _named(found: Traces) -> list[str]:
    """The records that name it, and are left as they are."""
    rows = []
    for record in found.named_by:
        how = "its words" if found.id not in record.items("supersedes") else "that it supersedes it"
        rows.append(f"  {record.id} names it ({how}) and is not changed: {line(record.path)}")
    return rows


def _mends(found: Traces) -> list[str]:
    """The commands that take it out of what others supersede."""
    return [
        f"  to take it out of {record.id}: {line(found.mends[record.id])}"
        for record in found.named_by
        if record.id in found.mends
    ]


def _history(found: Traces) -> list[str]:
    if not found.history:
        if found.is_note:
            return ["It was a working note, which git never saw."]
        if found.staged:
            return [
                "It was never committed. What was staged lies among git's loose objects until: "
                "git gc --prune=now"
            ]
        return ["No commit of this clone has it."]
    has = "has" if len(found.history) == 1 else "have"
    rows = [f"History keeps it: {_count(len(found.history), 'commit')} of this clone {has} its text."]
    for one in found.history[:_COMMITS]:
        rows.append(f"  {one['commit'][:12]}  {one['on']}  {line(one['subject'])}")
    if len(found.history) > _COMMITS:
        rows.append(
            f"  and {len(found.history) - _COMMITS:,} more: git log --all --oneline -- {line(found.paths[0])}"
        )
    if found.remote:
        rows.append(f"  pushed: {line(', '.join(found.remote))}")
    rows.append("If it must not be readable at all, rewrite history, and tell everybody who has a clone:")
    rows += [f"  {command}" for command in rewriting(found)]
    rows.append(
        "Other clones keep it until they are cloned anew. A forge keeps it in caches, forks and the refs of "
        "its pull requests, until its support removes it. `log` and `show` read it from history until then."
    )
    rows.append("A secret that was committed is known: revoke it, whatever else you do.")
    return rows


def _where(found: Traces, root: str) -> str:
    return "" if root == found.held[0].place.root else f" in {line(root)}"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
