"""The text that git runs: POSIX sh, the same for a hook file and for a config hook.

It promises that only a verdict of ours blocks a commit. An interpreter that is gone, a package that cannot
be imported, a crash, a kill: each ends in exit 0 and a line that says so. The bypass is tested before
anything is started.
"""

from __future__ import annotations

import hashlib
import re

from chalkgit import __version__

GATES = ("pre-commit", "pre-merge-commit", "commit-msg")
FOLLOWERS = ("post-merge", "post-checkout", "post-rewrite")
EVENTS = GATES + FOLLOWERS
DRIVER = "merge-driver"  # no event: what git runs to merge one record
KEPT = ".before-chalkgit"  # what was there before, beside the shim that runs it
PLACEHOLDER = "/path/to/python"

_MARK = re.compile(
    r"^# chalkgit-hook event=(?P<event>[a-z-]+) version=(?P<version>\S+) sum=(?P<sum>[0-9a-f]{12})"
    r"(?P<folder> folder)?$",
    re.M,
)
_PYTHON = re.compile(r"^P=('(?:[^']|'\\'')*')$", re.M)
_NO_SUM = "0" * 12

# Exit 1 is what a broken interpreter says too, so our verdict travels as 10; 11 is "not importable".
# `-c` starts 4 ms sooner than `-m`, and `-I` keeps a click.py in the repository from being imported.
_PROGRAM = """\
import sys
try:
    from chalkgit.__main__ import main
except Exception:
    sys.exit(11)
main({1: 10, 2: 0, 3: 0, 130: 0, 141: 0})"""
_MERGING = _PROGRAM.replace("{1: 10, 2: 0, 3: 0, 130: 0, 141: 0}", "{1: 10}")

_KEPT = """\
# what was here before runs first, and has its say
kept="${{0%/*}}/{event}{ending}"
if [ -f "$kept" ] && [ -x "$kept" ]; then "$kept" "$@" || exit; fi
"""
_STORE = "[ -d .lessons ] || exit 0  # this folder serves other repositories too\n"
_BYPASS = 'case "${CHALKGIT_BYPASS_RULINGS:-0}" in 0) ;; *) exit 0 ;; esac\n'
_GATE = """\
P={python}
why='is gone'
if [ -x "$P" ]; then
  "$P" {flags} -c '{program}' hook {command} "$@"
  code=$?
  case $code in
    0) exit 0 ;;
    10) exit 1 ;;
    1 | 11 | 126 | 127) why='has no chalkgit any more' ;; # or does not run
    *) echo "chalkgit: ended with code $code: this commit was not looked at" >&2; exit 0 ;;
  esac
fi
if command -v chalkgit >/dev/null 2>&1 && chalkgit --version >/dev/null 2>&1; then
  chalkgit hook {command} "$@"
  [ $? -eq 1 ] && exit 1
  exit 0
fi
{say}exit 0"""
# Said once a commit: git runs commit-msg after one of the others.
_GONE = """\
echo "chalkgit: the Python that installed this hook $why ($P), and no chalkgit is on PATH: this commit was \
not looked at (hint: install chalkgit, then: chalkgit hooks install)" >&2
"""
_BRANCH = '[ "$3" = 1 ] || exit 0  # single files were checked out, not a branch\n'
_FOLLOW = """\
P={python}
# without a chalkgit nothing is lost: the next question does it, and the next commit says that it is gone
[ -x "$P" ] || command -v chalkgit >/dev/null 2>&1 || exit 0
# nobody waits for it: a program that shows git's output waits until every copy of it is closed
{{
  [ -x "$P" ] && "$P" {flags} -c '{program}' hook refresh || chalkgit hook refresh
}} </dev/null >/dev/null 2>&1 &
exit 0"""

