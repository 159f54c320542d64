"""git merges records with the installed driver, however it merges; and what happens when it is gone."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import gits
import pytest
from hooking import Venv, git, script, venv_fixture, way_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo, Result

from chalkgit.cli import cmd_merge_driver
from chalkgit.doors.setup import drivers, shim
from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.edit import edit
from chalkgit.records.record import Record

MARKED = "<<<<<<< "


@pytest.fixture(name="told")
def told_fixture(repo: Repo, chalk: Inside, way: str) -> Record:
    """A committed record in a repository whose git has the driver."""
    assert chalk("hooks", "install").code == 0
    record = repo.record(
        route="cache it",
        observation="stale",
        files=["a.py"],
        depends_on={"django": "4.2", "flask": "1.0"},
        tags=["x"],
    )
    file = repo.root / record.path
    file.write_text(file.read_text().replace("tags:", "# how we look for it\ntags:"))
    repo.commit("base")
    return record


@pytest.fixture(name="bare")
def bare_fixture(way: str) -> str:
    """A PATH with git and without chalkgit."""
    return gits.bare_path(way)


def change(repo: Repo, record: Record, message: str, **changes: object) -> str:
    file = repo.root / record.path
    named = {name.replace("_", "-"): value for name, value in changes.items()}
    file.write_bytes(edit(file.read_bytes(), named, record.path))
    return repo.commit(message)


def sides(repo: Repo, record: Record, ours: dict[str, object], theirs: dict[str, object]) -> None:
    """Two branches, each with a change; main is checked out."""
    repo.git("checkout", "-q", "-b", "topic")
    change(repo, record, "theirs", **theirs)
    repo.git("checkout", "-q", "main")
    change(repo, record, "ours", **ours)


def read(repo: Repo, record: Record) -> Record:
    return codec.decode((repo.root / record.path).read_bytes(), record.path)[0]


HOW = {
    "merge": ("merge", "-q", "--no-edit", "topic"),
    "rebase": ("rebase", "-q", "topic"),
    "cherry-pick": ("cherry-pick", "topic"),
    "merge-tree": ("merge-tree", "--write-tree", "main", "topic"),
}
CLEAN = (
    {"files": ["a.py", "b.py"], "depends-on": {"django": "5.0", "flask": "1.0"}, "layer": "design"},
    {"files": ["a.py", "c.py"], "depends-on": {"django": "4.2", "flask": "2.0"}, "degree": "partial"},
)


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick", "merge-tree"])
def test_two_sides_that_text_cannot_merge_are_merged_cleanly(repo: Repo, told: Record, how: str) -> None:
    sides(repo, told, *CLEAN)
    # the control: git alone has a conflict here
    alone = git(repo, "-c", "merge.chalkgit.driver=false", "merge-tree", "--write-tree", "main", "topic")
    assert alone.code == 1
    done = git(repo, *HOW[how])
    assert done.code == 0, done
    if how == "merge-tree":
        data = repo.git("show", f"{done.out.split()[0]}:{told.path}").encode()
    else:
        data = (repo.root / told.path).read_bytes()
    found = codec.decode(data, told.path)[0]
    assert sorted(found.items("files")) == ["a.py", "b.py", "c.py"]
    assert found.get("depends-on") == {"django": "5.0", "flask": "2.0"}
    assert (found.get("layer"), found.get("degree")) == ("design", "partial")
    assert b"# how we look for it\ntags:" in data
    assert repo.git("status", "--porcelain") == ""
    assert not list(repo.root.glob(".merge_file*"))


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick"])
def test_a_field_that_both_changed_is_marked_and_costs_its_record_alone(
    repo: Repo, told: Record, chalk: Inside, how: str
) -> None:
    other = repo.record(route="another way", observation="no way", files=["z.py"])
    repo.commit()
    sides(repo, told, {"route": "ours", "layer": "design"}, {"route": "theirs", "degree": "partial"})
    done = git(repo, *HOW[how])
    assert done.code == 1
    assert f"{told.path}: both sides changed route (hint: " in done.err
    text = (repo.root / told.path).read_text()
    assert text.count(MARKED) == 1
    assert "layer: design\ndegree: partial\n" in text
    line = text[: text.index(MARKED)].count("\n") + 1
    said = chalk("lint")
    assert (said.code, f"{told.path}:{line}: unresolved merge conflict" in said.out) == (1, True)
    assert len(json.loads(chalk("lint", "--json").out)["findings"]) == 1
    assert chalk.ids("at", "z.py") == [other.id]
    assert chalk.ids("check", "another way") == [other.id]


def test_a_cross_of_merges_marks_nothing_inside_of_markers(repo: Repo, told: Record) -> None:
    sides(repo, told, {"route": "ours"}, {"route": "theirs"})
    ours, theirs = repo.git("rev-parse", "main"), repo.git("rev-parse", "topic")
    for branch, other, route in (("main", theirs, "one"), ("topic", ours, "other")):
        repo.git("checkout", "-q", branch)
        assert git(repo, "merge", "-q", "--no-edit", other).code == 1
        base = repo.git("show", f"{ours}:{told.path}").replace("route: ours", f"route: {route}")
        repo.write(told.path, base + "\n")
        repo.commit("merged")
    repo.git("checkout", "-q", "main")
    done = git(repo, "merge", "-q", "--no-edit", "topic")
    text = (repo.root / told.path).read_text()
    assert (done.code, text.count(MARKED)) == (1, 1)
    assert {"route: one\n", "route: other\n"} <= set(text.splitlines(True))


def test_a_file_that_both_added_is_merged_against_nothing(repo: Repo, told: Record) -> None:
    record = Record({"id": "abcd1234", "kind": "dead-end", "route": "r", "observation": "o"}, "")
    path = ".lessons/dead-ends/r.abcd1234.yaml"
    repo.git("checkout", "-q", "-b", "topic")
    for branch, tags in (("topic", ["t"]), ("main", ["o"])):
        repo.git("checkout", "-q", branch)
        repo.write(path, codec.encode(record.changed({"tags": tags}).at(path)))
        repo.commit()
    assert git(repo, "merge", "-q", "--no-edit", "topic").code == 0
    assert read(repo, record.at(path)).items("tags") == ["o", "t"]


def test_line_ends_of_windows_are_kept(repo: Repo, told: Record) -> None:
    repo.write(".lessons/.gitattributes", "*.yaml -text merge=chalkgit\n")
    file = repo.root / told.path
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    repo.commit()
    sides(repo, told, *CLEAN)
    assert git(repo, "merge", "-q", "--no-edit", "topic").code == 0
    data = file.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 10
    assert sorted(read(repo, told).items("files")) == ["a.py", "b.py", "c.py"]


def unlooked(repo: Repo) -> None:
    """Commit past our hooks, which refuse what is no record."""
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "work")


def test_what_is_no_record_is_merged_as_text_with_markers(repo: Repo, told: Record) -> None:
    repo.write(".lessons/broken.yaml", "route: [\nx: 1\n")
    repo.write(".lessons/config.yaml", "# settings\na: 1\n")
    unlooked(repo)
    repo.git("checkout", "-q", "-b", "topic")
    for branch in ("topic", "main"):
        repo.git("checkout", "-q", branch)
        repo.write(".lessons/broken.yaml", f"route: [\nx: {branch}\n")
        repo.write(".lessons/config.yaml", f"# settings\na: {branch}\n")
        unlooked(repo)
    done = git(repo, "merge", "-q", "--no-edit", "topic")
    assert done.code == 1
    for name in ("broken", "config"):
        text = (repo.root / f".lessons/{name}.yaml").read_text()
        assert f"{MARKED}ours\n" in text
        assert "\n=======\n" in text
    assert "merged as text, since .lessons/broken.yaml" in done.err


# --- when it is gone ------------------------------------------------------------------------------


def with_driver(repo: Repo, python: str) -> None:
    repo.git("config", drivers.DRIVER, shim.driver_text(shim.Interpreter(python)))


def conflict(repo: Repo, told: Record, **env: str) -> tuple[Result, str]:
    sides(repo, told, {"route": "ours"}, {"route": "theirs"})
    done = git(repo, "merge", "-q", "--no-edit", "topic", env={**os.environ, **env})
    return done, (repo.root / told.path).read_text()


def test_without_any_chalkgit_git_merges_the_text_and_marks_it(
    repo: Repo, told: Record, bare: str, tmp_path: Path
) -> None:
    with_driver(repo, str(tmp_path / "gone" / "python"))
    done, text = conflict(repo, told, PATH=bare)
    assert (done.code, text.count(f"{MARKED}ours\nroute: ours\n")) == (1, 1)
    assert "both sides changed" not in done.err


def test_the_chalkgit_on_path_stands_in_for_an_interpreter_that_is_gone(
    repo: Repo, told: Record, tmp_path: Path
) -> None:
    with_driver(repo, str(tmp_path / "gone" / "python"))
    script(tmp_path / "bin/chalkgit", f'#!/bin/sh\nexec {sys.executable} -I -m chalkgit "$@"\n')
    done, text = conflict(repo, told, PATH=f"{tmp_path / 'bin'}:{gits.bare_path('file')}")
    assert (done.code, text.count(MARKED)) == (1, 1)
    assert "both sides changed route" in done.err


@pytest.mark.parametrize(
    "code",
    [
        "os.kill(os.getpid(), 9)",
        "os._exit(1)",
        "os._exit(3)",
        "os._exit(130)",
        "raise ImportError",
        "raise KeyboardInterrupt",
    ],
)
def test_a_driver_that_dies_leaves_the_merge_to_git(
    repo: Repo, told: Record, bare: str, venv: Venv, code: str
) -> None:
    with_driver(repo, str(venv.python))
    module = venv.site / "chalkgit/records/merge_text.py"
    module.write_text(
        f"import os\n{code}\n{module.read_text()}".replace("from __future__ import annotations", "")
    )
    done, text = conflict(repo, told, PATH=bare)
    assert (done.code, text.count(f"{MARKED}ours\nroute: ours\n")) == (1, 1), done


def test_a_fault_of_ours_in_the_middle_leaves_the_merge_to_git(
    repo: Repo, told: Record, bare: str, venv: Venv
) -> None:
    with_driver(repo, str(venv.python))
    module = venv.site / "chalkgit/records/merge.py"
    module.write_text(module.read_text().replace("    pairs = {", "    raise KeyError(3)\n    pairs = {", 1))
    done, text = conflict(repo, told, PATH=bare)
    assert (done.code, text.count(MARKED)) == (1, 1)
    assert "merged as text, since KeyError: 3" in done.err


def test_a_venv_under_a_strange_name_runs_the_driver(
    repo: Repo, told: Record, bare: str, venv: Venv, tmp_path: Path
) -> None:
    strange = tmp_path / "100% {it's} %O"
    shutil.copytree(venv.folder, strange, symlinks=True)
    with_driver(repo, str(strange / "bin" / "python"))
    done, text = conflict(repo, told, PATH=bare)
    assert (done.code, text.count(MARKED)) == (1, 1)
    assert "both sides changed route" in done.err
    mark = shim.read(repo.git("config", drivers.DRIVER))
    assert mark is not None
    assert drivers.status(repo.place).troubles == []


def test_a_path_that_looks_like_an_option_or_a_command_is_a_path(repo: Repo, told: Record) -> None:
    repo.write(".gitattributes", "*.yaml merge=chalkgit\n")
    path = "-h; touch 'x' $(touch y).yaml"
    record = Record({"id": "abcd1234", "kind": "procedure", "route": "r", "trap": "t"}, path)
    repo.write(path, codec.encode(record))
    repo.commit()
    sides(repo, record, {"route": "ours", "tags": ["o"]}, {"route": "theirs", "tags": ["t"]})
    done = git(repo, "merge", "-q", "--no-edit", "topic")
    assert (done.code, "both sides changed route" in done.err) == (1, True)
    assert sorted(file.name for file in repo.root.iterdir() if file.name in "xy") == []


# --- by hand --------------------------------------------------------------------------------------


def files(folder: Path, base: str, ours: str, theirs: str) -> list[str]:
    for name, text in (("O", base), ("A", ours), ("B", theirs)):
        (folder / name).write_text(text)
    return ["O", "A", "B"]


BASE = "id: abcd1234\nkind: procedure\nroute: r\ntrap: t\n"


def test_the_result_is_in_the_second_file_and_the_others_stay(tmp_path: Path, chalk: Inside) -> None:
    ours, theirs = BASE.replace("route: r", "route: o"), BASE.replace("trap: t", "trap: u")
    three = files(tmp_path, BASE, ours, theirs)
    assert chalk("merge-driver", *three, "7", "a.yaml", cwd=tmp_path).code == 0
    assert [(tmp_path / name).read_text() for name in three] == [
        BASE,
        ours.replace("trap: t", "trap: u"),
        theirs,
    ]
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


@pytest.mark.parametrize("marker", ["0", "-1", "2000000000"])
def test_a_marker_of_no_length_is_left_to_git(tmp_path: Path, chalk: Inside, marker: str) -> None:
    three = files(tmp_path, BASE, BASE.replace("trap: t", "trap: a"), BASE.replace("route: r", "route: s"))
    done = chalk("merge-driver", "--", *three, marker, "a.yaml", cwd=tmp_path)
    assert done.code in (1, 2)
    three = files(tmp_path, BASE, BASE + "by: Ada\n", BASE.replace("route: r", "route: s"))
    assert chalk("merge-driver", *three, "9", "a.yaml", cwd=tmp_path).code == 0


def test_what_cannot_be_merged_at_all_is_an_error_and_changes_nothing(tmp_path: Path, chalk: Inside) -> None:
    files(tmp_path, BASE, BASE, BASE)
    done = chalk("merge-driver", "O", "A", "gone", "7", "a\x1b[31m.yaml", cwd=tmp_path)
    assert (done.code, (tmp_path / "A").read_text()) == (2, BASE)
    assert "cannot be merged" in done.err
    assert "\x1b" not in done.err


def test_a_result_that_cannot_be_put_in_place_is_left_to_git(
    tmp_path: Path, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, data: bytes) -> None:
        raise ChalkError("cannot be written: No space left on device", where=path)

    monkeypatch.setattr(cmd_merge_driver.atomic, "replace", full)
    three = files(tmp_path, BASE, BASE.replace("route: r", "route: o"), BASE.replace("route: r", "route: t"))
    done = chalk("merge-driver", *three, "7", "a.yaml", cwd=tmp_path)
    assert (done.code, f"{MARKED}ours\nroute: o" in (tmp_path / "A").read_text()) == (1, True)
    assert "merged as text, since ChalkError: cannot be written" in done.err


def test_where_nothing_can_be_written_the_file_stays_as_it_is(tmp_path: Path) -> None:
    ours = BASE.replace("route: r", "route: o")
    three = files(tmp_path, BASE, ours, BASE.replace("trap: t", "trap: u"))
    driver = [sys.executable, "-I", "-m", "chalkgit", "merge-driver", *three, "7", "a.yaml"]
    if os.geteuid() == 0:
        mount = f"mount --bind '{tmp_path}' '{tmp_path}' && mount -o remount,ro,bind '{tmp_path}'"
        within = f"{mount} || exit 77\ncd '{tmp_path}' && exec {shlex.join(driver)}"
        done = subprocess.run(["unshare", "-m", "sh", "-c", within], capture_output=True, check=False)
        if done.returncode == 77:
            pytest.skip("root, and mounting is not allowed here")
    else:
        tmp_path.chmod(0o555)
        done = subprocess.run(driver, cwd=tmp_path, capture_output=True, check=False)
        tmp_path.chmod(0o755)
    assert (done.returncode, (tmp_path / "A").read_text()) == (2, ours), done
