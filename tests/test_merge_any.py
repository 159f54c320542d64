"""Any three versions of a record merge alike from both sides, and stay readable and canonical."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from merging import PATH, chosen

from chalkgit.records import codec, emit, merge
from chalkgit.records.edit import formatted
from chalkgit.records.merge_text import merged
from chalkgit.records.nodes import plain
from chalkgit.records.record import Record

WORDS = st.sampled_from(["a", "b: c", "no", "# d", "two\nlines\n", "x" * 95 + " " + "y " * 40, "- e", "é"])
ITEMS = st.lists(WORDS.map(lambda word: word.replace("\n", " ").strip()), min_size=1, max_size=4, unique=True)
PARTS = st.dictionaries(st.sampled_from(["p", "q", "r"]), st.sampled_from(["1", "2"]), min_size=1)
REVIEW = st.fixed_dictionaries(
    {"state": st.sampled_from(["approved", "rejected", "quarantined"])},
    optional={"by": st.sampled_from(["Ada", "Bob"]), "hash": st.sampled_from(["1", "2"])},
)
FIELDS = st.fixed_dictionaries(
    {"route": WORDS},
    optional={
        "observation": WORDS,
        "layer": st.sampled_from(["design", "environment"]),
        "tags": ITEMS,
        "evidence": ITEMS,
        "depends-on": PARTS,
        "by": st.sampled_from(["Ada", {"name": "Ada", "agent": "bot"}]),
        "retired": st.fixed_dictionaries({"because": WORDS}, optional={"on": st.just("2026")}),
        "review": REVIEW,
        "unknown": WORDS | PARTS | ITEMS,
        "yet another": WORDS,
    },
)
SETS = ("tags", "evidence")


def encoded(fields: dict[str, Any]) -> bytes:
    record = Record({"id": "abcd1234", "kind": "dead-end", **fields}, PATH)
    return f"{emit.modeline(PATH)}\n{emit.document(record.fields)}".encode()


def said(data: bytes) -> dict[str, Any]:
    fields = merge.values(plain(codec.compose(data.decode(), PATH)))
    return {name: sorted(value) if name in SETS else value for name, value in fields.items()}


anything = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@anything
@given(base=FIELDS, ours=FIELDS, theirs=FIELDS, added=st.booleans())
def test_any_three_canonical_records_merge_alike_from_both_sides(
    base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any], added: bool
) -> None:
    o, a, b = (encoded(fields) for fields in (base, ours, theirs))
    o = b"" if added else o
    one, other = merged(o, a, b, PATH, 7), merged(o, b, a, PATH, 7)
    assert sorted(one.conflicts) == sorted(other.conflicts)
    for side in (0, 1):
        mine = chosen(one.data, side)
        assert said(mine) == said(chosen(other.data, 1 - side))
        assert formatted(mine, PATH) == mine
        for name, value in said(mine).items():
            if name not in (*SETS, "depends-on", "retired", "unknown"):
                assert value in (said(a).get(name), said(b).get(name))
        for name in {*base, *ours, *theirs} - set(one.conflicts) - {"review"}:
            if said(o if o else encoded({})).get(name) == said(a).get(name):
                assert said(mine).get(name) == said(b).get(name)


@anything
@given(base=FIELDS, ours=FIELDS)
def test_a_side_that_changed_nothing_changes_nothing(base: dict[str, Any], ours: dict[str, Any]) -> None:
    o, a = encoded(base), encoded(ours)
    noted = a + b"# a comment\n"
    for result in (merged(o, a, o, PATH, 7), merged(o, o, a, PATH, 7), merged(o, a, a, PATH, 7)):
        assert (result.data, result.conflicts) == (a, [])
    for one, other in ((a, noted), (noted, a)):
        result = merged(o, one, other, PATH, 7)
        assert (result.data, result.conflicts) == (noted, [])
    touched = merged(o, a, o + b"# a comment\n", PATH, 7)
    assert (touched.data, touched.conflicts) == (noted, [])
