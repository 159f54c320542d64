"""What has the shape of a secret, in all that a review says: told where the change brings it, shown nowhere.

A file is called after what its record says, in small letters, and dashes join the words of a name: there a
secret looks otherwise, and an ordinary title may look like one.
"""

from __future__ import annotations

import re

from chalkgit.answers.finding import Finding
from chalkgit.failures.secrets import SECRET, masked
from chalkgit.records.record import slug, title

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from chalkgit.answers.review_sides import Sides

# “the authorization problem.” is prose; what masks a run's output may take it for a header
_PROSE = re.compile(
    r"\b((?:proxy-)?authorization|bearer|basic)[ ]+[A-Za-z]+(?:[-/][A-Za-z]+)*[.,;:!?)]*(?=\s|$)",
    re.IGNORECASE,
)
# `pypi-publishing-needs-a-trusted-publisher`, a part of a path: words, and numbers as words have them
_TITLE = re.compile(
    r"(?:^|(?<=/))[a-z]{1,20}(?:-(?:[a-z]{1,20}|[a-z]{0,6}\d{1,4}[a-z]?)){1,40}(?=[./\s,;:”]|$)", re.MULTILINE
)
# what a title makes of a key of AWS and of a token of GitHub
_IN_A_TITLE = re.compile(
    r"(?<![0-9a-z])(?:(?:akia|asia|abia|acca)(?=[a-z]*\d)[0-9a-z]{16}|gh[pousr]-[0-9a-z]{30,})(?![0-9a-z])"
)
_LONG = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{12,}")
_LEAST = 6  # our choice: characters of a part of a secret that is looked for in a path
_PARTS = 40  # our choice: parts of a path that are asked whether one begins there


def plain(text: str) -> str:
    """The text without the prose that has the shape of a header."""
    return _PROSE.sub(r"\1 is", text)


def exposes(text: str) -> bool:
    """Whether something in the text has the shape of a secret."""
    return masked(text) != text and masked(clean := plain(text)) != clean


def bare(text: str) -> str:
    """What a review says, without what has the shape of a secret; the words of a path are none."""
    if masked(text) == text or masked(clean := _TITLE.sub("x", plain(text))) == clean:
        return text
    return masked(text)


def bare_name(path: str, told: Iterable[str] = ()) -> str:
    """A path or a field's name without secrets: of their own shape, and those that texts in `told` hold."""
    parts = {part for text in told for secret in _taken(text) for part in _in_a_name(secret)}
    for part in sorted(parts, key=len, reverse=True):
        path = re.sub(rf"(?<![0-9A-Za-z]){part}(?![0-9A-Za-z])", SECRET, path, flags=re.IGNORECASE)
    path = _IN_A_TITLE.sub(SECRET, bare(path))
    starts = [found.end() for found in re.finditer("[-_]", path)] if _LONG.search(path) else []
    for start in reversed(
        starts[-_PARTS:]
    ):  # a dash joins words here, and would be part of a token elsewhere
        path = path[:start] + bare(path[start:])
    return path


def _in_a_name(secret: str) -> Iterator[str]:
    """What a file's name may have of a secret: the words of it, as many as had room, and each long one."""
    words = slug(secret.replace(" ", "")).split("-")
    for part in (*("-".join(words[: n + 1]) for n in range(len(words))), *words):
        if len(part) >= _LEAST:
            yield part


def _taken(text: str) -> Iterator[str]:
    """What a mask takes out of a text, one after another."""
    if not exposes(text):
        return
    first, *rest = masked(text).split(SECRET)
    at = len(first)
    for number, part in enumerate(rest, 1):
        last = number == len(rest)
        end = len(text) - len(part) if last else text.find(part, at + 1) if part else -1
        if end < at:
            yield text[at:]
            return
        yield text[at:end]
        at = end + len(part)


def without(sides: Sides, found: Iterable[Finding]) -> list[Finding]:
    """The findings without any secret; one more for each new file whose name holds one and that is shown."""
    new = {edit.path for edit in sides.every if edit.before is None or edit.old != edit.path}
    findings = list(found)
    told = {finding.path: finding for finding in findings if finding.rule.name == "secret"}
    for finding in list(findings):
        path = finding.path
        if path in new and bare_name(path, _names(sides, finding)) != path:
            if path not in told:
                message = "the file's name has text that looks like a secret"
                told[path] = Finding("secret", path, message, record=finding.record, title=finding.title)
                findings.append(told[path])
            elif not told[path].details and "file's name" not in told[path].message:
                told[path].details.append("so has the file's name")
    for finding in findings:
        _hide(finding, _names(sides, finding))
    return findings


def _names(sides: Sides, finding: Finding) -> list[str]:
    """What the file of the finding's record may be called after."""
    records = (side.get(finding.record) for side in (sides.before, sides.after))
    titles = [title(record) for record in records if record is not None]
    texts = (side.get(finding.path) for side in (sides.was, sides.contents))
    return titles or [text.decode("utf-8", "replace") for text in texts if isinstance(text, bytes)]


def _hide(finding: Finding, names: list[str]) -> None:
    def said(text: str) -> str:
        # a path inside a sentence: a file that moved, one that a record names
        return " ".join(bare_name(word, names) if "/" in word else word for word in bare(text).split(" "))

    finding.path = bare_name(finding.path, names)
    finding.message = said(finding.message)
    finding.title = bare(finding.title)
    finding.details = [said(row) for row in finding.details]
    finding.mend = said(finding.mend) if finding.mend is not None else None
