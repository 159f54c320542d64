"""Three versions of a record's file, merged: what the tests of merging share."""

from __future__ import annotations

from chalkgit.records.merge_text import Merged, merged

PATH = ".lessons/dead-ends/x.abcd1234.yaml"
FILE = """\
# yaml-language-server: $schema=../record.schema.json
# Ada wrote this on a train.
kind:   dead-end   # a ruling
id: 'abcd1234'

# why we tried
route: >
  one
  two

observation: |
    it
      broke  # no comment

files:  # only these
  # the reader
  - "reader.go" # hot
  - a/b.go

depends-on:
  django: "4.2"
  flask: "1.0"
tags: [x, "y"] # flow
mine: 1.10
# the end
"""


def three(ours: str, theirs: str, base: str = FILE, marker: int = 7) -> Merged:
    return merged(base.encode(), ours.encode(), theirs.encode(), PATH, marker)


def changed(*changes: tuple[str, str], text: str = FILE) -> str:
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def chosen(data: bytes, side: int, marker: int = 7) -> bytes:
    """What is left when a person keeps one side of every pair of markers."""
    kept, place = [], 2
    for line in data.split(b"\n"):
        if line.startswith((b"<" * marker + b" ", b"=" * marker, b">" * marker + b" ")):
            place = b"<=>".index(line[:1])
        elif place in (side, 2):
            kept.append(line)
    return b"\n".join(kept)
