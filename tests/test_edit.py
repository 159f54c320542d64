"""An edit changes what was asked and no other byte; `fmt` loses no value and no comment."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.comments import gather
from chalkgit.records.edit import edit, formatted
from chalkgit.records.nodes import plain

PATH = ".lessons/dead-ends/x.abcd1234.yaml"

FILE = """\
# yaml-language-server: $schema=../record.schema.json
# Ada wrote this on a train.
kind:   dead-end   # a ruling
id: 'abcd1234'

# why we tried
route: >
  one
  two

observation: |
    it
      broke  # no comment

files:  # only these
  # the reader
  - "reader.go" # hot
  - a/b.go

tags: [x, "y"] # flow
review:
    state: approved # by hand
    # who
    by: Ada
mine: 1.10
# the end
"""


def changed(old: str, new: str, text: str = FILE) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


EDITS = {
    "a plain word": ({"mine": "2.0"}, [("mine: 1.10", 'mine: "2.0"')]),
    "a quoted word": ({"mine": "no"}, [("mine: 1.10", 'mine: "no"')]),
    "text for a block": ({"observation": "fine"}, [("|\n    it\n      broke  # no comment\n", "fine\n")]),
    "a block for a word": ({"mine": "a\nb"}, [("mine: 1.10", "mine: |-\n  a\n  b")]),
    "an added item": (
        {"files": ["reader.go", "a/b.go", "c.go"]},
        [("  - a/b.go\n", "  - a/b.go\n  - c.go\n")],
    ),
    "a first item": (
        {"files": ["z.go", "reader.go", "a/b.go"]},
        [("  # the reader\n", "  # the reader\n  - z.go\n")],
    ),
    "a removed item": ({"files": ["reader.go"]}, [("  - a/b.go\n", "")]),
    "another item": ({"files": ["reader.go", "c.go"]}, [("  - a/b.go\n", "  - c.go\n")]),
    "no item": (
        {"files": []},
        [("files:  # only these\n", "  # the reader\n# hot\nfiles: []  # only these\n")],
    ),
    "a list for a flow": ({"tags": ["x"]}, [('tags: [x, "y"] # flow\n', "tags: # flow\n  - x\n")]),
    "a part": ({"review": {"state": "rejected", "by": "Ada"}}, [("state: approved", "state: rejected")]),
    "one part less": ({"review": {"state": "approved"}}, [("    by: Ada\n", "")]),
    "one part more": (
        {"review": {"state": "approved", "by": "Ada", "on": "2026"}},
        [("    by: Ada\n", '    by: Ada\n    "on": "2026"\n')],
    ),
    "a new field": ({"layer": "design"}, [("comment\n\nfiles", "comment\nlayer: design\n\nfiles")]),
    "a new last field": ({"yours": "x"}, [("1.10\n", "1.10\nyours: x\n")]),
    "a removed field": ({"mine": None}, [("mine: 1.10\n", "")]),
    "a removed block": ({"observation": None}, [("observation: |\n    it\n      broke  # no comment\n", "")]),
    "nothing": ({"mine": "1.10", "layer": None}, []),
}


@pytest.fixture(
    params=[getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader], ids=["libyaml", "python"]
)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(codec, "LOADER", request.param)
    return request.param


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", [name for name in EDITS if name != "no item"])
def test_an_edit_changes_the_lines_of_its_field_alone(loader: object, name: str, newline: str) -> None:
    changes, replaced = EDITS[name]
    expected = FILE
    for old, new in replaced:
        expected = changed(old, new, expected)
    data = FILE.replace("\n", newline).encode()
    assert edit(data, changes, PATH).decode() == expected.replace("\n", newline)


def test_comments_inside_a_value_that_goes_stay_above_it() -> None:
    after = edit(FILE.encode(), {"files": []}, PATH).decode()
    assert "# the reader\n# hot\nfiles: []  # only these\n\ntags" in after


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + FILE.encode()
    assert edit(data, {"mine": "x"}, PATH) == data.replace(b"1.10", b"x")


def test_a_file_without_a_last_line_end_gets_one_before_a_new_field() -> None:
    data = b"id: abcd1234\nkind: procedure\nroute: r"
    assert edit(data, {"trap": "t"}, PATH) == data + b"\ntrap: t\n"
    assert edit(data, {"route": "s"}, PATH) == data[:-1] + b"s"


REFUSED = [
    (FILE, {"layer": "desing"}, "“desing” is no layer"),
    (FILE, {"trap": "t", "kind": "lesson"}, "needs failure"),
    (FILE, {"mine": 3}, "is no text"),
    (FILE, {"route": None}, "needs route"),
    (FILE, {"valid-from": "soon"}, "is no date"),
    ("{id: abcd1234, kind: procedure, route: r}\n", {"trap": "t"}, "too unusually"),
    ("id: abcd1234\nkind: procedure\n? route\n: r\n", {"route": "t"}, "too unusually"),
]


@pytest.mark.parametrize(("text", "changes", "words"), REFUSED, ids=range(len(REFUSED)))
def test_an_edit_that_cannot_be_made_leaves_the_file_alone(
    text: str, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ChalkError, match=words):
        edit(text.encode(), changes, PATH)


def test_what_is_too_unusual_to_edit_can_be_edited_after_fmt() -> None:
    data = formatted(b"{id: abcd1234, kind: procedure, route: r} # c\n", PATH)
    assert b"trap: t" in edit(data, {"trap": "t"}, PATH)


FORMATTED = """\
# yaml-language-server: $schema=../record.schema.json
id: abcd1234
# Ada wrote this on a train.
kind: dead-end  # a ruling
# why we tried
route: |
  one two
