"""A record's probe: a command that fails as long as the cause is there, and passes once it is gone.

It came with the repository, so somebody else may have written it. It is run when a person asked for this very
one and saw it, and by nothing else: `run` has one caller, `chalkgit probe`. What could not be seen as it is
(control characters, several lines, characters that show as nothing or turn the text around) is refused.
"""

from __future__ import annotations

import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.nodes import BREAKS, TEXT
from chalkgit.store import git, moments, running, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

SECONDS = thresholds.PROBE_SECONDS
SECONDS_MOST = thresholds.PROBE_SECONDS_MOST
CHARACTERS = thresholds.PROBE_CHARACTERS
OUTPUT_BYTES = thresholds.PROBE_OUTPUT_BYTES

PASS, FAIL, COULD_NOT_RUN = "pass", "fail", "could not run"
# `git bisect run` has it so: what exits with this could not tell
_UNTESTED = 125

# What Python calls printable and shows as nothing: the rest of Unicode's Default_Ignorable_Code_Point that
# str.isprintable lets through, and the blank of Braille.
_RANGES = ((0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800))
_MORE = ((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF))
_BLANK = frozenset(chr(code) for first, last in _RANGES + _MORE for code in range(first, last + 1))


class Outcome:
    """word: pass, fail or could not run. why: in words. code: what it exited with, None where it did not.

    output: bytes, the end of what it said on both streams; cut: it said more. seconds: how long it took.
    """

    __slots__ = ("code", "cut", "output", "seconds", "why", "word")

    def __init__(
        self, word: str, why: str, code: int | None, output: bytes, cut: bool, seconds: float
    ) -> None:
        self.word = word
        self.why = why
        self.code = code
        self.output = output
        self.cut = cut
        self.seconds = seconds


class Origin:
    """What git says of the command: who committed the file that holds it.

    commit, author, when: of the commit that last changed the file, None where there is none. same: the file
    is as that commit left it. own: its author has the address that git would write for whoever asks.
    """

    __slots__ = ("author", "commit", "own", "same", "when")

    def __init__(
        self,
        commit: str | None = None,
        author: str | None = None,
        when: str | None = None,
        *,
        same: bool,
        own: bool,
    ) -> None:
        self.commit = commit
        self.author = author
        self.when = when
        self.same = same
        self.own = own


def run(place: Place, command: str, seconds: float) -> Outcome:
    """Run a probe by `sh -c` in the root of the work tree. The caller has shown it, and was told to."""
    why = refused(command)
    if why is not None:
        raise ChalkError(f"the probe is not run: it {why}")
    before = time.monotonic()
    ran = running.run(
        running.shell(command),
        cwd=place.root,
        seconds=seconds,
        most_bytes=OUTPUT_BYTES,
        tail=True,
        merged=True,
    )
    word, why = _judged(ran)
    return Outcome(word, why, ran.code, ran.out, ran.cut, time.monotonic() - before)


def stored(place: Place, path: str) -> str | None:
    """The probe of the record at `path` as its file has it: reading a record makes one line of several."""
    text = codec.text_of(worktree.read(place, path), path)
    value = next((node for key, node in codec.compose(text, path).pairs if key.text == "probe"), None)
    if value is None or value.kind != TEXT:
        return None
    return value.text.removesuffix("\n") if value.is_block_text else value.text


def refused(command: str) -> str | None:
    """Why a stored command is not run, as a sentence without its subject; None where it may be."""
    if not command.strip():
        return "is empty"
    if any(end in command for end in BREAKS):
        return "has several lines"
    if not all(map(_plain, command)):
        return "holds characters that cannot be seen as they are"
    if len(command) > CHARACTERS:
        return f"has {len(command):,} characters, and at most {CHARACTERS:,} are read before a yes"
    return None


def shown(command: str) -> str:
    """The command on one line, cut where it is too long: as it is where all of it can be seen, or escaped."""
    text = command
    if not all(map(_plain, command)):
        # the backslash too, so that what was escaped is told from what was written so
        text = "".join(c if _plain(c) and c != "\\" else _escaped(c) for c in command)
    return text if len(text) <= 2 * CHARACTERS else text[: 2 * CHARACTERS] + "…"


def origin(place: Place, path: str) -> Origin:
    """Who brought the file at `path`, as far as git knows."""
    # over all parents: along the first ones a merge would have brought it, whoever wrote it
    log = git.start(place.root, "log", "-1", "--format=%H%x00%an%x00%ae%x00%cI", "--", path)
    whoever = git.start(place.root, "var", "GIT_AUTHOR_IDENT")
    held = moments.blobs(moments.in_head(place, [path])).get(path)
    ours = _said(whoever).rpartition(">")[0].rpartition("<")[2]
    row = _said(log).split("\0")
    if len(row) != 4 or held is None:
        return Origin(same=False, own=False)
    commit, author, address, when = row
    own = bool(ours) and ours.casefold() == address.casefold()
    same = moments.same(place, path, held)
    return Origin(commit, f"{author} <{address}>", when[:10], same=same, own=own)


def _said(child: git.Child) -> str:
    code, out, _ = child.output()
    return out.decode("utf-8", "replace").strip() if code == 0 else ""


def _plain(character: str) -> bool:
    """Whether it shows as itself, and lets others do so."""
    return character.isprintable() and character not in _BLANK


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _judged(ran: running.Ran) -> tuple[str, str]:
    if ran.trouble is not None or ran.code is None:
        return COULD_NOT_RUN, f"it {ran.trouble}"
    if ran.code == 0:
        return PASS, "the cause is gone"
    if ran.code == _UNTESTED:
        return COULD_NOT_RUN, f"it says itself that it cannot tell (exit {_UNTESTED})"
    # a shell's way to say that what it ran was ended by a signal
    if 128 < ran.code <= 128 + 64 and not running.signal_name(ran.code - 128).startswith("number"):
        return COULD_NOT_RUN, f"it was ended by signal {running.signal_name(ran.code - 128)}"
    return FAIL, f"the cause is still there (exit {ran.code})"
