"""A record survives its file, whatever is in it, and other YAML readers read the same."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
import ruamel.yaml
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chalkgit import thresholds
from chalkgit.records import codec
from chalkgit.records.record import Record

PATH = ".lessons/dead-ends/x.abcd1234.yaml"
HEAD = "id: abcd1234\nkind: dead-end\nroute: r\n"
LOADERS = [getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader]

TRICKY = (
    "no yes ~ null true = << 012 1.10 1e3 0x1F 1:30 .inf 2026-03-01 2026-03-01T10:00:00Z - -x # : ? "
    "& * ! | > % @ ` {} [] {a} [a] a:b a: --- ... ' \" \\ \\n <<<<<<< ======= >>>>>>> "
    "é 漢字 🙈 1_000 +1 .5 0o17 Null y N"
).split()
SPECIAL = [
    "",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "\x85",
    "\u2028",
    "\u2029",
    "\xa0",
    "\ufeff",
    "\uffff",
    " #",
    ": ",
]
CHARACTERS = st.characters(
    exclude_categories=["Cs"], exclude_characters=[chr(c) for c in range(160) if c < 32 or c > 126] + ["\x85"]
)
PIECES = st.sampled_from(TRICKY + SPECIAL) | st.text(CHARACTERS, max_size=6)
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.lists(PIECES, max_size=30).map(" ".join)
FULL = TEXTS.filter(lambda text: bool(text.strip()))
LINES = TEXTS.map(lambda text: text.replace("\n", " "))
NAMES = LINES.map(lambda text: text[:20]).filter(lambda text: bool(text.strip()))
OTHER = NAMES.filter(lambda name: name not in codec.emit._TOP)
NESTED = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
).filter(lambda value: depth(value) < thresholds.RECORD_DEPTH)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@st.composite
def records(draw: st.DrawFn) -> Record:
    fields: dict[str, object] = {
        "id": "abcd1234",
        "kind": draw(st.sampled_from(["dead-end", "lesson", "procedure"])),
    }
    if fields["kind"] == "lesson":
        fields["failure"] = {
            "error": draw(FULL),
            "tests": draw(st.lists(LINES, max_size=3)),
            "exit-code": "1",
        }
        fields["resolved-by"] = {"name": draw(FULL.map(one_line)), "agent": draw(FULL.map(one_line))}
    else:
        fields["route"] = draw(FULL)
    optional = {
        "by": FULL.map(one_line),
        "layer": st.sampled_from(["design", "environment"]),
        "depends-on": st.dictionaries(NAMES, LINES, max_size=3),
        "evidence": st.lists(LINES, max_size=4),
        "valid-from": st.sampled_from(["2026", "2026-03", "2026-03-01", "2026-03-01T10:00:00Z"]),
        "reopens-when": st.just(
            ["library:django>=5.0", "date:2027-01-01", "file:a b.py changes", "manual:x"]
        ),
        "review": st.fixed_dictionaries({"state": st.just("approved"), "because": TEXTS}),
        "tags": st.lists(LINES, max_size=2),
    }
    fields |= draw(st.fixed_dictionaries({}, optional=optional))
    return Record(fields | draw(st.dictionaries(OTHER, NESTED, max_size=3)), PATH)


def one_line(text: str) -> str:
    return text.replace("\n", " ")


@pytest.fixture(params=LOADERS, ids=["libyaml", "python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(codec, "LOADER", request.param)
    return request.param


slow = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@slow
@given(record=records())
def test_a_record_is_read_back_exactly(loader: object, record: Record) -> None:
    assert codec.check(record) == []
    data = codec.encode(record)
    back, problems = codec.decode(data, PATH)
    assert problems == []
    assert back.fields == record.fields
    assert codec.encode(back) == data


@slow
@given(record=records())
def test_every_other_yaml_reader_reads_the_same_strings(record: Record) -> None:
    text = codec.encode(record).decode()
    assert yaml.safe_load(text) == record.fields
    assert ruamel.yaml.YAML(typ="safe", pure=True).load(io.StringIO(text)) == record.fields


@slow
@given(text=TEXTS, column=st.integers(0, 3))
@example("a " * 100, 0)
@example("word  " * 40 + "end", 0)
@example("\n a", 0)
def test_any_text_is_said_exactly_in_a_list_and_in_a_mapping(loader: object, text: str, column: int) -> None:
    value: object = text
    for _ in range(column):
        value = {"k": [value]}
    record = Record({"id": "abcd1234", "kind": "procedure", "route": "r", "x": value})
    assert codec.decode(codec.encode(record), "")[0] == record


PLAIN = ("no", "~x", "2026-03-01", "1.10", "012", "1e3", "null", "=", "true", "0x1F", "12:30:00", "1_000")


@pytest.mark.parametrize("text", PLAIN)
def test_an_unquoted_value_is_the_text_that_stands_there(loader: object, text: str) -> None:
    assert read(f"{HEAD}observation: {text}\nx: [{text}]\n").fields["observation"] == text
    assert read(f"{HEAD}x: [{text}, a]\n").fields["x"] == [text, "a"]


def read(text: str) -> Record:
    return codec.decode(text.encode(), PATH)[0]


def test_one_line_and_a_lone_name_are_written_as_they_are_read() -> None:
    record = Record(
        {"id": "abcd1234", "kind": "procedure", "route": "r", "files": "a.py", "by": {"name": "Ada"}}
    )
    back, _ = codec.decode(codec.encode(record), PATH)
    assert (back.get("files"), back.get("by")) == (["a.py"], "Ada")
    assert codec.content_hash(back) == codec.content_hash(record)


def test_a_dead_end_that_has_only_its_raw_entry_gets_its_fields_from_it() -> None:
    typed = read("id: abcd1234\nkind: dead-end\nraw: 'route: a | observation: b | layer: design'\n")
    assert [typed.get(name) for name in ("route", "observation", "layer")] == ["a", "b", "design"]
    prose = read("id: abcd1234\nkind: dead-end\nraw: we tried a\n")
    assert (prose.get("route"), prose.get("observation")) == ("we tried a", None)
    routed = read("id: abcd1234\nkind: dead-end\nroute: c\nraw: 'route: a | observation: b'\n")
    assert (routed.get("route"), routed.get("observation")) == ("c", None)


def test_the_canonical_file_looks_as_a_person_would_write_it() -> None:
    record = Record(
        {
            "mine": {"b": ["x", {"k": "z"}], "a": "1"},
            "kind": "lesson",
            "id": "abcd1234",
            "failure": {"error": "E: no\n  at x", "exit-code": "1", "tests": ["a", "b"]},
            "lesson": "When the pool is drained before the workers stop, the last writes are lost because "
            + "x" * 30,
            "by": {"agent": "bot", "name": "Ada"},
            "tags": [],
        },
        ".lessons/lessons/deep/x.yaml",
    )
    assert codec.encode(record).decode() == CANONICAL


CANONICAL = """\
# yaml-language-server: $schema=../../record.schema.json
id: abcd1234
kind: lesson
failure:
  exit-code: "1"
  tests:
    - a
    - b
  error: |-
    E: no
      at x
