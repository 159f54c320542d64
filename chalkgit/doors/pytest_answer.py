"""The lessons for a failing pytest run: what the plugin's own process answers, JSON in and JSON out.

In: `root` (pytest's rootdir), `folder` (where it was started), `exit`, `output` (the failures as pytest
prints them) and `short`. Out: `rows`, the lines to print; none where no lesson
matched. Where one did, the run's output is kept in derived data, so that the command that is printed with the
lessons records it. In, of a run in which nothing failed: `root` and `passed`, the ids of its tests; no rows.

The run itself is kept in the journal, the one that passed where it ends a loop.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from chalkgit import thresholds, times
from chalkgit.answers import recall, recalling, repair, sources
from chalkgit.answers.recall import Recalled
from chalkgit.answers.tracked import Tracked
from chalkgit.doors import recalled
from chalkgit.errors import ChalkError, NoStore
from chalkgit.failures import naming, reading, rules, secrets
from chalkgit.failures.reading import Run
from chalkgit.render import lessons as rendered
from chalkgit.render.clean import line
from chalkgit.store import atomic, loops
from chalkgit.store import place as places
from chalkgit.store.place import NoRepository, Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

FILE = "last-pytest-run.txt"


def main() -> None:
    """Answer the one question on standard input."""
    try:
        told = json.loads(sys.stdin.buffer.read())
        place = _place(told)
        rows, keep = answer(place, told) if place is not None else ([], _nothing)
    except ChalkError as error:
        sys.stderr.write(line(error.message) + "\n")
        sys.exit(2)
    sys.stdout.write(json.dumps({"rows": rows}) + "\n")
    sys.stdout.flush()
    keep()


def answer(place: Place, told: Mapping[str, Any]) -> tuple[list[str], Callable[[], object]]:
    """The lines to print, and what keeps the run once they have left us; that it could not be kept is no
    news in a test run."""
    if "passed" in told:
        return [], lambda: _ended(place, told["passed"])
    data = told["output"].encode("utf-8", "replace")
    run = reading.read(None, data, exit_code=told["exit"], here=place.root)
    found = repair.once(lambda rebuild: _recalled(place, run, rebuild))
    count, by = len(found.lessons), found.lessons[0].by if found.lessons else None
    tracked = Tracked(place, run, surface="pytest")
    withheld = tracked.withheld(count)
    if withheld is not None:
        found.lessons.clear()
        rows = [f"chalkgit: {rendered.withheld(count, withheld)}"]
    elif not count:
        rows = []
    else:
        rows = _short(place, found, told) if told["short"] else _whole(place, found, told, data)

    def keep() -> None:
        question = recalled.asked(found.lessons, by, "pytest")
        size = recalled.size(question)
        tracked.keep(found=count, given=len(found.lessons), size=size, asked=[question])

    return rows, keep


def _nothing() -> None:
    """There is no store here."""


def _place(told: Mapping[str, Any]) -> Place | None:
    try:
        return places.find(told["root"]).require_store()
    except (NoRepository, NoStore):
        return None


def _ended(place: Place, passed: Sequence[str]) -> None:
    """A run in which nothing failed ends the loop, where it ran what had failed."""
    ran = {rules.mask_id(secrets.masked(naming.python_node(node)), place.root) for node in passed}
    failing = loops.failing(place)
    # a file that could not be collected is named without a test of it
    if all(
        test in ran or any(other.startswith((f"{test}::", f"{test}.")) for other in ran) for test in failing
    ):
        run = Run((), None, exit_code=0)
        run.passed = True
        Tracked(place, run, surface="pytest").keep()


def _recalled(place: Place, run: Run, rebuild: bool) -> Recalled:
    opened = sources.opened(place, here=False, tell=_nobody, rebuild=rebuild, words=False)
    return recalling.ladder(place, opened, times.system_clock(), _nobody).run(run)


def _nobody(_: str) -> None:
    """A store that could not be asked, a wrong setting: `recall` tells, a test run is no place for it."""


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
