"""The client of deciders: one bounded request to the one server that the user named, or no answer and why."""

from __future__ import annotations

import gzip
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from deciding import (
    MODEL,
    Start,
    mock_fixture,  # noqa: F401
    saying,
    send,
    telling_fixture,  # noqa: F401
    use,
)
from repository import Repo

from chalkgit import settings, thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import decider, decider_setting
from chalkgit.index.decider_setting import Setting

STATE = {"text": "the pool drained"}
QUESTIONS = {"a": "Is it about a pool?", "b": "Is it about a zebra?"}
PATIENT = 30.0  # where time is not what is tested


def ask(url: str, seconds: float = PATIENT) -> decider.Answered:
    return decider.ask(Setting(url, MODEL, "on", 0.5), STATE, QUESTIONS, seconds)


def refused(url: str, seconds: float = PATIENT) -> decider.NoAnswer:
    with pytest.raises(decider.NoAnswer) as raised:
        ask(url, seconds)
    assert raised.value.message.startswith(raised.value.kind)
    assert "\n" not in raised.value.message
    return raised.value


def test_a_real_server_answers_each_question_with_a_probability(mock: str) -> None:
    found = ask(mock)
    assert set(found.probabilities) == {"a", "b"}
    assert all(0 <= value <= 1 for value in found.probabilities.values())
    assert found.revision == "mock-overlap"
    assert ask(mock + "/").probabilities == found.probabilities


