"""Three versions of a record made one: each side's changes, lists as sets, markers where both changed one."""

from __future__ import annotations

import pytest
from merging import FILE, PATH, changed, chosen, three

from chalkgit.errors import ChalkError
from chalkgit.records import codec
from chalkgit.records.edit import edit
from chalkgit.records.merge_text import Unmergeable
from chalkgit.records.nodes import plain


def test_what_each_side_changed_wins_and_every_other_byte_stays() -> None:
    ours = changed(("one\n", "ours\n"), ("  # the reader", "  # the fast reader"))
    theirs = changed(("mine: 1.10", "mine: 2  # by hand"), ("    it\n", "    they\n"))
    expected = changed(("mine: 1.10", "mine: 2  # by hand"), ("    it\n", "    they\n"), text=ours)
    for one, other in ((ours, theirs), (theirs, ours)):
        result = three(one, other)
        assert (result.data.decode(), result.conflicts) == (expected, [])


def test_lists_without_an_order_are_merged_as_sets_and_mappings_part_by_part() -> None:
    ours = changed(("  - a/b.go\n", "  - a/b.go\n  - ours.go\n"), ("4.2", "5.0"), ('[x, "y"]', "[y, o]"))
    theirs = changed(("  - a/b.go\n", "  - theirs.go\n"), ('flask: "1.0"', "flask: two"), ('"y"]', "z]"))
    result = three(ours, theirs)
    assert result.conflicts == []
    record = codec.decode(result.data, PATH)[0]
    assert record.items("files") == ["reader.go", "ours.go", "theirs.go"]
    assert record.get("depends-on") == {"django": "5.0", "flask": "two"}
    assert record.items("tags") == ["o", "z"]
    for comment in (b"# the reader", b"# hot", b"# only these", b"# flow"):
        assert result.data.count(comment) == 1


def test_sorted_test_ids_stay_sorted() -> None:
    base = "id: abcd1234\nkind: lesson\nfailure:\n  tests:\n    - b\n"
    ours, theirs = (base.replace("- b\n", new) for new in ("- b\n    - d\n", "- a\n    - b\n    - c\n"))
    record = codec.decode(three(ours, theirs, base).data, PATH)[0]
    assert record.part("failure", "tests") == ["a", "b", "c", "d"]


def test_a_field_that_both_changed_stands_between_markers_and_all_else_is_merged() -> None:
    ours = changed(("one\n", "ours\n"), ("4.2", "5.0"))
    theirs = changed(("one\n", "theirs\n"), ("mine: 1.10", "mine: 2"))
    result = three(ours, theirs)
    route = "route: >\n  one\n  two\n"
    mine, yours = (route.replace("one", side) for side in ("ours", "theirs"))
    marked = f"<<<<<<< ours\n{mine}=======\n{yours}>>>>>>> theirs\n"
    assert result.data.decode() == changed((route, marked), ("4.2", "5.0"), ("mine: 1.10", "mine: 2"))
    assert result.conflicts == ["route"]
    with pytest.raises(ChalkError, match="unresolved merge conflict") as error:
        codec.decode(result.data, PATH)
    assert error.value.where == f"{PATH}:7"
    assert chosen(result.data, 0).decode() == changed(("mine: 1.10", "mine: 2"), text=ours)
    assert chosen(result.data, 1).decode() == changed(("4.2", "5.0"), text=theirs)


def test_of_a_mapping_the_parts_that_both_changed_alone_are_marked() -> None:
    ours = changed(("4.2", "5.0"), ('  flask: "1.0"\n', '  flask: "1.0"\n  ours: "1"\n'))
    theirs = changed(("4.2", "5.1"), ('  flask: "1.0"\n', ""))
    result = three(ours, theirs)
    both = 'django: "5.0"\n=======\n  django: "5.1"\n'
    assert f"depends-on:\n<<<<<<< ours\n  {both}>>>>>>> theirs\n" in result.data.decode()
    for side, version in enumerate(("5.0", "5.1")):
        record = codec.decode(chosen(result.data, side), PATH)[0]
        assert record.get("depends-on") == {"django": version, "ours": "1"}


