"""Where the model comes from, and the vectors it gives: with real weights, and no hub."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy
import pytest
from model import NAME, homes_fixture, lay_out, minilm_fixture  # noqa: F401

from chalkgit import settings
from chalkgit.errors import ChalkError
from chalkgit.index import embed, models

pytestmark = pytest.mark.usefixtures("homes")

HEX = "0123456789abcdef" * 2 + "01234567"
TEXTS = [
    "Pin the parser to the old release; the new one drops trailing commas.",
    "Fixing the parser at an older version keeps commas at the end of a list.",
    "The garden needs water in summer.",
    "",
    "ünïcödé 中文 \x00 " * 200,
]


@pytest.fixture(autouse=True)
def one_cache(homes: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimised copy is 90 MB, and takes a second to make: these tests share theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache-of-embed"))


def chosen(folder: Path, name: str | None = NAME) -> models.Model:
    found = models.at(str(folder), name, "test")
    assert isinstance(found, models.Model), found
    return found


def missing(found: models.Model | models.Missing) -> models.Missing:
    assert isinstance(found, models.Missing), found
    return found


def copy_of(minilm: Path, target: Path) -> Path:
    shutil.copytree(minilm, target, symlinks=True)
    return target


def by_variables(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str = NAME) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(folder))
    monkeypatch.setenv("CHALKGIT_MODEL", name)


def test_vectors_are_those_of_fastembed_itself(minilm: Path) -> None:
    from fastembed import TextEmbedding

    plain = TextEmbedding(NAME, specific_model_path=str(minilm), cache_dir=str(minilm), local_files_only=True)
    ours = numpy.array(list(embed.load(chosen(minilm)).embed(TEXTS)))
    theirs = numpy.array(list(plain.embed(TEXTS)))
    assert (ours * theirs).sum(axis=1).min() >= 0.9999
    assert ours.dtype == numpy.float32
    assert numpy.allclose((ours**2).sum(axis=1), 1, atol=1e-5)
    assert ours[0] @ ours[1] > 0.5 > 0.3 > ours[0] @ ours[2]


def test_a_text_has_one_vector_whatever_stands_beside_it(minilm: Path) -> None:
    embedder = embed.load(chosen(minilm))
    many = [f"{text} {n}" for n in range(4) for text in TEXTS]
    together = list(embedder.embed(many))
    alone = [vector for text in many for vector in embedder.embed([text])]
    assert min(float(a @ b) for a, b in zip(together, alone, strict=True)) > 0.9999


def test_texts_are_taken_in_batches_of_sixteen_as_vectors_are_asked_for(minilm: Path) -> None:
    taken: list[int] = []
    done: list[int] = []
    texts = (str(taken.append(n) or n) for n in range(40))
    vectors = embed.load(chosen(minilm)).embed(texts, done.append)
    assert len(list(islice(vectors, 1))) == 1
    assert len(taken) == 16
    assert len(list(vectors)) == 39
    assert done == [16, 32, 40]


def test_the_graph_may_have_any_of_the_names_the_hub_gives_it(minilm: Path, tmp_path: Path) -> None:
    folder = copy_of(minilm, tmp_path / "m")
    (folder / "model.onnx").rename(folder / "model_optimized.onnx")
    assert len(list(embed.load(chosen(folder)).embed(TEXTS))) == len(TEXTS)


class Engine:
    def __init__(self, vector: object) -> None:
        self.vector = vector

    def vectors(self, texts: list[str]) -> list[object]:
        return [self.vector for _ in texts]

    def read(self, texts: list[str]) -> list[tuple[object, None, list[object], list[object]]]:
        return [(self.vector, None, [], []) for _ in texts]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
def test_a_vector_without_a_direction_is_refused(minilm: Path, value: float) -> None:
    with pytest.raises(ChalkError, match="not a number"):
        list(embed.Embedder(chosen(minilm), Engine(numpy.full(4, value)), 4).embed(["a"]))
    with pytest.raises(ChalkError, match="not a number"):
        list(embed.Embedder(chosen(minilm), Engine(numpy.full(4, value)), 4).read(["a"]))
    found = list(embed.Embedder(chosen(minilm), Engine(numpy.full(4, 3.0)), 4).embed(["a"]))
    assert found[0].tolist() == [0.5] * 4


def test_weights_of_another_size_than_the_name_says_are_refused(minilm: Path) -> None:
    model = chosen(minilm, "BAAI/bge-base-en-v1.5")
    with pytest.raises(ChalkError, match="384 dimensions where 768"):
        embed.validated(model)
    assert embed.validated(chosen(minilm)).dimension == 384


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_damaged_file_is_one_clear_error(minilm: Path, tmp_path: Path, file: str) -> None:
    folder = copy_of(minilm, tmp_path / "m")
    embed.validated(chosen(folder))
    data = (folder / file).read_bytes()
    (folder / file).unlink()
    (folder / file).write_bytes(data[: len(data) // 2])
    with pytest.raises(ChalkError) as caught:
        embed.load(chosen(folder))
    assert "\n" not in caught.value.message
    assert caught.value.where == str(folder)
    assert caught.value.hint == f"chalkgit model pull {NAME}"


def test_a_name_fastembed_does_not_know_is_refused_with_names_it_does(minilm: Path) -> None:
    with pytest.raises(ChalkError, match="does not know") as caught:
        embed.load(chosen(minilm, "acme/own-model"))
    assert NAME in str(caught.value.hint)
    assert embed.load(chosen(minilm, NAME.upper())).model.name == NAME


def test_asking_for_the_model_loads_no_library(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_variables(monkeypatch, minilm)
    heavy = "{'numpy', 'fastembed', 'onnxruntime', 'huggingface_hub', 'tokenizers', 'yaml'}"
    code = (
        "import sys\nfrom chalkgit.index import embed, models\nmodel = models.configured()\n"
        f"print(sorted({heavy} & set(sys.modules)))\nembed.load(model)\n"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert said[0] == "[]"
    assert "onnxruntime" in said[1]


def test_loading_uses_no_network_and_leaves_nothing_outside_the_cache(minilm: Path, homes: Path) -> None:
    code = (
        "import socket, sys\nsocket.socket.connect = socket.getaddrinfo = None\n"
        "from chalkgit.index import embed, models\n"
        "print(len(list(embed.load(models.configured()).embed(['a', 'b']))))"
    )
    variables = {**os.environ, "CHALKGIT_MODEL_DIR": str(minilm), "CHALKGIT_MODEL": NAME, "HOME": str(homes)}
    variables["XDG_CACHE_HOME"] = str(homes / "cache")
    before = sorted(minilm.iterdir())
    ran = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "2\n", "")
    assert sorted(minilm.iterdir()) == before
    # onnxruntime would make a device id and a queue of events here
    files = {str(path.relative_to(homes)) for path in homes.rglob("*") if path.is_file()}
    made = {file for file in files if file.startswith("cache/chalkgit/prepared/")}
    shutil.rmtree(homes / "cache")
    assert files - made == {"cache/chalkgit/revisions.json"}
    names = {file.rpartition("/")[2] for file in made}
    assert names == {".lock", "model.data", "model.onnx", "plan.json", "words.json", "words.txt"}


def test_without_any_model_it_says_how_to_get_one() -> None:
    found = missing(models.configured())
    assert (found.why, found.hint) == ("no embedding model is installed", "chalkgit model pull")


def test_the_switch_comes_before_everything(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_variables(monkeypatch, minilm)
    assert isinstance(models.configured(), models.Model)
    monkeypatch.setenv("CHALKGIT_BYPASS_SEMANTIC", "1")
    found = missing(models.configured())
    assert found.why == "the semantic arm is switched off by CHALKGIT_BYPASS_SEMANTIC"
    assert found.hint is None


def test_variables_come_before_settings_and_settings_before_what_was_pulled(
    minilm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def origin() -> str:
        found = models.configured()
        assert isinstance(found, models.Model), found
        return found.origin

    fastembeds = Path(models.home()) / "models--Qdrant--bge-small-en-v1.5-onnx-Q"
    lay_out(fastembeds / "snapshots" / HEX)
    (fastembeds / "refs").mkdir()
    (fastembeds / "refs/main").write_text(HEX)
    assert origin() == models.home()
    settings.update({"model": {"name": NAME, "dir": str(minilm)}})
    assert origin() == settings.path()
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)
    assert origin() == settings.path()
    monkeypatch.setenv("CHALKGIT_MODEL", models.DEFAULT)
    assert origin() == "CHALKGIT_MODEL"
    by_variables(monkeypatch, copy_of(minilm, tmp_path / "other"))
    assert origin() == "CHALKGIT_MODEL_DIR"


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_that_lacks_a_file_says_which(minilm: Path, tmp_path: Path, file: str) -> None:
    folder = copy_of(minilm, tmp_path / "m")
    (folder / file).unlink()
    assert f"lacks {file}" in missing(models.at(str(folder), NAME, "test")).why


def test_weights_are_not_taken_for_those_of_another_model(minilm: Path, tmp_path: Path) -> None:
    nameless = missing(models.at(str(minilm), None, "test"))
    assert "is not said" in nameless.why
    assert "--name" in str(nameless.hint)
    named = copy_of(minilm, tmp_path / "all-MiniLM-L6-v2")
    assert chosen(named, None).name == NAME
    assert f"holds {NAME}, not" in missing(models.at(str(named), models.DEFAULT, "test")).why
    snapshot = lay_out(tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx/snapshots" / HEX)
    assert (chosen(snapshot, None).name, chosen(snapshot, None).revision) == (NAME, HEX)


def test_the_revision_follows_the_files_and_is_computed_once(
    minilm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = copy_of(minilm, tmp_path / "m")
    first = chosen(folder).revision
    assert len(first) == 16
    assert first == chosen(minilm).revision
    (folder / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes() + b"\n")
    assert chosen(folder).revision != first
    (folder / "tokenizer.json").write_bytes((minilm / "tokenizer.json").read_bytes())
    assert chosen(folder).revision == first
    with monkeypatch.context() as patch:
        patch.setattr(models, "_hash", lambda files: pytest.fail("hashed again"))
        assert chosen(folder).revision == first


def test_another_file_of_the_same_size_and_time_has_another_revision(minilm: Path, tmp_path: Path) -> None:
    folder = copy_of(minilm, tmp_path / "m")
    file = folder / "tokenizer.json"
    first, status = chosen(folder).revision, file.stat()
    other = tmp_path / "other"
    other.write_bytes(file.read_bytes().replace(b'"zoom"', b'"zo\xc3\xb6"'))
    assert other.stat().st_size == status.st_size
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)
    second = chosen(folder).revision
    assert second != first
    data = bytearray(file.read_bytes())
    data[-1:] = b" "  # in place: the inode stays
    file.write_bytes(bytes(data))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert chosen(folder).revision not in (first, second)


def test_settings_that_cannot_be_read_are_a_reason_and_no_crash() -> None:
    Path(settings.path()).parent.mkdir(parents=True)
    Path(settings.path()).write_text("model: [\n")
    found = missing(models.configured())
    assert f"{settings.path()}:2" in found.why
