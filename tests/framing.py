"""A language client of our own over stdio, strict as VS Code is: a byte between frames is an error.

with Client.start(root) as client:
    client.initialize(PUSH)
    client.open(file)
    found = client.published(file)
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import pytest
from repository import Repo

RUN = (sys.executable, "-I", "-m", "chalkgit", "lsp")
SECONDS = 30.0  # after this nothing comes any more
PUSH: dict[str, Any] = {"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}}
PULL: dict[str, Any] = {
    "textDocument": {"diagnostic": {"dynamicRegistration": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
SHOWS: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
    "window": {"showDocument": {"support": True}},
}
_HEADER = re.compile(
    rb"(?:Content-Length: (\d+)|Content-Type: application/vscode-jsonrpc; charset=utf-8)\r\n"
)

Message = dict[str, Any]


class Client:
    """One server process. Every message it sends is kept in `messages`; its requests are answered null."""

    def __init__(self, command: tuple[str, ...], cwd: Path, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.messages: list[Message] = []
        self.err = b""
        self._coming: queue.Queue[Message | Exception | None] = queue.Queue()
        self._next = 0
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._frames, self._errors)]
        for reader in self._readers:
            reader.start()

    @classmethod
    def start(
        cls, cwd: Path, *, command: tuple[str, ...] = RUN, env: Mapping[str, str] | None = None
    ) -> Client:
        return cls(command, cwd, env or {})

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None and kind is None:
            assert self.quit() == 0
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    # --- speaking

    def send(self, message: Message) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        """Send a request without waiting for its answer."""
        self._next += 1
        self.send({"id": self._next, "method": method, "params": params})
        return self._next

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request; AssertionError where it is an error."""
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def answer(self, number: int) -> Message:
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def initialize(
        self, capabilities: Mapping[str, Any], *roots: Path, name: str = "framing"
    ) -> dict[str, Any]:
        found = self.request(
            "initialize",
            processId=os.getpid(),
            clientInfo={"name": name},
            rootUri=uri(roots[0]) if roots else None,
            workspaceFolders=[{"uri": uri(root), "name": root.name} for root in roots],
            capabilities=capabilities,
        )
        self.notify("initialized")
        assert isinstance(found, dict)
        return found

    def open(self, file: Path, text: str | None = None, version: int = 1) -> None:
        source = file.read_text(encoding="utf-8") if text is None else text
        item = {"uri": uri(file), "languageId": "plaintext", "version": version, "text": source}
        self.notify("textDocument/didOpen", textDocument=item)

    def save(self, file: Path) -> None:
        self.notify("textDocument/didSave", textDocument={"uri": uri(file)})

    def close(self, file: Path) -> None:
        self.notify("textDocument/didClose", textDocument={"uri": uri(file)})

    def change(self, file: Path, version: int, *changes: Message) -> None:
        document = {"uri": uri(file), "version": version}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=list(changes))

    def at(self, method: str, file: Path, line: int, character: int) -> Any:
        """A request about one place of a file."""
        place = {"line": line, "character": character}
        return self.request(f"textDocument/{method}", textDocument={"uri": uri(file)}, position=place)

    def pull(self, file: Path) -> list[Message]:
        report = self.request("textDocument/diagnostic", textDocument={"uri": uri(file)})
        assert report["kind"] == "full"
        items: list[Message] = report["items"]
        return items

    def quit(self) -> int:
        """shutdown, exit; the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(SECONDS)

    # --- hearing

    def wait(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message that is wanted; what comes before it is kept and, if a request, answered."""
        while True:
            message = self._coming.get(timeout=SECONDS)
            if isinstance(message, Exception):
                raise message
            assert message is not None, f"the server has gone: {self.err.decode()}"
            self.messages.append(message)
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            if wanted(message):
                return message

    def heard(self, method: str) -> Any:
        """The parameters of the next message of this method."""
        return self.wait(lambda message: message.get("method") == method).get("params")

    def published(self, file: Path) -> list[Message]:
        """The next diagnostics that the server sends for a file."""
        found = self.wait(
            lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri(file)
        )
        diagnostics: list[Message] = found["params"]["diagnostics"]
        return diagnostics

    def said(self) -> list[str]:
        """What the client's log was told so far."""
        return [m["params"]["message"] for m in self.messages if m.get("method") == "window/logMessage"]

    def _frames(self) -> None:
        assert self.process.stdout is not None
        try:
            while (length := self._length()) is not None:
                body = self.process.stdout.read(length)
                if len(body) != length:
                    raise AssertionError(f"a frame ends early: {body!r}")
                self._coming.put(json.loads(body))
            self._coming.put(None)
        except (AssertionError, ValueError) as error:
            self._coming.put(error)

    def _length(self) -> int | None:
        """What the next header says; None at the end of the stream, between frames."""
        assert self.process.stdout is not None
        length = None
        while (header := self.process.stdout.readline()) != b"\r\n":
            if header == b"" and length is None:
                return None
            found = _HEADER.fullmatch(header)
            if not found:
                raise AssertionError(f"no header of a frame: {header!r}")
            length = int(found[1]) if found[1] else length
        if length is None:
            raise AssertionError("a frame without its length")
        return length

    def _errors(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read1(65536):
            self.err += data


def uri(path: Path) -> str:
    return "file://" + quote(os.fsencode(path))


def edit(line: int, start: int, end: int, text: str) -> Message:
    """A change of one stretch of a line."""
    places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": places, "text": text}


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    """A repository with one dead end, about src/a.py."""
    repo.record(route="cache it", observation="stale", files=["src/a.py"])
    repo.write("src/a.py", "one\ntwo\n")
    repo.write("src/b.py", "one\n")
    return repo
