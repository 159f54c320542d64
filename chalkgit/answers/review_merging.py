"""What a change does to how git merges and keeps records: told where attributes ask for another merge than
chalkgit's, or for other bytes than a record's.

git itself says what the attributes of both sides mean: in an empty repository of its own, which gets nothing
but these files. The user's own attributes are no part of a change, and are not asked.
"""

from __future__ import annotations

import os
import re

from chalkgit.answers import review_edits
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import quoted, some
from chalkgit.errors import ChalkError
from chalkgit.records.fields import FOLDERS
from chalkgit.store import git, snapshot, worktree
from chalkgit.store.place import LESSONS
from chalkgit.thresholds import REVIEW_ATTRIBUTES, REVIEW_NAMED

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from chalkgit.answers.review_edits import Edit
    from chalkgit.answers.review_sides import Sides

    Files = dict[str, bytes]

MERGE, OURS, NONE = "merge", "chalkgit", "unspecified"
# where `init` puts records, whether there are any yet
_USUAL = tuple(f"{LESSONS}/{folder}/a.aaaaaaaa.yaml" for folder in FOLDERS.values())
_MEANS = {
    "union": "which keeps the lines of both sides, and no record stays readable so",
    "unset": "which merges nothing and leaves a conflict",
    "binary": "which merges nothing and leaves a conflict",
    "text": "which merges lines, not fields",
    "set": "which merges lines, not fields",
    NONE: "so git merges lines, not fields",
}
# attributes by which the file in the work tree and the blob differ, and what comes of it
_KEEPS = {
    "filter": "so a command makes other bytes of them than git keeps",
    "working-tree-encoding": "so their files are not UTF-8, and nobody reads them",
    "ident": "so git writes over `$Id$` in them",
}
_ASKED = (MERGE, *_KEEPS)
_PLAIN = (NONE, "unset", "utf-8", "utf8")  # git re-encodes nothing to UTF-8
_SPEAKS = re.compile(r"[\s!-]merge(?=[\s=]|$)|\sbinary(?=\s|$)|^\[attr\]")


def findings(sides: Sides, skipped: list[str]) -> Iterator[Finding]:
    edits = sides.attributes
    if not edits:
        return
    before = _before(sides)
    unread: dict[str, str] = {}
    files = _after(sides, before, unread)
    for path, why in unread.items():
        yield Finding("merges", path, f"may change how git merges records: {quoted(why)}")
    if unread:
        return
    paths = [record.path for record in sides.after.values()]
    asked = list(dict.fromkeys([*paths, *_USUAL, *_witnesses(edits, before, files)]))
    try:
        was, now = _attributes([before, files], asked)
    except (ChalkError, OSError) as error:
        skipped.append(f"how git merges records: {quoted(error)}")
        return
    store = bool(paths) or any(path.startswith(LESSONS + "/") for path in files)
    told: dict[tuple[str, str, str], list[str]] = {}
    for path, name in ((path, name) for path in asked for name in _ASKED):
        one, other = was[path][name], now[path][name]
        if one != other and (_merges_other(one, other, store) if name == MERGE else _keeps_other(other)):
            told.setdefault((name, one, other), []).append(path)
    for (name, one, other), changed in told.items():
        mine = [path for path in paths if path in set(changed)]
        which = _which(len(mine), len(paths))
        verb, means = "merges", _MEANS.get(other, "a merge that is not chalkgit's")
        if name != MERGE:
            verb, means = "keeps", _KEEPS[name]
        message = f"changes how git {verb} {which}: {_said(name, one)} → {_said(name, other)}, {means}"
        details = [f"for {some(mine, REVIEW_NAMED)}"] if mine and len(mine) < len(paths) else []
        path, line = _where(edits, before, files, name, other)
        yield Finding("merges", path, message, line=line, details=details)


def _merges_other(one: str, other: str, store: bool) -> bool:
    return other != OURS and (other != NONE or (one == OURS and store))


def _keeps_other(value: str) -> bool:
    return value.lower() not in _PLAIN


def _which(mine: int, there: int) -> str:
    if mine == there:
        return "records"
    return f"{mine} of {there} records" if mine else "records that may come"


def _said(name: str, value: str) -> str:
    """As a file of attributes has it."""
    words = {NONE: "no word of it", "set": name, "unset": f"-{name}"}
    return quoted(words.get(value) or f"{name}={value}", 60)


def _before(sides: Sides) -> Files:
    """The files of attributes at the base that bear on records; one that cannot be read says nothing."""
    base, place = sides.compared.base, sides.place
    out = git.run(
        place.root, "ls-tree", "-r", "-z", "--full-tree", base, "--", review_edits.ATTRIBUTES, LESSONS
    )
    blobs: dict[str, list[str]] = {}
    for row in os.fsdecode(out).split("\0"):
        meta, _, path = row.partition("\t")
        if review_edits.bears_on_records(path) and meta.startswith("100"):  # git follows no link here either
            blobs.setdefault(meta.split(" ")[2], []).append(path)
    found = snapshot.blobs(place, {blob: paths[0] for blob, paths in blobs.items()})
    return {path: text for blob, text in found if isinstance(text, bytes) for path in blobs[blob]}


