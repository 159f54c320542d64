"""`chalkgit model`: which embedding model there is, and how to get one."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from chalkgit import settings
from chalkgit.errors import ChalkError
from chalkgit.index import models
from chalkgit.render.clean import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@click.group("model")
def command() -> None:
    """The embedding model behind the semantic arm; without one, checks are lexical and say so."""


@command.command()
@click.argument("name", default=models.DEFAULT)
def pull(name: str) -> None:
    """Download the model NAME and use it. No other command downloads anything."""
    from chalkgit.index import embed

    click.echo(f"downloading {name} into {models.home()}", err=True)
    with _bar() as progress:
        model = embed.pull(name, progress)
    if model.name != models.DEFAULT or settings.read().get("model"):
        settings.update({"model": {"name": model.name}})
    _told(model)


@command.command()
@click.argument("directory", metavar="DIR")
@click.option("--name", help="Which model DIR holds, such as sentence-transformers/all-MiniLM-L6-v2.")
def use(directory: str, name: str | None) -> None:
    """Use the model in DIR, which holds model.onnx, tokenizer.json and tokenizer_config.json."""
    from chalkgit.index import embed

    name = embed.description(name).model if name else None
    model = models.at(directory, name, settings.path())
    if isinstance(model, models.Missing):
        raise ChalkError(model.why, hint=model.hint)
    embed.validated(model)
    settings.update({"model": {"name": model.name, "dir": model.directory}})
    _told(model)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def status(as_json: bool) -> None:
    """Say which model is used, where it comes from, and whether it loads."""
    found = _status(models.configured())
    if as_json:
        import json

        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for told in _lines(found):
        click.echo(told)


def _status(model: models.Model | models.Missing) -> dict[str, Any]:
    keys = ("name", "directory", "revision", "dimension", "bytes", "origin")
    found: dict[str, Any] = {"version": 1, "installed": False, **dict.fromkeys(keys)}
    if isinstance(model, models.Missing):
        return {**found, "loads": False, "problem": model.why, "hint": model.hint}
    problem = _problem(model)  # first: loading tells the dimension
    found |= {key: getattr(model, key) for key in keys if key != "bytes"}
    found |= {
        "installed": True,
        "bytes": _bytes(model),
        "loads": problem is None,
        "problem": None,
        "hint": None,
    }
    return found if problem is None else {**found, "problem": problem.message, "hint": problem.hint}


def _problem(model: models.Model) -> ChalkError | None:
    from chalkgit.index import embed

    try:
        embed.validated(model)
    except ChalkError as error:
        return error
    return None


def _bytes(model: models.Model) -> int:
    names = (model.weights, *models.TOKENIZER)
    return sum(os.path.getsize(os.path.join(model.directory, name)) for name in names)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if found["installed"]:
        yield f"model      {line(found['name'])}"
        yield f"folder     {found['directory']}"
        yield f"chosen by  {found['origin']}"
        yield f"revision   {found['revision']}"
        yield f"dimension  {found['dimension'] or 'unknown'}"
        yield f"size       {found['bytes'] / 1e6:.1f} MB"
        yield f"loads      {'yes' if found['loads'] else 'no'}"
    if found["problem"]:
        yield found["problem"]
    if found["hint"]:
        yield f"hint: {found['hint']}"


def _told(model: models.Model) -> None:
    click.echo(f"{model.name} {model.revision} ({model.dimension} dimensions) in {model.directory}")
    now = models.configured()
    if isinstance(now, models.Missing):
        click.echo(f"not used yet: {now.why}", err=True)
    elif now.directory != model.directory:
        click.echo(f"not used yet: {now.origin} chooses {now.name} in {now.directory}", err=True)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's stderr, and nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1, file=sys.stderr) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield progress
