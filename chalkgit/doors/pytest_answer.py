"""The lessons for a failing pytest run: what the plugin's own process answers, JSON in and JSON out.

In: `root` (pytest's rootdir), `folder` (where it was started), `exit`, `output` (the failures as pytest
prints them) and `short`. Out: `rows`, the lines to print; none where no lesson matched. Where one did, the
run is kept in derived data, so that the command that is printed with the lessons records it.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from chalkgit import thresholds, times
from chalkgit.answers import recall, repair, sources, trusted
from chalkgit.answers.recall import Recalled
from chalkgit.errors import ChalkError, NoStore
from chalkgit.failures import reading
from chalkgit.failures.reading import Run
from chalkgit.render import lessons as rendered
from chalkgit.render.clean import line
from chalkgit.store import atomic, journal, policy
from chalkgit.store import place as places
from chalkgit.store.place import NoRepository, Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FILE = "last-pytest-run.txt"


def main() -> None:
    """Answer the one question on standard input."""
    try:
        rows = answer(json.loads(sys.stdin.buffer.read()))
    except ChalkError as error:
        sys.stderr.write(line(error.message) + "\n")
        sys.exit(2)
    sys.stdout.write(json.dumps({"rows": rows}) + "\n")


def answer(told: Mapping[str, Any]) -> list[str]:
    """The lines to print."""
    try:
        place = places.find(told["root"]).require_store()
    except (NoRepository, NoStore):
        return []
    data = told["output"].encode("utf-8", "replace")
    run = reading.read(None, data, exit_code=told["exit"], here=place.root)
    found = repair.once(lambda rebuild: _recalled(place, run, rebuild))
    if not found.lessons:
        return []
    rows = _short(place, found, told) if told["short"] else _whole(place, found, told, data)
    _keep(place, found)
    return rows


def _recalled(place: Place, run: Run, rebuild: bool) -> Recalled:
    opened = sources.opened(place, here=False, tell=_nobody, rebuild=rebuild, words=False)
    try:
        fingerprints = policy.fingerprints(place)
    except ChalkError:
        fingerprints = True  # `recall` says what is wrong with the setting
    withheld = trusted.Withheld(place, "recall")
    now = times.system_clock()
    return recall.Ladder(opened, now, tell=_nobody, fingerprints=fingerprints, withheld=withheld).run(run)


def _nobody(_: str) -> None:
    """Where a store could not be asked: `recall` tells, a test run is no place for it."""


def _whole(place: Place, found: Recalled, told: Mapping[str, Any], data: bytes) -> list[str]:
    return [*rendered.block(found).split("\n"), f"To record this run: {_detain(place, told, data)}"]


def _short(place: Place, found: Recalled, told: Mapping[str, Any]) -> list[str]:
    """One line."""
    first, more = found.lessons[0], len(found.lessons) - 1
    fix = line(rendered.fix(first.record))
    room = thresholds.BRIEF_CHARACTERS
    cut = fix if len(fix) <= room else fix[: room - 1] + "…"
    others = f" (and {more} more)" if more else ""
    data = told["output"].encode("utf-8", "replace")
    seen = "seen before" if first.by == recall.FINGERPRINT else "something alike was seen"
    seen += f" in {line(first.source.label)}" if first.source.elsewhere else ""
    return [f"chalkgit: {seen}, fix: {cut}{others}; {_detain(place, told, data)}"]


def _detain(place: Place, told: Mapping[str, Any], data: bytes) -> str:
    """The command that records this run, whose output is kept for it."""
    file = os.path.join(place.derived, FILE)
    folder = os.path.realpath(told["folder"])
    inside = f"{folder}/".startswith(place.root.rstrip("/") + "/")
    try:
        if os.path.islink(place.derived):
            raise ChalkError("derived data that is a link is left alone")
        os.makedirs(place.derived, exist_ok=True)
        atomic.replace(file, data, 0o600)
        named = os.path.relpath(file, folder) if inside and file.startswith(folder + os.sep) else file
    except (ChalkError, OSError):
        named = "FILE"  # whoever wants to record it has to keep the output
    words = ["chalkgit", *([] if inside else ["-C", place.root]), "detain", "--output", named]
    return shlex.join([*words, "--exit-code", str(told["exit"])])


def _keep(place: Place, found: Recalled) -> None:
    """Which lessons reached the reader; that it could not be kept is no news in a test run."""
    shown = [
        journal.Showing(lesson.record.path, lesson.record.id, "", rendered.size(lesson))
        for lesson in found.lessons
    ]
    journal.record(place, None, "pytest", shown)
