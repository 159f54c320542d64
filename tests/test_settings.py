"""The user's own file, read as strings and written without losing a word of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from model import homes_fixture  # noqa: F401

from chalkgit import settings
from chalkgit.errors import ChalkError

pytestmark = pytest.mark.usefixtures("homes")


def write(text: str | bytes) -> Path:
    file = Path(settings.path())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_no_file_is_no_settings() -> None:
    assert settings.read() == {}


def test_scalars_stay_the_strings_they_are() -> None:
    write("model: {name: no, dir: 1.10}\nstores: [2026-01-01, ~]\n")
    assert settings.read() == {"model": {"name": "no", "dir": "1.10"}, "stores": ["2026-01-01", "~"]}


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not_parsed() -> None:
    code = "import sys; from chalkgit import settings; print(settings.read(), 'yaml' in sys.modules)"

    def asked() -> str:
        return subprocess.check_output([sys.executable, "-c", code], text=True).strip()

    write("model: {name: a}\n")
    assert asked() == "{'model': {'name': 'a'}} True"
    assert asked() == "{'model': {'name': 'a'}} False"
    write("model: {name: b}\n")
    assert asked() == "{'model': {'name': 'b'}} True"


def test_a_damaged_cache_is_as_good_as_none(homes: Path) -> None:
    write("stores: [a]\n")
    settings.read()
    cache = homes / "cache/chalkgit/settings.json"
    cache.write_text(cache.read_text()[:-3])
    assert settings.read() == {"stores": ["a"]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("stores: []\nmodel: [\n", 3),
        ("stores: []\nstores: []\n", 2),
        ("stores:\n  - a\n? [x]\n: y\n", 3),
        ("- a\n", 1),
        (b"stores: []\nmodel: \xff\n", 2),
        ("stores: []\nmodel: \x07\n", 2),
        ("[" * 100_000, 1),
    ],
)
def test_a_damaged_file_is_named_with_its_line_and_never_written_over(text: str | bytes, line: int) -> None:
    file = write(text)
    for action in (settings.read, lambda: settings.update({"model": {"name": "a"}})):
        with pytest.raises(ChalkError) as caught:
            action()
        assert caught.value.where == f"{file}:{line}"
        assert caught.value.hint
    assert file.read_bytes() == (text if isinstance(text, bytes) else text.encode())


def test_writing_keeps_comments_unknown_keys_and_the_lines_of_others() -> None:
    file = write("# mine\nstores: [a]  # one\n\n# about theirs\ntheirs: {x: 1}\nmodel:\n  name: b\n")
    settings.update({"stores": ["a", "ü/1.10"]})
    settings.update({"model": None, "new": "yes"})
    assert file.read_text() == (
        "# mine\nstores:\n- a\n- ü/1.10\n\n# about theirs\ntheirs: {x: 1}\nnew: 'yes'\n"
    )
    assert settings.read() == {"stores": ["a", "ü/1.10"], "theirs": {"x": "1"}, "new": "yes"}
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["{stores: [a]}\n", "stores: [a]\n...\n", "--- {stores: [a]}", "stores: [a]"]
)
def test_files_in_another_style_are_written_as_well(text: str) -> None:
    write(text)
    settings.update({"model": {"name": "b"}})
    assert settings.read() == {"stores": ["a"], "model": {"name": "b"}}


def test_the_same_settings_again_touch_nothing() -> None:
    file = write("stores: [a]\n")
    before = file.stat()
    settings.update({"stores": ["a"], "model": None})
    assert file.stat() == before


def test_a_link_into_dotfiles_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles/config.yaml"
    real.write_text("stores: [a]\n")
    write("").unlink()
    Path(settings.path()).symlink_to(real)
    settings.update({"stores": ["b"]})
    assert Path(settings.path()).is_symlink()
    assert real.read_text() == "stores:\n- b\n"


def test_two_at_once_lose_nothing() -> None:
    code = (
        "import sys; from chalkgit import settings\n"
        "for i in range(5):\n"
        "    settings.update(lambda s: {'stores': [*s.get('stores', []), f'{sys.argv[1]}{i}']})"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, name]) for name in "abcd"]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    assert sorted(settings.read()["stores"]) == [f"{name}{i}" for name in "abcd" for i in range(5)]
