"""Who signed a commit, as git's own verification says: ssh and gpg, each by the user's own program.

A repository's configuration may name any program; it is not run. A key is known by its fingerprint, so that a
listed key needs no file of allowed signers; a name is believed where the user's own settings know it.
"""

from __future__ import annotations

from chalkgit.store import git

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

_PROGRAMS = {"gpg.program": "gpg", "gpg.openpgp.program": "gpg", "gpg.ssh.program": "ssh-keygen"}
_GOOD = ("G", "U")  # U: the signature is good, and nobody has said whose key it is
_OWN = ("global", "system", "command")


class Signature:
    """state: git's letter (G good, U good by a key nobody vouches for, B bad, N none, …).

    fingerprints: of the key. signer: as the user's own settings know it, "" where they do not.
    """

    __slots__ = ("fingerprints", "signer", "state")

    def __init__(self, state: str, fingerprints: list[str], signer: str) -> None:
        self.state = state
        self.fingerprints = fingerprints
        self.signer = signer

    @property
    def good(self) -> bool:
        return self.state in _GOOD


def of(place: Place, commit: str) -> Signature:
    programs = _programs(place)
    state, fingerprints, _ = _asked(place, commit, [*programs, "-c", "gpg.ssh.allowedSignersFile=/dev/null"])
    if state not in _GOOD:
        return Signature(state, fingerprints, "")
    allowed = own(place, "gpg.ssh.allowedSignersFile") or "/dev/null"
    known, _, signer = _asked(place, commit, [*programs, "-c", f"gpg.ssh.allowedSignersFile={allowed}"])
    return Signature(state, fingerprints, signer if known == "G" else "")


def _asked(place: Place, commit: str, settings: list[str]) -> tuple[str, list[str], str]:
    shape = "--format=%G?%x00%GF%x00%GP%x00%GS"
    code, out, _ = git.ask(place.root, *settings, "log", "-1", "--no-show-signature", shape, commit, "--")
    if code != 0:
        return "E", [], ""
    state, key, primary, signer = out.decode("utf-8", "replace").rstrip("\n").split("\0", 3)
    return state, [f for f in (key, primary) if f], signer


def _programs(place: Place) -> list[str]:
    """Settings that name the user's own programs, or the plain ones, whatever the repository says."""
    named = {key: own(place, key) or default for key, default in _PROGRAMS.items()}
    named["gpg.x509.program"] = own(place, "gpg.x509.program") or "gpgsm"
    named["gpg.ssh.revocationFile"] = own(place, "gpg.ssh.revocationFile") or "/dev/null"
    named["gpg.minTrustLevel"] = own(place, "gpg.minTrustLevel") or "undefined"
    return [word for key, value in named.items() for word in ("-c", f"{key}={value}")]


def own(place: Place, key: str) -> str | None:
    """What the user's or the system's settings say; a repository's own are not asked."""
    code, out, _ = git.ask(place.root, "config", "--show-scope", "--null", "--get-all", key)
    if code != 0:
        return None
    tokens = out.decode("utf-8", "replace").split("\0")
    pairs = list(zip(tokens[0::2], tokens[1::2], strict=False))
    return next((value for scope, value in reversed(pairs) if scope in _OWN), None)
