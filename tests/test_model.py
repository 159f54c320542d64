"""`chalkgit model`: pull, use and status, against a hub on the loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import hub
import pytest
from click.testing import CliRunner, Result
from model import NAME, SOURCE, homes_fixture, minilm_fixture  # noqa: F401

from chalkgit import settings
from chalkgit.cli.cmd_model import command
from chalkgit.errors import ChalkError
from chalkgit.index import embed, models

pytestmark = pytest.mark.usefixtures("homes")

# The client reads HF_ENDPOINT when it is imported: each pull is a process.
DRIVER = """
import sys
from chalkgit.cli.cmd_model import command
from chalkgit.errors import ChalkError
try:
    command(sys.argv[1:], standalone_mode=False)
except ChalkError as error:
    sys.exit(f"{error.message}|{error.where}|{error.hint}")
"""


@pytest.fixture(autouse=True)
def no_copies_left(homes: Path) -> Iterator[None]:
    """An optimised copy is 90 MB."""
    yield
    shutil.rmtree(homes / "cache" / "chalkgit" / "prepared", ignore_errors=True)


@pytest.fixture
def served(minilm: Path) -> Iterator[hub.Hub]:
    with hub.running(SOURCE, minilm) as server:
        yield server


def start(endpoint: str, *args: str) -> subprocess.Popen[str]:
    local = {"HF_ENDPOINT": endpoint, "NO_PROXY": "127.0.0.1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
    environment = {**os.environ, **local, "HF_HOME": os.environ["XDG_CACHE_HOME"] + "/hf"}
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, *args],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def pull(endpoint: str, name: str = NAME) -> tuple[int, str, list[str]]:
    child = start(endpoint, "pull", name)
    out, err = child.communicate(timeout=60)
    return child.returncode, out, err.splitlines()


def run(*args: str) -> Result:
    return CliRunner().invoke(command, args, catch_exceptions=False)


def installed() -> models.Model:
    found = models.configured()
    assert isinstance(found, models.Model), found
    return found


def test_pull_downloads_what_is_needed_and_uses_it(served: hub.Hub) -> None:
    code, out, err = pull(served.url)
    assert (code, err) == (0, [f"downloading {NAME} into {models.home()}"])
    assert out == f"{NAME} {hub.REVISION} (384 dimensions) in {installed().directory}\n"
    assert (installed().name, installed().revision) == (NAME, hub.REVISION)
    assert settings.read() == {"model": {"name": NAME}}
    assert embed.ready(installed())
    assert sorted(os.listdir(installed().directory)) == [
        "model.onnx",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    asked = [path.partition("?")[0].rpartition("/")[2] for path in served.served]
    # no README, and nothing about who is asking
    assert sorted(asked) == sorted([SOURCE.split("/")[1], *os.listdir(installed().directory)])


def test_pulling_again_downloads_nothing_and_mends_what_broke(served: hub.Hub) -> None:
    def downloads() -> int:
        return sum("/resolve/" in path for path in served.served)

    pull(served.url)
    assert downloads() == 3
    assert pull(served.url)[0] == 0
    assert downloads() == 3
    weights = Path(installed().directory, "model.onnx")
    size = weights.stat().st_size
    os.truncate(weights, size // 2)
    assert pull(served.url)[0] == 0
    assert downloads() == 6
    assert weights.stat().st_size == size


def test_pull_takes_the_place_of_a_folder_in_use(served: hub.Hub, minilm: Path) -> None:
    run("use", str(minilm), "--name", NAME)
    assert installed().directory == str(minilm)
    pull(served.url)
    assert installed().directory.startswith(models.home())


def test_a_killed_pull_leaves_no_model_and_the_next_one_ends_it(served: hub.Hub) -> None:
    served.pause = 0.05
    child = start(served.url, "pull", NAME)
    deadline = time.monotonic() + 30
    while not any(path.stat().st_size > 1e6 for path in Path(models.home()).rglob("*.incomplete")):
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.05)
    busy = pull(served.url)
    assert busy[0] == 1
    assert "another `chalkgit model pull`" in busy[2][-1]
    child.send_signal(signal.SIGKILL)
    child.communicate()
    found = models.pulled(NAME, "test")
    assert isinstance(found, models.Missing)
    served.pause = 0
    assert pull(served.url)[0] == 0
    assert installed().revision == hub.REVISION
    assert not list(Path(models.home()).rglob("*.incomplete"))


def test_damaged_weights_from_the_hub_are_never_put_in_place(served: hub.Hub) -> None:
    whole = served.files["model.onnx"]
    served.files["model.onnx"] = whole[:1000]
    code, _, err = pull(served.url)
    assert code == 1
    assert "does not work" in err[-1]
    assert isinstance(models.pulled(NAME, "test"), models.Missing)
    served.files["model.onnx"] = whole
    assert pull(served.url)[0] == 0


def test_a_hub_that_is_not_there_is_said_within_seconds() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
        assert_unreachable(endpoint)


def test_a_hub_that_never_answers_is_said_within_seconds() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert_unreachable(f"http://127.0.0.1:{silent.getsockname()[1]}")


def assert_unreachable(endpoint: str) -> None:
    before = time.monotonic()
    code, out, err = pull(endpoint)
    assert time.monotonic() - before < 10
    assert (code, out, len(err)) == (1, "", 2)
    message, where, hint = err[1].split("|")
    assert "was not reached" in message
    assert where == endpoint
    assert "chalkgit model use DIR" in hint


def test_a_hub_without_the_model_says_so(served: hub.Hub) -> None:
    code, _, err = pull(served.url, models.DEFAULT)
    assert code == 1
    assert "answered 404 for Qdrant/bge-small-en-v1.5-onnx-Q" in err[-1]


def test_use_takes_a_folder_once_it_has_embedded_a_sentence(minilm: Path) -> None:
    result = run("use", str(minilm), "--name", NAME.lower())
    assert result.stdout == f"{NAME} {installed().revision} (384 dimensions) in {minilm}\n"
    assert settings.read() == {"model": {"name": NAME, "dir": str(minilm)}}
    assert embed.ready(installed())


@pytest.mark.parametrize(
    ("options", "said"),
    [((), "is not said"), (("--name", "acme/own"), "does not know"), (("--name", "BAAI/bge-base-en"), "768")],
)
def test_use_refuses_what_would_not_work_and_keeps_the_settings(
    minilm: Path,
    options: tuple[str, ...],
    said: str,
) -> None:
    with pytest.raises(ChalkError, match=said) as caught:
        run("use", str(minilm), *options)
    assert caught.value.hint
    assert settings.read() == {}


def test_use_tells_when_a_variable_chooses_another(
    minilm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run("use", str(minilm), "--name", NAME).stderr == ""
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(tmp_path))
    assert "not used yet" in run("use", str(minilm), "--name", NAME).stderr


def test_status_without_a_model_tells_the_command_and_exits_0() -> None:
    result = run("status")
    assert result.exit_code == 0
    assert result.stdout == "no embedding model is installed\nhint: chalkgit model pull\n"
    found = json.loads(run("status", "--json").stdout)
    assert (found["version"], found["installed"], found["hint"]) == (1, False, "chalkgit model pull")


def test_status_tells_everything_and_whether_it_loads(minilm: Path, tmp_path: Path) -> None:
    run("use", str(minilm), "--name", NAME)
    found = json.loads(run("status", "--json").stdout)
    assert found == {
        "version": 1,
        "installed": True,
        "name": NAME,
        "directory": str(minilm),
        "revision": installed().revision,
        "dimension": 384,
        "bytes": sum(file.stat().st_size for file in minilm.iterdir()),
        "origin": settings.path(),
        "loads": True,
        "prepared": True,
        "calibration": {"source": "built in", "records": 1_809, "when": None, "other_revision": False},
        "problem": None,
        "hint": None,
        "switched_off": [],
    }
    assert "loads       yes\nprepared    yes\n" in run("status").stdout
    for file in minilm.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:1000])
    settings.update({"model": {"name": NAME, "dir": str(tmp_path)}})
    result = run("status")
    assert result.exit_code == 0
    assert "loads       no\nprepared    no\n" in result.stdout
    assert "does not work" in result.stdout
