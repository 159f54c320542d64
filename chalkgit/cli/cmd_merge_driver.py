"""`chalkgit merge-driver`: three versions of one record made one, for git.

It promises that git is never told of a conflict in a file without markers: whatever is no record, and
whatever goes wrong here, is merged as text by git itself. The result is put in place whole, or not at all.
"""

from __future__ import annotations

import os

import click

from chalkgit import thresholds
from chalkgit.cli import terminal
from chalkgit.cli.app import absolute
from chalkgit.errors import ChalkError
from chalkgit.records import merge_text
from chalkgit.records.merge_text import Merged, Unmergeable
from chalkgit.render.clean import line
from chalkgit.store import atomic, git


@click.command("merge-driver")
@click.argument("base", metavar="BASE")
@click.argument("ours", metavar="OURS")
@click.argument("theirs", metavar="THEIRS")
@click.argument("marker", metavar="MARKER-SIZE", type=int)
@click.argument("path", metavar="PATH")
@click.pass_obj
def command(directory: str | None, /, base: str, ours: str, theirs: str, marker: int, path: str) -> int:
    """Merge three versions of a record field by field, into OURS. Run by git, not by people.

    Exit code 1 says that both sides changed the same field: it stands between markers in OURS.
    """
    files = [os.path.abspath(absolute(directory, file)) for file in (base, ours, theirs)]
    try:
        result = _merged(files, path, marker)
        atomic.replace(files[1], result.data)
    # a bug of ours too: git can merge the text, and a file without markers would pass for a merged one
    except Exception as error:
        return _as_text(files, path, marker, error)
    if result.conflicts:
        fields = ", ".join(map(line, result.conflicts))
        hint = f"keep one side of each, then chalkgit lint {line(path)}"
        terminal.tell(f"{line(path)}: both sides changed {fields} (hint: {hint})")
    return 1 if result.conflicts else 0


def _merged(files: list[str], path: str, marker: int) -> Merged:
    if not 0 < marker <= thresholds.MERGE_MARKER:
        raise Unmergeable(f"{path}: {marker} is no length of a conflict marker")
    base, ours, theirs = map(_read, files)
    return merge_text.merged(base, ours, theirs, path, marker)


def _read(file: str) -> bytes:
    """The file, and a byte more than a record may have, which its reader refuses."""
    with open(file, "rb") as opened:
        return opened.read(thresholds.RECORD_BYTES + 1)


def _as_text(files: list[str], path: str, marker: int, error: Exception) -> int:
    base, ours, theirs = files
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    folder = os.path.dirname(ours)
    code, _, err = git.ask(folder, "merge-file", f"--marker-size={marker}", *labels, ours, base, theirs)
    if not 0 <= code < 128:
        said = " ".join(err.decode("utf-8", "replace").split()) or f"exit code {code}"
        raise ChalkError(f"cannot be merged: {said}", where=path) from error
    if code:
        why = str(error) if isinstance(error, Unmergeable) else f"{error.__class__.__name__}: {error}"
        terminal.tell(f"{line(path)}: merged as text, since {line(why)}")
    return 1 if code else 0
