"""The report card as a terminal shows it: each section's sentence, its notes and its numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from chalkgit import thresholds
from chalkgit.render import report_card
from chalkgit.render.report_parts import Cell, Part, Table
from chalkgit.render.text import plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.render.text import Style

_NAME = 58  # characters of a line in a column of names or sentences


def text(card: Mapping[str, Any], style: Style = plain) -> str:
    rows = [style("Report card", "bold"), report_card.window(card)]
    rows += [style(said, "bold") for said in report_card.warnings(card)]
    rows += [report_card.BEGIN] if report_card.empty(card) else []
    for part in report_card.parts(card):
        rows += ["", style(part.title, "bold"), f"  {part.lede}"]
        rows += [style(f"  {note}", "dim") for note in part.notes]
        for table in _tables(part):
            rows += ["", *_table(table, style)]
    return "\n".join(rows)


def _tables(part: Part) -> Iterator[Table]:
    yield from (one.numbers for one in part.figures if one.numbers.rows and not one.chart.empty)
    yield from (table for table in part.tables if table.rows)


def _table(table: Table, style: Style) -> Iterator[str]:
    """A caption and aligned columns; of a long one the end, which is the newest where it goes by time."""
    rows = [[_said(cell) for cell in row] for row in table.rows[-thresholds.REPORT_LISTED :]]
    left = len(table.rows) - len(rows)
    widths = [max(map(len, column)) for column in zip(table.heads, *rows, strict=True)]
    # two columns of sentences share what one has
    most = _NAME if sum(width > _NAME for width in widths) < 2 else _NAME // 2 + 6
    yield style(f"  {table.caption}", "dim")
    numbers = [cell.number for cell in table.rows[0]]
    for row in (table.heads, *rows):
        wrapped = [_wrapped(said, most) for said in row]
        for parts in zip_longest(*wrapped, fillvalue=""):
            cells = (_cell(*one) for one in zip(parts, (min(w, most) for w in widths), numbers, strict=True))
            yield "  " + "  ".join(cells).rstrip()
    if left:
        yield f"  and {left:,} earlier: --json has all"
    if table.more:
        yield f"  and {table.more:,} more: --json has all"


def _said(cell: Cell) -> str:
    return f"{cell.also}  {cell.text}" if cell.also else cell.text


def _wrapped(said: str, width: int) -> list[str]:
    """In lines, none of which parts a word: a name that is longer is printed whole."""
    return textwrap.wrap(said, width, break_long_words=False, break_on_hyphens=False) or [""]


def _cell(said: str, width: int, number: bool) -> str:
    return said.rjust(width) if number else said.ljust(width)