observation: |
  it
    broke  # no comment
files:  # only these
  # the reader
  - reader.go  # hot
  - a/b.go
review:
  state: approved  # by hand
  # who
  by: Ada
tags:
  - x
  - "y"  # flow
mine: "1.10"
# the end
"""


def test_fmt_moves_each_comment_with_its_field(loader: object) -> None:
    assert formatted(FILE.encode(), PATH).decode() == FORMATTED
    assert formatted(FORMATTED.encode(), PATH).decode() == FORMATTED


def test_fmt_keeps_the_line_ends_and_mints_no_second_id() -> None:
    text = FILE.replace("\n", "\r\n")
    assert formatted(text.encode(), PATH, "zzzz9999").decode() == FORMATTED.replace("\n", "\r\n")


@pytest.mark.parametrize("line", ["", "id:\n", "id:  # here\n"])
def test_fmt_gives_an_id_to_a_record_without_one(line: str) -> None:
    data = f"kind: procedure\nroute: r\n{line}".encode()
    with pytest.raises(ChalkError, match="no id"):
        formatted(data, PATH)
    result = formatted(data, PATH, "zzzz9999")
    assert codec.decode(result, PATH)[0].id == "zzzz9999"
    assert (b"# here" in result) == ("here" in line)


def test_fmt_leaves_a_schema_that_a_person_chose() -> None:
    own = b"# yaml-language-server: $schema=https://example.com/mine.json\n"
    data = b"id: abcd1234\n" + own + b"kind: procedure\nroute: r\n"
    assert formatted(data, PATH).split(b"\n")[0] + b"\n" == own
    ours = b"# yaml-language-server: $schema=../../../record.schema.json\n"
    assert formatted(ours + data.replace(own, b""), PATH).split(b"\n")[0].count(b"../") == 1


WORDS = st.sampled_from(
    ["a", "no", "1.10", "x: y", "- z", "#", "é 🙈", "two\nlines", " lead", "end\n\n", "w " * 60, ""]
)
SCALARS = st.sampled_from(
    [
        *(
            "v",
            "'v # v'",
            '"v\\tv"',
            "|\n    v\n    # v",
            "|+\n    v\n\n",
            ">-\n    v\n    w",
            "v\n    w",
            "",
            "[]",
            "{}",
        ),
        *(
            "[a, 'b']",
            "{a: b, c: [d]}",
            "[ # c1\n    a, # c2\n    # c3\n    b ]",
            "{ # c4\n  }",
            "# c5\n    v",
        ),
        *("\n    - a\n    - b", "\n  - a # c6\n  # c7\n  - |\n    t\n  -\n  # c8", "|2 # c11\n    v\n  w\n"),
        *("# c9\n    k: v # c10\n    l:\n      - m\n", ">+ # c12\n    v\n\n\n"),
        *("\n    - - a # c13\n      - b\n    - c: d\n      # c14\n      e: f",),
    ]
)
GAPS = st.sampled_from(["", "", "\n", "# g1\n", "  # g2\n", "\n# g3\n\n#g4 # x\n", "# g5\n# g6\n"])
SIDES = st.sampled_from(["", "", "  # s", " #s: - |"])


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file as people write them: any order, style and comment."""
    plainly = draw(st.permutations([("kind", "procedure"), ("route", "r"), ("id", "abcd1234")]))
    pairs = [(name, draw(st.sampled_from([value, f"'{value}'"])) + draw(SIDES)) for name, value in plainly]
    for name in draw(
        st.lists(st.sampled_from(["trap", "files", "mine", "zz", "tags", "review"]), unique=True)
    ):
        pairs.insert(draw(st.integers(0, len(pairs))), (name, draw(SCALARS)))
    text = "".join(f"{draw(GAPS)}{name}: {value}\n" for name, value in pairs) + draw(GAPS)
    text = (
        draw(st.sampled_from(["", "# yaml-language-server: $schema=../record.schema.json\n", "---\n"])) + text
    )
    text = text[:-1] if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


