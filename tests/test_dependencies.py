"""Versions in manifests and lockfiles, and whether a ruling's have moved."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.answers import dependencies, manifests
from chalkgit.answers.dependencies import Dependencies, stale
from chalkgit.records.record import Record
from chalkgit.thresholds import DEPENDENCY_BYTES

NOW = datetime(2026, 7, 12, tzinfo=UTC)
OLD, NEW = "2026-03-14", "2026-07-01"


def packages(*named: str, end: str = "") -> str:
    pairs = map(str.split, named)
    tables = [f'[[package]]\nname = "{n}"\nversion = "{v}"\nsource = {{}}\n\n' for n, v in pairs]
    return "version = 1\n\n" + "".join(tables) + end


UV = packages("django 5.1", "ruamel-yaml 0.18.6", end='[package.metadata]\nversion = "9"\n')
POETRY = '[[package]]\nname = "Flask"\nversion = "3.0.1"\n\n[metadata]\nlock-version = "2.0"\n'
CARGO = packages("serde_json 1.0.117", "syn 1.0.109", "syn 2.0.66")
NPM3 = """{"lockfileVersion": 3, "packages": {
"": {"name": "us", "version": "1.0.0"},
"node_modules/react": {"version": "18.2.0"},
"node_modules/@types/node": {"version": "20.1.0"},
"node_modules/a/node_modules/react": {"version": "17.0.2"},
"node_modules/alias": {"name": "real", "version": "2.0.0"},
"packages/ours": {"version": "0.1.0"},
"node_modules/ours": {"link": true}}}"""
NPM1 = '{"dependencies": {"a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}}}}'
YARN = """"@babel/core@^7.0.0", "@babel/core@^7.1.0":
  version "7.2.2"
  dependencies:
    version "0.0.1"
lodash@^4.17.21:
  version "4.17.21"
