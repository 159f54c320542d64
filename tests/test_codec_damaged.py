"""What is no record says where; what is damaged costs no more than itself; nothing else comes out."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.record import Record

PATH = ".lessons/dead-ends/x.abcd1234.yaml"
HEAD = "id: abcd1234\nkind: dead-end\nroute: r\n"
LOADERS = [getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader]


@pytest.fixture(params=LOADERS, ids=["libyaml", "python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(codec, "LOADER", request.param)
    return request.param


def refused(text: str | bytes) -> ChalkError:
    with pytest.raises(ChalkError) as caught:
        codec.decode(text if isinstance(text, bytes) else text.encode(), PATH)
    return caught.value


FATAL = [
    (HEAD + "route: again\n", 4, "“route” stands there twice"),
    (HEAD + "x:\n  a: 1\n  a: 2\n", 6, "“a” stands there twice"),
    (HEAD + "x: &a b\n", 4, "no anchors"),
    (HEAD + "x: *a\n", 4, "no anchors"),
    (HEAD + "x: !!str b\n", 4, "no tags"),
    (HEAD + "x: ! b\n", 4, "no tags"),
    (HEAD + "---\n" + HEAD, 4, "a second document starts"),
    ("%YAML 1.1\n---\n" + HEAD, 1, "no YAML directives"),
    ("# note\n%FOO bar\n---\n" + HEAD, 2, "no YAML"),
    ("- a\n- b\n", 1, "not a list"),
    ("just words\n", 1, "not text"),
    ("", 1, "the file is empty"),
    ("# only a comment\n", 1, "the file is empty"),
    (HEAD + "x: a: b\n", 4, "(column 5)"),
    (HEAD + "x: 'open\n", 4, "no YAML"),
    (HEAD + 'x: "\\UFFFFFFFF"\n', None, "no YAML"),
    (HEAD + "x: " + "[" * 8 + "]" * 8 + "\n", 4, "more than 8 levels"),
    (HEAD + "<<<<<<< HEAD\nx: a\n=======\nx: b\n>>>>>>> topic\n", 4, "unresolved merge conflict"),
    (HEAD + "x: |\n  a\n=======\n", 6, "unresolved merge conflict"),
    (HEAD + "x: a\x1b[31m\n", 4, "U+001B"),
    (HEAD + 'x: "a\\e[31m"\n', 4, "U+001B"),
    (HEAD + 'x: "a\\rb"\n', 4, "U+000D"),
    (HEAD + "x: a\ufeffb\n", 4, "U+FEFF"),
    (HEAD + "[a]: b\n", 4, "one line of text"),
    (HEAD + "'': b\n", 4, "one line of text"),
    (HEAD + "? \n: b\n", 4, "one line of text"),
    (HEAD + "x:\tb\n", 4, ""),
    (HEAD + "x: a\tb\n", 4, ""),
    (HEAD + '"a\\nb": c\n', 4, "one line of text"),
    (HEAD + "k" * 101 + ": c\n", 4, "longer than 100"),
    ("kind: dead-end\nroute: r\n", 1, "no id"),
    ("id:\nkind: dead-end\nroute: r\n", 1, "no id"),
    ("kind: dead-end\nid: 12345678\nroute: r\n", 2, "“12345678” is no id"),
    ("kind: dead-end\nid: [abcd1234]\nroute: r\n", 2, "is no id"),
    ("id: abcd1234\nroute: r\n", 1, "no kind"),
    ("id: abcd1234\nkind: dead end\nroute: r\n", 2, "“dead end” is no kind"),
    ("id: abcd1234\nkind: dead-end\nobservation: o\n", 1, "a dead-end needs route or raw"),
    ("id: abcd1234\nkind: dead-end\nroute: '  '\n", 1, "a dead-end needs route or raw"),
    ("id: abcd1234\nkind: dead-end\nroute: [a]\n", 1, "a dead-end needs route or raw"),
    ("id: abcd1234\nkind: procedure\ntrap: t\n", 1, "a procedure needs route"),
    ("id: abcd1234\nkind: lesson\ntags: [a]\n", 1, "a lesson needs failure or lesson or resolution"),
]


@pytest.mark.parametrize(("text", "line", "words"), FATAL, ids=range(len(FATAL)))
def test_what_is_no_record_says_where(loader: object, text: str, line: int | None, words: str) -> None:
    error = refused(text)
    assert words in error.message
    assert str(error.where).startswith(f"{PATH}:{line or ''}")
    assert ("chalkgit" in str(error.hint)) is (words != "no kind")


GOOD = [
    HEAD,
    "---\n" + HEAD + "...\n",
    "\ufeff" + HEAD,
    HEAD.replace("\n", "\r\n"),
    "{id: abcd1234, kind: dead-end, route: r}\n",
    "? id\n: abcd1234\n? kind\n: dead-end\n? route\n: r\n",
    HEAD + "x: |\n  <<<<<<< HEAD\n  =======\n",
    HEAD + "x: " + "[" * 7 + "]" * 7 + "\n",
    HEAD + "k" * 100 + ": c\n",
    HEAD + "# %FOO\n",
    HEAD + "x: 'a\tb'  #\tc\ny: |\n  a\tb\n",
]


@pytest.mark.parametrize("text", GOOD, ids=range(len(GOOD)))
def test_a_record_may_be_written_in_any_plain_yaml(loader: object, text: str) -> None:
    record, problems = codec.decode(text.encode(), PATH)
    assert (record.id, record.kind, record.get("route")) == ("abcd1234", "dead-end", "r")
    assert problems == []


def test_a_missing_id_is_minted_by_fmt() -> None:
    assert refused("kind: dead-end\nroute: r\n").hint == f"chalkgit fmt {PATH}"


def test_bytes_that_are_no_utf8_name_their_line() -> None:
    error = refused(HEAD.encode() + b"x: \xff\n")
    assert (error.message, error.where) == ("the file is not UTF-8", f"{PATH}:4")


DROPPED = [
    ("layer: desing\n", "layer", None, "“desing” is no layer"),
    ("layer: [design]\n", "layer", None, "layer must be text, not a list"),
    ("layer: design\n", "layer", "design", None),
    ("scope: repo\n", "scope", None, "“repo” is no scope"),
    ("valid-from: soon\n", "valid-from", None, "“soon” is no date"),
    ("valid-from: 2026-13\n", "valid-from", None, "“2026-13” is no date"),
    ("valid-from: 2026-12\n", "valid-from", "2026-12", None),
    ("observation:\n", "observation", None, "“observation:” has no value"),
    ("observation: ''\n", "observation", "", None),
    ("observation: {a: b}\n", "observation", None, "must be text, not a mapping"),
    ("trap: t\n", "trap", "t", "trap is no field of a dead-end"),
    ("trap: [t, u]\n", "trap", ["t", "u"], "trap is no field of a dead-end"),
    ("files: a.py\n", "files", ["a.py"], None),
    ("files: [/etc/passwd, a.py]\n", "files", ["a.py"], "“/etc/passwd” is absolute"),
    ("files: [a/../../b, a..b/c]\n", "files", ["a..b/c"], "leaves its folder"),
    ("files: [[a], b]\n", "files", ["b"], "an item that is a list"),
    ("files: {a: b}\n", "files", None, "must be a list"),
    ("files: []\n", "files", [], None),
    ("supersedes: [12345678, abcd1235]\n", "supersedes", ["abcd1235"], "“12345678”, which is no id"),
    ("reopens-when: [library:a, library:b >= 1]\n", "reopens-when", ["library:b >= 1"], "when to reopen"),
    ("reopens-when: [file:../x changes, file:x changes]\n", "reopens-when", ["file:x changes"], "to reopen"),
    ("reopens-when: ['date:soon', 'date:2027', 'manual: ']\n", "reopens-when", ["date:2027"], "to reopen"),
    ("truncated: yes\n", "truncated", None, "the one word"),
    ("truncated: true\n", "truncated", "true", None),
    ("by: Ada\n", "by", "Ada", None),
    ("by: {name: Ada}\n", "by", "Ada", None),
    ("by: {name: Ada, agent: bot}\n", "by", {"name": "Ada", "agent": "bot"}, None),
    ("by: {agent: bot}\n", "by", {"agent": "bot"}, None),
    ("by: [Ada]\n", "by", None, "must be a name"),
    ("by: {}\n", "by", None, "must be a name"),
    ("at-commit: |\n  abc\n", "at-commit", "abc", None),
    ("at-commit: |\n  abc\n  def\n", "at-commit", "abc def", "must be one line"),
    ("depends-on: {django: 1.10}\n", "depends-on", {"django": "1.10"}, None),
    ("depends-on: {django: [1], x: 2}\n", "depends-on", {"x": "2"}, "depends-on.django must be text"),
    ("depends-on: django 1.10\n", "depends-on", None, "must be a mapping of name to version"),
    ("review: {state: ok, by: Ada}\n", "review", {"by": "Ada"}, "“ok” is no review.state"),
    ("review: approved\n", "review", None, "must be a mapping"),
    ("retired: {because: b, on: soon, x: [1]}\n", "retired", {"because": "b", "x": ["1"]}, "is no date"),
    ("mine: {a: [no, {b: 1.0}], c: }\n", "mine", {"a": ["no", {"b": "1.0"}]}, "“c:” has no value"),
]


@pytest.mark.parametrize(("text", "name", "value", "words"), DROPPED, ids=range(len(DROPPED)))
def test_a_damaged_value_costs_that_value_and_is_said(
    loader: object, text: str, name: str, value: object, words: str | None
) -> None:
    record, problems = codec.decode((HEAD + text).encode(), PATH)
    assert record.get(name) == value
    assert [words in p.message for p in problems][:1] == ([True] if words else [])
    assert all(p.line is not None and p.line >= 4 and not p.fatal for p in problems)


WRITTEN_WRONG = {
    "layer": "desing",
    "scope": "repo",
    "valid-from": "soon",
    "files": ["/etc/passwd"],
    "trap": "no field of a dead end",
    "reopens-when": ["library:x"],
    "supersedes": ["x"],
    "observation": "a\x1bb",
    "alternative": "a\rb",
    "settled": "two\nlines",
    "by": {},
    "mine": 3,
    "yours": "\ud800",
    "evidence": {"a": "b"},
    "tags": [None],
}


@pytest.mark.parametrize("name", WRITTEN_WRONG)
def test_what_reading_would_drop_is_refused_on_writing(loader: object, name: str) -> None:
    record = Record({"id": "abcd1234", "kind": "dead-end", "route": "r"}, PATH)
    assert codec.check(record) == []
    wrong = Record({**record.fields, name: WRITTEN_WRONG[name]}, PATH)
    assert len(codec.check(wrong)) == 1
    with pytest.raises(ChalkError) as caught:
        codec.encode(wrong)
    assert "left out" not in caught.value.message


def test_a_record_over_the_cap_is_refused_on_both_ways() -> None:
    fits = Record({"id": "abcd1234", "kind": "procedure", "route": "r", "trap": "x" * 200_000}, PATH)
    assert codec.decode(codec.encode(fits), PATH)[0] == fits
    with pytest.raises(ChalkError, match="at most"):
        codec.encode(fits.changed({"trap": "x" * 300_000}))


PARTS = (
    "||id: abcd1234|kind: dead-end|route: |x|:|- |[|]|{|}|,|'|\"|\n|\n  |>-\n  |#| # c|\t|&a|*a|!!t|? |---\n"
    "|...\n"
    '|\\|\r|\x85|\u2028|é|%|<<: |\x00|\ufeff| |a: b|"\\u|\\xZZ|~'
).split("|")
JUNK = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=25).map("".join)


@settings(max_examples=1500, deadline=None)
@given(st.binary(max_size=200) | JUNK.map(lambda text: text.encode(errors="ignore")))
def test_any_bytes_are_a_record_or_one_error_with_either_parser(data: bytes) -> None:
    for head in (b"", HEAD.encode()):
        assert outcome(LOADERS[0], head + data) == outcome(LOADERS[1], head + data)


def outcome(loader: object, data: bytes) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "LOADER", loader)
        try:
            record, problems = codec.decode(data, PATH)
        except ChalkError:
            return None
        return record.fields, problems


HOSTILE = {
    "deep flow": "x: " + "[" * 200_000,
    "deep mappings": "x: " + "{a: " * 60_000,
    "deep lines": "".join(" " * n + "a:\n" for n in range(600)),
    "bomb": "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a]\n" for n in range(5000)),
    "anchors": "x: &" + "a" * 250_000,
    "keys": "".join(f"k{n}: v\n" for n in range(20_000)),
    "colons": "x: " + "a:" * 120_000,
    "questions": "? " * 100_000,
    "quotes": "x: '" + "''" * 120_000,
    "breaks": "x: |\n" + "\n" * 250_000,
    "bars": "raw: " + "a | " * 50_000,
    "spaces": "x: a" + " " * 250_000 + "b",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_done_with_quickly(loader: object, name: str) -> None:
    start = time.perf_counter()
    outcome(loader, (HEAD + HOSTILE[name]).encode())
    assert time.perf_counter() - start < 10


def test_a_huge_file_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "LOADER", None)
    assert "at most" in refused(b"x" * 50_000_000).message
