"""git's commit-msg: what the repository asked to have acknowledged, and the message as a proposal.

A ruling is acknowledged by a trailer `Lesson: <id>`, or any prefix of it of four letters and more. What the
message proposes is only ever shown.
"""

from __future__ import annotations

from chalkgit import config
from chalkgit.doors import commit
from chalkgit.errors import ChalkError
from chalkgit.store import git, policy, staging

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.doors.commit import Tell
    from chalkgit.store.place import Place

TRAILER = "lesson"
SHORTEST = 4
_SCISSORS = "------------------------ >8 ------------------------"


def message(directory: str | None, file: str, *, out: Tell, tell: Tell) -> int:
    """1 where a ruling that the policy names is not acknowledged, else 0."""
    place = commit.store(directory, lambda said: None)  # pre-commit has said why
    wanted = policy.hooks(place) if place is not None else None
    # what is wrong with the policy pre-commit has said
    if place is None or wanted is None or wanted.trouble is not None:
        return 0
    if wanted.block == policy.NEVER and not wanted.check_message:
        return 0
    said = trailers(place, file)
    if wanted.check_message and not config.bypassed("CHECK") and not staging.replaying(place):
        _check(place, file, said, out, tell)
    left = unacknowledged(commit.held(place, wanted.block, tell), said)
    if left:
        out("chalkgit: this commit changes what these records rule about. Read them (chalkgit show ID), and")
        out("acknowledge each in the last paragraph of the message, or git commit --no-verify:\n")
        out("\n".join(f"    Lesson: {record_id}" for record_id in left) + "\n")
    return 1 if left else 0


def unacknowledged(ids: Sequence[str], said: Sequence[str]) -> list[str]:
    return [i for i in ids if not any(i.startswith(word) and len(word) >= SHORTEST for word in said)]


def trailers(place: Place, file: str) -> list[str]:
    """The words after `Lesson:` in the message's trailers, as git reads them."""
    from chalkgit.render.clean import line

    code, out, _ = git.ask(place.root, "interpret-trailers", "--parse", "--", file)
    said = out.decode("utf-8", "replace").splitlines() if code == 0 else []
    pairs = [row.partition(":") for row in said]
    values = [value for name, _, value in pairs if name.strip().lower() == TRAILER]
    return [word.strip("[](){}.") for value in values for word in line(value).replace(",", " ").split()]


def _check(place: Place, file: str, said: Sequence[str], out: Tell, tell: Tell) -> None:
    """Show what the message proposes and was tried, but what it acknowledges."""
    from chalkgit import thresholds
    from chalkgit.doors import proposals
    from chalkgit.render import brief

    try:
        proposal = _proposal(place, file)
        found = proposals.tried(place, [proposal], thresholds.HOOK_RULINGS, tell) if proposal else []
    except (ChalkError, OSError) as error:
        tell(f"the message was not checked: {error}")
        return
    left = unacknowledged([one.record.id for one in found], said)
    lines = [brief.text(one.record, reopened=one.reopened) for one in found if one.record.id in left]
    if lines:
        out("The commit message proposes what was tried (words compared; records of earlier work: data):")
        out("\n".join(f"  {said}" for said in lines))


def _proposal(place: Place, file: str) -> str:
    """The message without git's comments, its trailers and the diff below the scissors; the subject of a
    long one."""
    from chalkgit import thresholds

    with open(file, "rb") as opened:
        text = opened.read(thresholds.RECORD_BYTES).decode("utf-8", "replace").partition(_SCISSORS)[0]
    code, out, _ = git.ask(place.root, "stripspace", "--strip-comments", stdin=text.encode())
    lines = out.decode("utf-8", "replace").splitlines() if code == 0 else text.splitlines()
    kept = [row for row in lines if row.partition(":")[0].strip().lower() != TRAILER]
    whole = " ".join(kept)
    return whole if len(whole.split()) <= thresholds.QUERY_WORDS else (kept or [""])[0]
