"""The lists of reviewers in effect along the first parents.

A change of the list counts when somebody on it made or merged it: what it changed, and no more. Of a clone
that is cut off the list at its edge counts as it is written there. One that cannot be read is told, and the
one before it stays in effect.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import git, reviewers, writers
from chalkgit.store.reviewers import KEY, Reviewer, Reviewers
from chalkgit.store.worktree import CONFIG

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.brought import Writer
    from chalkgit.store.history import History, Moment


class Change:
    """A commit that changed the list. why: it does not count; None where it does. unseen: nobody can tell."""

    __slots__ = ("moment", "unseen", "why")

    def __init__(self, moment: Moment, why: str | None, *, unseen: bool = False) -> None:
        self.moment = moment
        self.why = why
        self.unseen = unseen


class Lists:
    """The lists of one history. UnknownPast where a change of it cannot be judged in this clone."""

    def __init__(self, history: History) -> None:
        self.history = self._history = history
        self._place = history.place
        self._effective: list[tuple[int, Reviewers]] | None = None
        self._refused: list[Change] = []
        self._damaged: list[tuple[int, ChalkError | None]] = []
        self._unseen: tuple[int, UnknownPast] | None = None

    def before(self, moment: Moment) -> Reviewers:
        """The list in effect before a commit: what that commit brings counts after it."""
        return self._until(moment.seq - 1)

    def last(self) -> Reviewers:
        """The list in effect at the end of the history."""
        return self._until(len(self._history.moments()))

    def trouble(self, seq: int) -> str | None:
        """Why the file at a place of the history cannot be read, so that the list before it counts."""
        self._walked()
        error = next((e for at, e in reversed(self._damaged) if at <= seq), None)
        if error is None:
            return None
        return f"{error.where or CONFIG}: {error.message}; the list before it counts"

    def changes(self) -> list[Change]:
        """The commits that changed the list, newest first. What stood at an edge changed there or before."""
        moments = self._history.moments()
        found = [*(Change(moments[seq], None) for seq, _ in self._walked()), *self._refused]
        kept = [one for one in found if not one.moment.edge]
        return sorted(kept, key=lambda one: one.moment.seq, reverse=True)

    def _until(self, seq: int) -> Reviewers:
        walked = self._walked()
        if self._unseen is not None and self._unseen[0] <= seq:
            raise self._unseen[1]
        return next((listed for at, listed in reversed(walked) if at <= seq), Reviewers())

    def _walked(self) -> list[tuple[int, Reviewers]]:
        if self._effective is not None:
            return self._effective
        moments = self._history.moments()
        query = "select seq, blob from touched where path = ? order by seq"
        effective, written, last = Reviewers(), Reviewers(), Reviewers()
        known: set[Reviewer] = set()
        mess = ""
        found: list[tuple[int, Reviewers]] = []
        for seq, blob in self._history.table.rows(query, CONFIG):
            moment = moments[seq]
            try:
                text = self._content(blob) if blob else ""
                listed = reviewers.parsed(text, CONFIG)
            except UnknownPast as error:
                self._lost(moment, error)
                continue
            except ChalkError as error:
                self._damaged.append((seq, error))
                self._refused.append(Change(moment, error.message))
                mess = text
                if moment.edge:
                    self._lost(moment, self._history.unseen("the last list of reviewers that can be read"))
                continue
            self._damaged.append((seq, None))
            before, written, was_mess, mess = written, listed, mess, ""
            if listed == before:
                continue
            judges = effective if effective.people else last
            try:
                if self._unseen is not None:
                    raise self._unseen[1]  # which list it would have to be judged by
                why = self._why_not(judges, moment, blob) if judges.people else None
            except UnknownPast as error:
                self._lost(moment, error)
                continue
            if why is None:
                effective = _edited(effective, before, listed, known | set(before.people), mess=was_mess)
                known = set()
                last = effective if effective.people else last
                found.append((seq, effective))
            else:
                known |= {*before.people, *listed.people}
                self._refused.append(Change(moment, why))
        self._effective = found
        return found

    def _lost(self, moment: Moment, error: UnknownPast) -> None:
        """From here on nobody can tell which list is in effect."""
        self._refused.append(Change(moment, f"{error.message} ({error.hint})", unseen=True))
        self._unseen = self._unseen or (moment.seq, error)

    def _content(self, blob: str) -> str:
        code, out, _ = git.ask(self._place.root, "cat-file", "blob", blob)
        if code != 0:
            raise self._history.unseen("what the list of reviewers said")
        return out.decode("utf-8", "replace")

    def _why_not(self, listed: Reviewers, moment: Moment, blob: str) -> str | None:
        """Why a change of the list does not count: neither who wrote it nor who merged it is on it."""
        why = self._refuses(listed, writers.author(self._history, moment))
        if why is None or len(moment.parents) < 2 or not blob:
            return why
        wrote = self._taken_over(moment, blob)
        if not wrote:
            return why
        return next(
            (said for said in (self._refuses(listed, who) for who in wrote) if said is not None), None
        )

    def _refuses(self, listed: Reviewers, who: Writer) -> str | None:
        signature = who.signature(self._place) if listed.needs_signature else None
        return listed.refuses(who.author, who.email, signature)

    def _taken_over(self, moment: Moment, blob: str) -> list[Writer]:
        """Who changed the list on the merged side that a merge has it from; [] where it is no side's, or
        where main has changed it since that side began."""
        first = moment.parents[0]
        for side in moment.parents[1:]:
            if self._blob(side) != blob:
                continue
            chain = self._run("rev-list", "--first-parent", side, f"^{first}", "--").split()
            if self._history.edges.intersection(chain):
                raise self._history.unseen("who changed the list of reviewers")
            if not chain or self._blob(f"{chain[-1]}^") != self._blob(first):
                continue
            pairs = zip(chain, [*chain[1:], f"{chain[-1]}^"], strict=True)
            return [
                writers.named(self._history, commit)
                for commit, before in pairs
                if self._blob(commit) != self._blob(before)
            ]
        return []

    def _run(self, *words: str) -> str:
        return git.run(self._place.root, "--no-replace-objects", *words).decode()

    def _blob(self, commit: str) -> str:
        words = ("--no-replace-objects", "rev-parse", "--verify", "--quiet", f"{commit}:{CONFIG}")
        code, out, _ = git.ask(self._place.root, *words)
        return out.decode().strip() if code == 0 else ""


def _edited(
    effective: Reviewers, written: Reviewers, listed: Reviewers, known: set[Reviewer], *, mess: str
) -> Reviewers:
    """What a change that counts makes of the list in effect: only what it changed itself.

    An entry that somebody else wrote, and that did not count, is not adopted by whoever edits another one.
    written: what stood there before. known: what was written there and did not count. mess: the file before,
    where it could not be read: whoever mends it did not write what may have stood in it.
    """

    gone = [one for one in written.people if one not in listed.people]
    people = [one for one in effective.people if one not in gone]
    new = [one for one in listed.people if one not in people and one not in known]
    people += [one for one in new if not (mess and _may_stand(one, mess))]
    said = listed if listed.require_signature != written.require_signature else effective
    return Reviewers(people, require_signature=said.require_signature)


def _may_stand(one: Reviewer, text: str) -> bool:
    """Whether a text that cannot be read may name somebody: a key has another form there, and a backslash
    writes anything otherwise."""
    return KEY in one.parts or "\\" in text or all(value in text for value in one.parts.values())