@pytest.mark.parametrize("marker", [1, 7, 9, 40])
def test_markers_have_the_length_that_git_asks_for(marker: int) -> None:
    result = three(changed(("1.10", "o")), changed(("1.10", "t")), marker=marker)
    m = marker
    assert f"\n{'<' * m} ours\nmine: o\n{'=' * m}\nmine: t\n{'>' * m} theirs\n" in result.data.decode()
    if marker >= 7:
        with pytest.raises(ChalkError, match="unresolved merge conflict"):
            codec.decode(result.data, PATH)


def test_a_field_that_one_side_removed_and_the_other_changed_is_marked() -> None:
    removed, edited = changed(("mine: 1.10\n", "")), changed(("1.10", "2"))
    result = three(removed, edited)
    assert "<<<<<<< ours\n=======\nmine: 2\n>>>>>>> theirs\n" in result.data.decode()
    assert result.conflicts == ["mine"]
    untouched = three(removed, changed(("4.2", "5.0")))
    assert (untouched.conflicts, b"mine" in untouched.data) == ([], False)


def test_new_fields_of_both_stand_where_fmt_has_them() -> None:
    ours, theirs = (
        edit(FILE.encode(), change, PATH).decode()
        for change in ({"layer": "design", "zz": "1"}, {"degree": "partial", "aa": "2"})
    )
    result = three(ours, theirs)
    order = list(codec.decode(result.data, PATH)[0].fields)
    keys = [name for name in plain(codec.compose(result.data.decode(), PATH)) if name in order]
    assert keys.index("layer") + 1 == keys.index("degree")
    assert result.conflicts == []
    assert {"zz", "aa"} <= set(keys)


def test_no_comment_of_either_side_is_lost() -> None:
    ours = changed(("mine: 1.10", "# ours\nmine: 1.10"), ("  - a/b.go\n", "  - a/b.go\n  - o # o\n"))
    theirs = changed(
        ("mine: 1.10", "mine: 2 # theirs"),
        ("  - a/b.go\n", "  - a/b.go\n  # since\n  - t # t\n"),
        ("# the end", "# the end\n# really"),
        ("# Ada wrote", "# Bob was there.\n# Ada wrote"),
    )
    for one, other in ((ours, theirs), (theirs, ours)):
        data = three(one, other).data.decode()
        for comment in (
            "# ours",
            "# theirs",
            "# o\n",
            "# t\n",
            "# since",
            "# really",
            "# Bob",
            "# the end\n",
        ):
            assert data.count(comment) == 1, comment
    assert three(ours, theirs).data.count(b"yaml-language-server") == 1


def test_a_comment_outlives_the_item_that_the_other_side_removed() -> None:
    ours = changed(("# hot", "# hotter"), ("  - a/b.go\n", "  - a/b.go\n  - o\n"))
    data = three(ours, changed(('  - "reader.go" # hot\n', ""))).data
    assert b"reader.go" not in data
    assert data.count(b"# hotter\n") == 1


def test_retired_or_settled_on_one_side_and_edited_on_the_other_is_both() -> None:
    for change in ({"retired": {"because": "moved", "on": "2026"}}, {"settled": "abcdef1"}):
        ours = edit(FILE.encode(), change, PATH).decode()
        for one, other in ((ours, changed(("4.2", "5"))), (changed(("4.2", "5")), ours)):
            result = three(one, other)
            record = codec.decode(result.data, PATH)[0]
            assert result.conflicts == []
            assert [record.get(name) for name in change] == list(change.values())
            assert record.part("depends-on", "django") == "5"