def _after(sides: Sides, before: Files, unread: dict[str, str]) -> Files:
    """unread grows by the files of attributes that nobody can judge, each with why."""
    files = dict(before)
    for edit in sides.attributes:
        if edit.before is not None:
            files.pop(edit.old, None)
    for edit in sides.attributes:
        side = edit.after
        if side is None or not side[0].startswith("100") or not review_edits.bears_on_records(edit.path):
            continue
        if side[1]:
            text = next((text for _, text in snapshot.blobs(sides.place, {side[1]: edit.path})), None)
        else:
            text = snapshot.content(sides.place, edit.path)
        if isinstance(text, bytes):
            files[edit.path] = text
        else:
            unread[edit.path] = text.message if text is not None else "its content is not in this clone"
    if len(files) > REVIEW_ATTRIBUTES:
        unread[sides.attributes[0].path] = f"there are {len(files):,} files of attributes"
    return files


def _attributes(sides: Sequence[Files], paths: Sequence[str]) -> list[dict[str, dict[str, str]]]:
    """Of each side, path to its attributes, as git reads them."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="chalkgit-", ignore_cleanup_errors=True) as folder:
        git.run(folder, "init", "-q", "--template=")
        with open(os.path.join(folder, ".git", "config"), "a", encoding="utf-8") as config:
            config.write(f"[core]\n\tattributesFile = {os.devnull}\n")
        return [_of_side(folder, files, paths) for files in sides]


def _of_side(folder: str, files: Mapping[str, bytes], paths: Sequence[str]) -> dict[str, dict[str, str]]:
    blobs = {
        text: git.run(folder, "hash-object", "-w", "--stdin", stdin=text).decode().strip()
        for text in set(files.values())
    }
    rows = "".join(f"100644 {blobs[text]}\t{path}\0" for path, text in files.items())
    git.run(folder, "read-tree", "--empty")
    git.run(folder, "update-index", "-z", "--index-info", stdin=os.fsencode(rows))
    names = os.fsencode("".join(f"{path}\0" for path in paths))
    out = os.fsdecode(git.run(folder, "check-attr", "--cached", "-z", "--stdin", *_ASKED, stdin=names))
    parts = out.split("\0")
    found: dict[str, dict[str, str]] = {}
    for path, name, value in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        found.setdefault(path, {})[name] = value
    return found


def _witnesses(edits: Sequence[Edit], before: Files, after: Files) -> Iterator[str]:
    """Paths that the patterns of lines that differ would fit: a rule may be there before its records are."""
    for edit in edits:
        old, new = _lines(before.get(edit.old)), _lines(after.get(edit.path))
        for path, lines in ((edit.old, [r for r in old if r not in new]), (edit.path, _new(old, new))):
            folder = path.rpartition("/")[0]
            for row in lines[:REVIEW_ATTRIBUTES]:
                yield from filter(worktree.is_record, _fitting(folder, row))


def _fitting(folder: str, row: str) -> Iterator[str]:
    quote = re.match(r'\s*"((?:[^"\\]|\\.)*)"', row)
    pattern = quote[1] if quote is not None else (row.split() or [""])[0]
    folders = [folder] if folder else []
    if pattern.startswith("**/") or "/" not in pattern:
        folders += [LESSONS, os.path.dirname(_USUAL[0])]
    elif not folder:
        folders = [""]
    pattern = pattern.removeprefix("**/").lstrip("/")
    body = re.sub(r"\[(\w)[^]]*\]", r"\1", pattern.rstrip("*"))
    made = re.sub(r"\*+|\?", "a", body) + ("a.yaml" if pattern.endswith("*") else "")
    yield from (f"{one}/{made}".lstrip("/") for one in folders)


def _where(
    edits: Sequence[Edit], before: Files, after: Files, name: str, value: str
) -> tuple[str, int | None]:
    """The file and line that most likely did it: a new one with this value, one of the attribute, any."""
    speaks = _SPEAKS.search if name == MERGE else re.compile(rf"[\s!-]{name}(?=[\s=]|$)|^\[attr\]").search
    best: tuple[int, str, int | None] | None = None
    for edit in edits:
        if edit.path not in after:
            continue
        old, new = _lines(before.get(edit.old)), _lines(after[edit.path])
        fresh = set(_new(old, new))
        for number, row in enumerate(new, 1):
            if row in fresh:
                rank = 3 if f"{name}={value}" in row else 2 if speaks(row) else 1
                best = (rank, edit.path, number) if best is None or rank > best[0] else best
    if best is not None:
        return best[1], best[2]
    first = next((edit for edit in edits if edit.path in after), None)
    return (first.path, 1) if first is not None else (edits[0].path, None)


def _new(old: Sequence[str], new: Sequence[str]) -> list[str]:
    known = set(old)
    return [row for row in new if row.strip() and row not in known]


def _lines(text: bytes | None) -> list[str]:
    return [] if text is None else text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
