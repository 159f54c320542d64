"""Tokenizer and graph run by onnxruntime directly: what fastembed does with a text, without its import.

`tests/test_embed_engine.py` holds that the vectors are fastembed's. They do not depend on the texts beside
them: padding is masked, and everything is float32.
"""

from __future__ import annotations

import os

from chalkgit.index import wordpieces
from chalkgit.index.arrays import numpy

# onnxruntime 1.32 makes a device id and a queue of events to upload when it is imported. putenv, because
# it is C that reads this, and our own children have no use for it.
os.putenv("ORT_DISABLE_TELEMETRY", "1")

# The extension module alone would save half a bare interpreter, but Python runs the package first.
import onnxruntime

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from chalkgit.index.prepared import Plan

    Vector = Any  # a numpy array
    Read = tuple[Vector, Vector | None, list[tuple[int, int]], list[int]]

RUNTIME: str = onnxruntime.__version__
# Rearranging the weights for fast products (“prepacking”) took 37 ms of a load of 46 where MiniLM was mapped
# from an optimised copy, and saves 4 ms a short text: it pays from the ninth on.
PACKED_FROM = 9
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class Engine:
    """One model, loaded; use it from one thread at a time. What its libraries raise passes."""

    def __init__(self, directory: str, weights: str, plan: Plan) -> None:
        self.plan = plan
        ready = os.path.dirname(plan.graph) if plan.graph else None
        self._tokenizer, self._padding = wordpieces.tokenizer(directory, ready)
        self._graph = plan.graph or os.path.join(directory, weights)
        self._packed = plan.graph is None
        self._session = _session(self._graph, optimised=not self._packed, packed=self._packed)
        self._texts = 0
        names = {node.name for node in self._session.get_inputs()}
        if not names <= INPUTS:
            raise ValueError(f"the graph asks for {', '.join(sorted(names - INPUTS))}")
        self._inputs = names
        self._output = self._session.get_outputs()[0].name

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, of any length: the hidden states pooled as the plan says."""
        return list(self._pooled(*self._hidden(self._encoded(texts))))

    def read(self, texts: Sequence[str]) -> list[Read]:
        """(vector, token vectors of length one, their places in the text, their ids) of each text.

        The token vectors are None where the graph gives none; [CLS], [SEP] and their like are left out.
        """
        encoded = self._encoded(texts)
        hidden, mask = self._hidden(encoded)
        found = []
        for row, vector in enumerate(self._pooled(hidden, mask)):
            it = encoded[row]
            own = [at for at, special in enumerate(it.special_tokens_mask) if not special]
            spans, ids = it.offsets, it.ids
            tokens = _unit_rows(hidden[row, own]) if hidden.ndim == 3 else None
            found.append((vector, tokens, [spans[at] for at in own], [ids[at] for at in own]))
        return found

    def _encoded(self, texts: Sequence[str]) -> list[Any]:
        # one at a time: encode_batch starts a thread a core
        return [self._tokenizer.encode(text) for text in texts]

    def _hidden(self, encoded: list[Any]) -> tuple[Any, Any]:
        """The graph's first output, float32, and which of its tokens are real, both padded to the longest."""
        self._texts += len(encoded)
        if not self._packed and self._texts >= PACKED_FROM:
            self._session = _session(self._graph, optimised=True, packed=True)
            self._packed = True
        shape = len(encoded), max(len(it.ids) for it in encoded)
        ids, mask = numpy.full(shape, self._padding, numpy.int64), numpy.zeros(shape, numpy.int64)
        for row, it in enumerate(encoded):
            ids[row, : len(it.ids)] = it.ids
            mask[row, : len(it.ids)] = it.attention_mask
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros(shape, numpy.int64)}
        feed = {name: given[name] for name in self._inputs}
        hidden = self._session.run([self._output], feed)[0]
        return hidden.astype(numpy.float32, copy=False), mask

    def _pooled(self, hidden: Any, mask: Any) -> Any:
        if hidden.ndim == 2 and self.plan.pooling == "cls":
            return hidden  # the graph pools for itself
        if hidden.ndim != 3:
            raise ValueError(f"the graph gives an array of {hidden.ndim} dimensions")
        if self.plan.pooling == "cls":
            return hidden[:, 0]
        total = numpy.sum(hidden, axis=1, where=mask[:, :, None].astype(bool), dtype=numpy.float64)
        return total / numpy.maximum(mask.sum(axis=1, keepdims=True), 1)


def prepare(directory: str, weights: str, graph: str) -> None:
    """Write what makes the next load quick: the optimised `graph`, with weights and words beside it."""
    wordpieces.split(directory, os.path.dirname(graph))
    # the levels above are for one kind of processor
    options = _options(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, packed=False)
    options.optimized_model_filepath = graph
    # in a file of their own the weights are mapped when they are used, not read and copied
    name = os.path.splitext(os.path.basename(graph))[0] + ".data"
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", name)
    options.add_session_config_entry(
        "session.optimized_model_external_initializers_min_size_in_bytes", "1024"
    )
    _opened(os.path.join(directory, weights), options)


def _session(graph: str, *, optimised: bool, packed: bool) -> Any:
    levels = onnxruntime.GraphOptimizationLevel
    return _opened(
        graph, _options(levels.ORT_DISABLE_ALL if optimised else levels.ORT_ENABLE_ALL, packed=packed)
    )


def _options(level: Any, *, packed: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong arrives as an exception as well
    if not packed:
        options.add_session_config_entry("session.disable_prepacking", "1")
    return options


def _opened(graph: str, options: Any) -> Any:
    # the fallback would print to stdout and try the same again
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def _unit_rows(rows: Any) -> Any:
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))
    if not (lengths > 0).all() or not numpy.isfinite(lengths).all():
        raise ValueError("it gave a token vector that is not a number")
    return rows / lengths[:, None]
