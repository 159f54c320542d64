"""What others put in a helper's way: clients that hang or send garbage, and things in its socket's place."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from repository import Repo
from serving import RUN, SECONDS, Helper, answers, helper_fixture, helping, until  # noqa: F401

from chalkgit.doors import helper as clients
from chalkgit.thresholds import HELPER_CLIENTS, HELPER_SECONDS

ROUTE = "cache the parsed manifest between test runs"


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="it went stale")
    repo.commit()
    return repo


def _connection(helper: Helper) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.connect(str(helper.socket))
    made.settimeout(SECONDS)
    return made


BAD = {
    "nothing": b"",
    "half a word": b"chalk",
    "half a request": b"chalkgit-helper 0.1.0 5000\ncheck\0",
    "an endless line": b"chalkgit-helper " + b"x" * 100_000,
    "noise": os.urandom(3000),
    "a number that is none": b"chalkgit-helper 0.1.0 many\n",
    "too much": b"chalkgit-helper 0.1.0 99999999999\n",
    "less than none": b"chalkgit-helper 0.1.0 -1\n",
    "more than was announced": b"chalkgit-helper 0.1.0 2\nabcdef",
    "a question without fields": b"chalkgit-helper 0.1.0 5\ncheck",
    "an empty one": b"chalkgit-helper 0.1.0 0\n",
    "http": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("sent", BAD)
def test_a_client_that_hangs_or_sends_garbage_costs_itself(told: Repo, helper: Helper, sent: str) -> None:
    with _connection(helper) as bad:
        bad.sendall(BAD[sent])
        began = time.monotonic()
        helper.alike(ROUTE)  # meanwhile
        try:
            assert bad.recv(1 << 16) in (b"", b"chalkgit-helper 0.1.0 255 0 0 0\n")
        except ConnectionResetError:
            pass  # closed before all was read
        assert time.monotonic() - began < HELPER_SECONDS + SECONDS / 2
    helper.alike(ROUTE)


def test_clients_that_leave_and_more_than_it_takes_at_once_do_no_harm(told: Repo, helper: Helper) -> None:
    request = b"chalkgit-helper 0.1.0 6\nstatus"
    for _ in range(5):
        with _connection(helper) as one:
            one.sendall(request)  # and its answer is not waited for
    many = [_connection(helper) for _ in range(HELPER_CLIENTS)]
    # they say nothing, and are let go first
    until(lambda: told.run("serve", "--status").out.startswith("process"))
    helper.alike(ROUTE)
    for one in many:
        one.close()


@contextmanager
def _listener(path: Path, mode: int) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.bind(str(path))
        path.chmod(mode)
        made.listen()
        made.setblocking(False)
        yield
        with pytest.raises(BlockingIOError):  # nobody came
            made.accept()


@contextmanager
def _planted(make: Callable[[], object]) -> Iterator[None]:
    make()
    yield


PLANTED: dict[str, Callable[[Path, Path], object]] = {
    "a FIFO": lambda path, aside: _planted(lambda: os.mkfifo(path, 0o600)),
    "a file": lambda path, aside: _planted(lambda: path.write_text("chalkgit-helper 0.1.0 0 0 3 0\nlie")),
    "a folder": lambda path, aside: _planted(path.mkdir),
    "a link to nothing": lambda path, aside: _planted(lambda: path.symlink_to("/nonexistent")),
    "a socket for the group": lambda path, aside: _listener(path, 0o660),
    "a socket for all": lambda path, aside: _listener(path, 0o777),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_a_repository_brings_in_the_sockets_place_is_not_spoken_to(
    told: Repo, tmp_path: Path, what: str
) -> None:
    answers(told, ROUTE)
    path = told.root / ".git/chalkgit/helper.sock"
    began = time.monotonic()
    with PLANTED[what](path, tmp_path):  # type: ignore[attr-defined]
        answers(told, ROUTE)
        assert told.run("serve", "--status").out.startswith("no helper runs here")
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("link", ["the socket", "the folder"])
def test_a_link_to_another_repositorys_helper_is_not_followed(
    told: Repo, another: Callable[[str], Repo], link: str
) -> None:
    answers(told, ROUTE)
    other = another("other")
    other.run("check", ROUTE)
    with helping(other) as helper:
        folder = told.root / ".git/chalkgit"
        if link == "the socket":
            (folder / "helper.sock").symlink_to(helper.socket)
        else:
            shutil.rmtree(folder)
            folder.symlink_to(helper.socket.parent)
        said = told.run("check", ROUTE)
        assert (said.code, helper.counts()) == (1, (0, 0))
        if link == "the folder":
            assert "symbolic link" in told.run("serve").err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_another_users_socket_is_not_spoken_to(told: Repo, helper: Helper) -> None:
    helper.alike(ROUTE)
    os.chown(helper.socket, 65534, -1)
    assert not clients.there(told.place)
    answers(told, ROUTE)


def test_a_liar_behind_the_users_own_socket_is_believed_in_nothing_but_its_form(told: Repo) -> None:
    """Whoever runs as the user may say anything; what is not whole or of another version is no answer."""
    answers(told, ROUTE)
    place = told.place
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.bind(str(told.root / ".git/chalkgit/helper.sock"))
        (told.root / ".git/chalkgit/helper.sock").chmod(0o600)
        made.listen()
        for reply in (
            b"",
            b"\n",
            b"chalkgit-helper 0.0.9 0 0 3 0\nyes",
            b"chalkgit-helper 0.1.0 0 0 9 0\nyes",
            b"chalkgit-helper 0.1.0 0 0 2 0\nyes",
            b"chalkgit-helper 0.1.0 3 0 3 0\nyes",
            b"chalkgit-helper 0.1.0 255 0 0 0\n",
            b"chalkgit-helper 0.1.0 no 0 0 0\n",
            b"chalkgit-helper 0.1.0 0 -3 3 0\n",
            b"chalkgit-helper 0.1.0 0 0 1 0\n\xff",
            b"chalkgit-helper 0.1.0 0 0 3 5\nyesa b c",  # what it says for the journal is no such thing
            b"chalkgit-helper 0.1.0 0 0 3 0\nyes",
        ):
            asking = subprocess.Popen([*RUN, "check", ROUTE], cwd=told.root, stdout=subprocess.PIPE)
            connection, _ = made.accept()
            connection.sendall(reply)
            connection.shutdown(socket.SHUT_WR)
            out, _ = asking.communicate(timeout=SECONDS)
            connection.close()
            expected = (0, b"yes\n") if b"0.1.0 0 0 3 " in reply else (1, None)
            assert asking.returncode == expected[0], reply
            assert expected[1] in (None, out), reply
    assert clients.ask(place, "nobody listens") is None


def test_what_no_process_can_be_given_is_no_question(told: Repo, helper: Helper) -> None:
    assert clients.ask(told.place, "nul \0") is None
    assert clients.ask(told.place, "half a pair \ud83d") is None
    answer = clients.ask(told.place, ROUTE, str(told.root), ["--json"])
    assert answer is not None
    assert answer[0] == 1
    assert '"verdict": "tried"' in answer[1]
