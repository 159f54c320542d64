"""Options that several writing commands share, and how they become fields of a record."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from chalkgit import config, times
from chalkgit.cli import moment
from chalkgit.errors import ChalkError
from chalkgit.records import fields as table
from chalkgit.store import writes
from chalkgit.store.place import Place, head

F = TypeVar("F", bound=Callable[..., Any])

DEAD_END, LESSON, PROCEDURE = table.KINDS


def record_options(kind: str) -> Callable[[F], F]:
    """The options of DESIGN's table that a record of this kind can be written with."""

    def decorate(function: F) -> F:
        for option in reversed([*_words(kind), *_about(kind), *_ABOUT_ALL, *_GIT]):
            function = option(function)
        return function

    return decorate


def collected(
    place: Place, given: Mapping[str, Any], clock: times.Clock = times.system_clock
) -> dict[str, Any]:
    """The fields that options and the repository give: who, at which commit, from when."""
    values = {name.replace("_", "-"): value for name, value in given.items()}
    found = {
        "alternative": values.get("instead"),
        "files": [from_root(place, path) for path in values.get("file") or ()],
        "depends-on": versions(values.get("depends-on") or ()),
        "evidence": list(values.get("evidence") or ()),
        "reopens-when": list(values.get("reopens-when") or ()),
        "supersedes": list(values.get("supersedes") or ()),
        "tags": list(values.get("tag") or ()),
        "by": _person(place, values.get("by"), values.get("agent")),
        "at-commit": head(place),
        "valid-from": values.get("valid-from") or times.day(clock()),
    }
    for name in ("layer", "scope", "degree", "action", "valid-until", "ref"):
        found[name] = values.get(name)
    return {name: value for name, value in found.items() if value}


def from_root(place: Place, path: str) -> str:
    """A path as it was typed, in a folder of the repository, as records spell it: from the root.

    What names no file from here stays as it is: a glob, a bare name, a path from the root.
    """
    base = os.path.abspath(click.get_current_context().obj or ".")
    typed = os.path.normpath(os.path.join(base, path))
    inside = os.path.join(os.path.realpath(os.path.dirname(typed)), os.path.basename(typed))
    relative = os.path.relpath(inside, place.root)
    if os.path.lexists(typed) and relative != ".." and not relative.startswith("../"):
        # the dot tells the file in the root from others of its name
        rooted = "./" if path.startswith("./") and "/" not in relative else ""
        return rooted + relative + ("/" if path.endswith("/") else "")
    return path


def _person(place: Place, by: str | None, agent: str | None) -> Any:
    name = by or writes.author(place)
    agent = agent or config.agent()
    if agent:
        return {"name": name, "agent": agent} if name else {"agent": agent}
    return name


def versions(pairs: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, sign, version = pair.partition("=")
        if not (sign and name.strip() and version.strip("= ")):
            raise ChalkError(f"--depends-on “{pair}” is not NAME=VERSION", hint="--depends-on django=4.2")
        found[name.strip()] = version.strip("= ")
    return found


def _words(kind: str) -> list[Callable[[F], F]]:
    names = ("layer", "scope", "degree", "action")
    fields = [table.BY_NAME[name] for name in names if kind in table.BY_NAME[name].kinds]
    return [
        click.option(
            f"--{field.name}", type=click.Choice(field.words[kind]), help=f"{_first(field.meaning)}."
        )
        for field in fields
    ]


def _about(kind: str) -> list[Callable[[F], F]]:
    if kind != DEAD_END:
        return []
    return [click.option("--instead", metavar="TEXT", help="What to do instead.")]


def _first(meaning: str) -> str:
    return meaning[0].upper() + meaning[1:]


_ABOUT_ALL: list[Callable[[Any], Any]] = [
    click.option(
        "--file", multiple=True, metavar="PATH", help="A path, glob or bare name it is about; repeatable."
    ),
    click.option("--depends-on", multiple=True, metavar="NAME=VERSION", help="What it was observed with."),
    click.option(
        "--reopens-when",
        multiple=True,
        metavar="RULE",
        help="library:NAME>=V, date:D, file:PATH changes, manual:TEXT.",
    ),
    click.option("--evidence", multiple=True, metavar="REF", help="A commit, URL or test id; repeatable."),
    click.option("--by", metavar="NAME", help="Who found out; git's user.name if absent."),
    click.option("--agent", metavar="NAME", help="The program that wrote it, where one did."),
    click.option(
        "--valid-from", metavar="DATE", callback=moment.date, help="It holds from here; today if absent."
    ),
    click.option(
        "--valid-until", metavar="DATE", callback=moment.date, help="It holds up to here, exclusive."
    ),
    click.option(
        "--supersedes", multiple=True, metavar="ID", help="A record this one replaces, once committed."
    ),
    click.option("--tag", multiple=True, metavar="WORD", help="A free word; repeatable."),
    click.option("--ref", metavar="SOURCE:ID", help="Where it comes from; unique."),
]
_GIT: list[Callable[[Any], Any]] = [
    click.option("--stage", is_flag=True, help="git add the record."),
    click.option("--commit", is_flag=True, help="Commit that record alone."),
    click.option("--json", "as_json", is_flag=True, help="Machine-readable output."),
]


def git_options(function: F) -> F:
    for option in reversed(_GIT):
        function = option(function)
    return function
