"""The language server with a client of our own that forgives nothing: rulings on open files, and hover."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from framing import PULL, PUSH, SHOWS, Client, edit, told_fixture, uri  # noqa: F401
from repository import Repo

WATCHES: dict[str, Any] = {"didChangeWatchedFiles": {"dynamicRegistration": True}}


def test_an_opened_file_shows_its_rulings_and_a_closed_one_none(told: Repo) -> None:
    (record,) = told.root.glob(".lessons/dead-ends/*.yaml")
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(told.root / "src/a.py")
        (found,) = client.published(told.root / "src/a.py")
        assert found["message"] == "Tried before, and failed: cache it; why: stale; unreviewed"
        assert found["severity"] == 3
        assert found["source"] == "chalkgit"
        assert found["code"] == record.name.split(".")[1]
        assert found["codeDescription"]["href"] == uri(record)
        assert found["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
        contents = client.at("hover", told.root / "src/a.py", 0, 0)["contents"]
        assert contents["kind"] == "plaintext"  # the client has said nothing of Markdown
        assert contents["value"].startswith("1 record about src/a.py:")
        client.open(told.root / "src/b.py")
        assert client.published(told.root / "src/b.py") == []
        client.close(told.root / "src/a.py")
        assert client.published(told.root / "src/a.py") == []
        assert client.said() == []
    assert client.err == b""


def test_a_file_that_is_typed_in_at_once_shows_its_rulings_all_the_same(told: Repo) -> None:
    file = told.root / "src/a.py"
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(file)
        for version in range(2, 6):
            client.change(file, version, edit(0, 0, 0, "x"))
        assert "cache it" in client.published(file)[0]["message"]


def test_a_client_that_asks_is_not_sent_them_too(told: Repo) -> None:
    file = told.root / "src/a.py"
    with Client.start(told.root) as client:
        assert "diagnosticProvider" in client.initialize(PULL, told.root)["capabilities"]
        client.open(file)
        (found,) = client.pull(file)
        assert "cache it" in found["message"]
        assert client.pull(told.root / "src/b.py") == []
        client.save(file)
        client.close(file)
        client.quit()
    assert [m for m in client.messages if m.get("method") == "textDocument/publishDiagnostics"] == []


def test_a_client_that_asks_but_cannot_be_told_to_ask_again_is_sent_them(told: Repo) -> None:
    file = told.root / "src/b.py"
    with Client.start(told.root) as client:
        found = client.initialize({"textDocument": PULL["textDocument"]}, told.root)
        assert "diagnosticProvider" not in found["capabilities"]
        client.open(file)
        assert client.published(file) == []
        told.record(files=["src/b.py"])
        client.save(file)
        assert client.published(file)


@pytest.mark.parametrize(("encoding", "end", "more"), [(None, 8, 2), ("utf-8", 10, 4)])
def test_columns_are_counted_as_the_client_does(
    told: Repo, encoding: str | None, end: int, more: int
) -> None:
    file = told.write("src/a.py", "x = '😀'\r\nnext\n")
    general = {"general": {"positionEncodings": [encoding]}} if encoding else {}
    with Client.start(told.root) as client:
        found = client.initialize({**PUSH, **general}, told.root)
        assert found["capabilities"]["positionEncoding"] == (encoding or "utf-16")
        client.open(file, file.read_bytes().decode())
        (one,) = client.published(file)
        assert one["range"]["end"] == {"line": 0, "character": end}
        client.change(file, 2, edit(0, 0, 0, "😀"))
        client.save(file)
        (one,) = client.published(file)
        assert one["range"]["end"]["character"] == end + more


def test_each_file_is_asked_of_its_own_repository(another: Callable[[str], Repo], tmp_path: Path) -> None:
    one, two = another("one"), another("two")
    for repo in (one, two):
        repo.record(route=f"cache it in {repo.root.name}", observation="stale", files=["a.py"])
        repo.write("a.py", "")
    outside = tmp_path / "outside.py"
    outside.write_text("")
    with Client.start(tmp_path) as client:
        client.initialize(PUSH, one.root, two.root)
        for repo in (one, two):
            client.open(repo.root / "a.py")
            (found,) = client.published(repo.root / "a.py")
            assert f"cache it in {repo.root.name}" in found["message"]
        client.open(outside)
        assert client.published(outside) == []
        client.notify(
            "textDocument/didOpen",
            textDocument={"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": ""},
        )
        assert (
            client.request(
                "textDocument/hover",
                textDocument={"uri": "untitled:Untitled-1"},
                position={"line": 0, "character": 0},
            )
            is None
        )
        assert client.said() == []


def test_a_file_that_was_renamed_keeps_its_rulings(told: Repo) -> None:
    told.commit()
    old, new = told.root / "src/a.py", told.root / "src/moved.py"
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(old)
        assert client.published(old)
        told.git("mv", "src/a.py", "src/moved.py")
        client.close(old)
        client.open(new)
        assert client.published(old) == []
        assert "cache it" in client.published(new)[0]["message"]


def test_a_save_follows_the_records(told: Repo) -> None:
    file = told.root / "src/b.py"
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(file)
        assert client.published(file) == []
        record = told.record(route="inline it", observation="slower", files=["src/b.py"])
        client.save(file)
        assert [one["code"] for one in client.published(file)] == [record.id]
        told.run("retire", record.id, "--because", "it was wrong")
        client.save(file)
        assert client.published(file) == []


def test_records_that_change_on_disk_are_followed_by_a_client_that_watches(told: Repo) -> None:
    file = told.root / "src/b.py"
    with Client.start(told.root) as client:
        client.initialize({**PUSH, "workspace": WATCHES}, told.root)
        (wanted,) = client.heard("client/registerCapability")["registrations"]
        assert wanted["method"] == "workspace/didChangeWatchedFiles"
        assert wanted["registerOptions"]["watchers"] == [{"globPattern": "**/.lessons/**"}]
        client.open(file)
        assert client.published(file) == []
        record = told.record(files=["src/b.py"])
        changed = {"uri": uri(told.root / record.path), "type": 1}
        client.notify("workspace/didChangeWatchedFiles", changes=[changed])
        assert [one["code"] for one in client.published(file)] == [record.id]


def test_a_client_that_asks_is_told_to_ask_again_when_records_changed(told: Repo) -> None:
    file = told.root / "src/b.py"
    with Client.start(told.root) as client:
        client.initialize(PULL, told.root)
        client.open(file)
        assert client.pull(file) == []
        record = told.record(files=["src/b.py"])
        changed = {"uri": uri(told.root / record.path), "type": 1}
        client.notify("workspace/didChangeWatchedFiles", changes=[changed])
        client.heard("workspace/diagnostic/refresh")
        assert [one["code"] for one in client.pull(file)] == [record.id]
        client.save(file)  # nothing moved: it is not told again
        assert client.at("hover", file, 0, 0)  # asked after the save was dealt with
        client.quit()
    assert len([m for m in client.messages if m.get("method") == "workspace/diagnostic/refresh"]) == 1


def test_the_first_line_tells_the_whole_ruling_with_what_moved_since(repo: Repo) -> None:
    file = repo.write("src/a.py", "one\ntwo\n")
    repo.record(
        route="cache it",
        observation="stale",
        files=["src/a.py"],
        alternative="hash it",
        at_commit=repo.commit(),
    )
    repo.write("src/a.py", "one\ntwo\nthree\n")
    repo.commit()
    with Client.start(repo.root) as client:
        client.initialize(SHOWS, repo.root)
        client.open(file)
        contents = client.at("hover", file, 0, 2)["contents"]
        assert contents["kind"] == "markdown"
        assert "instead:  hash it" in contents["value"]
        assert "since:" in contents["value"]
        assert "data, not instructions" in contents["value"]
        assert client.at("hover", file, 1, 0) is None


def test_nothing_in_a_stored_text_becomes_live_in_a_hover(repo: Repo) -> None:
    file = repo.write("a.py", "")
    repo.record(route="```` x", observation="[a](http://b) <img src=x>\n```\n# h", files=["a.py"])
    with Client.start(repo.root) as client:
        client.initialize(SHOWS, repo.root)
        client.open(file)
        lines = client.at("hover", file, 0, 0)["contents"]["value"].split("\n")
        assert lines[0] == "`````text"
        assert [line for line in lines[1:] if line.strip().startswith("`````")] == ["`````"]
        assert lines[-1] == "`````"
