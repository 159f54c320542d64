"""The user's other stores: added once, found again, forgotten when they vanish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from repository import Repo

from chalkgit import settings
from chalkgit.errors import ChalkError, NoStore
from chalkgit.store import stores

Another = Callable[[str], Repo]


def test_a_store_is_added_once_by_any_path_into_it(repo: Repo, tmp_path: Path) -> None:
    settings.update({"stores": None})
    (repo.root / "src").mkdir()
    (tmp_path / "link").symlink_to(repo.root)
    for path in (repo.root, repo.root / "src", tmp_path / "link"):
        assert stores.add(str(path)) == str(repo.root)
    assert stores.roots() == [str(repo.root)]


def test_what_has_no_store_is_not_added(tmp_path: Path) -> None:
    with pytest.raises(ChalkError, match="not inside a git repository"):
        stores.add(str(tmp_path))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(NoStore):
        stores.add(str(tmp_path))
    assert stores.roots() == []


def test_a_store_is_removed_by_its_root_even_when_it_is_gone(repo: Repo, another: Another) -> None:
    other = another("other")
    shutil.rmtree(other.root)
    stores.remove(str(other.root))
    assert stores.roots() == [str(repo.root)]
    with pytest.raises(ChalkError, match="is not one of your stores"):
        stores.remove(str(other.root))
    stores.remove(str(repo.root))
    assert settings.read() == {}


def test_other_settings_and_comments_survive(repo: Repo, another: Another) -> None:
    file = Path(settings.path())
    file.write_text(f"# mine\nmodel: x\nstores:\n- {repo.root}\n")
    other = another("other")
    stores.add(str(other.root))
    stores.remove(str(repo.root))
    assert "# mine\nmodel: x\n" in file.read_text()
    assert stores.roots() == [str(other.root)]


@pytest.mark.parametrize("value", ["x", {"a": "b"}, [["a"]], []])
def test_a_setting_of_another_shape_is_no_store(value: object) -> None:
    settings.update({"stores": value, "other": "y"})
    assert [root for root in stores.roots() if not isinstance(root, str)] == []
    stores.forget("/nowhere")
    assert settings.read()["other"] == "y"


def test_two_processes_that_add_at_once_both_count(repo: Repo, another: Another) -> None:
    others = [another(f"other{n}") for n in range(4)]
    settings.update({"stores": None})
    code = "import sys\nfrom chalkgit.store import stores\nstores.add(sys.argv[1])"
    children = [subprocess.Popen([sys.executable, "-c", code, str(o.root)]) for o in others]
    assert [child.wait() for child in children] == [0] * 4
    assert sorted(stores.roots()) == sorted(str(o.root) for o in others)


def test_a_vanished_store_is_told_once_and_a_broken_one_stops_nobody(repo: Repo, another: Another) -> None:
    repo.record(route="warm the cache at night")
    gone, broken, whole = another("gone"), another("broken"), another("whole")
    whole.record(route="sort the queue by age")
    shutil.rmtree(gone.root)
    shutil.rmtree(broken.root / ".git")
    (broken.root / ".git").write_text("gitdir: /nowhere\n")
    result = repo.run("check", "sort the queue by age")
    assert result.code == 1
    assert "another repository" in result.out
    assert f"{gone.root} is no repository any more, and is forgotten" in result.err
    # what is there and cannot be read now (a permission, a mount, a moved work tree) may come back
    skipped = f"chalkgit: {broken.root} was not asked: it cannot be read as a repository\n"
    assert skipped in result.err
    assert result.err.count("is forgotten") == 1
    assert repo.run("check", "sort the queue by age").err == skipped
    assert stores.roots() == [str(repo.root), str(broken.root), str(whole.root)]


def test_another_store_is_never_written_beyond_its_derived_data(repo: Repo, another: Another) -> None:
    other = another("other")
    record = other.record(route="sort the queue by age")
    before = {p: p.read_bytes() for p in (other.root / ".lessons").rglob("*") if p.is_file()}
    index = os.path.join(other.root, ".git", "index")
    assert repo.run("check", "sort the queue by age").code == 1
    assert before == {p: p.read_bytes() for p in (other.root / ".lessons").rglob("*") if p.is_file()}
    assert not os.path.exists(index)
    assert record.id in other.run("list").out
