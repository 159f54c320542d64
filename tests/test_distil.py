"""The distiller: the user's own command, one document in, one rule out; without it the note is the rule."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import distilling
import pytest
from distilling import RULE
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo, Result

from chalkgit.records.record import Record

NOTE = "close the connections in teardown, the fixture leaks them"
FAILURE: dict[str, Any] = {
    "reason": "make test",
    "exit-code": "2",
    "tests": ["tests.test_pool.test_drain"],
    "error": "PoolTimeout: QueuePool limit reached",
    "output": "collected 3 items\nE   PoolTimeout: QueuePool limit reached",
}


def _open(repo: Repo, **fields: Any) -> Record:
    return repo.record("lesson", failure=FAILURE, **fields)


def _resolve(chalk: Inside, record: Record, *args: str) -> tuple[Result, dict[str, Any]]:
    result = chalk("resolve", record.id, "--note", NOTE, *args)
    assert result.code == 0, result
    row: dict[str, Any] = chalk.json("show", record.id)["records"][0]
    return result, row


def test_a_distilled_rule_is_stored_and_labelled_and_said(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    distilling.configured(tmp_path, f"read(); print({RULE!r})")
    result, row = _resolve(chalk, _open(repo))
    assert (row["resolution"], row["lesson"], row["distilled-by"]) == (NOTE, RULE, "distil")
    assert "scope" not in row or row["scope"] is None
    assert f"the rule, distilled by distil: “{RULE}”" in result.err
    assert "\n" not in result.out.strip()


def test_a_rule_that_a_person_gives_is_not_distilled(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    mark = tmp_path / "asked"
    distilling.configured(tmp_path, f"open({str(mark)!r}, 'w'); print({RULE!r})")
    own = "When it drains, stop the workers, because they hold on"
    _, row = _resolve(chalk, _open(repo), "--rule", own)
    assert (row["lesson"], row.get("distilled-by")) == (own, None)
    assert not mark.exists()
    _, row = _resolve(chalk, _open(repo))
    assert (row["lesson"], row["distilled-by"]) == (RULE, "distil")
    assert mark.exists()


@pytest.mark.parametrize(
    ("line", "option", "scope"),
    [
        ("scope: repo", (), "repo"),
        ("Scope: `general`", (), "general"),
        ("scope: local", (), None),
        ("", (), None),
        ("scope: repo", ("--scope", "general"), "general"),
    ],
)
def test_the_scope_is_what_was_given_else_what_was_distilled_else_absent(
    repo: Repo, chalk: Inside, tmp_path: Path, line: str, option: tuple[str, ...], scope: str | None
) -> None:
    distilling.configured(tmp_path, f"print({RULE!r}); print({line!r})")
    _, row = _resolve(chalk, _open(repo), *option)
    assert (row["lesson"], row.get("scope")) == (RULE, scope)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit(3)", "exit code 3"),
        ("print('half a rule'); raise SystemExit('no key is set')", "exit code 1 (no key is set)"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("pass", "it wrote nothing"),
        ("print(' \\n\\n')", "it wrote nothing"),
        ("print('Here it is:\\n\\nWhen S, do Y')", "several paragraphs"),
        ("print('When \\x1b[31mS, do Y')", "control characters"),
        ("print('When \\x00S, do Y')", "control characters"),
        ("print('When \\u202eS, do Y')", "do not show"),
        ("sys.stdout.buffer.write(b'When \\xff\\xfe')", "no UTF-8"),
        ("print('x' * 700)", "700 characters"),
        ("print('When S, do Y. ' * 10000)", "more than 4,096 bytes"),
        ("print('---')", "no rule"),
        (f"print({FAILURE['error']!r})", "names no fix"),
        ("print('the test is flaky')", "names no fix"),
        ("sys.stderr.write('a\\x1b[31mb\\n' * 9); sys.exit(1)", "exit code 1 (a"),
    ],
)
def test_where_the_distiller_fails_it_is_said_in_one_line_and_the_note_is_the_rule(
    repo: Repo, chalk: Inside, tmp_path: Path, body: str, said: str
) -> None:
    distilling.configured(tmp_path, body)
    result, row = _resolve(chalk, _open(repo))
    assert (row["lesson"], row.get("distilled-by")) == (NOTE, None)
    assert said in result.err
    assert len(result.err.splitlines()) == 1
    assert "\x1b" not in result.err
    assert result.err.strip().endswith("; the note is the rule")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("no-such-program-here --fast", "was not found"),
        ("/nowhere/at/all", "was not found"),
        ("'unclosed", "no closing quotation"),
        ({"seconds": "5"}, "names no command"),
        ({"command": "true", "seconds": "soon"}, "“soon” is no number"),
        ({"command": "true", "seconds": "1e9"}, "is no number up to 600"),
        ({"command": "true", "seconds": "nan"}, "is no number up to 600"),
        (["true", ["nested"]], "names no command"),
    ],
)
def test_a_distiller_that_cannot_be_run_or_read_costs_the_draft_alone(
    repo: Repo, chalk: Inside, setting: object, said: str
) -> None:
    distilling.settings(setting)
    result, row = _resolve(chalk, _open(repo))
    assert row["lesson"] == NOTE
    assert said in result.err
    assert len(result.err.splitlines()) == 1


def test_settings_that_cannot_be_read_cost_the_draft_alone(repo: Repo, chalk: Inside) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    record = _open(repo)
    file.write_text("distiller: [\n")
    result, row = _resolve(chalk, record)
    assert row["lesson"] == NOTE
    assert "no rule was distilled: the settings file is no YAML" in result.err


@pytest.mark.parametrize("form", ["line", "list", "mapping"])
def test_a_command_is_a_line_a_list_or_a_mapping_and_no_shell_reads_it(
    repo: Repo, chalk: Inside, tmp_path: Path, form: str
) -> None:
    mark = tmp_path / "made"
    file = distilling.program(tmp_path, "read(); print('When S, do', '|'.join(sys.argv[1:]))", "my own")
    words = [str(file), "a b", "$HOME", f"; touch {mark}"]
    line = f"'{file}' 'a b' $HOME '; touch {mark}'"
    distilling.settings({"line": line, "list": words, "mapping": {"command": words, "name": "x"}}[form])
    _, row = _resolve(chalk, _open(repo))
    assert row["lesson"] == f"When S, do a b|$HOME|; touch {mark}"
    assert row["distilled-by"] == ("x" if form == "mapping" else "my own")
    assert not mark.exists()


def test_a_repository_names_no_command_that_runs(
    repo: Repo, chalk: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    file = distilling.program(repo.root, f"open({str(mark)!r}, 'w'); print({RULE!r})", "evil")
    with (repo.root / ".lessons/config.yaml").open("a") as config:
        config.write(f"\ndistiller: {file}\n")
    result, row = _resolve(chalk, _open(repo))
    assert (row["lesson"], result.err) == (NOTE, "")
    for setting in ("./evil", "evil"):
        monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
        Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml").write_text("")
        distilling.settings(setting)
        result, row = _resolve(chalk, _open(repo))
        assert row["lesson"] == NOTE
        assert "no rule was distilled by evil" in result.err
    assert not mark.exists()
    Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml").write_text("")
    distilling.settings(str(file))
    assert _resolve(chalk, _open(repo))[1]["lesson"] == RULE
    assert mark.exists()


def test_it_starts_in_an_empty_folder_that_is_gone_afterwards(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    distilling.configured(
        tmp_path,
        f"open({str(told)!r}, 'w').write(f'{{os.getcwd()}}|{{os.environ[\"PWD\"]}}|{{os.listdir()}}')",
    )
    _resolve(chalk, _open(repo))
    folder, said, listed = told.read_text().split("|")
    assert folder == os.path.realpath(said)
    assert listed == "[]"
    assert not Path(folder).exists()


def test_at_the_limit_the_command_and_its_children_end(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    numbers = tmp_path / "pids"
    child = "[sys.executable, '-I', '-c', 'import time; time.sleep(300)']"
    body = (
        f"p = subprocess.Popen({child})\n"
        f"open({str(numbers)!r}, 'w').write(f'{{os.getpid()}} {{p.pid}}')\n"
        f"print({RULE!r}, flush=True)\n"
        "time.sleep(300)"
    )
    distilling.configured(tmp_path, body, seconds="3")
    result, row = _resolve(chalk, _open(repo))
    assert row["lesson"] == NOTE
    assert "took longer than 3 s" in result.err
    assert all(_gone(int(number)) for number in numbers.read_text().split())


def test_a_child_left_behind_is_not_waited_for(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    child = "[sys.executable, '-I', '-c', 'import time; time.sleep(300)']"
    distilling.configured(tmp_path, f"subprocess.Popen({child}); print({RULE!r})", seconds="200")
    before = time.monotonic()
    _, row = _resolve(chalk, _open(repo))
    assert row["lesson"] == RULE
    assert time.monotonic() - before < 100


def _gone(number: int) -> bool:
    """Whether the process ended, waiting a little for whoever collects it."""
    for _ in range(200):
        try:
            os.kill(number, 0)
            with open(f"/proc/{number}/stat") as file:
                if ") Z" in file.read():
                    return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_the_program_is_found_on_path_and_its_name_is_what_the_record_says(
    repo: Repo, chalk: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distilling.program(tmp_path, f"print({RULE!r})", "my-distiller")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    distilling.settings("my-distiller --quiet")
    assert _resolve(chalk, _open(repo))[1]["distilled-by"] == "my-distiller"


def test_the_document_holds_failure_note_and_fix(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    repo.write("pool.py", "a\nb\nc\n")
    repo.write("both.py", "one\n")
    start = repo.commit()
    repo.write("pool.py", "a\nb, closed\nc\n")
    repo.write("both.py", "two\n")
    repo.commit()
    repo.write("both.py", "three\n")
    repo.write("new.py", "new\n")
    repo.git("add", "new.py")
    told = tmp_path / "told"
    distilling.configured(tmp_path, f"open({str(told)!r}, 'w').write(read()); print({RULE!r})")
    _resolve(chalk, _open(repo, at_commit=start))
    document = told.read_text()
    headings = [line.split(":")[0] for line in document.splitlines() if line.startswith("# ")]
    assert headings == ["# Task", "# Note", "# Failure", "# Error", "# Output", "# Diff"]
    for text in (NOTE, "exit code: 2", "- tests.test_pool.test_drain", FAILURE["error"], "collected 3 items"):
        assert f"    {text}" in document
    for line in ("-b\n", "+b, closed\n", "-one\n", "+three\n", "+new\n"):
        assert line in document
    assert "two" not in document
    assert ".lessons" not in document