def test_whoever_said_a_thing_is_chosen_with_it() -> None:
    base = "id: abcd1234\nkind: lesson\nfailure:\n  error: e\nlesson: when\ndistilled-by: m\n"
    ours = base.replace("when\ndistilled-by: m", "by hand")
    result = three(ours, base.replace("when", "later"), base)
    assert result.conflicts == ["lesson", "distilled-by"]
    assert b"distilled-by" not in chosen(result.data, 0)
    assert b"lesson: later\ndistilled-by: m\n" in chosen(result.data, 1)


# --- review ---------------------------------------------------------------------------------------

APPROVED = {"state": "approved", "by": "Ada", "hash": "0" * 64}
REJECTED = {"state": "rejected", "by": "Bob", "because": "it is wrong"}
REVIEWS = {
    # base, ours, theirs, what else ours changed: the state that comes out
    "approved on one side, edited on the other": (None, APPROVED, None, "theirs", APPROVED),
    "approved and rejected": (None, APPROVED, REJECTED, "", REJECTED),
    "an older approval, rejected": (APPROVED, APPROVED, REJECTED, "ours", REJECTED),
    "an older approval, renewed and rejected": (APPROVED, {**APPROVED, "hash": "1"}, REJECTED, "", REJECTED),
    "rejected anew and approved": (REJECTED, {**REJECTED, "because": "no"}, APPROVED, "", {"because": "no"}),
    "rejected, then approved as it comes out": (REJECTED, REJECTED, APPROVED, "theirs", APPROVED),
    "rejected, then approved, but edited by the other": (REJECTED, REJECTED, APPROVED, "ours", REJECTED),
    "rejected, then lifted": (REJECTED, REJECTED, None, "ours", None),
    "rejected, and the approval withdrawn": (APPROVED, REJECTED, None, "", REJECTED),
}


@pytest.mark.parametrize("case", REVIEWS)
def test_a_restriction_wins_over_an_approval_that_does_not_speak_of_the_result(case: str) -> None:
    base, ours, theirs, edited, expected = REVIEWS[case]
    sides: list[str] = []
    for name, review in (("base", base), ("ours", ours), ("theirs", theirs)):
        text = changed(("1.10", "2")) if name == edited else changed(("# the end", f"# {name}"))
        sides.append(edit(text.encode(), {"review": review} if review else {}, PATH).decode())
    for one, other in ((1, 2), (2, 1)):
        result = three(sides[one], sides[other], sides[0])
        assert result.conflicts == []
        found = codec.decode(result.data, PATH)[0].get("review")
        assert found == (
            expected
            if expected is None
            else {**REJECTED, **expected}
            if "state" not in expected
            else expected
        )


def test_an_approval_is_kept_as_it_was_and_does_not_fit_what_comes_out() -> None:
    approved = codec.decode(FILE.encode(), PATH)[0]
    review = {"state": "approved", "by": "Ada", "hash": codec.content_hash(approved)}
    ours = edit(FILE.encode(), {"review": review}, PATH).decode()
    result = codec.decode(three(ours, changed(("4.2", "5.0"))).data, PATH)[0]
    assert result.get("review") == review
    assert codec.content_hash(result) != review["hash"]
    untouched = codec.decode(three(ours, changed(("# the end", "# fin"))).data, PATH)[0]
    assert codec.content_hash(untouched) == review["hash"]


def test_two_approvals_are_never_put_together() -> None:
    ours, theirs = (
        edit(FILE.encode(), {"review": {**APPROVED, "by": by, "hash": h}}, PATH).decode()
        for by, h in (("Ada", "1"), ("Bob", "2"))
    )
    result = three(ours, theirs)
    assert result.conflicts == ["review"]
    for side, (by, said) in enumerate((("Ada", "1"), ("Bob", "2"))):
        record = codec.decode(chosen(result.data, side), PATH)[0]
        assert (record.part("review", "by"), record.part("review", "hash")) == (by, said)


# --- files ----------------------------------------------------------------------------------------


