"""The language server as a process: streams, ends, what it keeps and what it survives."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable

from framing import PUSH, SECONDS, SHOWS, Client, told_fixture, uri  # noqa: F401
from repository import Repo


def test_a_session_is_journalled_once_a_file(told: Repo) -> None:
    file = told.root / "src/a.py"
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root, name="an\x1beditor")
        for _ in range(2):
            client.open(file)
            client.published(file)
        client.quit()
    journal = sqlite3.connect(told.root / ".git/chalkgit-journal/journal.db")
    rows = journal.execute("select session, path, surface from shown").fetchall()
    journal.close()
    assert [row[1:] for row in rows] == [("src/a.py", "lsp")]
    assert rows[0][0].startswith("lsp:an␛editor:")


def test_the_switch_silences_rulings_says_so_and_leaves_records_checked(told: Repo) -> None:
    file, bad = told.root / "src/a.py", told.write(".lessons/bad.yaml", "kind: [\n")
    with Client.start(told.root, env={"CHALKGIT_BYPASS_RULINGS": "1"}) as client:
        client.initialize(SHOWS, told.root)
        client.open(file)
        assert client.published(file) == []
        assert client.at("hover", file, 0, 0) is None
        client.open(bad)
        assert client.published(bad)[0]["severity"] == 1
        (said,) = client.said()
        assert "CHALKGIT_BYPASS_RULINGS" in said


def test_a_damaged_record_is_told_once_and_the_others_are_served(told: Repo) -> None:
    file = told.root / "src/a.py"
    told.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        for _ in range(2):
            client.open(file)
            assert client.published(file)
        (said,) = client.said()
        assert "/.lessons/bad.yaml:" in said


def test_a_damaged_index_is_built_again(told: Repo) -> None:
    file = told.root / "src/a.py"
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.open(file)
        assert client.published(file)
        (table,) = told.root.glob(".git/chalkgit/g*/table.db")
        table.write_bytes(b"no database" * 1000)
        client.save(file)
        assert client.published(file)
        assert client.at("hover", file, 0, 0)


def test_a_store_that_cannot_be_asked_costs_its_answers_alone(
    told: Repo, another: Callable[[str], Repo]
) -> None:
    linked = another("linked")
    os.rename(linked.root / ".lessons", linked.root / "elsewhere")
    os.symlink("elsewhere", linked.root / ".lessons")
    file = linked.write("a.py", "")
    with Client.start(told.root) as client:
        client.initialize(SHOWS, told.root)
        for _ in range(2):
            client.open(file)
            assert client.published(file) == []
        client.request("workspace/executeCommand", command="chalkgit.record", arguments=[uri(file)])
        assert all("symbolic link" in said for said in client.said())
        assert len(client.said()) == len(set(client.said())) == 2
        client.open(told.root / "src/a.py")
        assert client.published(told.root / "src/a.py")


_LOUD = """
import os, sys
from chalkgit.doors.lsp import notices
serve = notices.serve
def louder(server):
    serve(server)
    @server.feature("chalkgit/loud")
    async def loud(ls, params):
        print("to stdout")
        os.system("echo from a child")
        os.write(1, b"to the descriptor")
        async def fail():
            raise ValueError("as a test wants it")
        return await ls.safe(fail(), "answered")
    @server.feature("chalkgit/fail")
    def fail(ls, params):
        raise ValueError("in the handler itself")
notices.serve = louder
sys.argv = ["chalkgit", "lsp", "--stdio"]
from chalkgit.__main__ import main
main()
"""


def test_what_prints_and_what_fails_puts_no_byte_between_the_frames(told: Repo) -> None:
    with Client.start(told.root, command=(sys.executable, "-I", "-c", _LOUD)) as client:
        client.initialize(PUSH, told.root)
        assert client.request("chalkgit/loud") == "answered"
        assert "error" in client.answer(client.begin("chalkgit/fail", {}))
        assert "error" in client.answer(client.begin("chalkgit/unknown", {}))
        client.notify("chalkgit/unknown")
        client.notify("textDocument/didOpen", nonsense=True)
        for odd in ("file://[", "file:///a%00b", "file:///%FF/x", "nonsense", ""):
            item = {"uri": odd, "languageId": "x", "version": 1, "text": ""}
            client.notify("textDocument/didOpen", textDocument=item)
        client.open(told.root / "src/a.py")
        assert client.published(told.root / "src/a.py")
        said = client.said()
        assert len([one for one in said if "bug in chalkgit (ValueError: as a test wants it)" in one]) == 1
        assert len([one for one in said if "bug in chalkgit" in one]) == 2
        assert [one for one in said if "not understood" in one] == [
            "a message was not understood: Invalid Params"
        ]
        client.quit()
    assert b"to stdout" in client.err
    assert b"from a child" in client.err
    assert b"to the descriptor" in client.err
    assert b"Traceback" not in client.err


def test_the_end_of_a_session_has_the_exit_code_that_the_protocol_says(told: Repo) -> None:
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        assert client.quit() == 0
    for rude in ({"method": "exit"}, None):
        with Client.start(told.root) as client:
            client.initialize(PUSH, told.root)
            client.open(told.root / "src/a.py")
            client.published(told.root / "src/a.py")
            if rude:
                client.send(rude)
            else:
                assert client.process.stdin is not None
                client.process.stdin.close()
            assert client.process.wait(SECONDS) == 1
        assert client.err == b""
    with Client.start(told.root) as client:
        client.initialize(PUSH, told.root)
        client.process.send_signal(signal.SIGINT)  # stdin is still open, and nobody writes
        assert client.process.wait(SECONDS) == -signal.SIGINT


def test_without_the_extra_it_says_what_to_install(told: Repo) -> None:
    hidden = "import sys; sys.modules['pygls'] = None; sys.argv = ['chalkgit', 'lsp']\n"
    hidden += "from chalkgit.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-I", "-c", hidden],
        cwd=told.root,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"hint: {sys.executable} -m pip install 'pygls>=2,<3'" in done.stderr


def test_a_hook_s_variables_of_another_repository_mislead_nobody(
    told: Repo, another: Callable[[str], Repo]
) -> None:
    other = another("other")
    variables = {"GIT_DIR": str(other.root / ".git"), "GIT_INDEX_FILE": str(other.root / ".git/index")}
    with Client.start(other.root, env=variables) as client:
        client.initialize(PUSH, told.root)
        client.open(told.root / "src/a.py")
        assert client.published(told.root / "src/a.py")
