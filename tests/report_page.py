"""A page of the report card, read as HTML, and its figures held beside the JSON."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Tag:
    """An element: its attributes, what is in it, and all of its text."""

    def __init__(self, name: str, attributes: Mapping[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.inner: list[Tag] = []
        self.text = ""

    def all(self, name: str = "") -> list[Tag]:
        found = [tag for inner in self.inner for tag in (inner, *inner.all())]
        return [tag for tag in found if name in ("", tag.name)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Tag("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Tag(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inner.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"<{self.open[-1].name}> is closed by </{tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for tag in self.open:
            tag.text += data


def read(text: str) -> Tag:
    reader = _Reader()
    reader.feed(text)
    assert len(reader.open) == 1, "an element is left open"
    return reader.open[0]


def keyed(page: Tag) -> list[tuple[str, str]]:
    """(key, text) of every figure that the JSON has too."""
    return [
        (tag.attributes["data-key"], tag.text.strip()) for tag in page.all() if "data-key" in tag.attributes
    ]


def value(card: Any, key: str) -> Any:
    """What the JSON has at a.b.0.c; a key of a mapping may be words."""
    found = card
    for step in key.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    return found


def written(key: str, found: Any) -> str:
    """How a page writes a value: told anew here, from the JSON alone."""
    last = key.split(".")[-1]
    if last == "kept":
        return {True: "kept", False: "broken", None: "not yet"}[found]
    if found is None:
        return "–"
    if last in ("low", "value", "high"):
        return f"{100 * found:+.1f}"
    if last.endswith("share"):
        return f"{round(100 * found)} %"
    if last in ("median", "p90", "p99"):
        return f"{found} ms" if found < 1000 else f"{found / 1000:.1f} s"
    if last in ("at", "last"):
        return str(found)[:10]
    return f"{found:,}" if isinstance(found, int) else " ".join(str(found).split())


def differing(card: Any, figures: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """The figures of a page that are not what the JSON says."""
    wanted = ((key, text, written(key, value(card, key))) for key, text in figures)
    return [one for one in wanted if one[1] != one[2]]
