"""One failed run, from its report, from what it printed, or from both.

The report names the tests and the output has the error as a person saw it; where the report says nothing
(none failed, though the run did; empty, cut, of another run) the output is read instead, and `notes` says so.
"""

from __future__ import annotations

import hashlib

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.failures import fingerprint, rules, secrets
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence


class Run:
    """A failed run.

    tests: canonical ids, sorted, volatile spans masked; () where none is known. error: the first error line
    of the first of them as it was printed, prefixes off; None where none is told. detail: the lines of the
    error after it. text: the error as a record keeps it: root-relative, secrets masked, a line without a
    value with its details. normalized and fingerprint: what it comes to; the latter None, for the reason
    `why`, where there is nothing to recognise it by. others: the normalised errors of further failing tests,
    at most `thresholds.RUN_OTHERS` different ones. notes: what was not read, and why. tail: the last lines of
    the output. digest: of the bytes it was read from. passed: whether they show that tests ran and none
    failed, so that it is no failed run at all.
    """

    __slots__ = (
        "detail",
        "digest",
        "error",
        "exit_code",
        "fingerprint",
        "normalized",
        "notes",
        "others",
        "passed",
        "runner",
        "tail",
        "tests",
        "text",
        "why",
    )

    def __init__(
        self,
        tests: Sequence[str],
        error: str | None,
        detail: Sequence[str] = (),
        *,
        exit_code: int | None = None,
        runner: str | None = None,
        root: str | None = None,
        notes: Sequence[str] = (),
        tail: Sequence[str] = (),
        others: Sequence[str] = (),
    ) -> None:
        found = fingerprint.of(tests, error, detail, exit_code=exit_code, root=root)
        self.tests = tuple(tests)
        self.digest: str | None = None
        self.passed = False
        self.error = error
        self.detail = tuple(detail)
        self.text = fingerprint.stored(error, detail, root) if error else None
        self.exit_code = exit_code
        self.runner = runner
        self.normalized = found.normalized
        self.fingerprint = found.value
        self.why = found.why
        self.others = tuple(others)
        self.notes = tuple(notes)
        self.tail = tuple(tail)


def read(
    report: bytes | None,
    output: bytes | None,
    *,
    exit_code: int | None = None,
    root: str | None = None,
    here: str | None = None,
    late: bool = False,
) -> Run:
    """What failed.

    root: the folder the run was started in, where it is known. Else the one that the output names, and
    `here` (the repository it is read in) where that holds it, or the output names none. late: the report is
    so much older than the output that it is another run's.
    """
    from chalkgit.failures import lines, passing, printed

    notes: list[str] = []
    told = lines.lines(output) if output is not None else []
    reported = _reported(report, notes) if report is not None else None
    if report is None and output is not None and output[:200].lstrip()[:1] in (b"<", b"{", b"["):
        reported = _reported(output, [])  # a report under the other name
        told = [] if reported is not None and reported.failures else told
    seen = printed.read(told) if told else None
    chosen = _chosen(reported, seen, exit_code, notes, late=late)
    named = (seen.root if seen else None) or (chosen.root if chosen else None)
    within = here is not None and (named is None or f"{named}/".startswith(here.rstrip("/") + "/"))
    root = root or (here if within else named)
    notes += _cut(output, chosen, from_report=chosen is reported)
    failures = _failures(chosen, root)
    first = _as_printed(_first(failures), seen, root)
    tests = sorted({failure.test for failure in failures if failure.test})
    run = Run(
        tests,
        first.error if first else None,
        first.detail if first else (),
        exit_code=exit_code,
        runner=chosen.runner if chosen else "unknown",
        root=root,
        notes=notes,
        tail=_tail(told, thresholds.OUTPUT_LINES),
        others=_others(failures, root),
    )
    if not failures and exit_code in (0, None):
        whole = reported is None or (reported.complete and not reported.failures)
        shown = report if report is not None else output if reported is not None else None
        run.passed = whole and (
            (shown is not None and passing.reported(shown)) or (bool(told) and passing.printed(told))
        )
    run.digest = hashlib.sha256(b"\0".join([report or b"", output or b""])).hexdigest()[:32]
    return run


def _reported(report: bytes, notes: list[str]) -> Reading | None:
    from chalkgit.failures import reports

    try:
        return reports.read(report)
    except ChalkError as error:
        notes.append(f"the report is not read: {error.message}")
        return None


