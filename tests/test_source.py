"""How the source is built: floors, one importer a heavy library, a light start, and what the checkers say."""

from __future__ import annotations

import ast
import json
import re
import statistics
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from repository import Repo
from source import PACKAGE, ROOT, cycle, files, graph, imports

from chalkgit.records import schema

# Imports go down only. A module of a package may import others of its own package.
FLOORS = {
    "cli": 7,
    "doors": 6,
    "render": 5,
    "answers": 4,
    "index": 3,
    "failures": 2,  # no store is asked: a run is read from bytes
    "store": 2,
    "records": 1,
}
GROUND = ("errors", "ids", "times", "config", "settings", "thresholds", "calibration")
# Who may import what is heavy, or must have its errors translated in one place.
IMPORTERS = {
    "tantivy": {"chalkgit.index.lexical"},
    "numpy": {"chalkgit.index.arrays"},
    "onnxruntime": {"chalkgit.index.engine"},
    "tokenizers": {"chalkgit.index.wordpieces"},
    # two: embedding models and cross-encoders are two classes of it
    "fastembed": {"chalkgit.index.embed", "chalkgit.index.crossing"},
    "huggingface_hub": {"chalkgit.index.hub"},
    "sqlite3": {"chalkgit.store.sqlite"},
    "_sqlite3": {"chalkgit.store.sqlite"},
    "packaging": {"chalkgit.answers.manifests"},
    # two: the user's settings are no record, and store/ asks for them without records/
    "yaml": {"chalkgit.records.codec", "chalkgit.settings"},
    "watchdog": {"chalkgit.doors.watch_events"},
    # the extra lsp: the server alone, and those of its rooms that speak the protocol
    "pygls": {f"chalkgit.doors.lsp.{room}" for room in ("desk", "documents")},
    "lsprotocol": {
        f"chalkgit.doors.lsp.{room}" for room in ("desk", "display", "documents", "notices", "requests")
    },
    "asyncio": {"chalkgit.doors.lsp.desk"},  # pygls runs on it
    "pygal": {"chalkgit.render.report_charts"},  # the extra report
    # the extra decider: nothing else speaks HTTP, and the hub's own client is fastembed's
    "systemone": {"chalkgit.index.decider"},
    "httpx": {"chalkgit.index.decider"},
}
UNUSED = ("pygit2", "subprocess", "dataclasses")
LIGHT = (
    "numpy fastembed onnxruntime tokenizers huggingface_hub loguru pygit2 watchdog pygls lsprotocol yaml "
    "click packaging systemone httpx pygal typing dataclasses subprocess contextlib inspect asyncio "
    "logging tempfile shutil"
).split()
LONGEST, MEDIAN = 350, 120
CHECKERS = {
    "ruff": ("-m", "ruff", "check", "--no-cache", "."),
    "ruff format": ("-m", "ruff", "format", "--no-cache", "--check", "."),
    "mypy": ("-m", "mypy"),
}
TEXTS = (".py", ".md", ".toml", ".yaml", ".json", ".typed", "")


def _room(module: str) -> str:
    """The package of a module below chalkgit; "" for the ground."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 or (len(parts) == 2 and parts[1] in FLOORS) else ""


def _floor(module: str) -> int:
    if module == "chalkgit.__main__":
        return 8
    room = _room(module)
    if room:
        return FLOORS[room]
    assert module == "chalkgit" or module.split(".")[1] in GROUND, f"{module} has no floor"
    return 0


def _upward(edges: dict[str, set[str]]) -> list[str]:
    return [
        f"{module} imports {other}"
        for module, others in edges.items()
        for other in sorted(others)
        if _floor(other) >= _floor(module) and _room(other) != _room(module)
    ]


def test_imports_go_down_only() -> None:
    assert _upward(graph()) == []


def test_an_import_that_goes_up_would_be_seen() -> None:
    assert _upward({"chalkgit.store.git": {"chalkgit.index.table", "chalkgit.store.place"}}) == [
        "chalkgit.store.git imports chalkgit.index.table"
    ]


def test_no_import_cycle_even_inside_functions_and_under_type_checking() -> None:
    assert cycle(graph()) == []


def test_a_cycle_would_be_seen() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


@pytest.mark.parametrize("library", IMPORTERS)
def test_a_heavy_library_has_one_importer(library: str) -> None:
    found = {
        module
        for module, file in files().items()
        if any(name.split(".")[0] == library for name in imports(file, set()))
    }
    assert found == IMPORTERS[library]


@pytest.mark.parametrize("library", UNUSED)
def test_what_costs_too_much_is_not_imported_at_all(library: str) -> None:
    # fastembed has loaded it by then
    allowed = {"dataclasses": {"chalkgit.index.embed", "chalkgit.index.crossing"}}.get(library, set())
    found = {m for m, file in files().items() if library in {n.split(".")[0] for n in imports(file, set())}}
    assert found <= allowed


def test_click_is_known_to_the_command_line_alone() -> None:
    found = {module for module, file in files().items() if "click" in imports(file, set())}
    assert {_room(module) for module in found} == {"cli"}


def test_rendering_reads_and_writes_nothing() -> None:
    outside = {"os", "sys", "io", "pathlib", "chalkgit.config", "chalkgit.settings"}
    for module, file in files().items():
        if _room(module) == "render":
            names = imports(file, set(files()))
            assert not names & outside, module
            assert not [name for name in names if _room(name) in ("index", "store")], module


def test_no_file_is_too_long() -> None:
    sources = [file for folder in ("chalkgit", "tests", "bench", "docs") for file in _python(folder)]
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in sources}
    del lengths["chalkgit/thresholds.py"]  # a table, and its rule is that there is one
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}
    ours = [length for name, length in lengths.items() if name.startswith("chalkgit/")]
    assert statistics.median(ours) <= MEDIAN


def test_every_module_says_what_it_is() -> None:
    silent = [name for name, file in files().items() if not ast.get_docstring(ast.parse(file.read_text()))]
    assert silent == []


def _python(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


_SPY = """
import json, os, sys
before = set(sys.modules)
os._exit = sys.exit  # it leaves without taking the interpreter down, and we want to look at it first
sys.argv = ["chalkgit", *sys.argv[1:]]
from chalkgit.__main__ import main
try:
    main()
