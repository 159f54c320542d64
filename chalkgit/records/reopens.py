"""The closed grammar of `reopens-when`: what, once met, shows a ruling as open again."""

from __future__ import annotations

import re

from chalkgit import times
from chalkgit.records import paths

FORMS = "library:NAME>=VERSION, date:DATE, file:PATH changes or manual:TEXT"

_LIBRARY = re.compile(
    r"library:\s*(?P<name>[^\s<>=!]+)\s*(?P<op>>=|<=|==|!=|>|<)\s*(?P<version>[^\s<>=!]+)\s*\Z"
)
_FILE = re.compile(r"file:\s*(?P<path>\S(?:.*\S)?)\s+changes\s*\Z")


def parse(text: str) -> tuple[str, ...] | None:
    """(“library”, name, operator, version), (“date”, date), (“file”, path) or (“manual”, text)."""
    if found := _LIBRARY.match(text):
        return "library", found["name"], found["op"], found["version"]
    if found := _FILE.match(text):
        return None if paths.validate(found["path"]) else ("file", found["path"])
    form, _, rest = text.partition(":")
    rest = rest.strip()
    if form == "date" and times.is_date(rest):
        return "date", rest
    return ("manual", rest) if form == "manual" and rest else None
