"""Files that a change edits and that records rule about: those that `at` would show, and no others."""

from __future__ import annotations

from typing import Any

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from test_review_changes import edit


@pytest.fixture(name="sources")
def sources_fixture(repo: Repo) -> Repo:
    for name in ("src/a.py", "src/b.py", "src/deep/reader.go", "Makefile"):
        repo.write(name, "".join(f"line {n}\n" for n in range(20)))
    return repo


def change(repo: Repo, *names: str) -> None:
    for name in names:
        lines = (repo.root / name).read_text().splitlines()
        repo.write(name, "\n".join([*lines[:11], "changed", *lines[12:]]) + "\n")
    repo.commit()


def test_the_file_that_is_edited_is_named_with_the_line(sources: Repo, chalk: Inside) -> None:
    record = sources.record(files=["src/a.py"])
    sources.record(route="another", observation="about b", files=["src/b.py"])
    base = sources.commit()
    change(sources, "src/a.py")
    (found,) = told.findings(chalk, base)
    assert (found["rule"], found["level"]) == ("touches", "note")
    assert (found["path"], found["line"], found["record"]) == ("src/a.py", 12, record.id)
    named = f"{record.id} “cache the parsed manifest between runs”"
    assert found["message"] == f"this change edits src/a.py, which {named} rules about: still true?"


@pytest.mark.parametrize(
    "fields",
    [
        {"files": ["src/deep/reader.go"]},
        {"files": ["src/deep/"]},
        {"files": ["src/deep"]},
        {"files": ["src/**/*.go"]},
        {"files": ["reader.go"]},
        {"route": "speed up src/deep/reader.go", "observation": "slower"},
    ],
    ids=str,
)
def test_a_record_names_files_as_at_does(sources: Repo, chalk: Inside, fields: dict[str, Any]) -> None:
    record = sources.record(**fields)
    base = sources.commit()
    change(sources, "src/a.py")
    assert told.ids(chalk, base, "touches") == []
    change(sources, "src/deep/reader.go")
    assert told.ids(chalk, base, "touches") == [record.id]
    assert chalk.ids("at", "src/deep/reader.go") == [record.id]


def test_what_names_a_file_by_its_path_comes_first_and_the_surer_of_two(sources: Repo, chalk: Inside) -> None:
    ways = {
        "name": ["reader.go"],
        "glob": ["**/*.go"],
        "folder": ["src/deep/"],
        "path": ["src/deep/reader.go"],
    }
    records = {
        way: sources.record(route=f"by {way}", observation="why", files=files) for way, files in ways.items()
    }
    unsure = sources.record(route="unsure", observation="why", files=ways["path"], degree="inconclusive")
    base = sources.commit()
    change(sources, "src/deep/reader.go")
    found = [row["record"] for row in told.of(chalk, base, "touches")]
    assert found == [
        records["path"].id,
        unsure.id,
        records["folder"].id,
        records["glob"].id,
        records["name"].id,
    ]


def test_a_record_that_the_change_settles_corrects_or_retires_is_not_asked_about(
    sources: Repo, chalk: Inside
) -> None:
    made = {name: sources.record(route=name, observation="why", files=["src/a.py"]) for name in "abcde"}
    base = sources.commit()
    edit(sources, made["a"], settled=base)
    edit(sources, made["b"], observation="why, in other words")
    edit(sources, made["c"], retired={"because": "over"})
    sources.git("mv", made["d"].path, f".lessons/d.{made['d'].id}.yaml")
    change(sources, "src/a.py")
    assert told.ids(chalk, base, "touches") == sorted([made["d"].id, made["e"].id])  # moved is not settled


def test_what_may_not_be_recalled_is_left_out(sources: Repo, chalk: Inside) -> None:
    alive = sources.record(files=["src/a.py"])
    for number, fields in enumerate(
        [
            {"retired": {"because": "over"}},
            {"settled": "v2"},
            {"review": {"state": "rejected"}},
            {"valid_until": "2020"},
            {"valid_from": "2099"},
        ]
    ):
        sources.record(route=f"number {number}", observation="why", files=["src/a.py"], **fields)
    sources.record("lesson", failure={"error": "E: open"}, files=["src/a.py"])
    base = sources.commit()
    change(sources, "src/a.py")
    assert told.ids(chalk, base, "touches") == [alive.id]


