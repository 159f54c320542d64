"""How the cost of a question grows with the number of records, with other tools beside, in one run.

    python bench/growth.py [--sizes 100 1000 10000 100000] [--runs 7] [--folder DIR] [--peers DIR]
                           [--python PYTHON ...] [--save FILE | --load FILE] [--plot docs/growth.svg]

Each tool gets the same made-up knowledge in a repository of its own, and is asked by whole processes. A
round runs each question once, each after the bare interpreter of this environment; the ratio is that of the
medians. Each answer must hold the record asked for: otherwise the table says so, and the exit code is 1.

With --peers the other tools (bench/peers.py) are installed below DIR from PyPI; one that cannot be is left
out, and stderr says why. One that needs a newer Python than this finds it on PATH or by --python. A question
that takes over 20 s is asked once, over --limit it is ended; either way larger sizes are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import corpus
import doors
import peers
import speed
from peers import FILE, WORDS, Question

SLOW = 20.0  # seconds
BARE = Question("bare", "", "", speed.BARE, r"\A\Z")

Cell = dict[str, Any]  # ms and ratio of the medians, runs, and `ended` or `wrong` where there is no figure


def ours(
    folder: Path, count: int, text: peers.Row, file: peers.Row, env: dict[str, str]
) -> Iterator[tuple[Question, Path]]:
    """chalkgit's questions; the hooks in the repository of bench/doors.py, for they stage and write files."""
    root = corpus.build(folder, count, env)
    staged, files = doors.prepared(folder, count, env)
    for each in (root, staged):  # kept ones may have an index of another version's format
        subprocess.run([*speed.PROGRAM, "index"], cwd=each, env=env, check=True, capture_output=True)
    time.sleep(0.2)  # a file younger than the clock's grain is read again
    words, by_file = peers.run_of(text), peers.run_of(file)
    asked = (*speed.PROGRAM, "check", "--lexical", str(text["route"]))
    yield Question("chalkgit", "check --lexical", WORDS, asked, words), root
    at = (*speed.PROGRAM, "at", peers.path_of(file))
    yield Question("chalkgit", "at", FILE, at, by_file), root

    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=staged, env=env, check=True, capture_output=True)

    cases = {case.name: case for case in doors.cases(staged, files, git)}
    for name, shown in (("hook pre-commit, shim", "hook pre-commit"), ("hook save", "hook save")):
        case = cases[name]
        yield Question("chalkgit", shown, FILE, case.command, by_file, case.before, case.stdin), staged


def timed(question: Question, turn: int, root: Path, env: dict[str, str], limit: float) -> tuple[float, str]:
    """(seconds, what is wrong with the answer); TimeoutExpired after `limit` seconds."""
    if question.before:
        question.before(turn)
    text = question.stdin(turn) if question.stdin else None
    start = time.perf_counter()
    done = subprocess.run(
        question.command,
        cwd=root,
        env=env,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        check=False,
        timeout=limit,
    )
    took = time.perf_counter() - start
    if done.returncode in (0, 1) and re.search(question.expect, done.stdout):
        return took, ""
    return took, f"exit {done.returncode}, {done.stdout[:300]!r} {done.stderr[:300]!r}"


def measure(
    asked: Sequence[tuple[Question, Path]], runs: int, env: dict[str, str], limit: float
) -> tuple[float, list[Cell]]:
    """(seconds of the bare interpreter, a cell a question): one round to warm up, then `runs` rounds."""
    bare: list[float] = []
    times: list[list[float]] = [[] for _ in asked]
    cells: list[Cell] = [{} for _ in asked]
    for turn in range(runs + 1):
        for at, (question, root) in enumerate(asked):
            if cells[at]:
                continue
            bare.append(timed(BARE, turn, root, env, limit)[0])
            try:
                took, wrong = timed(question, turn, root, env, limit)
            except subprocess.TimeoutExpired:
                cells[at] = {"ended": limit}
                continue
            if wrong:
                print(f"{question.tool} {question.name}: no answer: {wrong}", file=sys.stderr)
                cells[at] = {"wrong": wrong}
            elif turn or took > SLOW:
                times[at].append(took)
                if took > SLOW:
                    cells[at] = {"slow": True}
    middle = statistics.median(bare)
    for cell, each in zip(cells, times, strict=True):
        if each:
            took = statistics.median(each)
            cell.update(ms=took * 1000, ratio=took / middle, runs=len(each))
    return middle, cells


