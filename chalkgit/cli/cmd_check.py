"""`chalkgit check`: has this been tried before?"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import click

from chalkgit import thresholds
from chalkgit.cli import asked, asking, moment, terminal
from chalkgit.errors import ChalkError
from chalkgit.store.questions import Asked


@click.command("check")
@click.argument("proposal", required=False)
@click.option("--batch", metavar="-", help="One proposal a line on standard input, one JSON line each out.")
@click.option("--limit", type=click.IntRange(1, 100), default=asking.LIMIT, show_default=True)
@moment.options
@click.option("--here", is_flag=True, help="Ask this repository alone.")
@click.option("--lexical", is_flag=True, help="Compare words alone.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, proposal: str | None, batch: str | None, **given: Any) -> int:
    """Say whether PROPOSAL was tried before: exit 1 when it was, 0 when not.

    `-` reads a plan on standard input and answers it step by step.
    """
    if batch is not None:
        if batch != "-" or proposal is not None:
            raise ChalkError(
                "--batch takes - and no proposal beside it", hint="chalkgit check --batch - < FILE"
            )
        return _batch(directory, given)
    if proposal is None or not proposal.strip():
        raise ChalkError(
            "there is no proposal to check", hint='chalkgit check "what you are about to propose"'
        )
    if proposal == "-":
        return _plan(directory, given)
    return asking.check(directory, proposal, **given)


def _batch(directory: str | None, /, given: dict[str, Any]) -> int:
    from chalkgit.render import json

    asker = _asker(directory, given)
    kept: list[Asked] = []
    try:
        for text in _stream():
            began = time.monotonic()
            answer = asker.ask(text)
            terminal.answer(json.batch(answer), in_a_line=True)
            terminal.finish()
            kept.append(asked.check(asker.checker, answer, as_json=True, began=began))
            if len(kept) >= thresholds.JOURNAL_SWEEP:  # whoever asks for days loses no more than these
                asked.keep(asker.place, directory, kept)
                kept.clear()
    finally:
        asked.keep(asker.place, directory, kept)
    if asker.unseen is not None:
        raise asker.unseen
    return 0


def _plan(directory: str | None, /, given: dict[str, Any]) -> int:
    """Every step of a plan: 1 when any was tried."""
    from chalkgit.render import json, text

    steps = [step for step in _steps(_lines()) if any(map(str.isalnum, step))]
    if not steps:
        raise ChalkError("there is no step on standard input", hint="chalkgit check - < plan.md")
    asker = _asker(directory, given)
    answers, moments = [], [time.monotonic()]
    for step in steps:
        answers.append(asker.ask(step))
        moments.append(time.monotonic())
    if given["as_json"]:
        steps_json = [json.check(answer) for answer in answers]
        terminal.answer({"version": json.VERSION, "steps": steps_json})
    elif asker.unseen is None:
        style = terminal.style()
        asking.say_moment(answers[0].as_of)
        terminal.out("\n\n".join(text.step(n, answer, style) for n, answer in enumerate(answers, 1)))
        terminal.out("\n" + "\n".join(text.footer(answers)))
    terminal.finish()
    kept = [
        asked.check(asker.checker, answer, as_json=given["as_json"], began=began, ended=ended)
        for answer, (began, ended) in zip(answers, pairwise(moments), strict=True)
    ]
    asked.keep(asker.place, directory, kept)
    if asker.unseen is not None:
        raise asker.unseen
    return 1 if any(answer.verdict == "tried" for answer in answers) else 0


def _asker(directory: str | None, /, given: dict[str, Any]) -> asking.Asker:
    how = {name: given[name] for name in ("valid_at", "known_at", "here", "lexical")}
    return asking.Asker(directory, given["limit"], patient=True, **how)


def _stream() -> Iterator[str]:
    """The lines of standard input as they come, so that a caller may wait for each answer."""
    for number, line in enumerate(sys.stdin.buffer):
        text = line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        yield text if number else text.removeprefix("\ufeff")


def _lines() -> list[str]:
    """The lines of standard input, blank ones too: a batch answers each."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _steps(lines: list[str]) -> Iterator[str]:
    """The sentences of a plan: list marks, headings, tables, rules and fenced code left out."""
    fenced = False
    for line in lines:
        text = line.strip()
        if text.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and text and not text.startswith(("#", "---", "===", "***", "|")):
            yield from re.split(r"(?<=[.!?;])\s+(?=\S)", _unmarked(text))


def _unmarked(text: str) -> str:
    head, _, rest = text.partition(" ")
    mark = head in ("-", "*", "+") or (head[:-1].isdecimal() and head[-1:] in (".", ")"))
    text = rest.strip() if mark else text
    return text.removeprefix("[ ] ").removeprefix("[x] ").strip()
