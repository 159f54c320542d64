"""The language server's code actions: a record is opened, and a new one begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from framing import PUSH, SHOWS, Client, edit, told_fixture, uri  # noqa: F401
from repository import Repo

INVOKED, AUTOMATIC = 1, 2


def actions(client: Client, file: Path, *, trigger: int = INVOKED, line: int = 0, **context: Any) -> Any:
    place = {"line": line, "character": 0}
    return client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri(file)},
        range={"start": place, "end": place},
        context={"diagnostics": [], "triggerKind": trigger, **context},
    )


def titled(found: list[dict[str, Any]], start: str) -> dict[str, Any]:
    (one,) = [action for action in found if action["title"].startswith(start)]
    return one


def test_an_action_opens_the_record_in_a_client_that_can(told: Repo) -> None:
    file = told.root / "src/a.py"
    (record,) = told.root.glob(".lessons/dead-ends/*.yaml")
    with Client.start(told.root) as client:
        client.initialize(SHOWS, told.root)
        client.open(file)
        shown = client.published(file)
        action = titled(actions(client, file, diagnostics=shown), "Open the record")
        assert action["diagnostics"] == shown
        client.request(
            "workspace/executeCommand", **{k: action["command"][k] for k in ("command", "arguments")}
        )
        (asked,) = [m["params"] for m in client.messages if m.get("method") == "window/showDocument"]
        assert asked["uri"] == uri(record)
        assert asked["takeFocus"] is True
        assert [a["title"] for a in actions(client, file, line=1)] == ["Record a dead end here"]


def test_a_client_that_cannot_is_told_where_the_record_is(told: Repo) -> None:
    file = told.root / "src/a.py"
    (record,) = told.root.glob(".lessons/dead-ends/*.yaml")
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(file)
        command = titled(actions(client, file), "Open the record")  # commands alone: it knows no actions
        answer = client.request(
            "workspace/executeCommand", command=command["command"], arguments=command["arguments"]
        )
        assert answer == uri(record)
        (said,) = [m["params"] for m in client.messages if m.get("method") == "window/showMessage"]
        assert said["message"] == f"open {record}"


def test_recording_here_makes_a_file_that_is_no_record_until_it_is_filled_in(told: Repo) -> None:
    file = told.root / "src/b.py"
    with Client.start(told.root) as client:
        client.initialize(SHOWS, told.root)
        client.open(file)
        before = set(told.root.rglob("*.yaml"))
        action = titled(actions(client, file), "Record a dead end here")
        assert set(told.root.rglob("*.yaml")) == before
        client.request("workspace/executeCommand", command="chalkgit.record", arguments=[uri(file)])
        (new,) = set(told.root.rglob("*.yaml")) - before
        (asked,) = [m["params"] for m in client.messages if m.get("method") == "window/showDocument"]
        assert asked["uri"] == uri(new)
        assert action["command"]["arguments"] == [uri(file)]
        client.open(new)
        found = client.published(new)
        assert [(one["severity"], one["message"]) for one in found] == [(1, "a dead-end needs route or raw")]
        lines = new.read_text().splitlines()
        assert asked["selection"]["start"] == {"line": lines.index("route:"), "character": 6}
        for start in ("id: ", "kind: dead-end", "by: Ada", "valid-from: ", "  - src/b.py"):
            assert [line for line in lines if line.startswith(start)], start
        row = lines.index("route:")
        client.change(new, 2, edit(row, 6, 6, " inline it"))
        (found_one,) = client.published(new)
        assert found_one["message"].startswith("“observation:” has no value")
        client.change(new, 3, edit(lines.index("observation:"), 12, 12, " slower"))
        assert client.published(new) == []
    assert told.run("lint").code == 1


def test_recording_is_offered_to_a_person_and_not_to_a_moving_cursor(told: Repo, tmp_path: Path) -> None:
    file = told.root / "src/a.py"
    outside = tmp_path / "outside.py"
    outside.write_text("")
    with Client.start(told.root) as client:
        client.initialize(SHOWS, told.root)
        client.open(file)
        client.open(outside)
        titles = [action["title"][:15] for action in actions(client, file, trigger=AUTOMATIC)]
        assert titles == ["Open the record"]
        assert len(actions(client, file)) == 2
        assert actions(client, file, only=["source"]) == []
        assert [a["kind"] for a in actions(client, file, only=["chalkgit"])] == ["chalkgit.record"]
        assert actions(client, outside) == []