"""
BERRY = '__metadata:\n  version: 6\n\n"react@npm:^18.0.0":\n  version: 18.3.1\n'
GO = """require github.com/pkg/errors v0.9.1
require (
\tgithub.com/go-chi/chi/v5 v5.0.8 // a router
\tgolang.org/x/text v0.3.0 // indirect
)
replace golang.org/x/text => golang.org/x/text v0.14.0
"""


def of(root: Path, **files: str) -> Dependencies:
    for name, text in files.items():
        (root / name.replace("__", "-").replace("_", ".")).write_text(text)
    return Dependencies(str(root))


def bound(**depends: str) -> Record:
    return Record({"id": "abcdefgh", "kind": "dead-end", "scope": "version-bound", "depends-on": depends})


PINS = "# x\n-r base.txt\ndjango[argon2]==4.2.7 \\\n    --hash=sha256:aa\n./here\nflask==4.*\ngit+https://x/y@v1\n"
MODULES = "chi=v5.0.8 github.com/go-chi/chi/v5=v5.0.8 errors=v0.9.1 golang.org/x/text=v0.14.0 router="
LOCKS = [
    ("uv.lock", UV, "Django=5.1 ruamel.yaml=0.18.6 ruamel="),
    ("uv.lock", UV.replace("\n", "\r\n"), "django=5.1"),
    ("poetry.lock", POETRY, "flask=3.0.1"),
    ("Cargo.lock", CARGO, "serde-json=1.0.117 syn=1.0.109,2.0.66"),
    ("package-lock.json", NPM3, "react=18.2.0,17.0.2 @types/node=20.1.0 real=2.0.0 React= ours= alias="),
    ("npm-shrinkwrap.json", NPM1, "a=1.0.0 b=2.0.0"),
    ("yarn.lock", YARN, "@babel/core=7.2.2 lodash=4.17.21"),
    ("yarn.lock", BERRY, "react=18.3.1"),
    ("go.mod", GO, MODULES),
    ("requirements-dev.txt", PINS, "django=4.2.7 flask= git="),
    ("pyproject.toml", '[project]\ndependencies = ["django == 4.2", "flask"]', "django=4.2 flask="),
]


@pytest.mark.parametrize(("file", "text", "expected"), LOCKS)
def test_locked_versions_are_read(tmp_path: Path, file: str, text: str, expected: str) -> None:
    (tmp_path / file).write_text(text, newline="")
    found = Dependencies(str(tmp_path))
    for name, _, versions in (row.partition("=") for row in expected.split()):
        assert found.installed(name) == [version for version in versions.split(",") if version], name
    assert found.problems == []


PYPROJECT = """[project]
requires-python = ">=3.11"
dependencies = ["Django>=5", "ruamel.yaml[jinja2] (>=0.18)", "local @ file:///x", "bare"]
optional-dependencies.web = ["flask<3; python_version > '3.8'"]
[dependency-groups]
dev = [{ include-group = "test" }, "pytest~=8.4"]
[tool.poetry.dependencies]
requests = "^2.31"
httpx = { version = "~0.27", extras = ["http2"] }
numpy = [{ version = "<2" }, { version = ">=2" }]
[tool.poetry.group]
lint.dependencies = { ruff = "*", exact = "1.2" }
"""
CARGO_TOML = """[dependencies]
serde = "1.0"
json = { package = "serde_json", version = "1" }
ours = { path = "../ours" }
[target.'cfg(unix)'.dependencies]
nix = "0.28"
[workspace.dependencies]
tokio = { version = "1.38", features = ["full"] }
"""
PACKAGE = '{"dependencies": {"react": "^18.2.0"}, "engines": {"node": ">=20"}}'
WANTED = """django >=5;ruamel-yaml >=0.18;local ;bare ;flask <3;pytest ~=8.4;python >=3.11;requests ^2.31;\
httpx ~0.27;exact ==1.2;numpy <2 || >=2;ruff *"""
NEEDS = [
    ("pyproject.toml", PYPROJECT, WANTED),
    ("package.json", PACKAGE, "react ^18.2.0;node >=20"),
    ("Cargo.toml", CARGO_TOML, "serde 1.0;serde-json 1;ours ;nix 0.28;tokio 1.38"),
    ("requirements.txt", "django>=4,<5 # x\n-e .\nhttps://x/y.whl\n", "django >=4,<5"),
]


@pytest.mark.parametrize(("file", "text", "specs"), NEEDS)
def test_declared_specifiers_are_read(tmp_path: Path, file: str, text: str, specs: str) -> None:
    (tmp_path / file).write_text(text)
    found = Dependencies(str(tmp_path))
    for name, _, spec in (row.partition(" ") for row in specs.split(";")):
        assert (found.declared(name), found.shares(name)) == (spec, True), name
    for name in ("absent", "React", "json", "https", "-e"):
        assert (found.declared(name), found.shares(name)) == (None, False), name
    assert found.problems == []


def test_a_lockfile_goes_before_a_pin_and_counts_as_shared(tmp_path: Path) -> None:
    found = of(tmp_path, uv_lock=UV, requirements_txt="django==4.2\nflask==3.0\n")
    assert (found.installed("django"), found.installed("flask")) == (["5.1"], ["3.0"])
    assert found.shares("ruamel.yaml")
    assert not found.shares("ruamel")


def test_nothing_is_read_before_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = os.open

    def counted(path: str, *rest: int) -> int:
        handle = real(path, *rest)
        opened.append(os.path.basename(path))
        return handle

    found = of(tmp_path, uv_lock=UV, pyproject_toml=PYPROJECT)
    monkeypatch.setattr(os, "open", counted)
    assert opened == []
    assert [found.installed("django") for _ in range(3)] == [["5.1"]] * 3
    assert opened == ["uv.lock"]
    assert [found.declared("django") for _ in range(3)] == [">=5"] * 3
    assert opened == ["uv.lock", "pyproject.toml"]


DEEP = '{"packages": {"node_modules/a": ' + "[" * 100_000 + "]" * 100_000 + "}}"
BROKEN = {
    "poetry.lock": ["not a lock", POETRY + "\n<<<<<<< HEAD\n"],
    "package-lock.json": ["{", "[]", '{"packages": {"node_modules/a": 3}}', DEEP, '{"dependencies": ["a"]}'],
    "pyproject.toml": ["[project", "project = 3", "[tool]\npoetry = ['x']"],
    "Cargo.toml": ["dependencies = ['x']"],
    "package.json": ['{"dependencies": "x"}'],
    "yarn.lock": ["x" * (DEPENDENCY_BYTES + 1)],
}


@pytest.mark.parametrize("file", BROKEN)
def test_a_broken_file_is_told_and_costs_that_file(tmp_path: Path, file: str) -> None:
    for text in BROKEN[file]:
        (tmp_path / file).write_text(text)
        found = of(tmp_path, uv_lock=UV)
        assert (found.installed("django"), found.declared("django")) == (["5.1"], None)
        assert [problem.split(":")[0] for problem in found.problems] == [f"{file} was skipped"], text[:80]


def test_links_pipes_folders_and_other_encodings_are_told_and_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "elsewhere").write_text(POETRY)
    os.symlink(tmp_path / "elsewhere", root / "poetry.lock")
    os.symlink(tmp_path / "nowhere", root / "yarn.lock")
    os.mkfifo(root / "package-lock.json")
    (root / "Cargo.lock").mkdir()
    (root / "go.mod").write_bytes(b"require a \xff\n")
    found = of(root, uv_lock=UV)
    assert (found.installed("flask"), found.installed("django")) == ([], ["5.1"])
    skipped = "Cargo.lock go.mod package-lock.json poetry.lock yarn.lock".split()
    assert sorted(problem.split(" was")[0] for problem in found.problems) == skipped


def test_a_root_that_is_not_there_has_no_dependencies(tmp_path: Path) -> None:
    found = Dependencies(str(tmp_path / "nowhere"))
    assert (found.installed("django"), found.declared("django"), found.shares("django")) == ([], None, False)


def test_a_lock_that_moved_says_from_what_to_what(tmp_path: Path) -> None:
    found = of(tmp_path, uv_lock=UV)
    said = "django 4.2 when it was recorded, 5.1 in uv.lock now"
    assert stale(bound(django="4.2"), found, NEW, NOW) == said
    assert stale(bound(django="5.1"), found, OLD, NOW) is None
    both = stale(bound(**{"django": "4.2", "ruamel.yaml": "0.17"}), found, NEW, NOW)
    assert both == f"{said}; ruamel.yaml 0.17 when it was recorded, 0.18.6 in uv.lock now"


SAME = """
4.2|4.2.7  4|4.2.7  4.2.0|4.2  4.2.7|4.2.7.post1  5.0-rc.1|5.0rc1  v4.2|4.2.1  ==4.2|4.2  4.2.x|4.2.9
>=4,<5|4.9  ^4.2|4.9  ^4||^5|5.1  *|5.1  2024a-snapshot|2024a-snapshot
"""
OTHER = """
4.2|4.20  4.2.7|4.2  5.0rc1|5.0  4.2.*|4.3  >=4,<5|5.0  ^4.2|5.0  ~4.2|4.3  2024a-snapshot|2024b-snapshot
"""


@pytest.mark.parametrize("row", [*SAME.split(), *OTHER.split()])
def test_the_recorded_version_is_a_prefix_or_a_range(tmp_path: Path, row: str) -> None:
    recorded, _, locked = row.rpartition("|")
    found = of(tmp_path, uv_lock=UV.replace('"5.1"', f'"{locked}"'))
    assert (stale(bound(django=recorded), found, OLD, NOW) is None) is (row in SAME.split())


def test_one_of_several_locked_versions_is_enough(tmp_path: Path) -> None:
    found = of(tmp_path, Cargo_lock=CARGO)
    assert stale(bound(syn="1"), found, OLD, NOW) is None
    words = "syn 3 when it was recorded, 1.0.109 in Cargo.lock, 2.0.66 in Cargo.lock now"
    assert stale(bound(syn="3"), found, OLD, NOW) == words


@pytest.mark.parametrize("spec", ">=5 <4.2 ~=4.1.3 ==4.3.* >4.2,<4.2.7,!=4.2.*".split())
def test_a_specifier_that_excludes_the_recorded_version_says_so(tmp_path: Path, spec: str) -> None:
    found = of(tmp_path, pyproject_toml=f'[project]\ndependencies = ["django{spec}"]')
    words = f"django 4.2 when it was recorded, no longer allowed by pyproject.toml ({spec})"
    assert stale(bound(django="4.2"), found, NEW, NOW) == words
    assert stale(bound(django="garbled"), found, NEW, NOW) is None


@pytest.mark.parametrize("spec", [">=4", ">=4.2.5,<5", "==4.2.*", "!=4.2", "~=4.1", ""])
def test_a_specifier_that_the_recorded_series_meets_says_nothing(tmp_path: Path, spec: str) -> None:
    found = of(tmp_path, pyproject_toml=f'[project]\ndependencies = ["django{spec}"]')
    assert stale(bound(django="4.2"), found, NEW, NOW) is None
    assert found.shares("django")


def test_where_nothing_tells_age_does(tmp_path: Path) -> None:
    found = of(tmp_path, uv_lock=UV)
    said = stale(bound(flask="2"), found, OLD, NOW)
    assert said == "recorded 120 days ago, and no lockfile tells whether flask moved: may have moved since"
    for when in (NEW, "2026-04-13", None, "garbled"):
        assert stale(bound(flask="2"), found, when, NOW) is None
    assert stale(bound(flask="2"), found, "2026-04-12", NOW) is not None
    assert stale(bound(django="5.1", flask="2"), found, OLD, NOW) == said


def test_without_depends_on_the_age_alone_counts(tmp_path: Path) -> None:
    found = of(tmp_path, uv_lock=UV)
    plain = bound().changed({"depends-on": None})
    assert stale(plain, found, OLD, NOW) == "recorded 120 days ago: it may have moved since"
    assert stale(plain, found, NEW, NOW) is None


def test_only_a_version_bound_record_can_be_stale(tmp_path: Path) -> None:
    found = of(tmp_path, uv_lock=UV)
    record = bound(django="4.2")
    assert stale(record, found, OLD, NOW) is not None
    for scope in ("local", "general", None):
        assert stale(record.changed({"scope": scope}), found, OLD, NOW) is None


READERS = [reader for _, reader in (*dependencies.LOCKS.values(), *dependencies.NEEDS.values())]
words = st.lists(
    st.sampled_from([*"[](){}=,:@\"' \n\t", "[[package]]\n", "name", "version", "require", "1.2"])
)


@given(said=st.text(max_size=200) | words.map("".join))
def test_no_file_text_raises_anything_but_what_costs_the_file(said: str) -> None:
    for reader in (*READERS, manifests.requirements):
        try:
            pairs = list(reader(said))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            continue
        assert all(isinstance(name, str) and isinstance(value, str) for name, value in pairs)


def test_importing_and_reading_a_lock_loads_no_parser(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(UV)
    heavy = "tomllib", "packaging", "json", "subprocess"
    code = "import sys; sys.path.insert(0, sys.argv[1]); import chalkgit.answers.dependencies as d; "
    code += f"print(d.Dependencies(sys.argv[2]).installed('django'), {{*sys.modules}} & {{*{heavy!r}}})"
    paths = [str(Path(dependencies.__file__).parents[2]), str(tmp_path)]
    done = subprocess.run([sys.executable, "-I", "-c", code, *paths], capture_output=True, text=True)
    assert done.stdout.strip() == "['5.1'] set()"
