"""at: which rulings name a file, in what order, and what has moved since they were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

WHY = "it went stale"


def _about(repo: Repo, *files: str, **fields: object) -> str:
    return repo.record(
        route=f"cache what {' '.join(files)} says", observation=WHY, files=list(files), **fields
    ).id


def test_a_file_is_named_by_path_folder_glob_and_bare_name(repo: Repo, chalk: Inside) -> None:
    exact = _about(repo, "src/io/reader.go")
    folder = _about(repo, "src/io/")
    plain_folder = _about(repo, "src")
    glob = _about(repo, "src/**/*.go")
    name_glob = _about(repo, "*.go")
    bare = _about(repo, "reader.go")
    other = _about(repo, "lib/io/reader.go")
    assert set(chalk.ids("at", "src/io/reader.go")) == {exact, folder, plain_folder, glob, name_glob, bare}
    # a bare name is any file of that name, and a spelled folder is that folder's alone
    assert set(chalk.ids("at", "lib/io/reader.go")) == {other, name_glob, bare}
    assert set(chalk.ids("at", "src/io/writer.py")) == {folder, plain_folder}
    assert set(chalk.ids("at", "docs/reader.md")) == set()
    assert set(chalk.ids("at", "src/io")) >= {folder, plain_folder}
    packages = _about(repo, "packages/*/")
    assert chalk.ids("at", "packages/a/src/x.py") == [packages]
    assert chalk.ids("at", "packages/x.py") == []


def test_a_path_is_read_where_it_is_typed(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = _about(repo, "src/io/reader.go")
    repo.write("src/io/reader.go", "package io\n")
    _about(repo, "io/reader.go")
    (tmp_path / "out").mkdir()
    for args, cwd in (
        (("at", "src/io/reader.go"), repo.root),
        (("at", "./src/io/../io/reader.go"), repo.root),
        (("at", str(repo.root / "src/io/reader.go")), tmp_path),
        (("at", "reader.go"), repo.root / "src/io"),
        (("at", "../src/io/reader.go"), repo.root / "src"),
        (("-C", str(repo.root), "at", "src/io/reader.go"), tmp_path),
        (("-C", str(repo.root / "src"), "at", "io/reader.go"), tmp_path),
        (("-C", "repo/src", "at", "io/reader.go"), tmp_path),
    ):
        if cwd == tmp_path and args[0] == "at":
            args, cwd = ("-C", str(repo.root), *args), tmp_path / "out"
        found = json.loads(chalk(*args, "--json", cwd=cwd).out)
        assert [row["id"] for row in found["rulings"]] == [record], args
        assert found["paths"] == ["src/io/reader.go"]
    outside = chalk("at", "../elsewhere.go")
    assert outside.code == 2
    assert "../elsewhere.go is outside this repository" in outside.err


def test_a_file_reached_through_a_link_to_the_repository_is_inside(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    record = _about(repo, "src/a.py")
    repo.write("src/a.py", "1\n")
    (tmp_path / "link").symlink_to(repo.root)
    found = chalk("-C", str(tmp_path / "link"), "at", str(tmp_path / "link/src/a.py"), "--json")
    assert [row["id"] for row in json.loads(found.out)["rulings"]] == [record]


def test_a_renamed_file_keeps_its_rulings_staged_and_committed(repo: Repo, chalk: Inside) -> None:
    repo.write("src/old.py", "".join(f"line {n}\n" for n in range(30)))
    start = repo.commit()
    record = _about(repo, "src/old.py", at_commit=start)
    unrelated = repo.write("src/other.py", "x\n")
    repo.commit()
    repo.git("mv", "src/old.py", "src/new.py")
    staged = chalk.json("at", "src/new.py")
    assert [row["id"] for row in staged["rulings"]] == [record]
    assert "moved to src/new.py" in staged["rulings"][0]["drift"]
    repo.commit()
    committed = chalk.json("at", "src/new.py")
    assert [row["id"] for row in committed["rulings"]] == [record]
    assert "moved to src/new.py" in committed["rulings"][0]["drift"]
    assert chalk.ids("at", str(unrelated)) == []


def test_the_newest_comes_first_and_what_is_not_committed_before_all(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for day in ("01", "03", "02"):
        made.append(_about(repo, "a/b.py"))
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-04-{day}T09:00:00Z")
        repo.commit()
    new = _about(repo, "a/b.py")
    assert chalk.ids("at", "a/b.py") == [new, made[1], made[2], made[0]]
    assert "not committed yet" in chalk("at", "a/b.py").out


def test_drift_staleness_and_reopening_are_lines_of_their_own(repo: Repo, chalk: Inside) -> None:
    repo.write("a/b.py", "1\n")
    repo.write("requirements.txt", "django==5.1\n")
    start = repo.commit()
    _about(
        repo,
        "a/b.py",
        at_commit=start,
        scope="version-bound",
        depends_on={"django": "4.2"},
        reopens_when=["library:django>=5.0"],
        valid_from="2026-03-14",
    )
    repo.write("a/b.py", "2\n")
    repo.commit()
    ruling = chalk.json("at", "a/b.py")["rulings"][0]
    assert ruling["drift"] == "1 commit since has touched a/b.py"
    assert "django" in ruling["stale"]
    assert "django is 5.1" in ruling["reopened"]
    text = chalk("at", "a/b.py").out
    assert "1 commit since has touched a/b.py; " in text
    assert "django is 5.1" in text
    assert "reopened:" in text


def test_an_unknown_commit_makes_no_claim(repo: Repo, chalk: Inside) -> None:
    repo.write("a/b.py", "1\n")
    _about(repo, "a/b.py", at_commit="0123456789abcdef0123456789abcdef01234567")
    repo.commit()
    assert chalk.json("at", "a/b.py")["rulings"][0]["drift"] is None


def test_the_file_that_is_gone_is_said(repo: Repo, chalk: Inside) -> None:
    repo.write("a/b.py", "".join(f"{n}\n" for n in range(30)))
    start = repo.commit()
    record = _about(repo, "a/b.py", at_commit=start)
    repo.git("rm", "-q", "a/b.py")
    repo.commit()
    assert [(r["id"], r["drift"]) for r in chalk.json("at", "a/b.py")["rulings"]] == [
        (record, "a/b.py is gone")
    ]


def test_each_ruling_says_which_of_the_files_it_names(repo: Repo, chalk: Inside) -> None:
    both = _about(repo, "a/*.py")
    one = _about(repo, "a/c.py")
    found = {row["id"]: row["files"] for row in chalk.json("at", "a/b.py", "a/c.py")["rulings"]}
    assert found == {both: ["a/b.py", "a/c.py"], one: ["a/c.py"]}
    assert "it names a/b.py, a/c.py" in chalk("at", "a/b.py", "a/c.py").out


def test_no_ruling_is_said_as_no_approval_and_exits_0(repo: Repo, chalk: Inside) -> None:
    result = chalk("at", "a/b.py")
    assert result.code == 0
    assert "No record names a/b.py" in result.out
    assert "no approval" in result.out
    _about(repo, "a/b.py")
    assert chalk("at", "a/b.py").code == 0
    assert chalk("at").code == 2


def test_prose_without_files_reaches_at_by_the_paths_it_names(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="cache what src/io/reader.go says", observation=WHY)
    listed = repo.record(route="cache what src/io/reader.go says", observation=WHY, files=["docs/x.md"])
    assert chalk.ids("at", "src/io/reader.go") == [record.id]
    assert chalk.ids("at", "docs/x.md") == [listed.id]
    assert chalk.ids("list", "--file", "src/io/reader.go", key="records") == [record.id]


def test_a_name_with_glob_characters_is_a_path_where_it_is_there(repo: Repo, chalk: Inside) -> None:
    record = _about(repo, "pages/[id].tsx")
    repo.write("pages/[id].tsx", "x\n")
    assert chalk.ids("at", "pages/[id].tsx") == [record]
    assert chalk.ids("at", "pages/i.tsx") == [record]
    folder = _about(repo, "app/[slug]")
    assert chalk.ids("at", "app/[slug]/page.tsx") == [folder]
    spaced = _about(repo, "my docs/é.md")
    assert chalk.ids("at", "my docs/é.md") == [spaced]


def test_a_dot_tells_the_file_in_the_root_from_others_of_its_name(repo: Repo, chalk: Inside) -> None:
    repo.write("package.json", "{}\n" * 40)
    repo.write("web/package.json", "{}")
    root = chalk.json("tried", "pin npm", "--because", "no", "--file", "./package.json")["id"]
    every = chalk.json("tried", "use yarn here", "--because", "no", "--file", "package.json")["id"]
    glob = repo.record(files=["./*.json"], route="keep json in the root").id
    assert set(chalk.ids("at", "package.json")) == {root, every, glob}
    assert chalk.ids("at", "web/package.json") == [every]
    repo.commit()
    repo.git("mv", "package.json", "manifest.json")
    assert root in chalk.ids("at", "manifest.json")
    repo.commit()
    assert root in chalk.ids("at", "manifest.json")