lesson: >-
  When the pool is drained before the workers stop, the last writes are lost because
  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
by:
  name: Ada
  agent: bot
tags: []
mine:
  a: "1"
  b:
    - x
    -
      k: z
"""


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("", "../"),
        (".lessons/x.yaml", "./"),
        (".lessons/dead-ends/x.yaml", "../"),
        ("sub/.lessons/a/b/x.yaml", "../../"),
        ("x.yaml", "../"),
    ],
)
def test_the_first_line_leads_an_editor_to_the_schema(path: str, steps: str) -> None:
    data = codec.encode(Record({"id": "abcd1234", "kind": "procedure", "route": "r"}, path))
    assert data.split(b"\n")[0].decode() == f"# yaml-language-server: $schema={steps}record.schema.json"


def test_the_hash_speaks_of_content_alone() -> None:
    fields = {"id": "abcd1234", "kind": "procedure", "route": "r", "z": {"b": "1", "a": "2"}, "y": "x"}
    first = codec.content_hash(Record(fields, "a.yaml"))
    turned = {**dict(reversed(list(fields.items()))), "z": {"a": "2", "b": "1"}}
    assert codec.content_hash(Record(turned, "b.yaml")) == first
    assert codec.content_hash(Record({**fields, "review": {"state": "approved"}})) == first
    assert codec.content_hash(Record({**fields, "y": "X"})) != first
    assert codec.content_hash(Record({**fields, "trap": "t"})) != first


def test_a_record_needs_no_yaml_until_a_file_is_read() -> None:
    code = "import sys, chalkgit.records.{}; print('yaml' in sys.modules)"
    found = [
        subprocess.run(
            [sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True
        ).stdout
        for name in ("record", "paths", "codec")
    ]
    assert found == ["False\n", "False\n", "True\n"]