def _cut(output: bytes | None, chosen: Reading | None, *, from_report: bool) -> list[str]:
    """What was not read for being too much."""
    found = []
    count = output.count(b"\n") if output is not None else 0
    if count > thresholds.RUN_LINES:
        most = thresholds.RUN_LINES
        found.append(f"the output has {count:,} lines: {most:,} at its beginning and end are read")
    most = thresholds.REPORT_FAILURES if from_report else thresholds.PRINTED_FAILURES
    if chosen is not None and len(chosen.failures) >= most:
        found.append(f"{most:,} failures are read, and there may be more")
    return found


def _chosen(
    reported: Reading | None, seen: Reading | None, exit_code: int | None, notes: list[str], *, late: bool
) -> Reading | None:
    """The reading whose tests count."""
    printed = seen is not None and bool(seen.failures)
    if reported is None:
        return seen
    if not reported.failures:
        if exit_code != 0 and (printed or exit_code is not None):
            what = f"the run ended with {exit_code}" if exit_code is not None else "the output shows one"
            held = "shows no failure" if reported.complete else "ends before its end"
            then = "read from the output" if seen is not None else "--output tells more"
            notes.append(f"the report {held}, but {what}: {then}")
            return seen or reported
        return reported
    if seen is None or not printed:
        if not reported.complete:
            notes.append("the report ends before its end: what it holds whole is read")
        return reported
    named = any(failure.test for failure in seen.failures)
    if late:
        notes.append("the report is of another run, being much older than the output: read from the output")
        return seen
    if named and not _share(reported, seen):
        notes.append(
            "the report names other tests than the output, so it is of another run: read from the output"
        )
        return seen
    if named and not reported.complete:
        notes.append("the report ends before its end: read from the output")
        return seen
    if _names(reported) < _names(seen):
        return seen  # gotestsum's report leaves out the packages that did not build
    return reported


def _names(reading: Reading) -> set[str]:
    return {failure.test for failure in reading.failures if failure.test}


def _share(one: Reading, other: Reading) -> bool:
    """Whether any test is in both, by the last word of its name: spellings of one test differ before that.

    A file or a package that failed as a whole stands for all that is in it.
    """
    if _last_words(one) & _last_words(other):
        return True
    whole = {name for name in _names(one) ^ _names(other) if "::" not in name}
    return bool(whole & {name.split("::")[0] for name in _names(one) | _names(other) if "::" in name})


def _last_words(reading: Reading) -> set[str]:
    return {
        "".join(c if c.isalnum() else " " for c in failure.test).split()[-1].lower()
        for failure in reading.failures
        if any(map(str.isalnum, failure.test))
    }


def _failures(reading: Reading | None, root: str | None) -> list[Failure]:
    """In the order of their masked ids: parallel runs print in any order."""
    found = [
        Failure(rules.mask_id(secrets.masked(failure.test), root), failure.error, failure.detail)
        for failure in (reading.failures if reading else ())
    ]
    return sorted(found, key=lambda failure: failure.test)


def _first(failures: Sequence[Failure]) -> Failure | None:
    """The first failing test; of its failures, or of a run without tests, the first that says something."""
    named = [failure for failure in failures if failure.test] or list(failures)
    same = [failure for failure in named if failure.test == named[0].test]
    return next((failure for failure in same if failure.error), same[0] if same else None)


def _others(failures: Sequence[Failure], root: str | None) -> list[str]:
    """The errors of the first failing tests, each once: a run of a whole suite has several causes."""
    found: dict[str, None] = {}
    for failure in failures:
        if len(found) > thresholds.RUN_OTHERS:
            break
        if failure.error:
            found[fingerprint.of((), failure.error, failure.detail, root=root).normalized] = None
    return list(found)


def _as_printed(first: Failure | None, seen: Reading | None, root: str | None) -> Failure | None:
    """The same failure as the output has it, where it does: what a person saw."""
    if seen is None or not seen.failures or first is None:
        return first
    same = _first([failure for failure in _failures(seen, root) if failure.test == first.test])
    return same if same is not None and same.error else first


def _tail(told: Sequence[str], most: int) -> list[str]:
    kept = list(told[-4 * most :])
    while kept and not kept[-1].strip():
        kept.pop()
    return kept[-most:]
