"""Of the report card: what is told day by day, week by week, month by month or year by year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chalkgit.render.report_parts import STACKED, Chart, Figure, Table, count, word

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def over_time(
    rows: Sequence[Mapping[str, Any]],
    unit: str,
    name: str,
    title: str,
    series: Sequence[tuple[str, str, str]],
    path: str,
    *,
    shape: str = STACKED,
) -> Figure:
    """Bars of each row, which has `from`, the first day, and a count for each series: its key, word and tone.

    path: where the row's counts stand in the JSON, with {} for the number of the bucket.
    """
    labels = [label(row["from"], unit) for row in rows]
    drawn = [(said, tone, [row[key] for row in rows]) for key, said, tone in series]
    numbers = [
        [
            word(row["from"], f"{path.split('{}')[0]}{i}.from"),
            *(count(row[key], f"{path.format(i)}.{key}") for key, _, _ in series),
        ]
        for i, row in enumerate(rows)
    ]
    heads = (f"{unit} from" if unit != "day" else "day", *(said for _, said, _ in series))
    return Figure(
        Chart(name, f"{title}, by {unit}", shape, labels, drawn),
        Table(f"{title}, by {unit}", heads, numbers),
    )


def label(first: str, unit: str) -> str:
    """3 Mar, Mar 2026 or 2026."""
    year, month, of_month = first.split("-")
    name = _MONTHS[int(month) - 1]
    return {"month": f"{name} {year}", "year": year}.get(unit, f"{int(of_month)} {name}")
