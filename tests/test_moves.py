"""A file keeps the rulings of the names it had, as far as history and the index tell of renames."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from repository import Repo

from chalkgit import thresholds
from chalkgit.doors import background, showing
from chalkgit.index import moves, refresh
from chalkgit.store import git, renames

ODD = 'src/ a "b" $(touch ran) é.py'


def body(seed: str) -> str:
    return "".join(f"{seed} {n}\n" for n in range(40))


def earlier(repo: Repo, *paths: str) -> dict[str, list[str]]:
    index = refresh.up_to_date(repo.place)
    return moves.earlier_names(index, paths, renames.pairs(renames.staged(repo.place.root)))


def named(repo: Repo, *paths: str) -> None:
    """Records that name these paths, and files there, committed."""
    for path in paths:
        repo.record(route=f"on {path.split('/')[-1].strip()}", files=[path])
        repo.write(path, body(path))
    repo.commit()


def test_a_committed_rename_is_followed(repo: Repo) -> None:
    named(repo, "src/a.py", "src/b.py")
    assert earlier(repo, "src/a.py", "src/new.py") == {"src/a.py": [], "src/new.py": []}
    repo.git("mv", "src/a.py", "src/new.py")
    repo.commit()
    assert earlier(repo, "src/new.py", "src/b.py") == {"src/new.py": ["src/a.py"], "src/b.py": []}
    assert "on a.py" in repo.run("at", "src/new.py").out
    assert "on a.py" not in repo.run("at", "src/b.py").out


def test_a_staged_rename_is_followed_and_undone_it_is_not(repo: Repo) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/new.py")
    assert earlier(repo, "src/new.py") == {"src/new.py": ["src/a.py"]}
    repo.git("mv", "src/new.py", "src/a.py")
    assert earlier(repo, "src/new.py", "src/a.py") == {"src/new.py": [], "src/a.py": []}


def test_a_chain_of_renames_is_followed_as_it_grows(repo: Repo) -> None:
    named(repo, "src/a.py")
    for old, new in (("src/a.py", "lib/b.py"), ("lib/b.py", "c.py"), ("c.py", "src/d.py")):
        (repo.root / new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)
        repo.commit()
        assert earlier(repo, new) == {new: ["src/a.py"]}
    assert earlier(repo, "lib/b.py", "c.py") == {"lib/b.py": [], "c.py": []}


def test_a_folder_that_moved_takes_its_rulings_along(repo: Repo) -> None:
    repo.record(route="on the folder", files=["old/"])
    repo.write("old/x.py", body("x"))
    repo.write("old/y.py", body("y"))
    repo.commit()
    repo.git("mv", "old", "new")
    repo.commit()
    assert earlier(repo, "new/x.py") == {"new/x.py": ["old/"]}
    assert "on the folder" in repo.run("at", "new/x.py").out


def test_a_deleted_file_has_gone_nowhere_until_a_later_commit_renames_that_name(repo: Repo) -> None:
    named(repo, "src/a.py")
    repo.git("rm", "-q", "src/a.py")
    repo.commit()
    assert earlier(repo, "src/new.py") == {"src/new.py": []}
    repo.write("src/a.py", body("again"))
    repo.commit()
    repo.git("mv", "src/a.py", "src/new.py")
    repo.commit()
    assert earlier(repo, "src/new.py") == {"src/new.py": ["src/a.py"]}


def test_what_was_found_holds_only_for_the_history_it_was_found_in(repo: Repo) -> None:
    named(repo, "src/a.py")
    before = repo.git("rev-parse", "HEAD")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("reset", "-q", "--hard", before)
    repo.git("mv", "src/a.py", "src/c.py")
    repo.commit("another history")
    assert earlier(repo, "src/b.py", "src/c.py") == {"src/b.py": [], "src/c.py": ["src/a.py"]}
    repo.git("reset", "-q", "--hard", before)
    repo.git("rm", "-q", "src/a.py")
    repo.commit("deleted in this one")
    assert earlier(repo, "src/c.py") == {"src/c.py": []}
    repo.git("commit", "-q", "--amend", "-m", "amended")
    assert earlier(repo, "src/c.py") == {"src/c.py": []}


def test_a_name_that_is_a_file_again_is_no_earlier_name(repo: Repo) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    repo.write("src/a.py", body("new"))
    assert earlier(repo, "src/b.py") == {"src/b.py": []}
    (repo.root / "src/a.py").unlink()
    repo.commit()  # searched again with every commit, and not before
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}


def test_a_record_written_after_the_rename_is_found_too(repo: Repo) -> None:
    named(repo, "src/other.py")
    repo.write("src/a.py", body("a"))
    repo.commit()
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert earlier(repo, "src/b.py") == {"src/b.py": []}
    repo.record(route="about the old name", files=["src/a.py"])
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}


def test_history_is_walked_once_a_head(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    earlier(repo, "src/b.py")
    walks: list[str] = []
    ask = git.ask

    def asked(root: str, *args: str, stdin: bytes | None = None) -> tuple[int, bytes, bytes]:
        walks.append(args[0])
        return ask(root, *args, stdin=stdin)

    monkeypatch.setattr(git, "ask", asked)
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    assert "log" not in walks
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    assert "log" in walks


def test_a_deletion_that_is_undone_leaves_no_trace(repo: Repo) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.git("rm", "-q", "src/b.py")
    # searched while the file is deleted, but not committed as such
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("reset", "-q", "--hard")
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("rm", "-q", "src/b.py")
    repo.commit()
    assert earlier(repo, "src/b.py") == {"src/b.py": []}


def test_a_staged_rename_of_a_renamed_file_is_followed(repo: Repo) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    repo.git("mv", "src/b.py", "src/c.py")
    assert "src/a.py" in earlier(repo, "src/c.py")["src/c.py"]


def hurried(repo: Repo, *paths: str) -> dict[str, list[str]]:
    index = refresh.up_to_date(repo.place)
    pairs = renames.pairs(renames.staged(repo.place.root))
    return moves.earlier_names(index, paths, pairs, hurried=True)


def test_in_a_hurry_the_commits_since_the_last_search_are_enough(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(repo, "src/a.py", "src/z.py")
    assert hurried(repo, "src/a.py") == {"src/a.py": []}  # nothing was searched yet: so it is now
    monkeypatch.setattr(moves, "_search", None)
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert hurried(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("mv", "src/b.py", "src/c.py")
    assert "src/a.py" in hurried(repo, "src/c.py")["src/c.py"]
    repo.commit()
    assert "src/a.py" in hurried(repo, "src/c.py")["src/c.py"]
    assert hurried(repo, "src/z.py") == {"src/z.py": []}


def test_in_a_hurry_a_rewritten_history_is_searched(repo: Repo) -> None:
    named(repo, "src/a.py")
    before = repo.git("rev-parse", "HEAD")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert hurried(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}
    repo.git("reset", "-q", "--hard", before)
    repo.git("mv", "src/a.py", "src/c.py")
    repo.commit("another history")
    assert hurried(repo, "src/b.py", "src/c.py") == {"src/b.py": [], "src/c.py": ["src/a.py"]}


def test_in_a_hurry_a_long_history_is_left_to_the_background_which_is_said(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    monkeypatch.setattr(thresholds, "HURRIED_LOST", 0)
    monkeypatch.setattr(background, "_begun", {})
    found = showing.about(repo.place, ["src/b.py"], surface="editor")
    assert found.rulings == []
    assert "earlier names of moved files may be missing" in " ".join(found.told)
    [pid] = background._begun.values()
    assert os.waitpid(pid, 0)[1] == 0
    found = showing.about(repo.place, ["src/b.py"], surface="editor")
    assert [ruling.path for ruling in found.rulings] == ["src/b.py"]
    assert found.told == []


def test_only_so_many_lost_files_are_followed_in_a_hurry(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    named(repo, "src/a.py", "src/b.py", "src/c.py")
    for name in "abc":
        repo.git("mv", f"src/{name}.py", f"lib-{name}.py")
    repo.commit()
    monkeypatch.setattr(thresholds, "HURRIED_LOST", 1)
    for rest in (True, True, False):
        index = refresh.up_to_date(repo.place)
        moves.earlier_names(index, [], [], hurried=True)
        assert index.unsearched == rest
    assert hurried(repo, "lib-a.py", "lib-c.py") == {"lib-a.py": ["src/a.py"], "lib-c.py": ["src/c.py"]}


def test_git_that_takes_too_long_is_ended(repo: Repo) -> None:
    child = git.start(repo.root.as_posix(), "cat-file", "--batch")
    with pytest.raises(TimeoutError):
        git.Child(str(repo.root), ("hash-object", "--stdin"), os.pipe()[0]).output(0.1)
    assert child.output(10)[0] == 0


def test_any_name_is_data(repo: Repo) -> None:
    named(repo, ODD, "-o.py/x.py", ":(top)a/b.py")
    for n, old in enumerate((ODD, "-o.py/x.py", ":(top)a/b.py")):
        repo.git("--literal-pathspecs", "mv", "--", old, f"new{n}.py")
    repo.commit()
    assert earlier(repo, "new0.py", "new1.py", "new2.py") == {
        "new0.py": [ODD],
        "new1.py": ["-o.py/x.py"],
        "new2.py": [":(top)a/b.py"],
    }
    assert not list(repo.root.rglob("ran"))


def test_a_rename_to_a_name_that_is_not_utf8_stops_nobody(repo: Repo) -> None:
    named(repo, "src/a.py", "src/b.py")
    target = os.fsdecode(b"src/\xff.py")
    repo.git("mv", "src/a.py", target)
    repo.git("mv", "src/b.py", "src/c.py")
    repo.commit()
    for _ in range(2):
        assert earlier(repo, target, "src/c.py") == {target: ["src/a.py"], "src/c.py": ["src/b.py"]}


def test_ten_thousand_lost_paths_of_any_length_are_no_crash(repo: Repo) -> None:
    """A hostile store can name more than a command line holds."""
    for n in range(12):
        repo.record(route=f"r{n}", files=[f"{'d' * 200}/{'x' * 3000}{n}-{m}.py" for m in range(60)])
    repo.record(route="many", files=[f"gone/{n}.py" for n in range(5000)])
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    assert earlier(repo, "src/b.py") == {"src/b.py": ["src/a.py"]}


def test_without_commits_there_are_no_earlier_names(repo: Repo) -> None:
    repo.record(files=["src/a.py"])
    assert earlier(repo, "src/b.py") == {"src/b.py": []}


def test_a_shallow_clone_and_a_damaged_history_are_no_crash(repo: Repo, tmp_path: Path) -> None:
    named(repo, "src/a.py")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit()
    subprocess.run(["git", "clone", "-q", "--depth", "1", repo.root.as_uri(), "c"], cwd=tmp_path, check=True)
    assert earlier(Repo(tmp_path / "c"), "src/b.py") == {"src/b.py": []}
    parent = repo.git("rev-parse", "HEAD~1")
    (repo.root / ".git/objects" / parent[:2] / parent[2:]).unlink()
    assert earlier(repo, "src/b.py") == {"src/b.py": []}
