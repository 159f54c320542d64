"""Who may approve records: `.lessons/config.yaml`, as it stood before the change that is being judged.

    reviewers:
      - ada@example.org                  # an e-mail address, as the commit's author has it
      - Ada Lovelace                     # or a name
      - SHA256:pJ1…  or  ssh-ed25519 AAAA…  or a gpg fingerprint: a signing key
      - {email: bo@example.org, key: SHA256:x2…}   # all of it has to fit
    require-signature: true              # an approval has to be signed, too

A change of the list counts when somebody on it made or merged it; the first list counts as it is written.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.store import worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.store.place import Place
    from chalkgit.store.signatures import Signature

NAME, EMAIL, KEY = "name", "email", "key"
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_KEY_BYTES = 32  # of the shortest key that ssh has, ed25519
_KEY_TYPES = ("ssh-", "ecdsa-", "sk-")
_FINGERPRINT = (
    16  # hexadecimal digits of the shortest gpg key id that is taken: shorter ones are forged at will
)


class Reviewer:
    """One entry: `parts` maps name, email and key to what has to fit, all of it."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict[str, str]) -> None:
        self.parts = parts

    def fits(self, author: str, email: str, signature: Signature | None) -> bool:
        """Whether a commit of this author, with this verified signature, is this person's."""
        for part, wanted in self.parts.items():
            if part == KEY:
                if signature is None or not signature.good or not _has(signature.fingerprints, wanted):
                    return False
            elif wanted.casefold() != (email if part == EMAIL else author).casefold():
                return False
        return True

    def has_key(self, signature: Signature) -> bool:
        """Whether a key is listed for this person, and made the signature."""
        return KEY in self.parts and _has(signature.fingerprints, self.parts[KEY])

    def signs(self, signature: Signature) -> bool:
        """Whether the signature is this person's: by the listed key, or as the user's settings know it."""
        if not signature.good:
            return False
        if KEY in self.parts:
            return _has(signature.fingerprints, self.parts[KEY])
        # what the commit says of itself counts for nothing: the signer is who the user's settings know
        name, _, rest = signature.signer.partition("<")
        known = {signature.signer.casefold(), name.strip().casefold(), rest.rstrip(">").casefold()} - {""}
        wanted = self.parts.get(EMAIL) or self.parts.get(NAME) or ""
        return wanted.casefold() in known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reviewer) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.parts.items())))


class Reviewers:
    """The list of one configuration, and whether approvals have to be signed."""

    __slots__ = ("people", "require_signature")

    def __init__(self, people: Sequence[Reviewer] = (), *, require_signature: bool = False) -> None:
        self.people = list(people)
        self.require_signature = require_signature

    @property
    def needs_signature(self) -> bool:
        """Whether a signature has to be looked at to know who somebody is."""
        return self.require_signature or any(KEY in one.parts for one in self.people)

    def refuses(self, author: str, email: str, signature: Signature | None) -> str | None:
        """Why a commit of this author is no listed reviewer's, in words; None where it is one's."""
        found = [one for one in self.people if one.fits(author, email, signature)]
        if not found:
            return f"{author} <{email}> is not among the reviewers in .lessons/config.yaml"
        if not self.require_signature:
            return None
        if signature is None or not any(one.signs(signature) for one in found):
            return f"the approval of {author} <{email}> is not signed by a key that is known to be theirs"
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reviewers) and (set(self.people), self.require_signature) == (
            set(other.people),
            other.require_signature,
        )

    __hash__ = None  # type: ignore[assignment]


def parsed(text: str, where: str) -> Reviewers:
    """The list that a configuration's text holds; ChalkError where it is none."""
    from chalkgit import settings

    said = settings.parsed(text, where)
    people = [entry(one, where) for one in entries(said, where)]
    return Reviewers(people, require_signature=signed(said, where))


def uncommitted(place: Place) -> str:
    """The command that makes a list of the work tree count, where no list is committed."""
    commit = f"git add {worktree.CONFIG} && git commit -m reviewers -- {worktree.CONFIG}"
    try:
        listed = parsed(worktree.read(place, worktree.CONFIG).decode("utf-8", "replace"), worktree.CONFIG)
    except ChalkError:
        return f"chalkgit lint {worktree.CONFIG}"
    return commit if listed.people else f"list them there under `reviewers:`, then {commit}"


