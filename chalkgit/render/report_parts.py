"""What a section of the report card is made of, whichever way it is shown: sentences, figures and tables.

A cell knows the key of its number in the JSON, so that a page can be held to say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chalkgit.render.clean import line

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

NOTHING = "–"  # what nobody can tell
# How a chart is drawn: bars side by side over time, one on the other; rows beside each other, or stacked; an
# interval around a point, beside zero.
STACKED, ROWS, ROWS_STACKED, INTERVAL = "stacked", "rows", "rows stacked", "interval"
BESIDE = "beside"  # over time too, each series with bars of its own: their sum is no number of anything
OVER_TIME = (STACKED, BESIDE)


class Cell:
    """What stands in a table. key: of its value in the JSON; None where it is no figure of it.

    also: an id or so, in small letters after it. state: whether it is a word or two that stay on one line.
    """

    __slots__ = ("also", "key", "number", "state", "text")

    def __init__(
        self,
        text: str,
        key: str | None = None,
        *,
        number: bool = False,
        also: str = "",
        state: bool = False,
    ) -> None:
        self.state = state
        self.text = text
        self.also = also
        self.key = key
        self.number = number


class Table:
    """heads: of the columns. named: whether the first column is a name, which takes what room there is."""

    __slots__ = ("caption", "heads", "more", "named", "rows")

    def __init__(
        self,
        caption: str,
        heads: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        *,
        named: bool = False,
        more: int = 0,
    ) -> None:
        self.caption = caption
        self.heads = heads
        self.rows = [list(row) for row in rows]
        self.named = named
        self.more = more


class Chart:
    """shape: one of those above. series: (name, tone, values), each value at the label of its place."""

    __slots__ = ("labels", "name", "series", "shape", "title", "unit")

    def __init__(
        self,
        name: str,
        title: str,
        shape: str,
        labels: Sequence[str],
        series: Sequence[tuple[str, str, Sequence[float]]],
        unit: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.shape = shape
        self.labels = labels
        self.series = series
        self.unit = unit

    @property
    def empty(self) -> bool:
        return not any(any(values) for _, _, values in self.series)


class Figure:
    """A chart and the numbers that it draws."""

    __slots__ = ("chart", "numbers")

    def __init__(self, chart: Chart, numbers: Table) -> None:
        self.chart = chart
        self.numbers = numbers


class Part:
    """One section. lede: what it says, in a sentence. figures, tables: also where they are empty."""

    __slots__ = ("figures", "lede", "name", "notes", "tables", "title", "trouble")

    def __init__(self, name: str, lede: str) -> None:
        self.name = name
        self.title = ""
        self.lede = lede
        self.notes: list[str] = []
        self.figures: list[Figure] = []
        self.tables: list[Table] = []
        self.trouble = False


def count(value: Any, key: str | None = None) -> Cell:
    return Cell(number(value), key, number=True)


def number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else NOTHING


def percent(value: float | None, key: str | None = None) -> Cell:
    return Cell(NOTHING if value is None else f"{100 * value:.0f} %", key, number=True)


def wait(value: int | None, key: str | None = None) -> Cell:
    """Milliseconds, as people say them."""
    return Cell(milliseconds(value), key, number=True)


def milliseconds(value: int | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:,} ms" if value < 1000 else f"{value / 1000:,.1f} s"


def word(value: object, key: str | None = None) -> Cell:
    return Cell(NOTHING if value is None else line(value), key)


def day(value: str | None, key: str | None = None) -> Cell:
    return Cell(NOTHING if value is None else line(value)[:10], key, number=True)


def plural(value: int, what: str, more: str | None = None) -> str:
    return f"{number(value)} {what if value == 1 else more or what + 's'}"
