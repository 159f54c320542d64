"""Which files a record is about: listed, or read off its text; and what a listed path may be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.records import paths, reopens
from chalkgit.records.record import Record

NAMED = {
    "the cache in reader.go went stale": ["reader.go"],
    "see `src/app/main.py:12`, and src/app/main.py again.": ["src/app/main.py"],
    "edit .github/workflows/ci.yml (not the Makefile)!": [".github/workflows/ci.yml", "Makefile"],
    "the Dockerfile and go.mod": ["Dockerfile", "go.mod"],
    "tests/test_a.py::test_b[x] fails": ["tests/test_a.py"],
    "./setup.cfg": ["setup.cfg"],
    "**reader.go** and __init__.py": ["reader.go", "__init__.py"],
    "reader.go's lock; --config=conf/app.toml": ["reader.go", "conf/app.toml"],
    "swap reader.go/writer.go": ["reader.go", "writer.go"],
    "under src/app/models and billing/": ["src/app/models", "billing/"],
    ".env.local over .gitignore": [".env.local", ".gitignore"],
    "packages/@scope/pkg/index.ts": ["packages/@scope/pkg/index.ts"],
    "docs/guide.md#install": ["docs/guide.md"],
    "the file “über/größe.rs”": ["über/größe.rs"],
    "a.py b1.py b2.py b3.py b4.py b5.py b6.py": ["a.py", "b1.py", "b2.py", "b3.py", "b4.py"],
    "see main.c, x.py": ["main.c", "x.py"],
}
NOT_NAMED = [
    "https://example.com/src/main.py",
    "(see https://example.com/a(b)/main.py, now)",
    "www.example.com/main.py",
    "example.com/src/main.py and github.com/gorilla/mux/mux.go",
    "git@github.com:ada/repo/main.py ada@mail.rs",
    "/etc/nginx/nginx.conf ~/notes.md C:\\temp\\a.py C:/temp/a.py",
    "../main.py a/../b.py src/./x.py",
    "$HOME/a.py ${HOME}/b.py %TEMP%/c.py",
    "1.2.3 v1.10 3.10/3.11 1.x/2.x 2026/03/01",
    "e.g. this, i.e. that and/or etc. client/server read/write/execute TCP/IP",
    "node.js, Vue.js and next.js/react.js on docs.rs",
    "origin/main feature/x-y application/json os/exec.Command net/http",
    "src/**/*.py *.go .py w/ s/foo/bar/ a.c",
    "os.path.join(x) self.assertEqual obj.attr README LICENSE",
    "example.com is down; so is crates.io",
]


@pytest.mark.parametrize("text", NAMED)
def test_paths_and_file_names_are_read_off_the_text(text: str) -> None:
    assert paths.in_text(text) == NAMED[text]


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_only_looks_like_a_path_is_none(text: str) -> None:
    assert paths.in_text(text) == []
    assert paths.in_text(f"{text} reader.go") == ["reader.go"]


def test_listed_files_are_the_only_ones() -> None:
    fields = {
        "id": "abcd1234",
        "kind": "dead-end",
        "route": "a.py",
        "observation": "bb.py",
        "trap": ["cc.py"],
    }
    assert paths.named(Record(fields)) == ["a.py", "bb.py"]
    assert paths.named(Record({**fields, "files": ["*.go"]})) == ["*.go"]
    assert paths.named(Record({**fields, "files": []})) == []


@given(st.text())
def test_what_is_read_off_a_text_could_have_been_listed(text: str) -> None:
    found = paths.in_text(text)
    assert [paths.validate(path) for path in found] == [None] * len(found)


@pytest.mark.parametrize(
    "path", ["a.py", "src/**/*.py", "a b/c", "..a/b", "a..", ".github", "[!a].py", "src/"]
)
def test_a_path_inside_the_repository_may_be_listed(path: str) -> None:
    assert paths.validate(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        " a",
        "/a",
        "~/a",
        "\\a",
        "C:\\a",
        "c:/a",
        "..",
        "../a",
        "a/..",
        "a/../b",
        "a\\..\\b",
        "http://a/b",
    ],
)
def test_a_path_outside_the_repository_is_refused_with_the_reason(path: str) -> None:
    assert f"“{path}”" in str(paths.validate(path))


@pytest.mark.parametrize("unit", ["a.", "a/", "-", ":1", "*", "a@", "_", "../", "https:", "a.b/", "é"])
def test_a_long_text_is_searched_in_linear_time(unit: str) -> None:
    start = time.perf_counter()
    paths.in_text(unit * 100_000)
    paths.in_text((unit * 20 + " ") * 10_000)
    assert time.perf_counter() - start < 4


RULES = {
    "library:django>=5.0": ("library", "django", ">=", "5.0"),
    "library: @a/b == 1.0-rc.1 ": ("library", "@a/b", "==", "1.0-rc.1"),
    "library:a!=1": ("library", "a", "!=", "1"),
    "date:2027-01-01": ("date", "2027-01-01"),
    "date: 2027": ("date", "2027"),
    "file:a b.py changes": ("file", "a b.py"),
    "manual: ask Ada": ("manual", "ask Ada"),
    "library:a": None,
    "library:>=1": None,
    "library:a=>1": None,
    "library:a>=": None,
    "date:soon": None,
    "file:a.py": None,
    "file: changes": None,
    "file:/a changes": None,
    "manual:": None,
    "tomorrow": None,
    "": None,
}


@pytest.mark.parametrize("text", RULES)
def test_when_to_reopen_is_a_closed_grammar(text: str) -> None:
    assert reopens.parse(text) == RULES[text]