# git's word for the merge of a record: `%O` and so on are git's, and their values harmless in sh (%P comes
# quoted). It has our exit code as 10 too. Whatever else happens, git's own merge of texts has the last word:
# an exit code between 1 and 128 without it would leave ours in the file, without markers.
_DRIVER = """\
set -- %O %A %B %L %P
P={python}
if [ -x "$P" ]; then
  "$P" {flags} -c '{program}' merge-driver -- "$@"
  case $? in
    0) exit 0 ;;
    10) exit 1 ;;
  esac
fi
if command -v chalkgit >/dev/null 2>&1 && chalkgit --version >/dev/null 2>&1; then
  chalkgit merge-driver -- "$@"
  code=$?
  [ $code -le 1 ] && exit $code
fi
exec git merge-file --marker-size="$4" -L ours -L base -L theirs "$2" "$1" "$3\""""


class Interpreter:
    """What a shim starts: an absolute path, and flags that keep a repository's files from being imported."""

    __slots__ = ("flags", "path")

    def __init__(self, path: str, flags: str = "-I") -> None:
        self.path = path
        self.flags = flags


class Mark:
    """What a text of ours says of itself. edited: it was changed since; folder: it was made for this file."""

    __slots__ = ("edited", "event", "folder", "python", "version")

    def __init__(self, event: str, version: str, python: str, *, edited: bool, folder: bool) -> None:
        self.event = event
        self.version = version
        self.python = python
        self.edited = edited
        self.folder = folder


def file_text(event: str, python: Interpreter, *, shared: bool = False, folder: bool = False) -> str:
    """A hook file. shared: its folder serves other repositories too; folder: it was made for this file."""
    body = _KEPT.format(event=event, ending=KEPT) + (_STORE if shared else "") + _body(event, python)
    head = f"#!/bin/sh\n{_mark(event, folder)}\n# Written by `chalkgit hooks install`; "
    return _summed(f"{head}`chalkgit hooks uninstall` puts back what was here.\n{body}\n")


def config_text(event: str, python: Interpreter) -> str:
    """The value of hook.<name>.command. git appends ` "$@"` to it, which the last `#` makes a comment."""
    return _summed(f"{_mark(event, False)}\n{_body(event, python)} #")


def driver_text(python: Interpreter) -> str:
    """The value of merge.chalkgit.driver, in which git reads “%%” as one percent sign."""
    quoted = _quoted(python).replace("%", "%%")
    body = _DRIVER.format(python=quoted, flags=python.flags, program=_MERGING)
    return _summed(f"{_mark(DRIVER, False)}\n{body}")


def read(text: str) -> Mark | None:
    """What a hook's text says of itself, None where it is not ours."""
    found = _MARK.search(text)
    if found is None:
        return None
    python = _PYTHON.search(text)
    return Mark(
        found["event"],
        found["version"],
        python[1][1:-1].replace("'\\''", "'") if python else "",
        edited=_sum(text) != found["sum"],
        folder=found["folder"] is not None,
    )


def _body(event: str, python: Interpreter) -> str:
    template = _BYPASS + (_BRANCH if event == "post-checkout" else "")
    rest = (_GATE if event in GATES else _FOLLOW).format(
        python=_quoted(python),
        flags=python.flags,
        program=_PROGRAM,
        command=event,
        say="" if event == "commit-msg" else _GONE,
    )
    return template + rest


def _quoted(python: Interpreter) -> str:
    return "'" + python.path.replace("'", "'\\''") + "'"


def _mark(event: str, folder: bool) -> str:
    return f"# chalkgit-hook event={event} version={__version__} sum={_NO_SUM}{' folder' if folder else ''}"


def _summed(text: str) -> str:
    return text.replace(f"sum={_NO_SUM}", f"sum={_sum(text)}", 1)


def _sum(text: str) -> str:
    """A checksum over all but itself: it tells an edited text from one that another version wrote."""
    plain = _MARK.sub(lambda found: found[0].replace(found["sum"], _NO_SUM), text, count=1)
    return hashlib.sha256(plain.encode("utf-8", "surrogateescape")).hexdigest()[:12]
