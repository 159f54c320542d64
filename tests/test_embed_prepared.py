"""The optimised copy of a model: whatever becomes of it, the vectors are right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import pytest
from model import NAME

from chalkgit import settings
from chalkgit.index import embed, engine, models, prepared

TEXT = "Pin the parser to the old release; the new one drops trailing commas."
Harm = Callable[[Path], object]


@pytest.fixture(autouse=True)
def cache(homes: Path) -> Iterator[Path]:
    """Each test's own, and not left behind: 90 MB a copy."""
    yield homes / "cache"
    shutil.rmtree(homes / "cache", ignore_errors=True)


def chosen(folder: Path, name: str = NAME) -> models.Model:
    found = models.at(str(folder), name, "test")
    assert isinstance(found, models.Model), found
    return found


def vector(folder: Path) -> tuple[numpy.ndarray, bool]:
    """What a load embeds TEXT to, and whether it used an optimised copy."""
    embedder = embed.load(chosen(folder))
    return next(embedder.embed([TEXT])), embedder._engine.plan.graph is not None


def made_of(model: models.Model) -> Path:
    return Path(prepared.folder(model, engine.RUNTIME))


def names() -> list[str]:
    return sorted(name for name in os.listdir(prepared.home()) if name != ".lock")


def cut(name: str, size: int) -> Harm:
    return lambda made: os.truncate(made / name, size)


def write(name: str, data: bytes) -> Harm:
    return lambda made: (made / name).write_bytes(data)


def scramble(name: str) -> Harm:
    def harm(made: Path) -> None:
        file = made / name
        before = file.stat()
        file.write_bytes(b"\x55" * before.st_size)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    return harm


HARMS: dict[str, Harm] = {
    "graph cut short": cut("model.onnx", 20_000),
    "graph empty": cut("model.onnx", 0),
    "graph of garbage": write("model.onnx", b"\xffgarbage" * 999),
    "graph of garbage of its size and time": scramble("model.onnx"),
    "weights cut short": cut("model.data", 40_000_000),
    "weights of garbage of their size and time": scramble("model.data"),
    "weights absent": lambda made: (made / "model.data").unlink(),
    "words cut short": cut("words.txt", 1_000),
    "words absent": lambda made: (made / "words.json").unlink(),
    "a file more": write("model.onnx.data", b""),
    "plan empty": write("plan.json", b""),
    "plan of another kind": write("plan.json", b"[1, 2]"),
    "plan of nothing": write("plan.json", b"{}"),
    "plan nested": write("plan.json", b"[" * 100_000),
    "plan of another pooling": lambda made: rewrite(made, '"mean"', '"last"'),
    "plan of words": lambda made: rewrite(made, '"dimension": 384', '"dimension": "384"'),
    "plan absent": lambda made: (made / "plan.json").unlink(),
    "folder absent": lambda made: shutil.rmtree(made),
}


def rewrite(made: Path, old: str, new: str) -> None:
    text = (made / "plan.json").read_text()
    assert old in text
    (made / "plan.json").write_text(text.replace(old, new))