def questions(
    count: int, folder: Path, programs: list[tuple[peers.Peer, Path]], env: dict[str, str], done: set[str]
) -> Iterator[tuple[Question, Path]]:
    """Every question of this size but those in `done`, with the repository that it is asked in."""
    rows = corpus.rows(count)
    text, file = rows[count // 20 * 10], rows[0]  # a row of the middle, and none that is a procedure
    yield from ours(folder, count, text, file, env)
    for peer, program in programs:
        root = folder / f"{peer.program}-{count}"
        fresh = [one for one in peer.ask(str(program), root, text, file) if _key(one) not in done]
        if not fresh:
            continue
        print(f"{count:,}: {peer.package}: its repository", file=sys.stderr)
        try:
            peers.build(peer, program, root, rows, [peers.path_of(file)], env)
        except peers.Unavailable as error:
            print(f"{peer.package} is left out at {count:,} records: {error}", file=sys.stderr)
            continue
        yield from ((question, root) for question in fresh)


def run(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Sizes, the bare interpreter's ms for each, and rows of tool, name, kind and cells by size."""
    programs, notes = [], []
    for peer in peers.PEERS if given.peers else ():
        try:
            program, python = peers.install(peer, given.peers.resolve(), peers.pythons(given.python))
        except peers.Unavailable as error:
            print(f"{peer.package} is left out: {error}", file=sys.stderr)
            continue
        programs.append((peer, program))
        notes.append(f"{peer.package} {peer.version} (Python {python})")
    rows: dict[str, dict[str, Any]] = {}
    bare: dict[str, float] = {}
    done: set[str] = set()
    for count in sorted(given.sizes):
        env = speed.environment(folder / f"home-{count}")
        asked = list(questions(count, folder, programs, env, done))
        print(f"{count:,}: {len(asked)} questions, {given.runs + 1} rounds", file=sys.stderr)
        seconds, cells = measure(asked, given.runs, env, given.limit)
        bare[str(count)] = seconds * 1000
        for (question, _), cell in zip(asked, cells, strict=True):
            row = {"tool": question.tool, "name": question.name, "kind": question.kind, "cells": {}}
            rows.setdefault(_key(question), row)["cells"][str(count)] = cell
            if "slow" in cell or "ended" in cell:
                done.add(_key(question))
    return {"sizes": sorted(given.sizes), "bare": bare, "rows": list(rows.values()), "notes": notes}


def _key(question: Question) -> str:
    return f"{question.tool} {question.name}"


def table(result: dict[str, Any]) -> str:
    """Markdown: a line a question, milliseconds and bare interpreters at each size."""
    lines = [
        "| asked with | command | " + " | ".join(f"{size:,}" for size in result["sizes"]) + " |",
        "| --- | --- |" + " --- |" * len(result["sizes"]),
    ]
    for kind in (WORDS, FILE):
        for row in (row for row in result["rows"] if row["kind"] == kind):
            cells = [_shown(row["cells"].get(str(size))) for size in result["sizes"]]
            lines.append(f"| {kind} | {row['tool']} `{row['name']}` | " + " | ".join(cells) + " |")
    bare = [f"{result['bare'][str(size)]:.1f} ms" for size in result["sizes"]]
    lines.append("| | a bare interpreter | " + " | ".join(bare) + " |")
    if result["notes"]:
        lines += ["", "Beside chalkgit: " + ", ".join(result["notes"]) + "."]
    return "\n".join(lines)


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return "not asked"
    if "ended" in cell:
        return f"ended after {cell['ended']:.0f} s"
    if "wrong" in cell:
        return "no answer"
    ratio, ms = cell["ratio"], cell["ms"]
    told = f"{ms:,.0f} ms" if ms < 10_000 else f"{ms / 1000:,.0f} s"
    return f"{ratio:,.{1 if ratio < 10 else 0}f}× ({told}{', once' if cell['runs'] == 1 else ''})"


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--limit", type=float, default=60.0, help="end a question after so many seconds")
    parser.add_argument("--folder", type=Path, help="keep the repositories here and use them again")
    parser.add_argument(
        "--peers", type=Path, help="install the other tools below this folder, and measure them"
    )
    parser.add_argument("--python", nargs="*", default=[], help="more interpreters to install them with")
    parser.add_argument("--save", type=Path, help="write the figures to this file, as JSON")
    parser.add_argument("--load", type=Path, help="measure nothing, take the figures of this file")
    parser.add_argument("--plot", type=Path, help="draw them into this SVG file (the extra `bench`)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if given.load:
            result = json.loads(given.load.read_text())
        else:
            result = run(given, (given.folder or Path(temporary)).resolve())
    if given.save:
        given.save.write_text(json.dumps(result, indent=1) + "\n")
    print(table(result))
    if given.plot:
        import growth_plot  # matplotlib: for the plot alone

        growth_plot.draw(result, given.plot)
    return int(any("wrong" in cell for row in result["rows"] for cell in row["cells"].values()))


if __name__ == "__main__":
    sys.exit(main())
