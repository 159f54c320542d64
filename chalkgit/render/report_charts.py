"""The charts of the report card as SVG, drawn by pygal and taken apart: shapes, texts, and nothing else.

What is kept of pygal's tree is what this list names: no script, style, link or id is among it. Colours are
classes that the page gives a meaning in light and dark. Texts are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.render.report_parts import (
    BESIDE,
    INTERVAL,
    OVER_TIME,
    ROWS,
    ROWS_STACKED,
    STACKED,
    Chart,
    milliseconds,
)

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any
    from xml.etree.ElementTree import Element

WIDTH, HEIGHT, EMPTY = 360, 190, 100  # about a phone's width, so that its text is there as large as here
TEXT = 12
ROW = 24  # of a row's height, where it has one bar
BAR = 11  # of each bar, where it has several
_LABELS = 6  # dates below a chart
_FEWEST = 10  # bars side by side that there is room for
_STEPS = 4
_SHAPES = {
    "g": ("transform",),
    "rect": ("x", "y", "width", "height"),
    "path": ("d",),
    "circle": ("cx", "cy", "r"),
    "text": ("x", "y"),
}
_CLASSES = ("axis", "x", "y", "guide", "line", "no_data", "value", "dot")
_GONE = ("background", "tooltip", "tooltip-overlay", "titles")
NO_DATA = "no data yet"
INSTALL = 'python -m pip install "chalkgit[report]"'


def drawn(charts: Sequence[Chart]) -> dict[str, str]:
    """The SVG of each by its name. ChalkError where pygal is not there."""
    try:
        import pygal
    except ImportError:
        raise ChalkError("the page's charts need pygal", hint=INSTALL) from None
    # its finder, for maps that nobody draws here, is of a kind that Python warns of at every later import
    finders = pygal.sys.meta_path
    finders[:] = [one for one in finders if not isinstance(one, pygal.PluginImportFixer)]
    return {chart.name: _svg(pygal, chart) for chart in charts}


def _svg(pygal: ModuleType, chart: Chart) -> str:
    draw = _nothing if chart.empty else _interval if chart.shape == INTERVAL else _bars
    made = draw(pygal, chart)
    # rows are drawn from the bottom up
    labels = list(reversed(chart.labels)) if chart.shape in (ROWS, ROWS_STACKED) else list(chart.labels)
    root = made.render_tree()
    _, _, width, height = root.get("viewBox").split()
    inner = "".join(_kept(child, chart, labels, "") for child in root)
    name = escape(f"chart-{chart.name}")
    title = f'<title id="{name}">{escape(chart.title)}</title>'
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}" '
        f'class="chart {chart.shape.replace(" ", "-")}">{title}{inner}</svg>'
    )


def _nothing(pygal: ModuleType, chart: Chart) -> Any:
    """The frame that a chart will have, and that there is nothing in it yet."""
    made = pygal.Bar(_config(pygal, EMPTY))
    made.y_labels, made.y_labels_major, made.value_formatter = [0, 1], [], lambda value: " "
    made.no_data_text = NO_DATA
    made.add("", [])
    return made


def _bars(pygal: ModuleType, chart: Chart) -> Any:
    lying = chart.shape in (ROWS, ROWS_STACKED)
    stacked = chart.shape in (STACKED, ROWS_STACKED)
    lain = {ROWS: "HorizontalBar", ROWS_STACKED: "HorizontalStackedBar"}
    kinds = {STACKED: "StackedBar", BESIDE: "Bar", **lain}
    made = getattr(pygal, kinds[chart.shape])(_config(pygal, _height(chart)))
    values = [list(reversed(found)) if lying else list(found) for _, _, found in chart.series]
    made.x_labels = [line(label) for label in (reversed(chart.labels) if lying else chart.labels)]
    columns = list(zip(*values, strict=True))
    if not lying:  # two days are two bars, and no walls
        made.x_labels += [""] * (_FEWEST - len(columns))
    made.y_labels = _ticks(max(sum(c) if stacked else max(c) for c in columns))
    made.value_formatter = _said(chart.unit)
    if not lying:
        every = -(-len(made.x_labels) // _LABELS)
        # from the end, so that the newest is named
        made.x_labels_major = [line(label) for label in reversed(chart.labels)][::every]
        made.show_minor_x_labels = False
    elif len(values) == 1:
        made.print_values, made.print_values_position = True, "top"
        made.margin_right = 40  # the longest bar's number stands behind it
    for (name, _, _), found in zip(chart.series, values, strict=True):
        made.add(line(name), found)
    return made


def _interval(pygal: ModuleType, chart: Chart) -> Any:
    """An interval with its point, beside zero."""
    made = pygal.XY(_config(pygal, EMPTY))
    made.show_y_labels, made.show_y_guides, made.show_x_guides = False, False, True
    made.y_labels = [0, 1, 2]
    ends = [float(value) for value in chart.series[0][2]]
    most = _ticks(max(abs(value) for value in ends))[-1]
    made.xrange = (-most, most)
    made.x_labels = [-most, -most / 2, 0, most / 2, most]
    made.x_value_formatter = lambda value: f"{value:+g}" if value else "0"
    made.value_formatter = lambda value: ""
    made.add(line(chart.series[0][0]), [(value, 1) for value in ends])
    return made


def _config(pygal: ModuleType, height: int) -> Any:
    sizes = ("label", "major_label", "value", "no_data")
    style = pygal.style.Style(**{f"{name}_font_size": TEXT for name in sizes})
    return pygal.Config(
        js=(),
        css=(),
        style=style,
        width=WIDTH,
        height=height,
        margin=4,
        margin_right=16,
        spacing=6,
        show_legend=False,
        truncate_label=-1,
        no_prefix=True,
        disable_xml_declaration=True,
    )


def _height(chart: Chart) -> int:
    if chart.shape in OVER_TIME:
        return HEIGHT
    each = ROW if chart.shape == ROWS_STACKED or len(chart.series) == 1 else BAR * len(chart.series) + 8
    return 36 + max(each * len(chart.labels), 2 * ROW)


def _ticks(top: float) -> list[float]:
    """Round numbers from 0 to at least `top`; whole ones."""
    step = 1
    while step * _STEPS < top:
        step = {"1": step * 2, "2": step // 2 * 5, "5": step * 2}[str(step)[0]]
    return [step * i for i in range(_STEPS + 1) if step * (i - 1) < top]


def _said(unit: str) -> Callable[[float], str]:
    if unit == "ms":
        return lambda value: milliseconds(int(value)) if value else "0"
    return lambda value: f"{value:,.0f}"


# --- pygal's tree, and what of it is kept ---------------------------------------------------------


def _kept(node: Element, chart: Chart, labels: Sequence[str], tone: str) -> str:
    words = (node.get("class") or "").split()
    if node.tag not in _SHAPES or set(words) & set(_GONE):
        return ""
    series = next((word for word in words if word.startswith("serie-")), None)
    if series is not None:
        tone = series.removeprefix("serie-")
    kept = [word for word in words if word in _CLASSES]
    if tone and node.tag in ("rect", "circle", "path"):
        kept.append(f"tone-{chart.series[int(tone)][1]}" if int(tone) < len(chart.series) else "")
    attributes = [(name, _short(node.get(name))) for name in _SHAPES[node.tag] if node.get(name)]
    if kept:
        attributes.append(("class", " ".join(filter(None, kept))))
    told = "".join(f' {name}="{escape(value)}"' for name, value in attributes)
    inner = escape(line(node.text)) if node.tag == "text" and node.text else ""
    inner += "".join(_kept(child, chart, labels, tone) for child in node)
    if "bar" in words and not any("x_label" in (child.get("class") or "") for child in node):
        return ""  # room for a bar, and none
    if "bar" in words:
        inner += _title(node, chart, int(tone or 0))
    if not inner and node.tag in ("g", "text"):
        return ""
    return f"<{node.tag}{told}>{inner}</{node.tag}>"


def _title(bar: Element, chart: Chart, number: int) -> str:
    """What a browser shows where one points at a bar."""
    told = {(node.get("class") or "").split()[0]: node.text or "" for node in bar if node.tag == "desc"}
    name = chart.series[number][0]
    said = f"{told.get('x_label', '')}: {told.get('value', '')} {name}".strip()
    return f"<title>{escape(line(said))}</title>"


def _short(value: str | None) -> str:
    """Numbers with two digits after the point: a tenth of the page."""
    return " ".join(_rounded(word) for word in (value or "").split(" "))


def _rounded(word: str) -> str:
    letters = word[:1] if word[:1].isalpha() else ""
    try:
        return f"{letters}{round(float(word[len(letters) :]), 2):g}"
    except ValueError:
        return word
