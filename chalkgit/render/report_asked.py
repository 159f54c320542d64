"""Of the report card: what was asked and shown, how long people waited, and failed runs."""

from __future__ import annotations

from collections.abc import Mapping

from chalkgit import thresholds
from chalkgit.render.clean import line
from chalkgit.render.report_parts import (
    BESIDE,
    NOTHING,
    ROWS,
    ROWS_STACKED,
    Cell,
    Chart,
    Figure,
    Part,
    Table,
    count,
    day,
    milliseconds,
    number,
    percent,
    plural,
    wait,
    word,
)
from chalkgit.render.report_time import over_time

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

# words for the JSON's own, and how strong each is drawn
VERDICTS = {
    "tried": ("tried", "strong"),
    "near": ("near", "middle"),
    "clear": ("clear", "soft"),
    "empty": ("empty store", "grey"),
    "unknown": ("unknown", "other"),
}
GROUPS = {
    "asked": ("asked for", "strong"),
    "git": ("git hooks", "middle"),
    "editor": ("editor", "soft"),
    "agent": ("coding agent", "leaf"),
    "tests": ("test runs", "grey"),
    "other": ("elsewhere", "other"),
}
SURFACES = {
    "check": "check",
    "at": "at",
    "recall": "recall",
    "detain": "detain",
    "commit": "pre-commit hook",
    "message": "commit message",
    "save": "save in an editor",
    "lsp": "language server",
    "watch": "watch",
    "agent": "coding agent",
    "pytest": "pytest",
}


def surface(name: str | None) -> str:
    """Where a record was met, in words; what is none of ours is cut."""
    if name is None:
        return NOTHING
    return SURFACES.get(name) or line(name)[: thresholds.REPORT_NAME]


def activity(found: Mapping[str, Any], unit: str) -> Part:
    asked, verdicts = found["questions"], found["verdicts"]
    checks = sum(verdicts.values())
    part = Part(
        "activity",
        f"{plural(sum(asked.values()), 'question')}: {number(asked['check'])} check, "
        f"{number(asked['at'])} at, {number(asked['recall'])} recall. "
        f"Of {plural(checks, 'check')} that answered, "
        f"{number(verdicts['tried'])} met what was tried before and {number(verdicts['near'])} came near it. "
        f"{plural(found['records'], 'record')} reached a reader {plural(found['shown'], 'time')}.",
    )
    if found["switched_off"]:
        told = ", ".join(f"{name} {number(n)}" for name, n in found["switched_off"].items())
        part.notes.append(f"Answered by a switch, and counted in no verdict: {told}.")
    part.figures = [
        _over_time(found, unit, "verdicts", "Verdicts of check", VERDICTS),
        _over_time(found, unit, "shown", "Records shown, by where they were met", GROUPS),
    ]
    return part


def waits(found: Mapping[str, Any]) -> Part:
    every, rows = found["all"], found["surfaces"]
    part = Part(
        "waits",
        f"Of {plural(every['answers'], 'answer')} half came within {milliseconds(every['median'])}, nine of "
        f"ten within {milliseconds(every['p90'])}, 99 of 100 within {milliseconds(every['p99'])}.",
    )
    names = ("median", "p90", "p99")
    tones = zip(names, ("median", "90 %", "99 %"), ("strong", "middle", "soft"), strict=True)
    labels = [surface(row["surface"]) for row in rows]
    chart = Chart(
        "waits",
        "Time to an answer, by where it was given",
        ROWS,
        labels,
        [(said, tone, [row[name] for row in rows]) for name, said, tone in tones],
        "ms",
    )
    numbers = [
        [
            word(label),
            count(row["answers"], f"waits.surfaces.{i}.answers"),
            *(wait(row[name], f"waits.surfaces.{i}.{name}") for name in names),
        ]
        for i, (label, row) in enumerate(zip(labels, rows, strict=True))
    ]
    heads = ("where", "answers", "median", "90 %", "99 %")
    part.figures = [Figure(chart, Table("Time to an answer", heads, numbers))]
    return part


