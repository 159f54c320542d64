"""The records of one tree. HEAD, a revision, the staged index and the work tree all become one.

Damaged files cost themselves: each is a `Problem`, and all others are served.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError, Problem, UnknownPast, twice
from chalkgit.records.record import Record
from chalkgit.store import git, worktree
from chalkgit.store.place import LESSONS, Place, head

Content = bytes | ChalkError


class Snapshot:
    """source says what tree it is; records by id; problems in the order of their paths."""

    __slots__ = ("problems", "records", "source")

    def __init__(self, source: str, records: dict[str, Record], problems: list[Problem]) -> None:
        self.source = source
        self.records = records
        self.problems = problems


def of_work_tree(place: Place) -> Snapshot:
    place.require_store()
    paths = sorted(p for p in worktree.look(place).paths if not p.startswith(worktree.NOTES))
    return _snapshot("work tree", ((path, content(place, path)) for path in paths))


def of_index(place: Place) -> Snapshot:
    """The records a commit made now would contain. Unmerged entries are problems."""
    # --stage lists an unmerged path once a stage, and never more than one stage 0
    listed = git.run(place.root, "ls-files", "--stage", "-z", "--", LESSONS)
    entries = []
    for row in _rows(listed):
        meta, path = row.split("\t", 1)
        mode, oid, stage = meta.split(" ")
        entries.append((path, mode, oid if stage == "0" else ""))
    return _snapshot("index", _blobs(place, entries))


def of_revision(place: Place, revision: str) -> Snapshot:
    """The records of a commit or tree, by anything git resolves; ChalkError when it resolves nothing."""
    return of_paths(place, revision, [LESSONS])


def of_paths(place: Place, revision: str, paths: Sequence[str]) -> Snapshot:
    """The records of a revision in these files or folders alone."""
    return _snapshot(revision, contents(place, revision, paths))


def contents(place: Place, revision: str, paths: Sequence[str] = (LESSONS,)) -> Iterator[tuple[str, Content]]:
    """Path and bytes (or the error) of the record files of a revision."""
    oid = resolve(place, revision)
    listed = git.run(place.root, "ls-tree", "-r", "-z", "--full-tree", oid, "--", *paths)
    entries = []
    for row in _rows(listed):
        meta, path = row.split("\t", 1)
        mode, _, oid = meta.split(" ")
        entries.append((path, mode, oid))
    return _blobs(place, entries)


def resolve(place: Place, revision: str, *, commit: bool = False) -> str:
    """What a revision names, in full: a commit or tree, with `commit` a commit alone."""
    asked = revision + "^{commit}" if commit else revision
    code, out, _ = git.ask(place.root, "rev-parse", "--quiet", "--verify", "--end-of-options", asked)
    if code != 0 or not revision.strip():
        if head(place) is None:
            raise ChalkError(
                f"“{revision}” is no revision of this repository: it has no commit yet",
                hint=f"git add {LESSONS} && git commit -m lessons",
            )
        raise ChalkError(f"“{revision}” is no revision of this repository", hint="git log --oneline")
    return out.decode().splitlines()[-1]


def staged(place: Place, entries: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, Content]]:
    """Path and bytes (or the error) of (path, mode, blob) entries; a blob of zeros is an unmerged path."""
    return _blobs(place, [(path, mode, oid.strip("0") and oid) for path, mode, oid in entries])


def blobs(place: Place, paths: Mapping[str, str]) -> Iterator[tuple[str, Content]]:
    """Blob and bytes (or the error) of many contents; paths: blob to the file that an error names."""
    wanted = list(paths)
    for first in range(0, len(wanted), thresholds.BLOBS_AT_ONCE):
        part = wanted[first : first + thresholds.BLOBS_AT_ONCE]
        sizes = _sizes(place, part)
        small = [
            oid for oid in part if sizes.get(oid, thresholds.RECORD_BYTES + 1) <= thresholds.RECORD_BYTES
        ]
        read = dict(zip(small, _batch(place, small), strict=True))
        for oid in part:
            if oid in read:
                yield oid, read[oid]
            elif oid in sizes:
                yield oid, worktree.too_large(paths[oid], sizes[oid])
            else:
                yield oid, UnknownPast("its content is not in this clone", where=paths[oid], hint="git fsck")


def _rows(listed: bytes) -> list[str]:
    return [row for row in listed.decode("utf-8", "surrogateescape").split("\0") if row]


def content(place: Place, path: str) -> Content:
    """A file's bytes, or the error that it costs."""
    try:
        return worktree.read(place, path)
    except ChalkError as error:
        return error


