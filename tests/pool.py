"""A failing run of one test, and the ways to write down what fixed it."""

from __future__ import annotations

import json
from typing import Any

from inside import Inside

ERROR = "ValueError: pool of 4 connections is drained after 30 retries"
LIKE = "ValueError: pool of 4 connections is drained after 31 tries"
OTHER = "FileNotFoundError: [Errno 2] No such file or directory: 'fixtures/menu.toml'"
NOTE = "stop the workers before draining the pool"
RULE = "When the pool is drained, stop the workers first, because they hold its last slot"


def output(test: str = "test_drain", error: str = ERROR, line: int = 12) -> str:
    """What pytest prints of one failing test."""
    return f"""============================= test session starts ==============================
platform linux -- Python 3.12.1, pytest-9.2.0, pluggy-1.7.0
rootdir: /home/ada/pool
collected 2 items

tests/test_pool.py .F                                                    [100%]

=================================== FAILURES ===================================
__________________________________ {test} __________________________________

    def {test}():
>       drain()

tests/test_pool.py:{line}:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def drain():
>       raise ValueError
E       {error}

pool.py:3: {error.split(":")[0]}
=========================== short test summary info ============================
FAILED tests/test_pool.py::{test} - {error}
========================= 1 failed, 1 passed in 0.03s ==========================
"""


def made(result: Any) -> str:
    assert result.code == 0, result
    return str(json.loads(result.out)["id"])


def detained(chalk: Inside, text: str, *more: str) -> str:
    return made(chalk("detain", "--output", "-", "--exit-code", "1", *more, "--json", stdin=text))


def resolved(chalk: Inside, *more: str) -> str:
    found = detained(chalk, output())
    assert chalk("resolve", found, "--note", NOTE, *more).code == 0
    return found


def told(chalk: Inside, *more: str) -> str:
    return made(chalk("lesson", RULE, "--output", "-", *more, "--json", stdin=output()))


def told_line(chalk: Inside, *more: str) -> str:
    return made(chalk("lesson", RULE, "--error", ERROR, *more, "--json"))


def imported(chalk: Inside, *more: str) -> str:
    row = {
        "kind": "lesson",
        "failure": {"error": ERROR, "tests": ["tests.test_pool::test_drain"]},
        "lesson": RULE,
    }
    row |= {"scope": more[1]} if more else {}
    before = {record["id"] for record in chalk.json("list")["records"]}
    assert chalk("import", "-", stdin=json.dumps(row)).code == 0
    (found,) = {record["id"] for record in chalk.json("list")["records"]} - before
    return str(found)


WRITERS = [resolved, told, told_line, imported]


def ids(chalk: Inside, text: str, *more: str) -> list[str]:
    result = chalk("recall", "--output", "-", *more, "--json", stdin=text)
    assert result.code == 0, result
    return [lesson["id"] for lesson in json.loads(result.out)["lessons"]]
