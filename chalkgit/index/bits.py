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


def unpacked(block: bytes, count: int, dimension: int) -> Any:
    """The n × dimension array that stands for the token vectors of a block."""
    scales = numpy.frombuffer(block, "<f2", count).astype(numpy.float32)
    rows = numpy.frombuffer(block, numpy.uint8, offset=SCALE * count).reshape(count, -1)
    signs = numpy.unpackbits(rows, axis=1, count=dimension).astype(numpy.float32)
    return (2 * signs - 1) * scales[:, None]


def interaction(
    tokens: Any, weights: Any, records: Sequence[Any], routes: Sequence[int]
) -> list[tuple[float, float]]:
    """(forward, backward) of a query's tokens with those of each record, as `Vectors.late` says.

    records: n × dimension each, n at least one; routes: how many of its first tokens are its route's.
    """
    if not records or not len(tokens):
        return []
    weights = numpy.asarray(weights, numpy.float32)
    if not weights.sum():
        weights = numpy.ones(len(tokens), numpy.float32)
    likeness = tokens @ numpy.concatenate(records).T
    starts = numpy.cumsum([0, *(len(record) for record in records)])[:-1]
    forward = (weights[:, None] * numpy.maximum.reduceat(likeness, starts, axis=1)).sum(axis=0)
    best = likeness.max(axis=0)
    backward = [
        best[start : start + max(route, 1)].mean() for start, route in zip(starts, routes, strict=True)
    ]
    # rounded: a product's last digits depend on what stands beside it
    return [
        (round(float(f / weights.sum()), 5), round(float(b), 5))
        for f, b in zip(forward, backward, strict=True)
    ]
