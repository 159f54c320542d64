"""A real cross-encoder for tests, made of the files of `minilm`: proposal and record are read together.

MiniLM's graph gets thirteen more nodes: of each token of the first text the best likeness among the tokens of
the second, and the mean of those as the one score that a cross-encoder puts out. ONNX files are protocol
buffers; the few fields that are needed are written here byte by byte, so that no further package is.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"  # whose place in fastembed's list it takes
GRAPH, NODE, INITIALIZER, OUTPUT = 7, 1, 5, 12  # field numbers of onnx.proto
FLOAT, INT64 = 1, 7


@pytest.fixture(scope="session", name="crossing")
def crossing_fixture(minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crossing")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(minilm / name, folder / name)
    (folder / "model.onnx").write_bytes(crossed((minilm / "model.onnx").read_bytes()))
    return folder


def crossed(model: bytes) -> bytes:
    """The model with one score a pair of texts in the place of its hidden states."""
    made = b""
    for field, value in _fields(model):
        if field == GRAPH:
            kept = b"".join(_field(f, v) for f, v in _fields(value) if f != OUTPUT)
            made += _field(GRAPH, kept + _scoring())
        else:
            made += _field(field, value)
    return made


def _scoring() -> bytes:
    nodes = [
        _node("LpNormalization", ["last_hidden_state"], "x_unit", axis=-1, p=2),
        _node("Transpose", ["x_unit"], "x_turned", perm=[0, 2, 1]),
        _node("MatMul", ["x_unit", "x_turned"], "x_alike"),
        _node("Cast", ["token_type_ids"], "x_second", to=FLOAT),
        _node("Cast", ["attention_mask"], "x_there", to=FLOAT),
        _node("Sub", ["x_there", "x_second"], "x_first"),
        _node("Unsqueeze", ["x_second", "x_axis"], "x_across"),
        _node("Mul", ["x_alike", "x_across"], "x_crossed"),
        _node("ReduceMax", ["x_crossed"], "x_best", axes=[2], keepdims=0),
        _node("Mul", ["x_best", "x_first"], "x_own"),
        _node("ReduceSum", ["x_own", "x_axis"], "x_sum", keepdims=1),
        _node("ReduceSum", ["x_first", "x_axis"], "x_count", keepdims=1),
        _node("Div", ["x_sum", "x_count"], "logits"),
    ]
    axis = _field(1, b"\x01") + _field(2, INT64) + _field(8, b"x_axis") + _field(7, b"\x01")
    shape = _field(1, _field(2, b"batch")) + _field(1, _field(1, 1))
    kind = _field(1, _field(1, FLOAT) + _field(2, shape))
    output = _field(OUTPUT, _field(1, b"logits") + _field(2, kind))
    return b"".join(_field(NODE, node) for node in nodes) + _field(INITIALIZER, axis) + output


def _node(operator: str, inputs: list[str], output: str, **attributes: int | list[int]) -> bytes:
    said = b"".join(_field(1, name.encode()) for name in inputs)
    said += _field(2, output.encode()) + _field(4, operator.encode())
    for name, value in attributes.items():
        if isinstance(value, int):
            held = _field(3, value) + _field(20, 2)
        else:
            held = b"".join(_field(8, one) for one in value) + _field(20, 7)
        said += _field(5, _field(1, name.encode()) + held)
    return said


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        value, at = _number(data, at)
        if key & 7 == 2:
            yield key >> 3, data[at : at + value]
            at += value
        else:
            assert key & 7 == 0, "onnx keeps fixed-width numbers deeper than we look"
            yield key >> 3, value


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value % (1 << 64))
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at
