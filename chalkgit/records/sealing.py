"""The hash that a review speaks of: of the record without its `review`, in one spelling whatever the file's.

An edit of any field, known or not, gives another hash; another file name, order of fields, comment or way of
writing a value does not.
"""

from __future__ import annotations

from chalkgit.records.record import Record

PREFIX = "sha256:"


def seal(record: Record) -> str:
    import hashlib
    import json

    fields = {name: value for name, value in record.fields.items() if name != "review"}
    text = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return PREFIX + hashlib.sha256(text.encode("ascii")).hexdigest()


def claims_approval(record: Record) -> bool:
    """Whether its `review` says approved; only git can prove it."""
    return bool(record.part("review", "state") == "approved")


def fits(record: Record) -> bool:
    """Whether the review speaks of this very content."""
    return bool(record.part("review", "hash") == seal(record))
