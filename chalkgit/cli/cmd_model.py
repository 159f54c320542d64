"""`chalkgit model`: which embedding model there is, and how to get one."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from chalkgit import settings, thresholds, times
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.index import calibrations, models
from chalkgit.render.clean import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from chalkgit.answers.calibrating import Measured
    from chalkgit.answers.marked import Interrupted


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
    model = models.at(directory, name, "")
    if isinstance(model, models.Missing):
        raise ChalkError(model.why, hint=model.hint)
    embed.validated(model)
    settings.update({"model": {"name": model.name, "dir": model.directory}})
    _told(model)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def status(as_json: bool) -> None:
    """Say which model is used, where it comes from, whether it loads, and whether it is calibrated."""
    model = models.configured()
    found = _status(model)
    trouble = None if isinstance(model, models.Missing) else calibrations.trouble(model.name, model.revision)
    if trouble is not None:
        terminal.tell(f"{trouble.where}: {trouble.message} (hint: {trouble.hint})")
    if as_json:
        terminal.answer(found)
        return
    for told in _lines(found):
        click.echo(told)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def calibrate(directory: str | None, /, as_json: bool) -> None:
    """Measure on the records of this repository what the model's answers mean, and keep it for this model.

    Up to 300 records are asked for twice each, by their own route and by it in fewer words.
    """
    from chalkgit.answers import calibrating, marked, repair
    from chalkgit.cli import asking
    from chalkgit.store import place as places

    def look(rebuild: bool) -> tuple[Measured, str, str]:
        checker = asking.opened(directory, here=True, patient=True, rebuild=rebuild)
        measured = calibrating.measure(checker, asking.progress("calibrating"))
        return measured, str(checker.semantic.model), str(checker.semantic.revision)

    measured, name, revision = repair.once(look)
    kept = measured.kept(times.system_clock().date().isoformat())
    calibrations.keep(name, revision, kept)
    heard = marked.interrupted(places.find(directory))
    if as_json:
        from chalkgit.render import json

        numbers = {key: getattr(measured, key) for key in measured.__slots__}
        said = None
        if heard is not None:
            said = {"interrupted": heard.records, "wrong": heard.wrong, "useful": heard.useful}
        found = {"name": name, "revision": revision, **numbers, "feedback": said}
        terminal.answer({"version": json.VERSION, **found})
        return
    for told in (*_measured(measured, name, revision), _heard(heard)):
        terminal.out(told)


def _measured(found: Measured, name: str, revision: str) -> Iterator[str]:
    yield f"{line(name)} {line(revision)}, measured on {found.asked:,} of {found.records:,} records"
    yield (
        f"found      of {found.asked:,} restatements {found.first:,} found their record first, "
        f"{found.among:,} among the first {thresholds.AMONG}"
    )
    yield f"near       from an order of {found.near:.2f} on a record is worth a look"
    yield f"consent    from a cosine of {found.consent:.2f} on rare words in common may decide"
    yield (
        f"others     {found.would:,} of {found.asked:,} routes have another record near, "
        f"{1 - thresholds.CALIBRATION_QUANTILE:.0%} by construction"
    )
    yield f"kept in    {calibrations.path()}"


def _heard(found: Interrupted | None) -> str:
    """What people said of what interrupted them, beside the measurement and no part of it."""
    if found is None:
        return "marked     not known: the journal cannot be read"
    if not found.records:
        return "marked     no record has interrupted anybody here yet, as far as the journal tells"
    share = f"{found.wrong / found.records:.0%}"
    return (
        f"marked     of {found.records:,} records that interrupted here people call {found.wrong:,} wrong "
        f"({share}) and {found.useful:,} useful; that moves no threshold"
    )


def _status(model: models.Model | models.Missing) -> dict[str, Any]:
    keys = ("name", "directory", "revision", "dimension", "bytes", "origin")
    found: dict[str, Any] = {"version": 1, "installed": False, **dict.fromkeys(keys)}
    if isinstance(model, models.Missing):
        unknown = {"loads": False, "prepared": False, "calibration": None}
        return {**found, **unknown, "problem": model.why, "hint": model.hint}
    problem = _problem(model)  # first: loading tells the dimension
    found |= {key: getattr(model, key) for key in keys if key != "bytes"}
    found |= {
        "installed": True,
        "bytes": _bytes(model),
        "loads": problem is None,
        "prepared": problem is None and _prepared(model),
        "calibration": _calibration(model),
        "problem": None,
        "hint": None,
    }
    return found if problem is None else {**found, "problem": problem.message, "hint": problem.hint}


def _calibration(model: models.Model) -> dict[str, Any] | None:
    """Where the thresholds come from, None where nothing was measured."""
    own = calibrations.kept(model.name, model.revision)
    if own is not None:
        return {"source": "here", "records": own.records, "when": own.when, "other_revision": False}
    built_in = thresholds.MODELS.get(model.name)
    if built_in is None or not built_in.measured:
        return None
    other = model.revision not in thresholds.REVISIONS.get(model.name, ())
    return {"source": "built in", "records": built_in.records, "when": None, "other_revision": other}


def _calibrated(found: dict[str, Any] | None) -> str:
    if found is None:
        return "no"
    if found["source"] == "here":
        return f"by you, on {found['records']:,} records, {line(found['when'])}"
    return "built in" + (", measured on another revision of it" if found["other_revision"] else "")


def _problem(model: models.Model) -> ChalkError | None:
    from chalkgit.index import embed

    try:
        embed.validated(model)
    except ChalkError as error:
        return error
    return None


def _prepared(model: models.Model) -> bool:
    from chalkgit.index import embed

    return embed.ready(model)


def _bytes(model: models.Model) -> int:
    names = (model.weights, *models.TOKENIZER)
    return sum(os.path.getsize(os.path.join(model.directory, name)) for name in names)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if found["installed"]:
        yield f"model       {line(found['name'])}"
        yield f"folder      {found['directory']}"
        yield f"chosen by   {found['origin']}"
        yield f"revision    {found['revision']}"
        yield f"dimension   {found['dimension'] or 'unknown'}"
        yield f"size        {found['bytes'] / 1e6:.1f} MB"
        yield f"loads       {'yes' if found['loads'] else 'no'}"
        yield f"prepared    {'yes' if found['prepared'] else 'no'}"
        yield f"calibrated  {_calibrated(found['calibration'])}"
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
