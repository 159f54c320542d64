"""Of two files with one id the copy is told to take another: not the one that the repository had first."""

from __future__ import annotations

import shutil

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

FOLDER = ".lessons/dead-ends"


def _hinted(chalk: Inside, *args: str) -> list[tuple[str, int, str]]:
    return [(one["path"], one["line"], one["hint"]) for one in chalk.json("lint", *args, code=1)["findings"]]


def test_the_committed_file_keeps_its_id_whatever_its_copy_is_called(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a route", observation="b", path=f"{FOLDER}/m.yaml")
    repo.commit()
    for name in ("copy.yaml", "z.yaml", f"a.{record.id}.yaml"):
        copy = f"{FOLDER}/{name}"
        shutil.copy(repo.root / record.path, repo.root / copy)
        assert _hinted(chalk) == [(copy, 2, f"chalkgit fmt --new-id {copy}")]
        said = chalk("lint").out
        assert record.path in said
        served = chalk.json("show", record.id)["records"][0]["path"]
        assert ("this one is read in its place" in said) is (served == copy)
        (repo.root / copy).unlink()
    assert chalk("lint").code == 0


def test_of_two_committed_files_the_older_one_keeps_its_id(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a route", observation="b", path=f"{FOLDER}/m.yaml")
    repo.commit()
    copy = f"{FOLDER}/copy.yaml"
    shutil.copy(repo.root / record.path, repo.root / copy)
    repo.commit()
    assert _hinted(chalk) == [(copy, 2, f"chalkgit fmt --new-id {copy}")]
    assert "has for longer" in chalk("lint").out
    assert _hinted(chalk, "--staged") == [(copy, 2, f"chalkgit fmt --new-id {copy}")]


def test_where_nothing_tells_the_file_that_is_not_read_is_named(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a route", observation="b", path=f"{FOLDER}/m.yaml")
    shutil.copy(repo.root / record.path, repo.root / f"{FOLDER}/copy.yaml")
    assert _hinted(chalk) == [(record.path, 2, f"chalkgit fmt --new-id {record.path}")]
    repo.commit()  # both at once
    assert _hinted(chalk) == [(record.path, 2, f"chalkgit fmt --new-id {record.path}")]
