"""Of the report card: what the experiment may claim, its rules, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chalkgit.answers.experiment_rules import WORDS
from chalkgit.render.report_parts import (
    INTERVAL,
    NOTHING,
    ROWS_STACKED,
    Cell,
    Chart,
    Figure,
    Part,
    Table,
    count,
    word,
)

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

_KINDS = {"experiment": "experiment", "aa": "A/A run"}


def experiment(found: Mapping[str, Any]) -> Part:
    part = Part("experiment", f"{word(found['line']).text}.")
    for key, kind in _KINDS.items():
        result = found[key]
        if result is not None:
            state = "runs" if found["running"] == result["id"] else "has ended"
            number = f", number {result['number']} here," if result["number"] > 1 else ""
            part.notes.append(
                f"The {kind} {word(result['id']).text}{number} {state}; it began on {result['since']}, and "
                f"{100 * result['holdout']:.0f} % of the loops "
                f"{'are in arm a, nothing is withheld' if key == 'aa' else 'go without lessons'}."
            )
    # where an A/A run is in progress, that is the line, and this is what was found before
    older = found["experiment"]
    if older is not None and older["line"] != found["line"] and found["problem"] is None:
        part.notes.append(f"The experiment before: {word(older['line']).text}.")
    if found["aa"] is not None:
        part.notes.append(f"{word(found['aa']['line']).text}.")
    if found["hint"] is not None:
        part.notes.append(f"What ends it: {found['hint']}.")
    part.figures = [_progress(found), _difference(found)]
    part.tables = [_rules(found["experiment"], "experiment"), _rules(found["aa"], "aa")]
    return part


def _progress(found: Mapping[str, Any]) -> Figure:
    arms = list(_arms(found))
    labels = [label for label, _, _ in arms]
    series = [
        ("with an outcome", "strong", [arm["counted"] for _, _, arm in arms]),
        ("waiting for one", "soft", [arm["waiting"] for _, _, arm in arms]),
        ("excluded", "grey", [arm["excluded"] for _, _, arm in arms]),
    ]
    names = {
        "counted": "with an outcome",
        "waiting": "waiting for one",
        "excluded": "excluded",
        "injected": "shown lessons",
        "fixed": "fixed",
    }
    numbers = [
        [word(said), *(count(arm[name], f"{key}.{name}") for _, key, arm in arms)]
        for name, said in names.items()
    ]
    title = "Loops in each arm"
    return Figure(
        Chart("experiment.arms", title, ROWS_STACKED, labels, series),
        Table(title, ("", *labels), numbers if arms else []),
    )


def _difference(found: Mapping[str, Any]) -> Figure:
    result = found["experiment"]
    ends = None if result is None else result["difference"]
    title = "Loops fixed, with lessons minus without, in points"
    rows, drawn = [], []
    if ends is not None:
        points = [100 * ends[name] for name in ("low", "value", "high")]
        drawn = [("difference", "strong", points)]
        key = "experiment.experiment.difference"
        rows = [
            [word("difference"), *(_points(ends[name], f"{key}.{name}") for name in ("low", "value", "high"))]
        ]
    heads = ("", "at least", "difference", "at most")
    labels = ["difference"] if drawn else []
    return Figure(Chart("experiment.difference", title, INTERVAL, labels, drawn), Table(title, heads, rows))


def _arms(found: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for key in _KINDS:
        result = found[key]
        # once something may be claimed, the loops that the claim is about; before, all there are
        which = "arms" if result is None or result["judged"] is None else "judged"
        for i, arm in enumerate(result[which] if result is not None else ()):
            label = f"A/A {arm['name']}" if key == "aa" else f"{arm['name']} lessons"
            yield label, f"experiment.{key}.{which}.{i}", arm


def _rules(result: Mapping[str, Any] | None, key: str) -> Table:
    rules = [] if result is None else result["rules"]
    rows = [
        [
            Cell(word(rule["rule"]).text, also=rule["name"]),
            Cell(WORDS[rule["kept"]], f"experiment.{key}.rules.{i}.kept", state=True),
            word(rule["figures"], f"experiment.{key}.rules.{i}.figures"),
        ]
        for i, rule in enumerate(rules)
    ]
    return Table(f"Rules of the {_KINDS[key]}", ("rule", "", "figures"), rows, named=True)


def _points(value: float | None, key: str) -> Cell:
    return Cell(NOTHING if value is None else f"{100 * value:+.1f}", key, number=True)
