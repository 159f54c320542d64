"""The editors' snippets: where they go, and the syntax of those whose editors cannot be run here."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree
from pathlib import Path

import pytest
from editing import SNIPPETS, path_fixture, run, two_rulings  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit.doors.setup import editors
from chalkgit.errors import ChalkError

NODE = shutil.which("node")


def test_the_published_snippets_are_those_of_the_package() -> None:
    ours = {file.relative_to(SNIPPETS): file.read_text() for file in SNIPPETS.rglob("*") if file.is_file()}
    published = ROOT / "hooks" / "editors"
    assert ours == {f.relative_to(published): f.read_text() for f in published.rglob("*") if f.is_file()}
    assert {str(path.parent) for path in ours} == set(editors.NAMES)


# --- by their syntax -----------------------------------------------------------------------------


def _real_lines(repo: Repo, chalk: Inside) -> list[str]:
    two_rulings(repo)
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    paths = [str(repo.root / name) for name in ("my src/a.py", ".lessons/bad.yaml")]
    out = sorted(chalk("hook", "save", *paths).out.splitlines(), key=lambda said: ": error: " in said)
    assert [": error: " in line for line in out] == [False, False, True]
    return out


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_problem_matcher_of_vs_code_reads_real_lines(repo: Repo, chalk: Inside) -> None:
    lines = _real_lines(repo, chalk)
    (task,) = json.loads(editors.text("vscode", "tasks.json"))["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    script = """
const [regexp, lines] = JSON.parse(process.argv[1]);
console.log(JSON.stringify(lines.map(line => new RegExp(regexp).exec(line))));
"""
    matched = json.loads(run(repo, str(NODE), "-e", script, json.dumps([pattern["regexp"], lines])))
    assert [m[pattern["file"]] for m in matched[1:]] == [
        str(repo.root / "my src/a.py"),
        str(repo.root / ".lessons/bad.yaml"),
    ]
    assert [m[pattern["severity"]] for m in matched] == ["note", "note", "error"]
    assert matched[0][pattern["message"]].startswith("Tried before, and failed: ")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.usefixtures("path")
def test_run_on_save_takes_no_name_that_a_shell_would_obey(repo: Repo) -> None:
    record = repo.record(files=["src/"])
    (command,) = json.loads(editors.text("vscode", "settings.json"))["emeraldwalk.runonsave"]["commands"]
    good, bad = "src/tëst a-1.py", ["src/$(touch x).py", "src/`x`.py", 'src/".py', "src/\\.py", "src/;.py"]
    repo.write(good, "1\n")
    # what the extension does: the pattern on the absolute path, the name put in, and a shell
    script = """
