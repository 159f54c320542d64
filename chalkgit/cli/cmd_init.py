"""`chalkgit init`: a `.lessons/` in this repository."""

from __future__ import annotations

import os

import click

from chalkgit.cli import terminal
from chalkgit.doors.setup import drivers
from chalkgit.errors import ChalkError
from chalkgit.records import schema
from chalkgit.render.clean import line
from chalkgit.store import atomic, stores, worktree, writes
from chalkgit.store import place as places
from chalkgit.store.place import LESSONS, Place

_CONFIG = """\
# chalkgit's settings for this repository; the model and other stores are each user's own.
# Who may approve records, by name, e-mail or signing key:
# reviewers:
#   - ada@example.org
# What a commit has to acknowledge, with a line `Lesson: ID` in its message; never, contradicted or always.
# And whether commit messages are checked as proposals:
# hooks:
#   block: never
#   check-message: false
# Whether a failure is recalled by its fingerprint, or by its text alone:
# fingerprint: on
"""
_README = """\
# What we learned the hard way

One YAML file a record: dead ends (tried, and why it failed), lessons (this failure is fixed so) and
procedures (this works, mind this trap). Written and read with chalkgit:

    chalkgit check "what you are about to propose"
    chalkgit tried "what was tried" --because "why it did not work"
    chalkgit at path/to/file

The id inside a file is the record's identity; the file's name is for people. Records are edited by hand or
with `chalkgit correct`, withdrawn with `chalkgit retire`, and never deleted: history is the audit trail.
"""


@click.command("init")
@click.option("--hooks/--no-hooks", default=False, show_default=True, help="Install the git hooks too.")
@click.pass_obj
def command(directory: str | None, /, hooks: bool) -> int:
    """Make a .lessons/ here, and add this repository to your stores. Running it again changes nothing."""
    place = places.find(directory)
    if os.path.islink(place.lessons):
        raise ChalkError(f"{LESSONS} is a symbolic link, which is not written through", where=place.root)
    atomic.folder(place.root, LESSONS)
    for name, content in _files().items():
        file = writes.lessons_file(place, name)
        if os.path.lexists(file) and not _outdated(place, file, name, content):
            continue
        atomic.replace(file, content.encode())
        terminal.out(f"wrote {LESSONS}/{name}")
    roots = stores.roots()
    # of one repository one work tree is enough: the others are found as its siblings
    if place.root not in roots and not any(sibling.root in roots for sibling in places.siblings(place)):
        stores.add(place.root)
        terminal.out(f"added {line(place.root)} to your stores")
    if not any(path.startswith(LESSONS) for path in worktree.look(place).paths):
        terminal.tell('ready; begin with: chalkgit tried "what was tried" --because "why it did not work"')
    return _hooked(place) if hooks else 0


def _hooked(place: Place) -> int:
    from chalkgit.cli.hooks_install import told
    from chalkgit.doors.setup import git

    outcome = git.install(place)
    drivers.install(place, outcome)
    return told(outcome)


def _files() -> dict[str, str]:
    return {
        "config.yaml": _CONFIG,
        "README.md": _README,
        ".gitattributes": drivers.ATTRIBUTES,
        "record.schema.json": schema.text(),
    }


def _outdated(place: Place, file: str, name: str, content: str) -> bool:
    """The schema is ours, and attributes that nobody edited; all else is the user's once it is there."""
    if name == ".gitattributes":
        return drivers.is_older(place)
    if name != "record.schema.json" or os.path.islink(file) or not os.path.isfile(file):
        return False
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.read() != content
