"""What somebody who meant to break it found once: each stays mended."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import globs
from chalkgit.index import generation
from chalkgit.store import atomic, worktree, writes

ROUTE, WHY = "cache the parsed manifest in a module global", "workers kept the old one"


def _program(repo: Repo, *args: str) -> list[str]:
    return [sys.executable, "-I", "-m", "chalkgit", "-C", str(repo.root), *args]


def test_a_touched_file_is_committed_still_and_an_edited_one_is_not(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    repo.commit("records")
    file = repo.root / record.path
    os.utime(file, (time.time() + 5, time.time() + 5))
    for question in (("at", "src/a.py"), ("check", ROUTE, "--lexical")):
        assert "not committed yet" not in chalk(*question).out
    assert chalk.json("list")["records"][0]["commit"] is not None
    file.write_text(file.read_text() + "# edited\n")
    assert "not committed yet" in chalk("at", "src/a.py").out
    assert chalk.json("list")["records"][0]["commit"] is None


def test_what_git_could_not_say_is_not_kept(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    repo.commit("records")
    repo.git("config", "log.date", "foo")
    assert "not committed yet" not in chalk("at", "src/a.py").out
    repo.git("config", "--unset", "log.date")
    assert chalk.json("at", "src/a.py")["rulings"][0]["commit"] == repo.git("rev-parse", "HEAD")


def test_a_shallow_clone_does_not_take_its_edge_for_the_recorder(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    repo.commit("records")
    repo.write("later", "x")
    repo.commit("later")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone))
    said = chalk.json("-C", str(clone), "at", "src/a.py")["rulings"][0]
    assert (said["commit"], said["recorded_at"]) == (None, None)
    assert "not committed yet" not in chalk("-C", str(clone), "at", "src/a.py").out
    assert chalk.json("at", "src/a.py")["rulings"][0]["commit"] == repo.git("rev-parse", "HEAD~1")


def test_two_folders_that_change_places_are_read_again(repo: Repo, chalk: Inside) -> None:
    first = repo.record(route=ROUTE, observation=WHY)
    text = (repo.root / first.path).read_text()
    for name, word in (("one", "global"), ("two", "lokale")):
        (repo.root / ".lessons" / name).mkdir()
        other = text.replace(first.id, "b1cdefgh").replace("global", word)
        (repo.root / ".lessons" / name / "x.yaml").write_text(other if name == "one" else text)
    (repo.root / first.path).unlink()
    same = (1_700_000_000, 1_700_000_000)
    for name in ("one", "two"):
        os.utime(repo.root / ".lessons" / name / "x.yaml", same)
    place = repo.place
    before = worktree.look(place, 0).by_path()
    a, b, c = (repo.root / ".lessons" / name for name in ("one", "two", "three"))
    a.rename(c), b.rename(a), c.rename(b)
    assert worktree.look(place, 0).by_path() != before


def test_of_two_files_with_one_id_every_command_reads_the_same(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    text = (repo.root / record.path).read_text().replace(ROUTE, "a stale copy")
    for name in ("a.yaml", "a.b1cdefgh.yaml"):
        copy = repo.root / ".lessons/dead-ends" / name
        copy.write_text(text)
        for args in (("list",), ("export",), ("show", record.id), ("at", "src/a.py")):
            out = chalk(*args).out
            assert ROUTE in out, args
            assert "a stale copy" not in out, args
        assert f"{name}:2: has the id {record.id}, which {record.path} has too" in chalk("lint").out
        copy.unlink()


def test_core_worktree_says_where_the_records_are(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    other = tmp_path / "other"
    shutil.copytree(repo.root / ".lessons", other / ".lessons")
    assert chalk("retire", record.id, "--because", "x").code == 0
    assert chalk("check", ROUTE, "--lexical").code == 0
    repo.git("config", "core.worktree", str(other))
    assert repo.run("check", ROUTE, "--lexical").code == 1


def test_imports_at_the_same_time_make_each_ref_once(repo: Repo, chalk: Inside) -> None:
    rows = "\n".join(
        json.dumps({"ref": f"x:{n}", "route": f"try number {n} of it", "observation": "no"})
        for n in range(20)
    )
    command = _program(repo, "import", "-")
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    for process in running:
        process.communicate(rows)
    assert len(chalk.json("list")["records"]) == 20
    assert chalk("lint").code == 0


def test_corrections_at_the_same_time_are_all_kept(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    fields = {"alternative": "x", "layer": "design", "degree": "partial", "action": "retry"}
    commands = [_program(repo, "correct", record.id, f"--{name}", value) for name, value in fields.items()]
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]:
        assert process.wait() == 0
    shown = chalk.json("show", record.id)["records"][0]
    assert {name: shown[name] for name in fields} == fields


def test_deleting_the_derived_data_leaves_the_notes(repo: Repo, chalk: Inside) -> None:
    chalk("note", f"{ROUTE} did not work")
    shutil.rmtree(repo.root / ".git" / "chalkgit")
    assert chalk("check", ROUTE, "--lexical").code == 1


def test_a_killed_write_leaves_nothing_for_git_to_add(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def kill(*args: object) -> None:
        raise Killed

    monkeypatch.setattr(os, "fsync", kill)
    monkeypatch.setattr(os, "unlink", lambda *args: None)  # a killed process cleans nothing up
    with pytest.raises(Killed):
        writes.add(repo.place, {"kind": "dead-end", "route": ROUTE, "observation": WHY}, ())
    monkeypatch.undo()
    assert "dead-ends" not in repo.git("status", "--porcelain", "--untracked-files=all")
    assert list((repo.root / ".git/chalkgit/tmp").iterdir())
    atomic.create(str(repo.root / "control"), b"x")
    assert "control" in repo.git("status", "--porcelain", "--untracked-files=all")


@pytest.mark.parametrize("where", ["worktree", "comments"])
def test_a_hidden_content_filter_never_runs(repo: Repo, chalk: Inside, where: str) -> None:
    record = repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    repo.commit("records")
    witness = repo.root / "ran"
    command = f"touch {witness}; cat"
    (repo.root / ".git/info/attributes").write_text("*.yaml filter=x\n")
    if where == "worktree":
        repo.git("config", "extensions.worktreeConfig", "true")
        repo.git("config", "--worktree", "filter.x.clean", command)
    else:
        with open(repo.root / ".git/config", "a") as config:
            config.write("# padding\n" * 130_000)
        repo.git("config", "filter.x.clean", command)
    (repo.root / record.path).touch()
    for _ in range(2):
        assert record.id in chalk("at", "src/a.py").out
    assert not witness.exists()
    repo.git("status")
    assert witness.exists(), "the control: git status runs it"


def test_staging_goes_through_the_users_own_filters(repo: Repo, chalk: Inside) -> None:
    repo.git("config", "filter.crypt.clean", "tr a-z A-Z")
    (repo.root / ".git/info/attributes").write_text("*.yaml filter=crypt\n")
    told = json.loads(chalk("tried", ROUTE, "--because", WHY, "--stage", "--json").out)
    assert ROUTE.upper() in repo.git("show", f":{told['path']}")


def test_a_glob_takes_time_in_proportion_to_its_length() -> None:
    hostile = "*a" * 40 + "b"
    start = time.perf_counter()
    assert not globs.matches(hostile, "a" * 2_000)
    assert not globs.matches("**/" * 40 + "b", "a/" * 1_000 + "a")
    assert globs.matches("*a" * 40, "a" * 2_000)
    assert time.perf_counter() - start < 20


def test_a_standard_error_that_takes_nothing_changes_no_exit_code(repo: Repo) -> None:
    repo.record(route=ROUTE, observation=WHY)
    repo.write(".lessons/dead-ends/bad.yaml", "id: [\n")
    for asked, code in (("zebra", 0), (ROUTE, 1)):
        command = _program(repo, "check", asked, "--lexical")
        with open("/dev/full", "w") as full:
            assert (
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full, check=False).returncode
                == code
            )
        closed = subprocess.run(
            ["sh", "-c", 'exec "$@" 2>&-', "sh", *command], capture_output=True, text=True, check=False
        )
        assert closed.returncode == code
        assert "bad.yaml" not in closed.stdout


def test_a_commit_that_cannot_be_read_costs_its_supersessions_alone(repo: Repo, chalk: Inside) -> None:
    old = repo.record(route=ROUTE, observation=WHY)
    new = repo.record(route="another way", observation=WHY, supersedes=[old.id])
    repo.commit("records")
    blob = repo.git("rev-parse", f"HEAD:{new.path}")
    loose = repo.root / ".git/objects" / blob[:2] / blob[2:]
    assert chalk("check", ROUTE, "--lexical").code == 0
    loose.chmod(0o644)
    loose.write_bytes(b"")
    shutil.rmtree(repo.root / ".git/chalkgit")
    # the file here is what HEAD names, by its hash: the object need not be read
    assert chalk("check", ROUTE, "--lexical").code == 0
    repo.write(new.path, (repo.root / new.path).read_text() + "tags: [edited]\n")
    assert chalk("check", ROUTE, "--lexical").code == 1, "what was replaced still stands"


def test_a_flipped_bit_in_the_table_is_not_shown_as_a_record(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY, files=["src/a.py"])
    assert ROUTE in chalk("at", "src/a.py").out
    index = generation.current(repo.place)
    assert index is not None
    assert index.folder is not None
    with closing(sqlite3.connect(Path(index.folder) / "table.db")) as table, table:
        table.execute("update files set body = replace(body, 'manifest', 'manifold')")
    for _ in range(2):
        assert ROUTE in chalk("at", "src/a.py").out
    assert record.id in chalk("at", "src/a.py").out


def test_odd_things_in_the_way_end_in_one_line(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY)
    assert chalk("check", ROUTE, "--lexical").code == 1
    (repo.root / ".git/chalkgit/manifest.json").write_text("[" * 100_000)
    assert chalk("check", ROUTE, "--lexical").code == 1
    repo.git("config", "i18n.logOutputEncoding", "UTF-16")
    assert chalk("check", ROUTE, "--lexical").code == 1
    (repo.root / ".lessons/record.schema.json").unlink()
    os.mkfifo(repo.root / ".lessons/record.schema.json")
    assert chalk("init").code == 0
    other = repo.root / "nested"
    repo.git("init", "-q", str(other))
    (other / ".lessons").write_text("in the way")
    assert chalk("-C", str(other), "init").code == 2


def test_a_batch_is_answered_line_by_line_as_it_comes(repo: Repo) -> None:
    repo.record(route=ROUTE, observation=WHY)
    command = _program(repo, "check", "--batch", "-", "--lexical")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asked:
        assert asked.stdin is not None
        assert asked.stdout is not None
        for _ in range(2):
            asked.stdin.write(ROUTE + "\n")
            asked.stdin.flush()
            assert json.loads(asked.stdout.readline())["verdict"] == "tried"
        asked.stdin.close()
