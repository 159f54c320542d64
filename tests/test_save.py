"""`hook save`: a line a ruling for an editor that has no language server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_a_saved_file_shows_its_rulings_a_line_each(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="cache it", observation="stale", files=["src/a.py"])
    result = chalk("hook", "save", "src/a.py")
    assert result == (
        0,
        f"src/a.py:1:1: note: Tried before, and failed: cache it; why: stale; unreviewed [{record.id}]\n",
        "",
    )


def test_nothing_to_say_is_silence(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"])
    assert chalk("hook", "save", "src/b.py") == (0, "", "")
    assert chalk("hook", "save", "src/a.py").out  # the positive control


def test_a_session_is_shown_a_ruling_once_a_file_until_the_record_changes(repo: Repo, chalk: Inside) -> None:
    record = repo.record(files=["src/*.py"])
    asked = ("hook", "save", "--session", "vim:1")
    assert record.id in chalk(*asked, "src/a.py").out
    assert chalk(*asked, "src/a.py").out == ""
    assert record.id in chalk(*asked, "src/b.py").out
    assert record.id in chalk("hook", "save", "--session", "vim:2", "src/a.py").out
    chalk("correct", record.id, "--alternative", "do it by hand")
    assert "do it by hand" in chalk(*asked, "src/a.py").out


def test_without_a_session_it_is_shown_each_time(repo: Repo, chalk: Inside) -> None:
    record = repo.record(files=["src/a.py"])
    for _ in range(2):
        assert record.id in chalk("hook", "save", "src/a.py").out


def test_what_is_not_recalled_is_not_shown(repo: Repo, chalk: Inside) -> None:
    record = repo.record(files=["src/a.py"])
    assert record.id in chalk("hook", "save", "src/a.py").out
    chalk("retire", record.id, "--because", "it was wrong")
    assert chalk("hook", "save", "src/a.py").out == ""


def test_a_file_is_asked_of_its_own_repository_wherever_the_editor_runs(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    record = repo.record(files=["src/a.py"])
    path = str(repo.root / "src" / "a.py")
    result = chalk("hook", "save", path, cwd=tmp_path)
    assert result.out.startswith(f"{path}:1:1: note: ")
    assert record.id in result.out


def test_a_file_outside_any_store_is_none_of_our_business(chalk: Inside, tmp_path: Path) -> None:
    assert chalk("hook", "save", str(tmp_path / "elsewhere.py")) == (0, "", "")


def test_a_saved_record_with_a_mistake_is_an_error_in_its_line(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    out = chalk("hook", "save", ".lessons/bad.yaml").out
    assert out.startswith(".lessons/bad.yaml:")
    assert ": error: " in out


def test_the_switch_silences_it(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"])
    assert chalk("hook", "save", "src/a.py", env={"CHALKGIT_BYPASS_RULINGS": "1"}) == (0, "", "")
    assert chalk("hook", "save", "src/a.py", env={"CHALKGIT_BYPASS_RULINGS": "0"}).out


def test_reopened_rulings_say_so(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"], reopens_when=["date:2020-01-01"])
    assert "Open again (2020-01-01 has come)." in chalk("hook", "save", "src/a.py").out


def test_stored_text_that_a_terminal_would_obey_is_made_harmless(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"], route="a \u202e b \u200b c")
    out = chalk("hook", "save", "src/a.py").out
    assert "a \ufffd b \ufffd c" in out


def test_files_of_several_folders_and_repositories_are_asked_at_once(
    repo: Repo, another: Callable[[str], Repo], tmp_path: Path
) -> None:
    other = another("other")
    for each in (repo, other):
        each.record(files=["src/a.py", "lib/b.py", "top.py"])
    asked = [str(each.root / path) for each in (repo, other) for path in ("src/a.py", "lib/b.py", "top.py")]
    for _ in range(2):  # with an index that is new, and with one that is there
        result = repo.run("hook", "save", *asked, str(tmp_path / "outside.py"))
        assert result.code == 0
        assert result.err == ""
        assert [row.split(":")[0] for row in result.out.splitlines()] == asked


def test_the_short_way_in_and_the_long_one_say_the_same(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"])
    said = chalk("hook", "save", "--session", "one", "src/a.py")
    assert said.out
    assert chalk("hook", "save", "--session=two", "src/a.py") == said


def test_a_staged_rename_is_asked_by_its_old_name_however_many_files_are(repo: Repo) -> None:
    record = repo.record(files=["src/a.py"])
    repo.write("src/a.py", "a line\n" * 30)
    for number in range(250):
        repo.write(f"lib/{number}.py", f"{number}\n")
    repo.commit()
    repo.git("mv", "src/a.py", "src/b.py")
    many = [f"lib/{number}.py" for number in range(250)]
    for asked in (["src/b.py"], ["src/b.py", *many]):
        assert f"[{record.id}]" in repo.run("hook", "save", *asked).out