@pytest.fixture(name="made", scope="module")
def made_fixture(
    minilm: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, numpy.ndarray]]:
    """A cache folder that the harms share, and the right vector."""
    home = tmp_path_factory.mktemp("harmed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        right, _ = vector(minilm)
    yield home, right
    shutil.rmtree(home, ignore_errors=True)


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_copy_is_never_used_and_made_anew(
    minilm: Path, made: tuple[Path, numpy.ndarray], monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    home, right = made
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert embed.ready(chosen(minilm))
    HARMS[harm](made_of(chosen(minilm)))
    assert not embed.ready(chosen(minilm))
    for expected in (False, True):
        found, quick = vector(minilm)
        assert quick is expected
        assert float(found @ right) >= 0.9999
    assert len(names()) == 1


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_we_did_not_make_is_left_where_it_lies(minilm: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "model.onnx").write_text("theirs")
    made = made_of(chosen(minilm))
    made.parent.mkdir(parents=True)
    if kind == "link":
        made.symlink_to(tmp_path / "theirs")
    else:
        made.write_text("theirs")
    first, second = vector(minilm), vector(minilm)
    assert not first[1]
    assert not second[1]
    assert float(first[0] @ second[0]) >= 0.9999
    assert (made.is_symlink(), made.is_file()) == (kind == "link", kind == "file")
    assert [file.name for file in (tmp_path / "theirs").iterdir()] == ["model.onnx"]


def test_a_copy_of_another_model_or_revision_is_not_used(minilm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(minilm, folder, symlinks=True)
    vector(folder)
    old = made_of(chosen(folder))
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 8, "pad_token": "[PAD]"}')
    new = made_of(chosen(folder))
    assert new != old
    old.rename(new)
    short, quick = vector(folder)
    assert not quick
    assert float(short @ vector(minilm)[0]) < 0.99
    assert prepared.plan(chosen(folder), "0.1") is None


def test_damaged_weights_are_seen_though_their_copy_is_whole(minilm: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx" / "snapshots" / ("0123456789" * 4)
    shutil.copytree(minilm, snapshot)
    assert [vector(snapshot)[1], vector(snapshot)[1]] == [False, True]
    os.truncate(snapshot / "model.onnx", 1_000_000)
    with pytest.raises(embed.ChalkError, match="does not work"):
        embed.load(chosen(snapshot))


def test_without_a_place_for_it_the_model_is_loaded_as_it_comes(
    minilm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = vector(minilm)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # holds for root, too
    for _ in range(2):
        second, quick = vector(minilm)
        assert not quick
        assert float(first @ second) >= 0.9999
    assert not embed.ready(chosen(minilm))


def test_a_disk_that_is_full_leaves_nothing(minilm: Path, cache: Path) -> None:
    code = (
        "import resource, sys\nfrom chalkgit.index import embed, models\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "model = models.at(sys.argv[1], sys.argv[2], 'test')\n"
        "one, other = embed.load(model).embed(sys.argv[3:])\n"
        "print(f'{float(one @ other):.4f}', embed.ready(model))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(minilm), NAME, TEXT, "a"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert names() == []
    one, other = embed.load(chosen(minilm)).embed([TEXT, "a"])
    assert ran.stdout.split() == [f"{float(one @ other):.4f}", "False"]


def test_many_first_loads_at_once_make_one_copy(minilm: Path) -> None:
    code = (
        "import sys\nfrom chalkgit.index import embed, models\n"
        "vector = next(embed.load(models.at(sys.argv[1], sys.argv[2], 'test')).embed([sys.argv[3]]))\n"
        "print(*vector)"
    )
    arguments = [sys.executable, "-c", code, str(minilm), NAME, TEXT]
    children = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outs = [child.communicate(timeout=60)[0] for child in children]
    vectors = numpy.array([[float(word) for word in out.split()] for out in outs])
    assert (vectors @ vectors[0]).min() >= 0.9999
    assert len(names()) == 1
    assert embed.ready(chosen(minilm))


def test_who_comes_while_another_makes_it_does_not_wait(minilm: Path) -> None:
    with settings.Lock(os.path.join(prepared.home(), ".lock")):
        before = time.monotonic()
        assert not vector(minilm)[1]
        assert time.monotonic() - before < 30
    assert names() == []


def test_what_a_kill_left_and_what_nobody_uses_is_dropped(minilm: Path) -> None:
    home = Path(prepared.home())
    for name, days in (("killed", None), ("unused", 31), ("used", 29)):
        (home / name).mkdir(parents=True)
        (home / name / "model.data").write_text("")
        if days is not None:
            (home / name / "plan.json").write_text("{}")
            then = time.time() - days * 86_400
            os.utime(home / name / "plan.json", (then, then))
    (home / "link").symlink_to(home / "used")
    vector(minilm)
    made = made_of(chosen(minilm))
    assert names() == sorted([made.name, "link", "used"])
    os.utime(made / "plan.json", (1, 1))
    assert vector(minilm)[1]
    assert time.time() - (made / "plan.json").stat().st_mtime < 60


def test_the_copy_may_lie_behind_a_link_of_the_users_own(
    minilm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "near"))
    assert [vector(minilm)[1], vector(minilm)[1]] == [False, True]
    shutil.rmtree(tmp_path / "far")


def test_only_its_owner_can_read_the_folder(minilm: Path) -> None:
    vector(minilm)
    assert Path(prepared.home()).stat().st_mode & 0o077 == 0
    assert made_of(chosen(minilm)).stat().st_mode & 0o077 == 0