def test_what_is_sent_is_a_system_one_request_and_nothing_of_the_environment(
    telling: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("SYSTEMONE_API_KEY", "hunter2")
    monkeypatch.setenv("SYSTEMONE_BASE_URL", "http://127.0.0.1:9")
    server = telling(saying(lambda body: dict.fromkeys(body["questions"], 0.25)))
    assert ask(server.url).probabilities == {"a": 0.25, "b": 0.25}
    (body,) = server.asked
    assert body.pop("path") == "/v1/systemone"
    questions = {name: {"type": "noul", "instructions": text} for name, text in QUESTIONS.items()}
    assert body == {"state": STATE, "questions": questions, "model": MODEL}
    assert "hunter2" not in json.dumps(server.headers)
    assert {"authorization", "x-api-key"} & set(server.headers[0]) == set()


def test_a_key_of_the_environment_would_be_seen(telling: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from systemone import Client, Noul

    monkeypatch.setenv("SYSTEMONE_API_KEY", "hunter2")
    server = telling(saying(lambda body: dict.fromkeys(body["questions"], 0.25)))
    with Client(server.url) as client:
        client.system_one(STATE, {"a": Noul("?")})
    assert "hunter2" in json.dumps(server.headers)


def test_an_address_elsewhere_is_not_asked_until_it_is_trusted(telling: Start) -> None:
    found = refused("http://192.0.2.1:8080", 0.2)
    assert found.kind == decider.UNTRUSTED
    assert found.hint == "chalkgit decider trust http://192.0.2.1:8080"
    decider_setting.trust("http://192.0.2.1:8080")
    assert refused("http://192.0.2.1:8080", 0.2).kind in (decider.LATE, decider.UNREACHED)
    assert refused("http://192.0.2.1:8081", 0.2).kind == decider.UNTRUSTED
    decider_setting.distrust("http://192.0.2.1:8080")
    assert refused("http://192.0.2.1:8080", 0.2).kind == decider.UNTRUSTED


def test_nobody_at_the_address_is_no_answer() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert refused(f"http://127.0.0.1:{free.getsockname()[1]}").kind == decider.UNREACHED


def _body(answer: Any) -> bytes:
    return json.dumps({"model": MODEL, "answers": answer}).encode()


GOOD = {"a": {"type": "noul", "noul": 0}, "b": {"type": "noul", "noul": 1}}
GARBLED = {
    "no JSON": b"<html>hello</html>",
    "nothing": b"",
    "a list": b"[1, 2]",
    "a string": b'"yes"',
    "no answers": b"{}",
    "answers that are a list": _body([0.4, 0.5]),
    "one is missing": _body({"a": GOOD["a"]}),
    "a word": _body({**GOOD, "b": {"type": "noul", "noul": "0.5"}}),
    "true": _body({**GOOD, "b": {"type": "noul", "noul": True}}),
    "null": _body({**GOOD, "b": {"type": "noul", "noul": None}}),
    "more than one": _body({**GOOD, "b": {"type": "noul", "noul": 1.01}}),
    "less than none": _body({**GOOD, "b": {"type": "noul", "noul": -0.01}}),
    "not a number": _body({**GOOD, "b": {"type": "noul", "noul": float("nan")}}),
    "without end": _body({**GOOD, "b": {"type": "noul", "noul": float("inf")}}),
    "too large a number": b'{"answers": {"a": {"type": "noul", "noul": 1' + b"0" * 400 + b'}, "b": 1}}',
    "another kind": _body({**GOOD, "b": {"type": "choice", "choice": "x"}}),
    "no object": _body({**GOOD, "b": 0.5}),
    "deeply nested": b"[" * 30_000,
    "no UTF-8": b'{"answers": "\xff\xfe"}',
}


@pytest.mark.parametrize("name", GARBLED)
def test_an_answer_that_is_none_is_not_understood(telling: Start, name: str) -> None:
    server = telling(lambda handler, _: send(handler, 200, GARBLED[name]))
    assert refused(server.url).kind == decider.GARBLED


def test_the_ends_of_the_scale_are_probabilities(telling: Start) -> None:
    server = telling(lambda handler, _: send(handler, 200, _body(GOOD)))
    assert ask(server.url).probabilities == {"a": 0.0, "b": 1.0}


def test_an_answer_without_end_is_not_read_to_its_end(telling: Start) -> None:
    sent: list[int] = []

    def endless(handler: BaseHTTPRequestHandler, _: object) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(100_000):
            handler.wfile.write(b" " * 4_096)
            sent.append(4_096)

    server = telling(endless)
    assert refused(server.url).kind == decider.LARGE
    assert sum(sent) < 100 * thresholds.DECIDER_ANSWER_BYTES


def test_an_answer_that_unpacks_to_more_is_not_unpacked(telling: Start) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < thresholds.DECIDER_ANSWER_BYTES
    server = telling(lambda handler, _: send(handler, 200, bomb, Content_Encoding="gzip"))
    assert refused(server.url).kind == decider.GARBLED


@pytest.mark.parametrize("body", [b'{"error": "the model\\nfailed"}', b"[]", b"\xff", b"", b"x" * 60_000])
@pytest.mark.parametrize("status", [400, 413, 500, 204])
def test_an_error_is_no_answer(telling: Start, status: int, body: bytes) -> None:
    body = b"" if status == 204 else body
    server = telling(lambda handler, _: send(handler, status, body))
    found = refused(server.url)
    assert found.kind == decider.REFUSED
    assert str(status) in found.message
    assert len(found.message) < 2 * thresholds.DECIDER_SAID_CHARACTERS


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_it_is_not_sent_on_to_another_server(telling: Start, status: int) -> None:
    other = telling(saying(lambda body: dict.fromkeys(body["questions"], 1.0)))
    server = telling(lambda handler, _: send(handler, status, b"", Location=other.url + "/v1/systemone"))
    found = refused(server.url)
    assert (found.kind, "elsewhere" in found.message) == (decider.REFUSED, True)
    assert other.asked == []
    assert ask(other.url).probabilities["a"] == 1.0


def _hang(handler: BaseHTTPRequestHandler, _: object) -> None:
    time.sleep(3)


def _drip_headers(handler: BaseHTTPRequestHandler, _: object) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(60):
        handler.wfile.write(b"X")
        handler.wfile.flush()
        time.sleep(0.05)


def _drip_body(handler: BaseHTTPRequestHandler, _: object) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(60):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize("way", [_hang, _drip_headers, _drip_body])
def test_a_server_that_takes_its_time_is_left_after_ours(telling: Start, way: Any) -> None:
    server = telling(way)
    began = time.monotonic()
    assert refused(server.url, 0.3).kind == decider.LATE
    assert time.monotonic() - began < 2
    assert server.asked  # it was reached


@pytest.fixture(name="silent")
def silent_fixture() -> Iterator[str]:
    """An address where connections are not even taken: the queue of those that wait is full."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        name = listening.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(name)
        yield f"http://127.0.0.1:{name[1]}"
        for one in waiting:
            one.close()


def test_connecting_counts_too(silent: str) -> None:
    began = time.monotonic()
    assert refused(silent, 0.3).kind == decider.LATE
    assert time.monotonic() - began < 2


# --- settings -------------------------------------------------------------------------------------

HERE = (
    "http://127.0.0.1:1 http://127.8.9.10 http://localhost:11434 http://[::1]:80 https://localhost"
).split()
ELSEWHERE = (
    "http://10.0.0.1 http://0.0.0.0:1 http://localhost.example.org http://127.0.0.1.example.org "
    "http://2130706433 http://127.1 http://[::ffff:127.0.0.1] http://example.org http://[::] "
    "http://localhost. http://0x7f.1 http://017700000001"
).split()


@pytest.mark.parametrize(("url", "here"), [*((u, True) for u in HERE), *((u, False) for u in ELSEWHERE)])
def test_this_machine_is_known_by_how_its_address_is_written(url: str, here: bool) -> None:
    assert decider_setting.on_loopback(decider_setting.normal(url)) is here
    assert decider_setting.trusted(decider_setting.normal(url)) is here


@pytest.mark.parametrize(
    "url",
    [
        *("", "127.0.0.1:80", "ftp://127.0.0.1", "file:///etc/passwd", "http://", "http://a b", "http:///x"),
        *("http://ann:pw@127.0.0.1", "http://ann@127.0.0.1", "http://127.0.0.1?key=1", "http://127.0.0.1#x"),
        *("http://127.0.0.1:99999", "http://127.0.0.1:x", "http://[::1", "http://exämple.org", "http://a\nb"),
        *("http://127.0.0.1\\@example.org", None, ["http://127.0.0.1"], {"a": "b"}),
    ],
)
def test_what_is_no_address_is_said_so_without_its_password(url: Any) -> None:
    with pytest.raises(ChalkError) as raised:
        decider_setting.normal(url)
    assert "pw" not in raised.value.message
    assert raised.value.where == settings.path()


def test_addresses_that_mean_one_server_are_one() -> None:
    same = ("HTTP://LocalHost:80", "http://localhost:80/", "http://localhost:80/v1/systemone")
    assert {decider_setting.normal(url) for url in same} == {"http://localhost:80"}
    assert decider_setting.normal("http://h/api/") == "http://h/api"


def test_a_setting_is_read_whole_or_said_to_be_wrong() -> None:
    assert decider_setting.named() is None
    use("http://127.0.0.1:1/", "shadow")
    found = decider_setting.configured()
    assert found is not None
    assert (found.url, found.mode, found.threshold) == ("http://127.0.0.1:1", "shadow", 0.7)
    for word, mode in (("off", "off"), ("no", "off"), ("true", "on"), ("ON", "on")):
        use("http://127.0.0.1:1", word)
        named, configured = decider_setting.named(), decider_setting.configured()
        assert named is not None
        assert named.mode == mode
        assert (configured is None) == (mode == "off")
    for wrong in ({"mode": "loud"}, {"threshold": "1.5"}, {"threshold": "nan"}, {"model": ""}, {"url": "x"}):
        settings.update(
            {"decider": {"url": "http://127.0.0.1:1", "model": "m", "mode": "on", "threshold": ".5"} | wrong}
        )
        with pytest.raises(ChalkError, match="the setting `decider` is not used"):
            decider_setting.configured()


def test_without_a_decider_nothing_of_its_client_is_loaded(repo: Repo, mock: str) -> None:
    repo.record(route="cache the parsed manifest", observation="stale")
    program = (
        "import sys; from chalkgit.__main__ import _run; _run(sys.argv[1:]); "
        "print([n for n in ('systemone', 'httpx') if n in sys.modules], file=sys.stderr)"
    )

    def loaded() -> str:
        done = subprocess.run(
            [sys.executable, "-I", "-c", program, "check", "--here", "zebra manifest"],
            cwd=repo.root,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stderr.splitlines()[-1]

    assert loaded() == "[]"
    use(mock, "off")
    assert loaded() == "[]"
    use(mock, "shadow")
    assert loaded() == "['systemone', 'httpx']"


def test_a_missing_client_costs_one_line_that_says_how_to_get_it(
    mock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(mock).probabilities
    monkeypatch.setitem(sys.modules, "systemone", None)
    found = refused(mock)
    assert found.kind == decider.ABSENT
    assert found.hint == 'python -m pip install "chalkgit[decider]"'