def _blobs(place: Place, entries: list[tuple[str, str, str]]) -> Iterator[tuple[str, Content]]:
    """(path, content) for (path, mode, blob) entries; a blob of "" is an unmerged path."""
    wanted = [e for e in entries if e[0].endswith(worktree.SUFFIX) and e[0] != worktree.CONFIG]
    sizes = _sizes(place, [oid for _, mode, oid in wanted if oid and mode.startswith("100")])
    small = [oid for oid, size in sizes.items() if size <= thresholds.RECORD_BYTES]
    blobs = dict(zip(small, _batch(place, small), strict=True))
    seen = set()
    for path, mode, oid in wanted:
        if path in seen:
            continue
        seen.add(path)
        if not oid:
            yield path, ChalkError("unresolved merge conflict", where=path, hint=f"git add {path}")
        elif not mode.startswith("100"):
            yield path, ChalkError("is a symbolic link, which is not followed", where=path)
        elif oid in blobs:
            yield path, blobs[oid]
        elif oid in sizes:
            yield path, worktree.too_large(path, sizes[oid])
        else:
            yield path, UnknownPast("its content is not in this clone", where=path, hint="git fsck")


def _sizes(place: Place, oids: list[str]) -> dict[str, int]:
    unique = list(dict.fromkeys(oids))
    if not unique:
        return {}
    asked = "".join(oid + "\n" for oid in unique).encode()
    lines = git.run(place.root, "cat-file", "--batch-check=%(objectsize)", stdin=asked).split(b"\n")
    # "<oid> missing": an object a partial or damaged clone does not have
    return {oid: int(line) for oid, line in zip(unique, lines, strict=False) if line.isdigit()}


def _batch(place: Place, oids: list[str]) -> list[bytes]:
    if not oids:
        return []
    out = git.run(place.root, "cat-file", "--batch", stdin="".join(oid + "\n" for oid in oids).encode())
    blobs, at = [], 0
    for _ in oids:
        end = out.index(b"\n", at)
        size = int(out[at:end].rsplit(b" ", 1)[1])
        blobs.append(out[end + 1 : end + 1 + size])
        at = end + size + 2
    return blobs


def _snapshot(source: str, files: Iterable[tuple[str, Content]]) -> Snapshot:
    records: dict[str, Record] = {}
    problems: list[Problem] = []
    read = []
    for path, content in files:
        record, found = decoded(path, content)
        problems += found
        read += [record] if record is not None else []
    # of two files with one id the one that is named by it counts: the other is a copy
    for record in sorted(read, key=lambda r: (not r.path.endswith(f".{r.id}.yaml"), r.path)):
        if record.id in records:
            problems.append(twice(record.path, record.id, records[record.id].path))
        else:
            records[record.id] = record
    return Snapshot(source, records, problems)


def decoded(path: str, content: Content) -> tuple[Record | None, list[Problem]]:
    """One file as a record or as the problem that it costs."""
    from chalkgit.records import codec  # it imports yaml, which a kept history does without

    try:
        if isinstance(content, ChalkError):
            raise content
        return codec.decode(content, path)
    except ChalkError as error:
        return None, [problem_of(error, path)]


def problem_of(error: ChalkError, path: str) -> Problem:
    where = error.where or path
    line = where.removeprefix(path + ":") if where.startswith(path + ":") else ""
    number = line.split(":")[0]
    return Problem(path, int(number) if number.isdecimal() else None, error.message, error.hint)
