"""What a change does to the repository's configuration: who may approve, where the rest is shown, mistakes.

What was wrong before the change is not told; each problem stands at its line, where one can be known.
"""

from __future__ import annotations

from chalkgit import settings
from chalkgit.answers import lint_places, lint_settings
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import quoted
from chalkgit.errors import ChalkError
from chalkgit.store import git, reviewers, snapshot
from chalkgit.store.reviewers import Reviewers
from chalkgit.store.worktree import CONFIG

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.review_sides import Sides

_UNREVIEWED = "show-unreviewed"


def findings(sides: Sides) -> Iterator[Finding]:
    edit = sides.config
    if edit is None or not edit.changes_content:
        return
    try:
        after = _text(sides, edit.after if edit.path == CONFIG else None)
    except ChalkError as error:
        yield Finding("damaged", CONFIG, f"{CONFIG} cannot be read: {quoted(error.message)}")
        return
    try:
        before = _text(sides, edit.before if edit.old == CONFIG else None)
    except ChalkError:
        before = ""  # it could not be read, and said nothing
    yield from _problems(before, after)
    yield from _shown_where(before, after)
    yield from _list(before, after)


def _problems(before: str, after: str) -> Iterator[Finding]:
    known = {problem.message for problem in lint_settings.of_text(before)}
    for problem in lint_settings.of_text(after):
        if problem.message not in known:
            what = "cannot be read" if problem.fatal else "is not read whole"
            message = f"{CONFIG} {what}: {quoted(problem.message)}"
            yield Finding("damaged", CONFIG, message, line=problem.line)


def _list(before: str, after: str) -> Iterator[Finding]:
    """What the change does to the list of those who may approve."""
    now = _parsed(after)
    if now is None:
        return  # `_problems` tells why
    was = _parsed(before) or Reviewers()
    if was == now:
        return
    come = [_shown(one) for one in now.people if one not in was.people]
    gone = [_shown(one) for one in was.people if one not in now.people]
    details = [*(f"may approve now: {one}" for one in come), *(f"no longer: {one}" for one in gone)]
    if was.require_signature != now.require_signature:
        needs = now.require_signature
        details.append(f"an approval {'has to be signed now' if needs else 'need not be signed any more'}")
    message = "changes who may approve records; this review goes by the list of the base"
    line = _line(after, "reviewers", "require-signature")
    yield Finding("reviewers", CONFIG, message, line=line, details=details)


def _shown_where(before: str, after: str) -> Iterator[Finding]:
    """What the change does to where records that nobody approved are shown."""
    was, now = _policy(before), _policy(after)
    if was != now:
        message = f"changes where unreviewed records are shown: {was} → {now}"
        yield Finding("reviewers", CONFIG, message, line=_line(after, _UNREVIEWED))


def _policy(text: str) -> str:
    try:
        said = settings.parsed(text, CONFIG).get(_UNREVIEWED)
    except ChalkError:
        return "all"  # as every surface takes what cannot be read
    return quoted(", ".join(map(str, said)) if isinstance(said, list) else str(said or "all"))


def _shown(one: reviewers.Reviewer) -> str:
    return quoted(", ".join(one.parts.values()))


def _parsed(text: str) -> Reviewers | None:
    try:
        return reviewers.parsed(text, CONFIG)
    except ChalkError:
        return None


def _text(sides: Sides, side: tuple[str, str] | None) -> str:
    if side is None:
        return ""
    if not side[0].startswith("100"):
        raise ChalkError("it is no file", where=CONFIG)
    if side[1]:
        return git.run(sides.place.root, "cat-file", "blob", side[1]).decode("utf-8", "replace")
    content = snapshot.content(sides.place, CONFIG)
    if isinstance(content, ChalkError):
        raise content
    return content.decode("utf-8", "replace")


def _line(text: str, *keys: str) -> int | None:
    """Where the first of these settings stands; the first line of a file that has none of them."""
    lines = [line for key in keys if (line := lint_places.line(text, key)) is not None]
    return min(lines, default=1 if text.strip() else None)
