"""The example of docs/time.md runs as it is printed, and answers what its table says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from repository import chalkgit
from source import ROOT

DOCUMENT = (ROOT / "docs" / "time.md").read_text(encoding="utf-8")


def test_the_worked_example_answers_all_four_quadrants_as_it_says(tmp_path: Path) -> None:
    block = re.search(r"^```sh\n(.*?)^```", DOCUMENT, re.M | re.S)
    question = re.search(r"`chalkgit check \"([^\"]+)\" --known-at", DOCUMENT)
    assert block
    assert question
    programs = str(Path(sys.executable).parent)
    subprocess.run(
        ["sh", "-e", "-c", block[1]],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        check=True,
        capture_output=True,
    )
    rows = [row.strip("| ").split(" | ") for row in DOCUMENT.splitlines() if row.startswith("| ")]
    head, _, *body = rows
    moments = [cell.removeprefix("valid at ") for cell in head[1:]]
    found = {}
    for known, *verdicts in body:
        for valid, verdict in zip(moments, verdicts, strict=True):
            asked = ("check", question[1], "--known-at", known, "--valid-at", valid, "--lexical", "--json")
            result = chalkgit(*asked, cwd=tmp_path)
            found[known, valid] = json.loads(result.out)["verdict"]
            assert found[known, valid] == verdict, (known, valid, result)
            assert result.code == (1 if verdict == "tried" else 0)
    assert sorted(found.values()) == ["clear", "empty", "empty", "tried", "tried", "tried"]
