"""`chalkgit index`: derived data, brought up to date."""

from __future__ import annotations

import click

from chalkgit.answers.semantic import Semantic
from chalkgit.answers.sources import Source
from chalkgit.cli import asking, terminal
from chalkgit.errors import ChalkError
from chalkgit.index import generation, lessons, refresh, texts
from chalkgit.render.clean import line
from chalkgit.store import place as places


@click.command("index")
@click.option("--rebuild", is_flag=True, help="Throw the index away and build it anew.")
@click.option("--status", "only_status", is_flag=True, help="Say what there is, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, rebuild: bool, only_status: bool, as_json: bool) -> int:
    """Refresh the index and write the vectors that are missing. Every question does the first by itself."""
    place = places.find(directory).require_store()
    if only_status and generation.current(place) is None:
        return _print({"built": False}, as_json)
    index = generation.current(place) if only_status else None
    index = index or refresh.up_to_date(place, asking.progress("indexing"), rebuild=rebuild)
    if index.unwritten:
        raise ChalkError(index.unwritten, where=place.derived)
    semantic = Semantic(lexical=False)
    source = Source(index, elsewhere=False, label="", hidden=set())
    if not only_status:
        lessons.fill(index, asking.progress("reading failures"))
        semantic.prepare([source], None, asking.progress("writing vectors"))
        if semantic.ran:
            _lessons(semantic, index)
        if semantic.unwritten:
            raise ChalkError(f"the vectors cannot be written: {semantic.unwritten}", where=place.derived)
    elif semantic.ran:
        semantic.load()
    answer: dict[str, object] = {
        "built": True,
        "records": index.table.count(texts.ALL),
        "checked": index.table.count(texts.CHECKED),
        "model": semantic.model,
        "covered": semantic.covered([source]),
        "skipped": semantic.skipped,
        "hint": semantic.hint,
        "path": place.derived,
    }
    return _print(answer, as_json)


def _lessons(semantic: Semantic, index: generation.Index) -> None:
    """The vectors of what failed, which stand apart from those that proposals are compared with."""
    from chalkgit.answers import failure_vectors

    if not index.table.count(("lesson",)):
        return
    report = asking.progress("writing vectors of failures")
    made = failure_vectors.fill(index, semantic.engine(), str(semantic.model), str(semantic.revision), report)
    if made.unwritten:
        raise ChalkError(f"the vectors cannot be written: {made.unwritten}", where=index.place.derived)


def _print(answer: dict[str, object], as_json: bool) -> int:
    from chalkgit.render import json

    if as_json:
        terminal.answer({"version": json.VERSION, **answer})
    elif not answer["built"]:
        terminal.out("no index yet: the next question builds it")
    else:
        terminal.out(f"{answer['records']:,} records in {line(answer['path'])}")
        if answer["skipped"]:
            hint = f" ({answer['hint']})" if answer["hint"] else ""
            terminal.out(f"no vectors: {answer['skipped']}{hint}")
        else:
            terminal.out(
                f"vectors of {line(answer['model'])} for {answer['covered']:,} of {answer['checked']:,}"
            )
    return 0