# with each of the two readers of YAML
thorough = settings(max_examples=350, deadline=None, suppress_health_check=list(HealthCheck))


@thorough
@given(text=files())
def test_fmt_is_stable_and_loses_nothing(loader: object, text: str) -> None:
    once = formatted(text.encode(), PATH)
    assert formatted(once, PATH) == once
    assert values(once) == values(text.encode())
    assert sorted(re.findall(rb"[cg]\d+|#s|# s", once)) == sorted(
        re.findall(rb"[cg]\d+|#s|# s", text.encode())
    )
    assert blanked(values(once)) == yaml.load(once, yaml.BaseLoader)


def blanked(value: object) -> object:
    """As PyYAML's BaseLoader says it: nothing is an empty text."""
    if isinstance(value, dict):
        return {name: blanked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [blanked(inner) for inner in value]
    return "" if value is None else value


def values(data: bytes) -> dict[str, object]:
    found: dict[str, object] = plain(codec.compose(codec.text_of(data, PATH), PATH))
    return found


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "trap": WORDS | st.none(),
        "files": st.lists(st.sampled_from(["a", "b", "c.go", "d e"]), max_size=4) | st.none(),
        "mine": WORDS | st.none() | st.dictionaries(st.sampled_from("kac"), WORDS, max_size=2),
        "zz": st.lists(WORDS, max_size=3) | st.none(),
        "review": st.fixed_dictionaries({"state": st.just("approved")}, optional={"because": WORDS})
        | st.none(),
        "layer": st.just("design"),
        "yours": WORDS,
    },
)


@thorough
@given(text=files(), changes=CHANGES)
def test_after_fmt_every_edit_does_exactly_what_was_asked(
    loader: object, text: str, changes: dict[str, object]
) -> None:
    data = formatted(text.encode(), PATH)
    result = edit(data, changes, PATH)
    expected = {**values(data), **changes}
    assert values(result) == {k: v for k, v in expected.items() if v is not None or k not in changes}
    assert comments(data) == comments(result)
    assert edit(result, changes, PATH) == result


@thorough
@given(text=files(), changes=CHANGES)
def test_an_edit_of_any_file_is_exact_or_refused(
    loader: object, text: str, changes: dict[str, object]
) -> None:
    data = text.encode()
    result = edited(data, changes)
    if result is None:
        return
    expected = {**values(data), **changes}
    assert values(result) == {k: v for k, v in expected.items() if v is not None or k not in changes}
    kept = [line for line in text.split("\n") if line.startswith(("id:", "kind:", "route:", "#"))]
    assert [line for line in kept if line not in result.decode()] == []


def edited(data: bytes, changes: dict[str, object]) -> bytes | None:
    try:
        return edit(data, changes, PATH)
    except ChalkError as error:
        if "too unusually" not in error.message:
            raise
        return None


def comments(data: bytes) -> list[str]:
    """The full lines of comment between the fields."""
    text = codec.text_of(data, PATH)
    found = gather(text, codec.compose(text, PATH))
    return [comment.text for comment in found if comment.text.startswith("# g")]


@thorough
@given(text=files())
def test_fmt_of_a_file_without_comments_is_the_canonical_file(text: str) -> None:
    record, _ = codec.decode(text.encode(), PATH)
    if codec.check(record) == []:
        data = codec.encode(record)
        assert formatted(data, PATH) == data
