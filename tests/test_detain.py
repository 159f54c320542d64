"""A failed run is written down as an open lesson: once, without secrets, with one next step."""

from __future__ import annotations

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from pool import NOTE, detained, output, resolved


def test_the_same_failure_of_a_ticket_is_detained_once(chalk: Inside) -> None:
    first = detained(chalk, output(), "--ticket", "T-1")
    assert detained(chalk, output(line=40), "--ticket", "T-1") == first
    assert detained(chalk, output(), "--ticket", "T-2") != first
    assert len(chalk.json("list", "--status", "open")["records"]) == 2


def test_detaining_prints_one_next_step(chalk: Inside) -> None:
    result = chalk("detain", "--output", "-", "--exit-code", "1", stdin=output())
    first, step = result.out.splitlines()
    assert step == f"next: chalkgit resolve {first.split()[0]} --note 'what fixed it, and why'"


@pytest.mark.parametrize(
    ("args", "stdin", "said"),
    [
        ((), "", "--report or --output is needed"),
        (("--output", "-"), "", "names no failing test and no error"),
        (("--output", "-", "--exit-code", "0"), "all is well\n", "this run did not fail"),
        (("--output", "nothing.txt"), "", "cannot be read"),
        (("--output", "-", "--report", "-"), "", "standard input is one of them"),
    ],
)
def test_a_run_that_says_nothing_is_not_detained(
    chalk: Inside, args: tuple[str, ...], stdin: str, said: str
) -> None:
    result = chalk("detain", *args, stdin=stdin)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert chalk.json("list")["records"] == []


def test_the_failure_that_was_resolved_before_is_named_when_it_is_detained_again(chalk: Inside) -> None:
    first = resolved(chalk)
    result = chalk("detain", "--output", "-", "--exit-code", "1", stdin=output())
    assert result.code == 0
    assert f"the same failure was resolved before, by {first}: {NOTE}" in result.err
