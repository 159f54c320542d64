"""Models without fastembed: the same vectors, and the token vectors behind them, with real weights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from model import NAME, WEIGHTS, packaged

from chalkgit.errors import ChalkError
from chalkgit.index import embed, engine, models, prepared, wordpieces

pytestmark = pytest.mark.usefixtures("homes")

OTHER = "snowflake/snowflake-arctic-embed-xs"  # 384 dimensions too, pooled by its first token
WORDS = (
    "cache the parsed manifest pin an old release of parser and lock every worker before it starts".split()
)
TEXTS = [
    "",
    " ",
    "a",
    "Pin the parser to the old release; the new one drops trailing commas.",
    "pin the PARSER to the old release; the new one drops trailing commas",
    "def load(path):\n    with open(path) as file:\n        return json.load(file)  # 90 MB\n",
    "SELECT id, count(*) FROM records WHERE status = 'active' GROUP BY id HAVING count(*) > 1;",
    "Traceback (most recent call last):\n  File \"a.py\", line 3\r\n\tKeyError: 'vectors'",
    "我们试图缓存解析后的清单，测试就过时了。",
    "キャッシュを消したら、テストが通った",
    "캐시를 지웠더니 테스트가 통과했다",
    "Müßig: naïve façade, Ångström, e\u0301 as two, ﬁ as one, İstanbul",
    "🙂👩‍👩‍👧‍👦🏳️‍🌈 was logged, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 too",
    "\x00\x07\u200b\ufeff\u202e control \u00a0 and\u3000wide spaces",
    "[CLS] [MASK] [SEP] [PAD] ##ing are no words",
    "x" * 99,
    "x" * 101,
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "https://example.org/a/b?c=d&e=%20#f-1.2.3+build.4",
    "-" * 400,
    "1 22 333 4444 55555 3.14159 1e-9 0x7f 10:30 2026-01-01",
    "كان الاختبار بطيئا لأن الذاكرة ممتلئة",
    "इस परीक्षण में समय लगता है",
    " ".join(WORDS * 40),
    "中文" * 400,
    "🙂 " * 300,
    "One line.\n\nAnother paragraph, after an empty line.\n- a list\n- of two\n",
    *(" ".join(WORDS[start:stop]) for start in range(4) for stop in range(6, 15)),
]
TEXTS.sort(key=len)  # a batch is padded to its longest
FEW = TEXTS[::4] + TEXTS[-1:]  # of all lengths; a pass over TEXTS takes two seconds


@pytest.fixture(autouse=True)
def one_cache(homes: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimised copy is 90 MB, and takes a second to make: these tests share theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache-of-embed"))


@pytest.fixture(name="folder", scope="module")
def folder_fixture(minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model under both names that fastembed asks for."""
    folder = tmp_path_factory.mktemp("both") / "m"
    shutil.copytree(minilm, folder, symlinks=True)
    for name in ("model_optimized.onnx", "onnx/model.onnx"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(packaged(*WEIGHTS))
    return folder


def chosen(folder: Path, name: str = NAME) -> models.Model:
    found = models.at(str(folder), name, "test")
    assert isinstance(found, models.Model), found
    return found


def fastembeds(folder: Path, name: str, texts: list[str]) -> Any:
    from fastembed import TextEmbedding

    plain = TextEmbedding(name, specific_model_path=str(folder), cache_dir=str(folder), local_files_only=True)
    found = numpy.array([next(iter(plain.embed([text]))) for text in texts])
    return found / numpy.linalg.norm(found, axis=1, keepdims=True)


def cosines(one: Any, other: Any) -> Any:
    return (numpy.array(list(one)) * numpy.array(list(other))).sum(axis=1)


def runs(embedder: embed.Embedder) -> str:
    """What runs the model: `plain` or `prepared`, or the name of the class that does."""
    if not isinstance(embedder._engine, engine.Engine):
        return type(embedder._engine).__name__
    return "prepared" if embedder._engine.plan.graph else "plain"


@pytest.mark.parametrize("name", [NAME, models.DEFAULT, OTHER])
def test_vectors_are_those_of_fastembed_for_all_kinds_of_texts(folder: Path, name: str) -> None:
    assert len(TEXTS) >= 50
    # the last differs from the second by how its pooling was learned, and not by how it is done
    texts = FEW if name == OTHER else TEXTS
    theirs = fastembeds(folder, name, texts)
    shutil.rmtree(prepared.folder(chosen(folder, name), engine.RUNTIME), ignore_errors=True)
    plain, ready = embed.load(chosen(folder, name)), embed.load(chosen(folder, name))
    assert (runs(plain), runs(ready)) == ("plain", "prepared")
    assert cosines(plain.embed(texts), theirs).min() >= 0.9999
    one_by_one = [next(embed_one(ready, text)) for text in texts[:4]]  # before the weights are packed
    assert cosines(one_by_one, theirs[:4]).min() >= 0.9999
    assert cosines(ready.embed(texts), theirs).min() >= 0.9999


def embed_one(embedder: embed.Embedder, text: str) -> Iterator[Any]:
    return embedder.embed([text])


def test_the_two_poolings_differ(folder: Path) -> None:
    mean, first = embed.load(chosen(folder)), embed.load(chosen(folder, models.DEFAULT))
    assert cosines(mean.embed(TEXTS[:20]), first.embed(TEXTS[:20])).max() < 0.99


def test_a_vector_does_not_depend_on_its_batch(folder: Path) -> None:
    for name, texts in ((NAME, TEXTS), (models.DEFAULT, FEW)):
        embedder = embed.load(chosen(folder, name))
        together = list(embedder.read(texts))
        alone = [next(embedder.read([text])) for text in texts]
        for one, other in zip(together, alone, strict=True):
            assert float(one.vector @ other.vector) >= 0.9999
            assert one.spans == other.spans
            assert one.pieces == other.pieces
            assert one.tokens.shape == other.tokens.shape
            if one.pieces:
                assert (one.tokens * other.tokens).sum(axis=1).min() >= 0.9999


def test_a_reading_has_the_vector_of_each_word_piece_and_its_place(folder: Path) -> None:
    embedder = embed.load(chosen(folder))
    readings = list(embedder.read(TEXTS))
    assert cosines((reading.vector for reading in readings), embedder.embed(TEXTS)).min() >= 0.999999
    for text, reading in zip(TEXTS, readings, strict=True):
        assert reading.vector.dtype == reading.tokens.dtype == numpy.float32
        assert reading.tokens.shape == (len(reading.spans), 384)
        assert len(reading.spans) == len(reading.pieces) <= 254
        assert numpy.allclose((reading.tokens**2).sum(axis=1), 1, atol=1e-5)
        assert all(0 <= start < end <= len(text) for start, end in reading.spans)
        assert {type(piece) for piece in reading.pieces} <= {int}
    text = "naïve 🙂 Parsing of 清单"
    reading = next(embedder.read([text]))
    assert [text[start:end] for start, end in reading.spans] == [
        "naïve",
        "🙂",
        "Par",
        "sing",
        "of",
        "清",
        "单",
    ]
    assert next(embedder.read([""])).tokens.shape == (0, 384)


def test_token_vectors_are_the_last_hidden_states_without_the_special_tokens(folder: Path) -> None:
    import onnxruntime
    from fastembed.common.preprocessor_utils import load_tokenizer

    text = "Pin the parser to the old release."
    encoding = load_tokenizer(folder)[0].encode(text)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    ids = numpy.array([encoding.ids])
    feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    hidden = session.run(None, feed)[0][0, 1:-1]
    reading = next(embed.load(chosen(folder)).read([text]))
    assert reading.pieces == encoding.ids[1:-1]
    assert numpy.allclose(
        hidden / numpy.linalg.norm(hidden, axis=1, keepdims=True), reading.tokens, atol=1e-4
    )


def test_only_the_first_load_of_a_model_imports_fastembed_and_of_a_measured_one_not_even_that(
    folder: Path,
) -> None:
    code = (
        "import sys\nfrom chalkgit.index import embed, models\n"
        "model = models.at(sys.argv[1], sys.argv[2], 'test')\n"
        "list(embed.load(model).read(['a']))\n"
        "print('fastembed' in sys.modules, 'huggingface_hub' in sys.modules)"
    )

    def loaded(name: str) -> str:
        return subprocess.check_output([sys.executable, "-c", code, str(folder), name], text=True).strip()

    shutil.rmtree(prepared.home(), ignore_errors=True)
    assert [loaded(NAME), loaded(models.DEFAULT)] == ["False False"] * 2
    assert [loaded(OTHER), loaded(OTHER)] == ["True True", "False False"]


@pytest.fixture(name="custom")
def custom_fixture() -> Iterator[str]:
    """A model that fastembed pools by its last token."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType
    from fastembed.text.custom_text_embedding import CustomTextEmbedding

    before = list(CustomTextEmbedding.SUPPORTED_MODELS)
    TextEmbedding.add_custom_model(
        "acme/last", PoolingType.LAST_TOKEN, True, ModelSource(hf="acme/last"), 384, "model.onnx"
    )
    yield "acme/last"
    CustomTextEmbedding.SUPPORTED_MODELS[:] = before


def test_a_model_pooled_in_a_way_of_its_own_goes_through_fastembed_without_token_vectors(
    folder: Path, custom: str
) -> None:
    for _ in range(2):
        embedder = embed.load(chosen(folder, custom))
        assert runs(embedder) == "Through"
    assert not embed.ready(chosen(folder, custom))
    theirs = fastembeds(folder, custom, TEXTS[:20])
    assert cosines(embedder.embed(TEXTS[:20]), theirs).min() >= 0.9999
    reading = next(embedder.read(["a text"]))
    assert (reading.tokens, reading.spans, reading.pieces) == (None, [], [])


def test_a_plan_that_gives_other_vectors_than_fastembed_is_not_believed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(embed.CLASSES, "OnnxTextEmbedding", "mean")
    model = chosen(folder, "snowflake/snowflake-arctic-embed-s")
    assert runs(embed.load(model)) == "Through"
    assert not embed.ready(model)


@pytest.mark.parametrize(
    ("settings", "special", "config"),
    [
        ({"model_max_length": 256, "pad_token": "[PAD]"}, None, None),
        ({"model_max_length": 512, "max_length": 20}, None, None),
        ({"model_max_length": 1e30, "max_length": 24}, None, {"pad_token_id": 7}),
        ({"model_max_length": 1000000000000000019884624838656, "max_length": 24}, None, None),
        ({"model_max_length": 30, "max_length": 0, "truncation_side": "left"}, None, None),
        ({"model_max_length": True, "max_length": 9}, {"mask_token": {"content": "parser"}}, None),
        (
            {"model_max_length": 64},
            {"cls_token": "[CLS]", "additional_special_tokens": ["old release"]},
            None,
        ),
    ],
)
def test_texts_are_cut_as_fastembed_cuts_them(
    minilm: Path, tmp_path: Path, settings: object, special: object, config: object
) -> None:
    from fastembed.common.preprocessor_utils import load_tokenizer

    folder = tmp_path / "m"
    shutil.copytree(minilm, folder, symlinks=True)
    files = ("tokenizer_config.json", settings), ("special_tokens_map.json", special), ("config.json", config)
    for name, value in files:
        if value is not None:
            (folder / name).write_text(json.dumps(value))
    theirs, _ = load_tokenizer(folder)
    (tmp_path / "made").mkdir()
    wordpieces.split(str(folder), str(tmp_path / "made"))
    assert (tmp_path / "made" / wordpieces.REST).exists()
    for ours, padding in (
        wordpieces.tokenizer(str(folder)),
        wordpieces.tokenizer(str(folder), str(tmp_path / "made")),
    ):
        assert padding == theirs.padding["pad_id"]
        for text in TEXTS:
            one, other = ours.encode(text), theirs.encode(text)
            assert (one.ids, one.offsets, one.special_tokens_mask) == (
                other.ids,
                other.offsets,
                other.special_tokens_mask,
            )


@pytest.mark.parametrize("settings", [{}, {"model_max_length": 0}, {"model_max_length": 1e30}])
def test_a_tokenizer_that_does_not_say_where_to_cut_is_an_error(
    minilm: Path, tmp_path: Path, settings: object
) -> None:
    shutil.copytree(minilm, tmp_path / "m", symlinks=True)
    (tmp_path / "m" / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ChalkError, match="does not say how long a text may be"):
        embed.load(chosen(tmp_path / "m"))


@pytest.mark.parametrize("change", ["a word with a space behind it", "a gap in the ids", "no word pieces"])
def test_a_vocabulary_that_a_list_of_lines_cannot_hold_stays_in_its_file(
    minilm: Path, tmp_path: Path, change: str
) -> None:
    found = json.loads((minilm / "tokenizer.json").read_text())
    vocabulary = found["model"]["vocab"]
    if change == "a word with a space behind it":
        vocabulary["zoom "] = vocabulary.pop("zoom")
    elif change == "a gap in the ids":
        del vocabulary["zoom"]
    else:
        found["model"] = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    folder, made = tmp_path / "m", tmp_path / "made"
    shutil.copytree(minilm, folder, symlinks=True)
    (folder / "tokenizer.json").write_text(json.dumps(found))
    made.mkdir()
    wordpieces.split(str(folder), str(made))
    assert wordpieces.REST not in os.listdir(made)
    whole, ours = wordpieces.tokenizer(str(folder))[0], wordpieces.tokenizer(str(folder), str(made))[0]
    assert [ours.encode(text).ids for text in TEXTS] == [whole.encode(text).ids for text in TEXTS]


def test_a_graph_that_asks_for_more_than_tokens_is_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "INPUTS", {"input_ids"})
    with pytest.raises(ChalkError, match="the graph asks for attention_mask, token_type_ids"):
        embed._plain(chosen(folder), prepared.Plan("mean", 384))
