"""The language server inside records: what is wrong with an unsaved text, and what may stand there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from framing import PULL, PUSH, Client, edit, uri
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec
from repository import Repo

from chalkgit.doors.lsp import completion
from chalkgit.doors.lsp.documents import Text
from chalkgit.records import fields

GOOD = "id: k7q2m9xd\nkind: dead-end\nroute: cache it\nobservation: stale\n"


def offered(client: Client, file: Path, line: int, character: int) -> dict[str, dict[str, Any]]:
    found = client.at("completion", file, line, character)
    return {item["label"]: item for item in found["items"]} if found else {}


def chosen(text: str) -> list[str]:
    """What may be put in at the bar of a record's text."""
    before, bar, after = text.partition("▏")
    assert bar
    row = before.count("\n")
    return [
        c.label for c in completion.at((before + after).split("\n"), row, len(before.split("\n")[-1])).items
    ]


def test_a_record_is_checked_as_it_is_typed_before_it_is_saved(repo: Repo) -> None:
    file = repo.write(".lessons/dead-ends/a.yaml", GOOD)
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(file)
        assert client.published(file) == []
        client.change(file, 2, edit(4, 0, 0, "layer: somewhere\n"))
        (found,) = client.published(file)
        assert found["severity"] == 2
        assert found["range"] == {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 16}}
        assert "somewhere" in found["message"]
        client.change(file, 3, edit(1, 6, 14, "idea"))
        (found,) = client.published(file)
        assert (found["severity"], found["range"]["start"]["line"]) == (1, 1)
        client.change(file, 4, {"text": GOOD})
        assert client.published(file) == []
        assert file.read_text() == GOOD


def test_a_client_that_asks_gets_the_problems_of_the_unsaved_text(repo: Repo) -> None:
    file = repo.write(".lessons/a.yaml", GOOD)
    with Client.start(repo.root) as client:
        client.initialize(PULL, repo.root)
        client.open(file)
        assert client.pull(file) == []
        client.change(file, 2, edit(0, 0, 12, "id: no id"))
        assert "no id" in client.pull(file)[0]["message"]


def test_changes_below_emoji_and_odd_line_ends_are_put_where_the_client_put_them(repo: Repo) -> None:
    text = "id: k7q2m9xd\r\nkind: dead-end\r\nroute: a 😀 b\r\nobservation: 'x\u2028y\x85z'\r\nlayer: design"
    file = repo.write(".lessons/a.yaml", text)
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(file, text)
        assert client.published(file) == []
        # the line after one that Python would split in three; then behind the emoji, two units wide
        client.change(file, 2, edit(4, 7, 13, "dasign"), edit(2, 12, 13, "\u202ec"))
        (found,) = client.published(file)
        assert found["range"]["start"]["line"] == 4
        assert "dasign" in found["message"]
        client.change(file, 3, edit(4, 8, 9, "e"))
        assert client.published(file) == []
        client.change(file, 4, edit(9, 0, 0, "\r\nscope: nowhere"))  # beyond the end is the end
        assert client.published(file)[0]["range"]["start"]["line"] == 5
        client.change(file, 5, {"text": "\ud83d"})  # half a character, as an editor may send it
        assert "not UTF-8" in client.published(file)[0]["message"]


@given(
    st.text("ab😀é\r\n\x0c\u2028", max_size=20),
    st.lists(st.tuples(st.integers(0), st.integers(0), st.text("x😀\r\n", max_size=4)), max_size=6),
    st.sampled_from(["utf-8", "utf-16-le", "utf-32-le"]),
)
def test_edits_end_in_the_text_that_the_client_has(
    text: str, edits: list[tuple[int, int, str]], encoding: str
) -> None:
    kept = Text(text, PositionCodec(encoding.removesuffix("-le")))
    for one, other, new in edits:
        offsets = _offsets(text, encoding)
        places = list(offsets)
        start, end = sorted((places[one % len(places)], places[other % len(places)]))
        stretch = types.Range(types.Position(*start), types.Position(*end))
        kept.change(types.TextDocumentContentChangePartial(stretch, new))
        text = text[: offsets[start]] + new + text[offsets[end] :]
        assert kept.source == text


def _offsets(text: str, encoding: str) -> dict[tuple[int, int], int]:
    """Every place of a text, as the protocol counts them, and its offset."""
    width = len("a".encode(encoding))
    found = {}
    row = units = 0
    for at, character in enumerate(text):
        inside_end = character == "\n" and at > 0 and text[at - 1] == "\r"
        if not inside_end:
            found[row, units] = at
        units += len(character.encode(encoding)) // width
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            row, units = row + 1, 0
    found[row, units] = len(text)
    return found


def test_a_copy_of_a_record_is_told_that_its_id_is_taken(repo: Repo) -> None:
    record = repo.record()
    file = repo.write(".lessons/copy.yaml", (repo.root / record.path).read_bytes())
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(repo.root / record.path)
        assert client.published(repo.root / record.path) == []
        client.open(file)
        (found,) = client.published(file)
        assert found["message"].startswith(f"has the id {record.id}, which {record.path} has too")
        assert "chalkgit fmt --new-id" in found["message"]


def test_files_that_are_no_records_are_left_alone(repo: Repo, tmp_path: Path) -> None:
    elsewhere = tmp_path / "plain" / ".lessons" / "a.yaml"
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text("a: [\n")
    config = repo.write(".lessons/config.yaml", "reviewers: [\n")
    record = repo.write(".lessons/a.yaml", "a: [\n")
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        for file in (elsewhere, config):
            client.open(file)
            assert client.published(file) == []
        assert offered(client, elsewhere, 0, 0) == {}
        client.open(record)
        assert client.published(record)


