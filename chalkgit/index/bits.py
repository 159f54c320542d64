"""Token vectors at one bit a dimension, and late interaction over them.

A token vector becomes the signs of its numbers and one scale, so that signs × scale has the same product
with the vector as the vector with itself: 50 bytes for 384 dimensions instead of 1,536. On the proposals of
docs/recall.md that ranks as well as whole vectors do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chalkgit.index.arrays import numpy

SCALE = 2  # bytes: a 16-bit float


def size(dimension: int) -> int:
    """Bytes of one token."""
    return SCALE + (dimension + 7) // 8


def packed(tokens: Any) -> bytes:
    """Token vectors (n × dimension, rows of length one) as n scales and n rows of bits."""
    tokens = numpy.asarray(tokens, numpy.float32)
    scales = 1 / numpy.maximum(numpy.abs(tokens).sum(axis=1), 1e-6)
    return bytes(scales.astype("<f2").tobytes() + numpy.packbits(tokens > 0, axis=1).tobytes())


def interaction(
    tokens: Any, weights: Any, blocks: Sequence[bytes], counts: Sequence[int], routes: Sequence[int]
) -> list[tuple[float, float]]:
    """(forward, backward) of a query's tokens with those of each record, as `Vectors.compared` says.

    blocks: as `packed` gives them, of counts[n] tokens each, one at least; routes: how many of a record's
    first tokens are its route's.
    """
    if not blocks:
        return []
    weights = numpy.asarray(weights, numpy.float32)
    if not weights.sum():
        weights = numpy.ones(len(tokens), numpy.float32)
    likeness = _likeness(tokens, blocks, counts)
    starts = numpy.cumsum([0, *counts])[:-1]
    forward = weights @ numpy.maximum.reduceat(likeness, starts, axis=1) / weights.sum()
    summed = numpy.concatenate([[0.0], numpy.cumsum(likeness.max(axis=0), dtype=numpy.float64)])
    own = numpy.minimum(numpy.maximum(routes, 1), counts)
    backward = (summed[starts + own] - summed[starts]) / own
    # rounded: a product's last digits depend on what stands beside it
    return list(zip(numpy.round(forward, 5).tolist(), numpy.round(backward, 5).tolist(), strict=True))


def _likeness(tokens: Any, blocks: Sequence[bytes], counts: Sequence[int]) -> Any:
    """The products of n tokens with all of the blocks', n × their sum."""
    sized = list(zip(blocks, counts, strict=True))
    scales = numpy.frombuffer(b"".join(block[: SCALE * count] for block, count in sized), "<f2")
    rows = b"".join(block[SCALE * count :] for block, count in sized)
    bits = numpy.frombuffer(rows, numpy.uint8).reshape(len(scales), -1)
    ones = numpy.unpackbits(bits, axis=1, count=tokens.shape[1]).astype(numpy.float32)
    # the signs are twice the bits less one
    return (2 * (tokens @ ones.T) - tokens.sum(axis=1, keepdims=True)) * scales.astype(numpy.float32)