def test_two_files_that_were_both_added_are_merged_against_nothing() -> None:
    theirs = changed(("1.10", "2"), ("  - a/b.go\n", "  - c.go\n"))
    result = three(FILE, theirs, base="")
    assert result.conflicts == ["mine"]
    for side in (0, 1):
        record = codec.decode(chosen(result.data, side), PATH)[0]
        assert record.items("files") == ["reader.go", "a/b.go", "c.go"]
    same = three(FILE, changed(("# the end", "# fin")), base="")
    assert (same.conflicts, same.data.decode()) == ([], FILE + "# fin\n")


@pytest.mark.parametrize(("one", "other"), [("\n", "\r\n"), ("\r\n", "\n"), ("\r\n", "\r\n")])
def test_line_ends_are_those_of_ours(one: str, other: str) -> None:
    ours = changed(("4.2", "5.0"), ("  two\n", "  ours\n")).replace("\n", one)
    theirs = changed(("1.10", "2"), ("  two\n", "  theirs\n")).replace("\n", other)
    result = three(ours, theirs, FILE.replace("\n", one))
    assert result.conflicts == ["route"]
    assert result.data.count(b"\n") == result.data.count(one.encode())
    plainly = three(ours.replace("\r", ""), theirs.replace("\r", ""))
    assert result.data.replace(b"\r", b"") == plainly.data


def test_a_byte_order_mark_and_a_missing_last_line_end_stay() -> None:
    base = "\ufeffid: abcd1234\nkind: procedure\nroute: r\nmine: a"
    result = three(base.replace("route: r", "route: s"), base.replace("mine: a", "mine: b"), base)
    assert result.data.decode() == base.replace("route: r", "route: s").replace("mine: a", "mine: b")
    added = three(base + "\nzz: 1", base.replace("mine: a", "mine: b"), base)
    assert added.data.decode().endswith("mine: b\nzz: 1")


def test_a_marker_stands_at_a_lines_beginning_where_a_byte_order_mark_was() -> None:
    base = "\ufeffroute: r\nid: abcd1234\nkind: procedure\n"
    result = three(base.replace(": r", ": s"), base.replace(": r", ": t"), base)
    assert result.conflicts == ["route"]
    assert result.data.startswith(b"<<<<<<< ")
    whole = three(base.replace(": r", ": s"), base + "mine: b\n", base)
    assert whole.data.startswith("\ufeffroute: s".encode())


RAW = "id: abcd1234\nkind: dead-end\nroute: r\nraw: r\n"
UNMERGEABLE = {
    "no record": (FILE, "route: [\n", FILE + "x: y\n"),
    "markers": (FILE, FILE + "<<<<<<< ours\n=======\n>>>>>>> theirs\n", FILE + "x: y\n"),
    "a damaged base": ("kind: nothing\n", FILE, FILE + "x: y\n"),
    "two ids": ("", FILE, FILE.replace("abcd1234", "bcde2345")),
    "an id that changed": (FILE, FILE.replace("abcd1234", "bcde2345"), FILE + "x: y\n"),
    "a flow mapping": (FILE, "{id: abcd1234, kind: procedure, route: r}\n", FILE + "x: y\n"),
    "an explicit key": (FILE, FILE.replace("mine:", "? mine\n:"), FILE + "x: y\n"),
    "nothing left to say": (RAW, RAW.replace("route: r\n", ""), RAW.replace("raw: r\n", "")),
    "no text": (FILE, "\x00", FILE + "x: y\n"),
    "too much": (FILE, FILE + "#" * 300_000, FILE + "x: y\n"),
}


@pytest.mark.parametrize("case", UNMERGEABLE)
def test_what_is_no_record_on_every_side_is_left_to_git(case: str) -> None:
    base, ours, theirs = UNMERGEABLE[case]
    for one, other in ((ours, theirs), (theirs, ours)):
        with pytest.raises(Unmergeable):
            three(one, other, base)
    assert three(FILE + "x: y\n", changed(("1.10", "2"))).conflicts == []