const [match, cmd, files] = JSON.parse(process.argv[1]);
const taken = files.filter(f => new RegExp(match).test(f));
const told = taken.map(f => require('child_process').execSync(cmd.replace('${file}', f)).toString());
console.log(JSON.stringify([taken, told]));
"""
    files = [str(repo.root / name) for name in (good, *bad)]
    asked = json.dumps([command["match"], command["cmd"], files])
    taken, told = json.loads(run(repo, str(NODE), "-e", script, asked))
    assert taken == files[:1]
    assert record.id in told[0]


@pytest.mark.usefixtures("path")
def test_the_file_watcher_of_jetbrains_fails_where_there_is_something_to_show(
    repo: Repo, chalk: Inside
) -> None:
    lines = _real_lines(repo, chalk)
    tree = xml.etree.ElementTree.fromstring(editors.text("jetbrains", "watcherTasks.xml"))
    options = {o.get("name"): o.get("value") for o in tree.iter("option")}
    groups = {"$FILE_PATH$": "(.+?)", "$LINE$": r"(\d+)", "$COLUMN$": r"(\d+)", "$MESSAGE$": "(.*)"}
    pattern = str(options["regExp"])
    for macro, group in groups.items():
        pattern = pattern.replace(macro, group)
    matched = [re.fullmatch(pattern, line) for line in lines]
    assert [m and m[1] for m in matched[1:]] == [
        str(repo.root / "my src/a.py"),
        str(repo.root / ".lessons/bad.yaml"),
    ]

    def watcher(file: str) -> tuple[int, str]:
        words = [word.replace("$FilePath$", file) for word in shlex.split(str(options["arguments"]))]
        done = subprocess.run(
            [str(options["program"]), *words], cwd=repo.root, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout

    code, out = watcher(str(repo.root / "my src/a.py"))
    assert (code, sorted(out.splitlines())) == (1, sorted(lines[:2]))
    assert watcher(str(repo.root / "$(touch pwned)")) == (0, "")
    assert not (repo.root / "pwned").exists()


def test_the_settings_of_helix_are_toml_that_name_the_server() -> None:
    settings = tomllib.loads(editors.text("helix", "languages.toml"))
    assert settings["language-server"]["chalkgit"] == {"command": "chalkgit", "args": ["lsp"]}
    assert all(language["language-servers"][-1] == "chalkgit" for language in settings["language"])


# --- putting them there --------------------------------------------------------------------------


@pytest.mark.parametrize("name", editors.NAMES)
def test_a_snippet_is_printed_with_where_it_goes(repo: Repo, name: str, sealed: Path) -> None:
    before = sorted(repo.root.rglob("*")), sorted(sealed.rglob("*"))
    printed = "\n".join(editors.install(repo.place, name))
    for file in (SNIPPETS / name).iterdir():
        assert re.search(rf"(~|config/nvim|\.vscode|\.helix|\.idea)\S*/{re.escape(file.name)}", printed)
        assert [line for line in file.read_text().splitlines() if line not in printed] == []
    assert (sorted(repo.root.rglob("*")), sorted(sealed.rglob("*"))) == before


@pytest.mark.parametrize("name", [name for name in editors.NAMES if name != "helix"])
def test_what_was_written_is_a_file_of_its_own_and_goes_again(
    repo: Repo, name: str, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = editors.install(repo.place, name, True)
    written = [Path(line.removeprefix("wrote ")) for line in said if line.startswith("wrote ")]
    assert [file.name for file in written] == [file for file, *_ in editors._FILES[name]]
    for file in written:
        assert file.read_text().startswith(editors.text(name, file.name))
        assert file.is_relative_to(repo.root) == (name in editors._FOLDERS)
    again = editors.install(repo.place, name, True)
    assert again[: len(written)] == [f"{file} is there already" for file in written]
    with monkeypatch.context() as older:  # another version's snippet, unchanged, is brought up to date
        older.setattr(editors, "text", lambda name, file: "a later one\n")
        assert editors.install(repo.place, name, True)[0] == f"updated {written[0]}"
    with written[0].open("a") as opened:
        opened.write("mine\n")
    changed = written[0].read_bytes()
    with pytest.raises(ChalkError) as refused:
        editors.install(repo.place, name, True)
    assert refused.value.where == str(written[0])
    assert editors.uninstall(repo.place, name)[0] == f"left {written[0]}: it is not as chalkgit wrote it"
    assert written[0].read_bytes() == changed
    written[0].unlink()
    editors.install(repo.place, name, True)
    assert editors.uninstall(repo.place, name)[0] == f"removed {written[0]}"
    assert not any(file.exists() for file in written)
    assert editors.uninstall(repo.place, name)[0] == f"there is no {written[0]}"


def test_nothing_is_written_over_a_file_of_the_user_or_through_a_link(repo: Repo, tmp_path: Path) -> None:
    repo.write(".vscode/settings.json", "{}\n")
    with pytest.raises(ChalkError):
        editors.install(repo.place, "vscode", True)
    assert not (repo.root / ".vscode/tasks.json").exists()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", repo.root / ".idea")
    with pytest.raises(ChalkError):
        editors.install(repo.place, "jetbrains", True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    for name, what in (("helix", "yours to list"), ("nano", "no editor that is known here")):
        with pytest.raises(ChalkError, match=what):
            editors.install(repo.place, name, True)


def test_a_file_of_the_users_own_needs_no_repository(
    repo: Repo, chalk: Inside, tmp_path: Path, sealed: Path
) -> None:
    for arguments in (("--editor", "vim"), ("--editor", "NVIM"), ("--editor", "emacs", "--write")):
        assert chalk("hooks", "install", *arguments, cwd=tmp_path).code == 0
    assert chalk("hooks", "uninstall", "--editor", "emacs", cwd=tmp_path).code == 0
    assert not (sealed / ".emacs.d").exists()
    theirs = chalk("hooks", "install", "--editor", "code", "--write", cwd=tmp_path)
    assert (theirs.code, "not inside a git repository" in theirs.err) == (2, True)
    # a name that nobody knows is the first thing to say
    assert "no editor that is known" in chalk("hooks", "install", "--editor", "nano", cwd=tmp_path).err


def test_write_without_an_editor_is_refused(repo: Repo, chalk: Inside) -> None:
    for arguments in ((), ("--agent", "codex")):
        said = chalk("hooks", "install", "--write", *arguments)
        assert (said.code, "--editor NAME --write" in said.err) == (2, True)
    assert not (repo.root / ".codex").exists()
    assert not (repo.root / ".git/hooks/pre-commit").exists()


def test_the_folder_of_an_editor_goes_with_the_last_file_in_it(repo: Repo, chalk: Inside) -> None:
    for name, folder, last in (("vscode", ".vscode", True), ("jetbrains", ".idea", False)):
        chalk("hooks", "install", "--editor", name, "--write")
        if not last:
            repo.write(f"{folder}/mine", "")
        assert chalk("hooks", "uninstall", "--editor", name).code == 0
        assert (repo.root / folder).exists() != last


def test_an_editor_of_the_server_is_told_what_the_server_lacks(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "pygls" not in chalk("hooks", "install", "--editor", "neovim").err
    monkeypatch.setitem(sys.modules, "pygls", None)
    said = chalk("hooks", "install", "--editor", "neovim", "--write").err
    assert f"needs pygls, which is not here (hint: {sys.executable} -m pip install 'pygls>=2,<3')" in said
    assert "pygls" not in chalk("hooks", "install", "--editor", "vim").err