def entries(said: Any, where: str) -> list[Any]:
    """What stands under `reviewers`, one by one."""
    found = said.get("reviewers")
    if found is None:
        return []
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        raise _wrong(where, "`reviewers` is no list")
    if found == [""]:
        raise _wrong(where, "`reviewers` lists nobody: name people, or take the line out")
    return found


def signed(said: Any, where: str) -> bool:
    flag = str(said.get("require-signature", "false")).lower()
    if flag not in _FLAGS:
        raise _wrong(where, f"`require-signature` is “{flag}”, neither true nor false")
    return _FLAGS[flag]


def entry(said: Any, where: str) -> Reviewer:
    if isinstance(said, dict) and said and all(isinstance(v, str) and v.strip() for v in said.values()):
        unknown = next((key for key in said if key not in (NAME, EMAIL, KEY)), None)
        if unknown is not None:
            raise _wrong(where, f"a reviewer has no “{unknown}”: name, email or key")
        return Reviewer({key: _key(v, where) if key == KEY else v.strip() for key, v in said.items()})
    if not isinstance(said, str) or not said.strip():
        raise _wrong(where, "a reviewer is neither a name, an e-mail address nor a key")
    text = said.strip()
    if text.startswith(("SHA256:", *_KEY_TYPES)) or _is_hex(text):
        return Reviewer({KEY: _key(text, where)})
    if text.lower() in _FLAGS or not any(c.isalpha() for c in text):
        raise _wrong(where, f"“{text[:40]}” is no name, no e-mail address and no key")
    return Reviewer({EMAIL if "@" in text else NAME: text})


def _key(text: str, where: str) -> str:
    """A key as a fingerprint: git tells keys by it."""
    text = text.strip()
    if text.startswith(_KEY_TYPES):
        try:
            return fingerprint(text)
        except ValueError:
            raise _wrong(where, f"“{text[:40]}” is no ssh public key") from None
    if text.startswith("SHA256:"):
        if not _is_digest(text):
            raise _wrong(
                where, f"“{text[:40]}” is no fingerprint: SHA256: and 43 characters, as ssh-keygen -l says"
            )
        return text.rstrip("=")
    if _is_hex(text):
        return text.replace(" ", "").upper()
    raise _wrong(where, f"“{text[:40]}” is no key: an ssh public key, SHA256:…, or a gpg fingerprint")


def fingerprint(text: str) -> str:
    """Of an ssh public key, a line of `TYPE BASE64`; ValueError where it is none."""
    import base64
    import hashlib

    words = text.split()
    if len(words) < 2:
        raise ValueError("no ssh public key")
    data = base64.b64decode(words[1], validate=True)  # binascii.Error is a ValueError
    # a key begins with its type, after that type's length (RFC 4253, 6.6); what follows is the key itself
    kind = words[0].encode()
    begins = len(kind).to_bytes(4, "big") + kind
    if not data.startswith(begins) or len(data) < len(begins) + _KEY_BYTES:
        raise ValueError("no ssh public key")
    return "SHA256:" + base64.b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _is_digest(text: str) -> bool:
    """Whether it can be the SHA-256 of a key, as ssh prints it: 32 bytes in base 64."""
    import base64

    try:
        return len(base64.b64decode(text.removeprefix("SHA256:").rstrip("=") + "=", validate=True)) == 32
    except ValueError:
        return False


def _is_hex(text: str) -> bool:
    digits = text.replace(" ", "")
    return len(digits) >= _FINGERPRINT and all(c in "0123456789abcdefABCDEF" for c in digits)


def _has(fingerprints: Sequence[str], wanted: str) -> bool:
    if wanted.startswith("SHA256:"):
        return wanted in fingerprints
    return any(not f.startswith("SHA256:") and f.upper().endswith(wanted) for f in fingerprints)


def _wrong(where: str, what: str) -> ChalkError:
    return ChalkError(what, where=where, hint=f"edit {where}")
