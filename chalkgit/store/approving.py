"""What an approval still needs: told from settings before there is a commit, or from why one does not count.

Nothing is signed to find out. What settings leave open (which key gpg takes by itself) is refused by nobody.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.store import git, reviewers, signatures
from chalkgit.store.reviewers import EMAIL, KEY, NAME, Reviewer
from chalkgit.store.signatures import Signature

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place
    from chalkgit.store.reviewers import Reviewers

# How `Judge` ends its reasons, and what would make the approval count.
_HELPS = (
    (
        "is not among the reviewers in .lessons/config.yaml",
        "a listed reviewer approves it, or first adds them to .lessons/config.yaml; "
        "where a key is listed, the commit is signed by it",
    ),
    ("no reviewers are listed in .lessons/config.yaml before it", "a list is committed there before it"),
    (
        "is not signed by a key that is known to be theirs",
        "they approve it in a commit signed by a key listed for them (git config commit.gpgsign true)",
    ),
    (
        "only a signature tells the person from the agent",
        "they approve it in a commit signed by a listed key (git config commit.gpgsign true), "
        "or another reviewer approves it",
    ),
    ("wrote the record, and cannot approve it", "a listed person approves it"),
)


def helps(why: str) -> str | None:
    """What would make an approval count that `Judge` refuses for this reason, where there is more to say."""
    return next((help for end, help in _HELPS if why.endswith(end)), None)


class Foreseen:
    """What can be told before the commit. why: the approval would not count, and hint: what helps; None
    where nothing speaks against it. signed: whether the commit has to be signed; signs: whether git would
    sign it without being told to."""

    __slots__ = ("hint", "signed", "signs", "why")

    def __init__(
        self, why: str | None = None, hint: str | None = None, *, signed: bool = False, signs: bool = False
    ) -> None:
        self.why = why
        self.hint = hint
        self.signed = signed
        self.signs = signs


def foreseen(
    place: Place, listed: Reviewers, name: str, email: str, *, unproven: bool, commits: bool
) -> Foreseen:
    """Whether an approval by this person could count.

    unproven: an agent may have committed the record as this person, so that only a signature tells them
    apart. commits: the commit is made at once, as git is set up now.
    """
    person = f"{name} <{email}>"
    could = [one for one in listed.people if _without_key(one).fits(name, email, None)]
    if not could:
        return Foreseen(
            f"{person} is not among the reviewers in .lessons/config.yaml",
            "a listed reviewer approves it, or adds you in a commit of theirs; the list is read as committed",
        )
    keyed = listed.require_signature or all(KEY in one.parts for one in could)
    if not (keyed or unproven):
        return Foreseen()
    setup = _Setup(place)
    lacks = setup.lacks(could if keyed else listed.people, commits=commits)
    if lacks:
        return Foreseen(
            f"only a signed approval of {person} counts, and git would not sign one here",
            " && ".join(lacks),
        )
    if not setup.may_count(listed, could, name, email, unproven=unproven):
        if any(KEY in one.parts for one in could):
            return Foreseen(
                f"git signs with {setup.fingerprint} here, and that key is not listed for {person}",
                "git config user.signingkey KEY, with the listed one; or a reviewer lists this one",
            )
        return Foreseen(
            f"no key is listed for {person}, and your settings do not say whose {setup.fingerprint} is",
            "git config --global gpg.ssh.allowedSignersFile FILE; or a reviewer lists the key",
        )
    return Foreseen(signed=True, signs=setup.on)


def _without_key(one: Reviewer) -> Reviewer:
    return Reviewer({part: one.parts[part] for part in (NAME, EMAIL) if part in one.parts})


class _Setup:
    """How git would sign a commit here, as the settings of every scope have it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.on = self._said("commit.gpgsign", "bool") == "true"
        self._ssh = self._said("gpg.format") == "ssh"
        self._key = self._said("user.signingkey", "path")
        self.fingerprint = self._fingerprint() if self._ssh else ""

    def _said(self, key: str, kind: str | None = None) -> str:
        shape = (f"--type={kind}",) if kind else ()
        code, out, _ = git.ask(self._place.root, "config", *shape, "--get", key)
        return out.decode("utf-8", "replace").strip() if code == 0 else ""

    def lacks(self, people: list[Reviewer], *, commits: bool) -> list[str]:
        """The settings without which no signature by these people's keys comes about, as commands."""
        keys = [one.parts.get(KEY, "") for one in people]
        ssh = self._ssh or all(key.startswith("SHA256:") for key in keys)
        lacks = [] if ssh == self._ssh else ["git config gpg.format ssh"]
        # gpg finds a key by the address; ssh has none of its own accord
        if ssh and not self._key and not self._said("gpg.ssh.defaultKeyCommand"):
            lacks.append("git config user.signingkey ~/.ssh/KEY.pub")
        if commits and not self.on:
            lacks.append("git config commit.gpgsign true")
        return lacks

    def may_count(
        self, listed: Reviewers, could: list[Reviewer], name: str, email: str, *, unproven: bool
    ) -> bool:
        """Whether a signature by the key of the settings could be enough; True where they do not tell it."""
        if not self.fingerprint:
            return True
        signature = Signature("G", [self.fingerprint], "")
        found = [one for one in could if one.fits(name, email, signature)]
        own = bool(signatures.own(self._place, "gpg.ssh.allowedSignersFile"))

        def signs(one: Reviewer) -> bool:
            return one.has_key(signature) if KEY in one.parts else own

        if listed.require_signature and not any(map(signs, found)):
            return False
        return bool(found) and (not unproven or any(map(signs, listed.people)))

    def _fingerprint(self) -> str:
        """Of the ssh key that git would sign with, "" where that cannot be told."""
        text = self._key.removeprefix("key::")
        if text == self._key and not text.startswith("ssh-"):
            text = self._public(os.path.join(self._place.root, text))
        try:
            return reviewers.fingerprint(text)
        except ValueError:
            return ""

    @staticmethod
    def _public(path: str) -> str:
        for file in (path, path + ".pub"):
            try:
                if os.path.isfile(file):
                    with open(file, "rb") as handle:
                        said = handle.read(thresholds.KEY_BYTES).decode("utf-8", "replace")
                    if "PRIVATE KEY" not in said:
                        return said
            except OSError:
                pass  # git says so itself
        return ""
