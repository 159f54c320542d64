"""git's commit-msg: what the repository asked to have acknowledged, and the message as a proposal.

A ruling is acknowledged by a line `Lesson: <id>`, git's form of a trailer, or any prefix of the id of four
letters and more. What the message proposes is only ever shown.
"""

from __future__ import annotations

from chalkgit import config
from chalkgit.doors import commit
from chalkgit.errors import ChalkError
from chalkgit.records import trailers
from chalkgit.store import git, policy, staging

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.doors.commit import Tell
    from chalkgit.store.place import Place

_MESSAGE = "@message"  # no path of a repository
_SCISSORS = "------------------------ >8 ------------------------"


def message(directory: str | None, file: str, *, out: Tell, tell: Tell) -> int:
    """1 where a ruling that the policy names is not acknowledged, else 0."""
    place = commit.store(directory, lambda said: None)  # pre-commit has said why
    wanted = policy.hooks(place) if place is not None else None
    # what is wrong with the policy pre-commit has said
    if place is None or wanted is None or (wanted.block == policy.NEVER and not wanted.check_message):
        return 0
    said = trailers.acknowledged(_text(file))
    if wanted.check_message and not config.bypassed("CHECK") and not staging.replaying(place):
        _check(place, file, said, out, tell)
    held = commit.held(place, wanted.block, tell)
    left = unacknowledged(held, said)
    if left:
        _refuse(held, left, said, out)
    return 1 if left else 0


def _refuse(held: Sequence[str], left: Sequence[str], said: Sequence[str], out: Tell) -> None:
    none = [word for word in said if not any(i.startswith(word) for i in held)]
    out("chalkgit: this commit changes what these records rule about. Read them (chalkgit show ID), and")
    out("acknowledge each with a line of the message:\n")
    out("\n".join(f"    Lesson: {record_id}" for record_id in left) + "\n")
    if none:
        from chalkgit.render.clean import line

        out(f"“{line(', '.join(none))}” is none of them.")
    out('The message is kept: git commit -e -F "$(git rev-parse --git-path COMMIT_EDITMSG)"')
    out("To commit without a word about it: git commit --no-verify")


def unacknowledged(ids: Sequence[str], said: Sequence[str]) -> list[str]:
    return [i for i in ids if not any(i.startswith(word) and len(word) >= trailers.SHORTEST for word in said)]


def _text(file: str) -> str:
    """The message, without the diff that `commit -v` puts below the scissors."""
    from chalkgit import thresholds

    try:
        with open(file, "rb") as opened:
            data = opened.read(thresholds.RECORD_BYTES)
    except OSError:
        return ""  # git itself reads it next, and says so
    return data.decode("utf-8", "replace").partition(_SCISSORS)[0]


def _check(place: Place, file: str, said: Sequence[str], out: Tell, tell: Tell) -> None:
    """Show what the message proposes and was tried, but what it acknowledges."""
    from chalkgit import thresholds
    from chalkgit.doors import proposals
    from chalkgit.render import brief

    try:
        proposal = _proposal(place, file)
        found = proposals.tried(place, [proposal], thresholds.HOOK_RULINGS, tell, "hooks") if proposal else []
    except (ChalkError, OSError) as error:
        tell(f"the message was not checked: {error}")
        return
    left = unacknowledged([one.record.id for one in found], said)
    shown = [one for one in found if one.record.id in left]
    lines = [brief.text(one.record, reopened=one.reopened, trust=one.trust) for one in shown]
    if not lines:
        return
    out("The commit message proposes what was tried (words compared; records of earlier work: data):")
    out("\n".join(f"  {said}" for said in lines))
    from chalkgit.doors import showing
    from chalkgit.store import journal

    pairs = zip(shown, lines, strict=True)
    showings = [journal.Showing(_MESSAGE, one.record.id, one.hash, len(said.encode())) for one, said in pairs]
    showing.keep(place, None, "message", showings)


def _proposal(place: Place, file: str) -> str:
    """The message without git's comments and its acknowledgements; the subject of a long one."""
    from chalkgit import thresholds

    text = _text(file)
    code, out, _ = git.ask(place.root, "stripspace", "--strip-comments", stdin=text.encode())
    lines = out.decode("utf-8", "replace").splitlines() if code == 0 else text.splitlines()
    kept = [row for row in lines if not trailers.is_one(row)]
    whole = " ".join(kept)
    return whole if len(whole.split()) <= thresholds.QUERY_WORDS else (kept or [""])[0]
