"""import and export: each row once, what is refused is named by line, and what goes out comes back in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

ROW = {"route": "cache the manifest", "observation": "it went stale", "ref": "mem:1", "layer": "design"}


def _rows(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_ref_makes_importing_twice_change_nothing(repo: Repo, chalk: Inside) -> None:
    text = (
        _rows(ROW, {"route": "no ref here", "observation": "no"})
        + "- route: cache the tokens | observation: they were stale\nentries come as free prose too\n"
    )
    first = chalk("import", "-", "--json", stdin=text)
    assert json.loads(first.out) == {
        "version": 1,
        "imported": 4,
        "known": 0,
        "refused": 0,
        "switched_off": [],
    }
    before = chalk("export").out
    again = chalk("import", "-", "--json", stdin=text)
    assert json.loads(again.out) == {
        "version": 1,
        "imported": 0,
        "known": 4,
        "refused": 0,
        "switched_off": [],
    }
    assert chalk("export").out == before
    assert chalk("import", "-", stdin=_rows(ROW, ROW)).out == "imported 0, known already 2, refused 0\n"
    assert chalk("lint").code == 0


def test_what_is_no_entry_is_refused_and_a_json_array_is_its_rows(repo: Repo, chalk: Inside) -> None:
    refused = chalk(
        "import", "-", "--json", stdin="id,route\n1,foo\n}\ntried to cache the tokens in memory\n"
    )
    assert refused.code == 2
    assert json.loads(refused.out) == {
        "version": 1,
        "imported": 1,
        "known": 0,
        "refused": 3,
        "switched_off": [],
    }
    array = chalk("import", "-", "--json", stdin=json.dumps([ROW, {**ROW, "ref": "x:2"}], indent=2))
    assert json.loads(array.out)["imported"] == 2


def test_refused_lines_are_named_and_the_others_imported(repo: Repo, chalk: Inside) -> None:
    bad: list[Any] = [
        {**ROW, "ref": "x:1", "layer": "weather"},
        {**ROW, "ref": ["x:2"]},
        {**ROW, "ref": "x:3", "kind": "legend"},
        {**ROW, "ref": "x:4", "kind": ["dead-end"]},
        {**ROW, "ref": "x:5", "id": "nope"},
        {**ROW, "ref": "x:6", "id": 7},
        {**ROW, "ref": "x:7", "valid-from": "soon"},
        {**ROW, "ref": "x:8", "files": ["/etc/passwd"]},
        {**ROW, "ref": "x:9", "route": {"deep": "er"}},
        {**ROW, "ref": "x:10", "route": "a\u0000b"},
        {**ROW, "ref": "x:11", "tags": "one"},
        {"observation": "no route", "ref": "x:12"},
        {**ROW, "ref": "x:13", "route": True},
    ]
    lines = [*_rows(*bad).splitlines(), '{"route": ', '{"a": ' * 5000, json.dumps({**ROW, "ref": "good:1"})]
    (repo.root / "rows.jsonl").write_text("\n\n".join(lines) + "\n")
    result = chalk("import", "rows.jsonl")
    assert result.code == 2
    wrong = [n for n, row in enumerate(bad) if row.get("tags") != "one"]
    for number in wrong:
        assert f"rows.jsonl:{2 * number + 1}: " in result.err, bad[number]
    assert f"rows.jsonl:{2 * len(bad) + 1}: is no JSON row" in result.err
    assert f"rows.jsonl:{2 * len(bad) + 3}: is no JSON row" in result.err
    assert f"{len(wrong) + 2} of {len(lines)} entries were refused" in result.err
    assert result.out == f"imported 2, known already 0, refused {len(wrong) + 2}\n"
    assert chalk("lint").code == 0


def test_what_a_row_leaves_empty_is_absent_and_numbers_are_words(repo: Repo, chalk: Inside) -> None:
    row = {
        **ROW,
        "alternative": "",
        "tags": [],
        "by": None,
        "depends-on": {"django": 4.20},
        "status": "active",
    }
    assert chalk("import", "-", "--kind", "dead-end", stdin=_rows(row)).code == 0
    found = json.loads(chalk("export").out)
    assert "alternative" not in found
    assert "status" not in found
    assert found["depends-on"] == {"django": "4.2"}
    assert found["by"] == "Ada"


def test_prose_is_kept_as_it_came_and_cut_visibly(repo: Repo, chalk: Inside) -> None:
    assert chalk("import", "-", stdin="we tried " + "x" * 2000 + " and it failed\n").code == 0
    found = json.loads(chalk("export").out)
    assert (found["truncated"], found["kind"]) == ("true", "dead-end")
    assert found["raw"].endswith("… [cut]")
    assert len(found["raw"].encode()) <= 1200


def test_what_is_exported_can_be_imported_and_is_the_same(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.record(route="line one\nline | two \\", observation="x: |\n  y", ref="a:1", tags=["ci"])
    repo.record(
        route="plain",
        observation="no",
        by={"name": "Ada", "agent": "bot"},
        depends_on={"x": "1.10"},
        mood="grim",
    )
    repo.record("lesson", failure={"error": "E", "tests": ["a", "b"]}, resolution="stop", resolved_by="Bo")
    repo.record("lesson", failure={"error": "open"})
    repo.record("procedure", route="r", trap="t", retired={"because": "moot", "on": "2026-01-01"})
    out = chalk("export", "--all").out
    assert len(out.splitlines()) == 5
    other = Inside(another("other").root, monkeypatch)
    assert other("import", "-", stdin=out).out == "imported 5, known already 0, refused 0\n"
    there = other("export", "--all").out.splitlines()
    assert sorted(map(json.loads, there), key=str) == sorted(map(json.loads, out.splitlines()), key=str)
    assert other("import", "-", stdin=out).out == "imported 0, known already 5, refused 0\n"


def test_what_is_exported_in_one_line_comes_back_as_the_same_words(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.record(route="a | b \\ c", observation="d: e", layer="design", alternative="f", action="retry")
    repo.record("procedure")
    line = chalk("export", "--oneline").out
    assert line.count("\n") == 1
    other = Inside(another("other").root, monkeypatch)
    assert other("import", "-", stdin=line).code == 0
    found = json.loads(other("export").out)
    assert (found["route"], found["observation"], found["layer"]) == ("a | b \\ c", "d: e", "design")
    assert (found["alternative"], found["action"]) == ("f", "retry")


def test_rows_of_list_can_be_imported_too(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.record(route="plain", observation="no")
    rows = _rows(*chalk.json("list")["records"])
    other = Inside(another("other").root, monkeypatch)
    assert other("import", "-", stdin=rows).code == 0
    assert other("export").out == chalk("export").out


def test_a_file_that_is_not_there_is_said(repo: Repo, chalk: Inside) -> None:
    result = chalk("import", "nowhere.jsonl")
    assert result.code == 2
    assert "nowhere.jsonl" in result.err
