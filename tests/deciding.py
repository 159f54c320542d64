"""Deciders for tests: dev-double's real server, and servers that answer as they are told, well or not at all.

Fixtures: `mock` is the address of a running `dev-double serve --engine mock`, which answers each of our
questions alike, one for all tests of a process; `telling` starts a server of one answer; `patient` gives
every test of a module the time it needs. Import `mock_fixture`, `telling_fixture`, `patient_fixture`.

Journals: `row` is an answer, `judged` keeps so many that people judged, each about another record.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from repository import Repo

from chalkgit import settings, thresholds
from chalkgit.records.record import Record
from chalkgit.store import ledger

MODEL = "small"
_NUMBERS = itertools.count(1)
_RUNNING: list[str] = []  # the address of the one server
Answer = Callable[[dict[str, Any]], dict[str, float]]  # of a request's body: probabilities by name


def use(url: str, mode: str = "on", **more: str) -> None:
    """Name a decider in the user's settings."""
    settings.update({"decider": {"url": url, "model": MODEL, "mode": mode, **more}})


def lessons(repo: Repo, count: int = 30) -> list[Record]:
    """So many resolved lessons of failures that have nothing in common with the ones that tests ask about."""
    return [
        repo.record("lesson", failure={"error": f"{_word(n)}Error: {_word(n + 40)}"}, resolution=f"mend {n}")
        for n in range(count)
    ]


def now() -> int:
    return time.time_ns() // 1_000_000


def row(**changes: Any) -> dict[str, Any]:
    """One answer as the journal keeps it."""
    return {
        "at": now(), "request": "q", "purpose": "recall", "url": "http://127.0.0.1:1", "model": MODEL,
        "revision": "r1", "mode": "shadow", "id": "k7q2m9xd", "probability": 0.95, "chosen": 1, "ms": 10,
        **changes,
    }  # fmt: skip


def rows_judged(right: int, wrong: int = 0, **changes: Any) -> list[dict[str, Any]]:
    """Judged answers about so many records, a third of them no."""
    said = [{"judged": 1}] * right + [{"judged": 0}] * wrong
    no = {"probability": 0.0, "chosen": 0}
    return [
        row(at=1, request=None, id=f"z{next(_NUMBERS):07d}") | one | (no if number % 3 == 2 else {}) | changes
        for number, one in enumerate(said)
    ]


def judged(repo: Repo, url: str, right: int = 20, wrong: int = 0, revision: str = "r1") -> None:
    """Keep them, as answers of this server."""
    keep(repo, *rows_judged(right, wrong, url=url, revision=revision))


def keep(repo: Repo, *rows: dict[str, Any]) -> None:
    assert ledger.add(repo.place, {"decided": rows}) is None


@pytest.fixture(autouse=True, name="patient")
def patient_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is not what these tests are about, and two processors are shared."""
    monkeypatch.setattr(thresholds, "DECIDER_SECONDS", 30.0)


def _word(number: int) -> str:
    """Six letters that share few trigrams with other numbers' words."""
    letters = "bcdfghjklmnpqrstvwxz"
    return "".join(letters[(number * (7 + 4 * at) + at * at) % 20] for at in range(6))


@pytest.fixture(scope="session", name="mock")
def mock_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if _RUNNING:  # each module that imports this has a fixture of its own; all end with the session
        yield _RUNNING[0]
        return
    program = shutil.which("dev-double", path=os.path.dirname(sys.executable))
    assert program, "the test extra brings dev-double"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("dev-double") / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [program, "serve", "--engine", "mock", "--port", str(port)], stdout=out, stderr=out
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _await(url, server, log)
        _RUNNING.append(url)
        yield url
    finally:
        _RUNNING.clear()
        server.terminate()
        server.wait(20)


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url + "/health", timeout=5) as found:
                assert found.status == 200
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("it never answered: " + log.read_text())


class Telling:
    """A server on loopback. `asked` holds the requests' bodies, `headers` what came with each."""

    def __init__(self, respond: Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        telling = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                telling.headers.append({name.lower(): value for name, value in self.headers.items()})
                telling.asked.append(json.loads(body) | {"path": self.path})
                try:
                    respond(self, telling.asked[-1])
                except OSError:
                    pass  # whoever asked has gone

            do_GET = do_POST

            def log_message(self, *said: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def saying(answer: Answer, revision: str = "r1") -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """A System One server that answers these probabilities."""

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        found = {name: {"type": "noul", "noul": p} for name, p in answer(body).items()}
        said = {"model": body.get("model"), "answers": found, "usage": {}, "revision": revision}
        send(handler, 200, json.dumps(said).encode(), Content_Type="application/json")

    return respond


def yes_to(*words: str, otherwise: float = 0.1, sure: float = 0.9) -> Answer:
    """Sure of the records in which one of these words stands: of an earlier word more than of a later."""

    def answer(body: dict[str, Any]) -> dict[str, float]:
        state = body["state"]
        records = next((value for value in state.values() if isinstance(value, dict)), {})
        found = {}
        for name in body["questions"]:
            at = next((n for n, word in enumerate(words) if word in json.dumps(records.get(name))), None)
            found[name] = otherwise if at is None else sure - at / 100
        return found

    return answer


Start = Callable[[Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]], Telling]


@pytest.fixture(name="telling")
def telling_fixture() -> Iterator[Start]:
    started: list[Telling] = []

    def start(respond: Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]) -> Telling:
        started.append(Telling(respond))
        return started[-1]

    yield start
    for one in started:
        one.close()