def test_saving_a_record_renews_what_the_open_files_show(repo: Repo) -> None:
    file, record = repo.write("src/a.py", ""), repo.write(".lessons/a.yaml", GOOD)
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(file)
        assert client.published(file) == []
        client.open(record)
        assert client.published(record) == []
        record.write_text(GOOD + "files:\n  - src/*.py\n")
        client.change(record, 2, {"text": record.read_text()})
        client.save(record)
        assert client.published(file)[0]["code"] == "k7q2m9xd"


def test_ids_and_files_are_offered_from_the_repository(repo: Repo) -> None:
    old = repo.record(route="inline the parser", observation="slower")
    repo.write("src/a.py", "")
    repo.write("src/deep/b.py", "")
    (repo.root / "out").symlink_to("/")
    file = repo.write(".lessons/new.yaml", GOOD + "supersedes:\n  - \nfiles:\n  - src/\n  - out/\n")
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(file)
        (found,) = offered(client, file, 5, 4).values()
        assert (found["label"], found["detail"]) == (old.id, "inline the parser")
        places = {"start": {"line": 5, "character": 4}, "end": {"line": 5, "character": 4}}
        assert found["textEdit"] == {"range": places, "newText": old.id}
        found_files = offered(client, file, 7, 8)
        assert list(found_files) == ["src/a.py", "src/deep/"]
        assert found_files["src/a.py"]["textEdit"]["range"]["start"]["character"] == 4
        assert offered(client, file, 8, 8) == {}
        client.change(file, 2, edit(5, 4, 4, "parser"))
        assert list(offered(client, file, 5, 10)) == [old.id]
        client.change(file, 3, edit(5, 4, 10, "lexer"))
        assert offered(client, file, 5, 9) == {}


def test_a_field_is_explained_and_completed_where_it_stands(repo: Repo) -> None:
    file = repo.write(".lessons/a.yaml", GOOD + "lay")
    with Client.start(repo.root) as client:
        client.initialize(PUSH, repo.root)
        client.open(file)
        found = client.at("hover", file, 2, 2)
        assert found["contents"]["value"] == f"route: {fields.BY_NAME['route'].meaning}"
        assert found["range"]["end"] == {"line": 2, "character": 5}
        assert client.at("hover", file, 2, 9) is None
        item = offered(client, file, 4, 3)["layer"]
        assert item["textEdit"]["newText"] == "layer: "
        assert item["detail"] == fields.BY_NAME["layer"].meaning
        done = client.request(
            "textDocument/completion",
            textDocument={"uri": uri(repo.root / "x.py")},
            position={"line": 0, "character": 0},
        )
        assert done is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: ▏", fields.KINDS),
        ("kind:▏", fields.KINDS),
        ("kind: lesson\nscope: ▏", fields.LESSON_SCOPES),
        ("kind: procedure\nscope: lo▏", fields.SCOPES),
        ("scope: ▏", ("local", "version-bound", "general", "repo")),
        ("kind: dead-end\nlayer: ▏\nroute: x", fields.LAYERS),
        ("kind: dead-end\ndegree: '▏", fields.DEGREES),
        ("kind: dead-end\naction: ▏", fields.ACTIONS),
        ("kind: lesson\naction: ▏", fields.ACTIONS),
        ("review:\n  state: ▏", fields.REVIEWS),
        ("review:\n  ▏", ("state", "by", "hash", "because", "on")),
        ("by:\n  ▏", ("name", "agent")),
        ("route: ▏", ()),
        ("route: |\n  kind: ▏", ()),
        ("nonsense: ▏", ()),
        ("nonsense:\n  - ▏", ()),
        ("  ▏", ()),
    ],
)
def test_the_words_that_a_place_allows_are_offered(text: str, words: tuple[str, ...]) -> None:
    assert chosen(text) == list(words)


def test_fields_are_those_of_the_kind_that_are_not_there_yet() -> None:
    names = chosen("kind: procedure\nroute: x\n▏")
    assert "trap" in names
    assert not {"kind", "route", "observation", "failure"} & set(names)
    assert set(chosen("▏")) == set(fields.BY_NAME)
    assert "route" in chosen("rou▏: x")


def test_every_enumeration_of_the_table_is_offered() -> None:
    for field in fields.FIELDS:
        for kind, words in field.words.items():
            if field.name != "kind":
                assert chosen(f"kind: {kind}\n{field.name}: ▏") == list(words)
    for name, words in fields.PART_WORDS.items():
        owner, part = name.split(".")
        assert chosen(f"{owner}:\n  {part}: ▏") == list(words)


def test_a_name_says_what_it_means_and_what_may_stand_there() -> None:
    lines = ["kind: dead-end", "degree: x", "trap: y", "review:", "  state: approved", "mine: z", "# by: w"]
    assert completion.meaning(lines, 1, 3) == (
        "degree",
        "how sure the refutation is: contradicted, partial, inconclusive, unstable",
        0,
        6,
    )
    assert completion.meaning(lines, 2, 0) == ("trap", "what goes wrong on the way (of a procedure)", 0, 4)
    found = completion.meaning(lines, 4, 4)
    assert found is not None
    assert found[0] == "review.state"
    assert found[1].endswith(": approved, rejected, quarantined")
    for line, column in ((1, 9), (5, 1), (6, 3)):
        assert completion.meaning(lines, line, column) is None