def retries(found: Mapping[str, Any], unit: str) -> Part:
    one, other = found["with"], found["without"]
    part = Part(
        "retries",
        f"{_group(one, 'with lessons')} {_group(other, 'for which none were found')}",
    )
    part.notes.append(found["beside"])
    if found["drawn"]:
        drawn = number(found["drawn"])
        part.notes.append(f"Loops of experiments, with and without lessons, are left to these: {drawn}.")
    labels = ("with lessons", "none found")
    groups = (one, other)
    rest = [g["followed"] - g["gone"] for g in groups]
    chart = Chart(
        "retries",
        "What the next run showed",
        ROWS_STACKED,
        labels,
        [
            ("fixed", "strong", [g["fixed"] for g in groups]),
            ("gone, nothing changed", "middle", [g["gone"] - g["fixed"] for g in groups]),
            ("still failing", "grey", rest),
        ],
    )
    names = {
        "runs": "failed runs",
        "followed": "with a next run",
        "fixed": "fixed by then",
        "fixed_share": "share fixed",
        "fewer": "fewer tests failed",
        "loops": "loops",
        "runs_until_passed": "failed runs until one passed, the median of loops",
    }
    numbers = [
        [word(said), *(_figure(found[key], name, f"retries.{key}") for key in ("with", "without"))]
        for name, said in names.items()
    ]
    series = (("failed", "failed runs", "soft"), ("passed", "runs that passed after one", "strong"))
    title = "Failed runs, and those that ended a loop"
    part.figures = [
        Figure(chart, Table("What the next run showed", ("", *labels), numbers)),
        over_time(found["buckets"], unit, "retries.runs", title, series, "retries.buckets.{}", shape=BESIDE),
    ]
    return part


def failing(found: Mapping[str, Any]) -> Part:
    tests = found["tests"][: thresholds.REPORT_LISTED]
    part = Part(
        "failing",
        f"{plural(found['failed'], 'test')} failed, {number(found['again'])} of these in more than one loop.",
    )
    labels = [f"{i}." for i, _ in enumerate(tests, 1)]
    chart = Chart(
        "failing",
        "Loops in which a test failed",
        ROWS,
        labels,
        [("loops", "strong", [test["loops"] for test in tests])],
    )
    numbers = [
        [
            Cell(f"{i + 1}. {word(test['test']).text}"),
            count(test["loops"], f"failing.tests.{i}.loops"),
            count(test["runs"], f"failing.tests.{i}.runs"),
            day(test["last"], f"failing.tests.{i}.last"),
        ]
        for i, test in enumerate(tests)
    ]
    more = found["again"] - len(tests)
    table = Table(
        "Tests that failed in most loops", ("test", "loops", "runs", "last"), numbers, named=True, more=more
    )
    part.figures = [Figure(chart, table)]
    return part


def _over_time(
    found: Mapping[str, Any], unit: str, key: str, title: str, words: Mapping[str, tuple[str, str]]
) -> Figure:
    rows = [{"from": bucket["from"], **bucket[key]} for bucket in found["buckets"]]
    used = [name for name in words if any(row[name] for row in rows)] or list(words)[:3]
    series = [(name, *words[name]) for name in used]
    return over_time(rows, unit, f"activity.{key}", title, series, f"activity.buckets.{{}}.{key}")


def _group(found: Mapping[str, Any], what: str) -> str:
    if not found["followed"]:
        return f"No failed run {what} was followed by another."
    share = percent(found["fixed_share"]).text
    of = f"{number(found['followed'])} of {plural(found['runs'], 'failed run')}"
    return f"Of the {of} {what} that another run followed, {share} were fixed by the next."


def _figure(found: Mapping[str, Any], name: str, key: str) -> Cell:
    cell = percent if name.endswith("share") else count
    return cell(found[name], f"{key}.{name}")