def test_a_file_that_moved_is_followed(sources: Repo, chalk: Inside) -> None:
    mere, edited = (sources.record(route=n, observation="why", files=[f"src/{n}.py"]) for n in "ab")
    base = sources.commit()
    sources.git("mv", "src/a.py", "src/a2.py")
    sources.git("mv", "src/b.py", "src/b2.py")
    change(sources, "src/b2.py")
    said = {f["record"]: (f["path"], f["line"], f["message"]) for f in told.of(chalk, base, "touches")}
    assert said[mere.id][:2] == ("src/a2.py", None)
    assert "this change moves src/a.py to src/a2.py, which" in said[mere.id][2]
    assert said[edited.id][:2] == ("src/b2.py", 12)


def test_a_mode_alone_is_no_edit(sources: Repo, chalk: Inside) -> None:
    record = sources.record(files=["src/a.py"])
    base = sources.commit()
    (sources.root / "src/a.py").chmod(0o755)
    sources.commit()
    assert told.findings(chalk, base) == []
    change(sources, "src/a.py")
    assert told.ids(chalk, base, "touches") == [record.id]


def test_many_files_of_one_record_are_one_finding(sources: Repo, chalk: Inside) -> None:
    record = sources.record(files=["src/"])
    for number in range(5):
        sources.write(f"src/more{number}.py", "\n".join(map(str, range(20))))
    base = sources.commit()
    change(sources, *(f"src/more{number}.py" for number in range(5)))
    (found,) = told.findings(chalk, base)
    assert found["record"] == record.id
    assert "edits src/more0.py, src/more1.py, src/more2.py and 2 more, which" in found["message"]


def test_only_files_outside_the_lessons_are_touched(sources: Repo, chalk: Inside) -> None:
    record = sources.record(files=[".lessons/README.md", "src/a.py"])
    base = sources.commit()
    sources.write(".lessons/README.md", "other\n")
    sources.commit()
    assert told.findings(chalk, base) == []
    change(sources, "src/a.py")
    assert told.ids(chalk, base, "touches") == [record.id]


def test_files_with_odd_names_and_contents_keep_their_lines(sources: Repo, chalk: Inside) -> None:
    names = ["src/-rf", "src/ü b.py", "src/diff --git.py", 'src/"q".py', "src/*.py", "src/bin"]
    for name in names:
        sources.write(name, "".join(f"diff --git a/x b/x {n}\n@@ -1 +77 @@\n" for n in range(10)))
    sources.write("src/bin", b"\0\1\2")
    sources.git("config", "diff.noprefix", "true")
    records = {name: sources.record(route=name, observation="why", files=[name]) for name in names}
    base = sources.commit()
    change(sources, *names[:-1])
    sources.write("src/bin", b"\0\1\3")
    sources.commit()
    lines = {f["record"]: f["line"] for f in told.of(chalk, base, "touches") if f["path"] in names}
    assert lines[records["src/-rf"].id] == 12
    assert {lines[records[name].id] for name in names[:4]} == {12}
    assert lines[records["src/bin"].id] is None


def test_what_is_staged_and_what_git_does_not_know_is_touched_too(sources: Repo, chalk: Inside) -> None:
    staged, loose = (sources.record(route=n, observation="why", files=[f"new/{n}.py"]) for n in "ab")
    sources.write(".gitignore", "ignored/\n")
    sources.record(route="ignored", observation="why", files=["ignored/x.py"])
    sources.commit()
    sources.write("new/a.py", "a\n")
    sources.git("add", "new/a.py")
    sources.write("new/b.py", "b\n")
    sources.write("ignored/x.py", "x\n")
    rows = chalk.json("review", "--staged")["findings"]
    assert [(f["record"], f["line"]) for f in rows] == [(staged.id, 1)]
    assert "adds new/a.py, which" in rows[0]["message"]
    assert [f["record"] for f in chalk.json("review")["findings"]] == [staged.id, loose.id]
