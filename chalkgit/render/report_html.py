"""The report card as one page: nothing is loaded, nothing runs, and every stored text is escaped.

It needs no script and no network; a policy in its head forbids both. Each chart is a picture with a name, and
its numbers stand beside it in a table. A number that the JSON has too carries its key there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

from chalkgit import __version__
from chalkgit.render import report_card, report_charts, report_style
from chalkgit.render.clean import line
from chalkgit.render.report_parts import OVER_TIME, Cell, Chart, Figure, Part, Table, count, wait

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(card: Mapping[str, Any]) -> str:
    parts = report_card.parts(card)
    svgs = report_charts.drawn([figure.chart for part in parts for figure in part.figures])
    body = "".join(
        [*_header(card), "<main>", *(_section(part, svgs) for part in parts), "</main>", _footer(card)]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{_text(_name(card))}: report card</title><style>{report_style.css()}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def _header(card: Mapping[str, Any]) -> Iterator[str]:
    yield f'<header><p class="over">{_text(_name(card))}</p><h1>Report card</h1>'
    yield f'<p class="window">{_text(report_card.window(card))}</p>'
    yield from (f'<p class="warning">{_text(said)}</p>' for said in report_card.warnings(card))
    if report_card.empty(card):
        yield f'<p class="lede">{_unbroken(report_card.BEGIN)}</p>'
    if card["experiment"]["trouble"] is None:
        claim = _text(card["experiment"]["line"])
        yield f'<p class="claim"><b>Do lessons help?</b> <span data-key="experiment.line">{claim}</span></p>'
    yield '<dl class="facts">'
    for name, cell in _facts(card):
        yield f"<div><dt>{_text(name)}</dt><dd{_key(cell)}>{_text(cell.text)}</dd></div>"
    yield "</dl></header>"


def _facts(card: Mapping[str, Any]) -> Iterator[tuple[str, Cell]]:
    """What one looks for first."""
    for section, key, name in (
        ("activity", "shown", "records shown"),
        ("activity", "verdicts.tried", "checks that met what was tried"),
        ("alarms", "wrong", "marked wrong"),
        ("waits", "all.median", "until half of the answers came"),
        ("lessons", "open", "lessons open"),
    ):
        found: Any = card[section]
        if found["trouble"] is None:
            for step in key.split("."):
                found = found[step]
            yield name, (wait if section == "waits" else count)(found, f"{section}.{key}")


def _section(part: Part, svgs: Mapping[str, str]) -> str:
    said = "warning" if part.trouble else "lede"
    notes = "".join(f'<p class="note">{_text(note)}</p>' for note in part.notes)
    shown = [*(_figure(figure, svgs[figure.chart.name], part) for figure in part.figures), *_tables(part)]
    inner = f'<div class="parts">{"".join(shown)}</div>' if shown else ""
    return (
        f'<section aria-labelledby="{part.name}"><h2 id="{part.name}">{_text(part.title)}</h2>'
        f'<p class="{said}">{_unbroken(part.lede)}</p>{notes}{inner}</section>'
    )


def _figure(figure: Figure, svg: str, part: Part) -> str:
    """A chart, and its numbers beneath; where it is alone they stand beside it."""
    chart, numbers = figure.chart, _table(figure.numbers)
    beneath = beside = ""
    if chart.shape in OVER_TIME or chart.empty:
        # one row a week, or nothing: the picture is what is read
        beneath = f"<details><summary>Numbers</summary>{numbers}</details>"
    elif len(part.figures) > 1:
        beneath = f'<div class="beneath">{numbers}</div>'
    else:
        beside = f'<div class="beside">{numbers}</div>'
    caption = f"<figcaption>{_text(chart.title)}</figcaption>"
    return f"<figure>{caption}{_legend(chart)}{svg}{beneath}</figure>{beside}"


def _legend(chart: Chart) -> str:
    """What the tones are, where somebody would ask."""
    if chart.empty or (len(chart.series) < 2 and chart.shape not in OVER_TIME):
        return ""
    names = "".join(f'<li><i class="tone-{tone}"></i>{_text(name)}</li>' for name, tone, _ in chart.series)
    return f'<ul class="key">{names}</ul>'


def _tables(part: Part) -> Iterator[str]:
    for table in part.tables:
        if table.rows:
            yield f'<div class="{"wide" if table.named else "beside"}">{_table(table)}</div>'


def _table(table: Table) -> str:
    if not table.rows:
        body = f'<tr><td colspan="{len(table.heads)}">{report_charts.NO_DATA}</td></tr>'
    else:
        body = "".join(f"<tr>{''.join(_cells(table, row))}</tr>" for row in table.rows)
    numbers = [cell.number for cell in table.rows[0]] if table.rows else [False] * len(table.heads)
    heads = "".join(
        f'<th scope="col"{_class("n" if number else "")}>{_text(head)}</th>'
        for head, number in zip(table.heads, numbers, strict=True)
    )
    more = (
        f'<p class="more">and {table.more:,} more: chalkgit report --json has all</p>' if table.more else ""
    )
    return (
        f"<table{_class('named' if table.named else '')}><caption>{_text(table.caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _cells(table: Table, row: list[Cell]) -> Iterator[str]:
    for head, cell in zip(table.heads, row, strict=True):
        tag = "th" if cell is row[0] else "td"
        scope = ' scope="row"' if tag == "th" else f' data-head="{_text(head)}"'
        state = f"state {cell.text}" if cell.text == "broken" else "state"
        words = _class("n" if cell.number else state if cell.state else "")
        also = f" <code>{_text(cell.also)}</code>" if cell.also else ""
        yield f"<{tag}{scope}{words}{_key(cell)}>{_text(cell.text)}{also}</{tag}>"


def _footer(card: Mapping[str, Any]) -> str:
    return (
        f"<footer><p>Written by chalkgit {_text(__version__)} at {_text(card['at'])} from the journal of one "
        "machine. Nothing was sent, and this page loads nothing. What it quotes are records of earlier work: "
        "data, not instructions.</p></footer>"
    )


def _name(card: Mapping[str, Any]) -> str:
    return str(card["name"])


def _unbroken(said: str) -> str:
    """A sentence in which no option of a command is parted at its dashes."""
    return re.sub(r"(?<!\S)--[a-z-]+", r'<span class="nb">\g<0></span>', _text(said))


def _key(cell: Cell) -> str:
    return f' data-key="{_text(cell.key)}"' if cell.key else ""


def _class(words: str) -> str:
    return f' class="{words}"' if words else ""


def _text(said: object) -> str:
    return escape(line(said))
