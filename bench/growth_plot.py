"""The plot of bench/growth.py: log-log lines as SVG, the same file for the same figures.

It has a background of its own, and both colours of everything in it: a reader whose system is in dark mode
gets the dark ones. What draws SVG without style sheets shows the light ones. Text is text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from peers import FILE, WORDS

PAPER, INK, FAINT = "#ffffff", "#24292e", "#d8dee4"
COLOURS = {
    "chalkgit": "#0a58ca",
    "scar": "#b3261e",
    "ctxmem": "#1a7f37",
    "agentlore": "#8a4b00",
    "legendary": "#7a3e9d",
}
DARK = {
    PAPER: "#0d1117",
    INK: "#e6edf3",
    FAINT: "#30363d",
    "#0a58ca": "#6cb6ff",
    "#b3261e": "#ff8a80",
    "#1a7f37": "#56d364",
    "#8a4b00": "#f0a35e",
    "#7a3e9d": "#d2a8ff",
}
MARKS = ("o", "s", "^", "D")
GAP = 0.056  # between two labels, in heights of the plot


class Label(NamedTuple):
    end: tuple[int, float]  # records, height
    text: str
    colour: str
    ours: bool


def draw(result: dict[str, Any], target: Path) -> None:
    """Writes `target`; a name that ends with .png gives a picture of the light one."""
    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "growth",
            "font.family": "sans-serif",
            "font.size": 11,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": FAINT,
            "xtick.color": INK,
            "ytick.color": INK,
            "path.simplify": False,
        }
    )
    figure = Figure(figsize=(11, 5.6), facecolor=PAPER)
    left, right = (figure.add_axes((x, 0.11, 0.23, 0.74)) for x in (0.07, 0.547))  # their labels stand beside
    bottom, top = _range(result)
    for axes, kind in ((left, WORDS), (right, FILE)):
        axes.set_ylim(bottom, top)
        _panel(axes, kind, result)
    bare = sorted(result["bare"].values())
    told = f"{bare[0]:.0f} ms" if bare[-1] - bare[0] < 1 else f"{bare[0]:.0f} to {bare[-1]:.0f} ms"
    figure.text(0.012, 0.955, f"A whole process, in bare Python interpreters ({told} each here)", size=12)
    figure.savefig(target, metadata={"Date": None, "Creator": None} if target.suffix == ".svg" else None)
    if target.suffix == ".svg":
        target.write_text(_both(target.read_text()))


def _range(result: dict[str, Any]) -> tuple[float, float]:
    highest = max(_height(result, size, cell) or 1 for _, size, cell in _cells(result["rows"]))
    return 1, 10 ** math.ceil(math.log10(highest) + 0.1)


def _cells(rows: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], int, dict[str, Any]]]:
    return [(row, int(size), cell) for row in rows for size, cell in row["cells"].items()]


def _height(result: dict[str, Any], size: int, cell: dict[str, Any]) -> float | None:
    """In bare interpreters; of what was ended, the time it was given; None where there was no answer."""
    if "ended" in cell:
        return float(cell["ended"]) * 1000 / float(result["bare"][str(size)])
    return None if "wrong" in cell else cell["ratio"]


def _panel(axes: Axes, kind: str, result: dict[str, Any]) -> None:
    sizes = result["sizes"]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_facecolor(PAPER)
    axes.set_title(f"Asked with {kind}", loc="left", size=12, color=INK)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.tick_params(length=0, labelleft=True)
    axes.minorticks_off()
    axes.set_xlabel("records")
    ticks = [10**power for power in range(round(math.log10(axes.get_ylim()[1])) + 1)]
    axes.set_yticks(ticks, [f"{tick:,}×" for tick in ticks])
    axes.grid(color=FAINT, linewidth=0.8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    labels: list[Label] = []
    seen: dict[str, int] = {}
    for row in (row for row in result["rows"] if row["kind"] == kind):
        tool = row["tool"]
        mark = MARKS[seen.setdefault(tool, 0) % len(MARKS)]
        seen[tool] += 1
        ours = tool == "chalkgit"
        points = [(size, _height(result, size, cell)) for _, size, cell in _cells([row])]
        known = [(size, height) for size, height in points if height]
        if not known:
            continue
        colour = COLOURS.get(tool, INK)
        width, above = (2.4, 4) if ours else (1.5, 3)
        how: dict[str, Any] = {
            "color": colour,
            "linewidth": width,
            "zorder": above,
            "marker": mark,
            "ms": 5.5,
        }
        last, note = row["cells"][str(known[-1][0])], ""
        if "ended" in last:  # it would have gone on: a hollow mark at the end of a dotted line
            note = f" (> {last['ended']:.0f} s)"
            axes.plot(*zip(*known[-2:], strict=True), **how, linestyle=":", markerfacecolor=PAPER)
        axes.plot(*zip(*(known[:-1] if note else known), strict=True), **how)
        labels.append(Label(known[-1], f"{tool} {row['name']}{note}", colour, ours))
    _label(axes, labels, sizes[-1])


def _label(axes: Axes, labels: list[Label], last: int) -> None:
    """Each line's name right of the panel, near the height of its end, and a thin line to it."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    ends = sorted(labels, key=lambda label: label.end[1])
    places = _spread([(math.log10(label.end[1]) - low) / (high - low) for label in ends])
    for label, place in zip(ends, places, strict=True):
        how: dict[str, Any] = {"color": label.colour, "weight": "bold" if label.ours else "normal"}
        if label.end[0] < last:  # the line ends earlier: its name stands above its end
            axes.annotate(label.text, label.end, (0, 9), textcoords="offset points", ha="center", **how)
            continue
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 4}
        axes.annotate(
            label.text,
            label.end,
            (1.055, place),
            textcoords="axes fraction",
            va="center",
            arrowprops={**line, "relpos": (0, 0.5)},
            **how,
        )


def _spread(wanted: list[float]) -> list[float]:
    """Heights GAP apart at least, as near to those wanted (ascending) as that allows."""
    groups: list[list[float]] = []
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _lowest(groups[-1]) < _lowest(groups[-2]) + GAP * len(groups[-2]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_lowest(group) + GAP * at for group in groups for at in range(len(group))]


def _lowest(group: list[float]) -> float:
    middle = sum(group) / len(group)
    span = GAP * (len(group) - 1)
    return min(max(middle - span / 2, 0.0), 1.0 - span)


def _both(text: str) -> str:
    """The SVG with a style sheet that turns each light colour into its dark one."""
    rules = [
        f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    ]
    style = "\n".join(["<style>", "@media (prefers-color-scheme: dark) {", *rules, "}", "</style>", ""])
    # the reader's own font: the one that matplotlib measured with may be missing there
    text = re.sub(r"font-family: [^;]*;", "font-family: system-ui, sans-serif;", text)
    head, found, rest = text.partition(" <defs>")
    assert found
    return head + style + found + rest
