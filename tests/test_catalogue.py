"""list, fmt, init, index and note: the commands around the questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_list_is_filtered_by_kind_status_file_tag_and_trust(repo: Repo, chalk: Inside) -> None:
    dead = repo.record(route="a", observation="b", files=["src/"], tags=["ci"])
    glob = repo.record(route="c", observation="d", files=["*.py"], review={"state": "rejected"})
    procedure = repo.record("procedure", route="e", trap="f", files=["x.py"])
    for args, expected in (
        (("--kind", "procedure"), {procedure.id}),
        (("--kind", "dead-end"), {dead.id, glob.id}),
        (("--status", "rejected"), {glob.id}),
        (("--trust", "rejected"), {glob.id}),
        (("--trust", "unreviewed"), {dead.id, procedure.id}),
        (("--tag", "ci"), {dead.id}),
        (("--file", "src/x.py"), {dead.id, glob.id, procedure.id}),
        (("--file", "src"), {dead.id}),
        (("--file", "y.go"), set()),
        (("--tag", "ci", "--kind", "procedure"), set()),
    ):
        assert set(chalk.ids("list", *args, key="records")) == expected, args
        assert chalk("list", *args).out.count("\n") == max(len(expected), 1)
    assert chalk("list", "--status", "nice").code == 2
    assert chalk("list", "--file", "../out").code == 2


def test_fmt_changes_what_is_not_canonical_once(repo: Repo, chalk: Inside) -> None:
    file = repo.write(".lessons/x.yaml", "observation: b\nroute: a\nkind: dead-end\nid: aaaaaaaa\n")
    before = file.read_bytes()
    assert chalk("lint").code == 0
    check = chalk("fmt", "--check")
    assert (check.code, check.out) == (1, "would change .lessons/x.yaml\n")
    assert file.read_bytes() == before
    assert chalk("fmt", "x.yaml", cwd=repo.root / ".lessons").out == "changed .lessons/x.yaml\n"
    again = chalk("fmt", "--check")
    assert (again.code, again.out) == (0, "")
    for args in (("fmt", "README.md"), ("fmt", "--new-id"), ("fmt", ".lessons/config.yaml")):
        assert chalk(*args).code == 2, args


def test_fmt_names_what_it_cannot_read_and_formats_the_rest(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/bad.yaml", "kind: [\n")
    repo.write(".lessons/x.yaml", "observation: b\nroute: a\nkind: dead-end\n")
    result = chalk("fmt")
    assert result.code == 2
    assert result.out == "changed .lessons/x.yaml\n"
    assert ".lessons/bad.yaml:" in result.err
    assert len(chalk.json("list")["records"]) == 1


def test_init_writes_its_files_once_and_keeps_what_is_the_users(
    tmp_path: Path, repo: Repo, chalk: Inside
) -> None:
    root = tmp_path / "new"
    repo.git("init", "-q", str(root))
    (root / "sub").mkdir()
    first = chalk("init", cwd=root / "sub")
    assert first.code == 0
    names = [".gitattributes", "README.md", "config.yaml", "record.schema.json"]
    assert sorted(p.name for p in (root / ".lessons").iterdir()) == names
    assert repo.git("status", "--porcelain", "-uall", cwd=root).count("?? .lessons/") == 4
    assert str(root) in chalk.json("stores", "list")["stores"]
    (root / ".lessons/README.md").write_text("ours\n")
    (root / ".lessons/record.schema.json").write_text("{}\n")
    second = chalk("init", cwd=root)
    assert second.out == "wrote .lessons/record.schema.json\n"
    assert (root / ".lessons/README.md").read_text() == "ours\n"
    assert chalk("init", cwd=root).out == ""
    (tmp_path / "none").mkdir()
    outside = chalk("init", cwd=tmp_path / "none")
    assert (outside.code, "hint: git init" in outside.err) == (2, True)


def test_index_says_what_there_is_and_rebuilds_it(repo: Repo, chalk: Inside) -> None:
    assert chalk("index", "--status").out == "no index yet: the next question builds it\n"
    assert chalk.json("index", "--status")["built"] is False
    repo.record()
    assert chalk("check", "anything").code == 0
    status = chalk.json("index", "--status")
    assert (status["built"], status["records"], status["checked"], status["covered"]) == (True, 1, 1, 0)
    assert "no vectors: " in chalk("index", "--rebuild").out


def test_a_note_that_cannot_be_kept_is_said(repo: Repo, chalk: Inside) -> None:
    repo.record()
    assert chalk("check", "anything").code == 0
    (repo.root / ".git/chalkgit-notes").write_text("in the way")
    result = chalk("note", "it failed")
    assert result.code == 2
    assert "chalkgit-notes" in result.err


def test_another_store_is_listed_by_its_root_or_the_beginning_of_its_name(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo], tmp_path: Path
) -> None:
    ours = repo.record(route="a", observation="b", files=["src/a.py"])
    far, farther = another("far"), another("farther")
    theirs = far.record(route="c", observation="d", files=["src/a.py"])
    far.commit()
    others = farther.record(route="e", observation="f")
    for named, expected in (
        (str(far.root), theirs),
        ("../far", theirs),
        ("../far/", theirs),
        ("far", theirs),  # a whole name is that store's, whatever begins with it
        ("farth", others),
        (str(repo.root), ours),
        (".", ours),
    ):
        assert chalk.ids("list", "--store", named, key="records") == [expected.id], named
    assert chalk.ids("list", key="records") == [ours.id]
    # a path is of that store, whatever the folder this is asked in
    assert chalk.ids("list", "--store", "far", "--file", "src/a.py", key="records") == [theirs.id]
    assert chalk.ids("list", "--store", "far", "--known-at", "HEAD", key="records") == [theirs.id]
    several = chalk("list", "--store", "fa")
    assert (several.code, several.out) == (2, "")
    assert f"may be any of {far.root}, {farther.root}" in several.err
    (tmp_path / "none").mkdir()
    for named in ("none", str(tmp_path / "none"), "", "../repo/.lessons"):
        refused = chalk("list", "--store", named)
        assert (refused.code, refused.out) == (2, "")
        assert "is none of your stores" in refused.err
        assert "hint: chalkgit stores list" in refused.err


def test_a_record_that_reopened_says_so_in_list_and_one_that_is_closed_does_not(
    repo: Repo, chalk: Inside
) -> None:
    rule: dict[str, Any] = {"reopens_when": ["date:2026-01-01"], "observation": "b"}
    reopened = repo.record(route="a", **rule)
    retired = repo.record(route="c", retired={"why": "no"}, **rule)
    waiting = repo.record(route="d", observation="b", reopens_when=["date:2999-01-01"])
    said = {row["id"]: row["reopened"] for row in chalk.json("list")["records"]}
    assert said == {reopened.id: "2026-01-01 has come", retired.id: None, waiting.id: None}
    text = chalk("list").out
    assert text.count("(reopened: 2026-01-01 has come)") == 1
    assert "(retired)" in text