finally:
    print("\\n" + json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def _loaded(repo: Repo, *arguments: str, stdin: str = "") -> set[str]:
    """The top-level modules that a run of the program loads beyond those of a bare interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _SPY, *arguments],
        cwd=repo.root,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


@pytest.mark.parametrize(
    "arguments",
    [("at", "src/a.py"), ("at", "--json", "src/a.py"), ("check", "--lexical", "cache the parsed manifest")],
    ids=" ".join,
)
def test_a_question_about_unchanged_records_starts_light(repo: Repo, arguments: tuple[str, ...]) -> None:
    repo.record(route="cache the parsed manifest", observation="stale", files=["src/a.py"])
    repo.commit()
    time.sleep(0.15)  # a file younger than the clock's grain is read again
    for _ in range(2):
        _loaded(repo, *arguments)
    heavy = _loaded(repo, *arguments) & set(LIGHT)
    assert heavy == set()


@pytest.mark.parametrize(
    "arguments", [("pre-commit",), ("save", "src/a.py"), ("agent", "--client", "claude-code")], ids=" ".join
)
def test_a_hook_starts_light_and_opens_no_words(repo: Repo, arguments: tuple[str, ...]) -> None:
    repo.record(route="cache the parsed manifest", observation="stale", files=["src/a.py"])
    repo.commit()
    repo.write("src/a.py", "a\n")
    repo.git("add", "src/a.py")
    event = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": str(repo.root)}
    stdin = json.dumps({**event, "tool_input": {"file_path": "src/a.py"}}) if "agent" in arguments else ""
    time.sleep(0.15)
    for _ in range(2):
        _loaded(repo, "hook", *arguments, stdin=stdin)
    loaded = _loaded(repo, "hook", *arguments, stdin=stdin)
    assert loaded & {*LIGHT, "tantivy"} == set()
    assert "chalkgit" in loaded
    if "pre-commit" not in arguments:
        (repo.root / ".git" / "chalkgit-journal" / "journal.db").unlink()
    said = repo.run("hook", *arguments, stdin=stdin)
    assert "cache the parsed manifest" in said.out  # it was no short way round the question


def test_a_question_by_path_does_not_open_the_words(repo: Repo) -> None:
    repo.record(files=["src/a.py"], route="cache it", observation="stale")
    repo.commit()
    time.sleep(0.15)
    for _ in range(2):
        _loaded(repo, "at", "src/a.py")
    assert "tantivy" not in _loaded(repo, "at", "src/a.py")


def test_help_loads_no_heavy_library(repo: Repo) -> None:
    heavy = {"numpy", "fastembed", "onnxruntime", "huggingface_hub", "pygit2", "watchdog"}
    loaded = _loaded(repo, "--help")
    assert loaded & heavy == set()
    assert "click" in loaded  # what is loaded is seen


@pytest.mark.parametrize("name", CHECKERS)
def test_the_checkers_find_nothing(name: str) -> None:
    done = subprocess.run(
        [sys.executable, *CHECKERS[name]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_published_schema_is_the_one_of_the_code() -> None:
    assert (ROOT / "schema" / "record.schema.json").read_text(encoding="utf-8") == schema.text()


def test_continuous_integration_runs_the_line_of_the_readme() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    lines = [line for block in blocks for line in block.splitlines() if ".[test]" in line]
    assert len(lines) == 1
    script = ROOT / ".ci" / "run"
    assert lines[0] in script.read_text(encoding="utf-8").splitlines()
    assert script.stat().st_mode & 0o111


def test_the_wheel_holds_the_package_its_types_and_the_licence(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path))
    with zipfile.ZipFile(built) as wheel:
        names = wheel.namelist()
    assert "chalkgit/py.typed" in names
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert {f"chalkgit/{file.relative_to(PACKAGE).as_posix()}" for file in PACKAGE.rglob("*.py")} <= set(
        names
    )
    assert not [name for name in names if not name.startswith("chalkgit")]


def test_the_licence_is_the_one_that_the_metadata_names() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    # the names that examples use are nobody's; GitHub's machines are all called runner
    nobody = r"(?!(?:ada|ann|bob|runner)\b)"
    homes = re.compile(rf"/(?:home|Users)/{nobody}[a-z]\w+/|\b[A-Z]:\\Users\\{nobody}\w")
    here = str(ROOT) if len(ROOT.parts) > 2 else None
    found = []
    for file in _published():
        text = file.read_text(encoding="utf-8", errors="replace")
        if homes.search(text) or (here and here in text):
            found.append(str(file.relative_to(ROOT)))
    assert found == []


def _published() -> list[Path]:
    """The files of this tree that git would publish, or all where it is no repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    named = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [file for file in named or ROOT.rglob("*") if file.is_file() and file.suffix in TEXTS]
