"""What two runs of the same failure tell differently becomes equal; what tells two failures apart stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chalkgit.failures import rules
from chalkgit.failures.rule import Rule

# Pieces that rules look for, so that random lines hold several of them, beside and inside one another.
PIECES = st.sampled_from(
    "2026-11-30 08:22:34 T08:22:34Z Nov 30, Mon 12:31 1s 1.5ms 1m30s KiB bytes 0x7f37ea52cce0 0x80070005 ::1"
    " 127.0.0.1 10.0.0.7 :8080 :43121 localhost db port pid thread worker gw0 Thread-3 seed line col (1:10)"
    " a.py b.go:3 :12 /tmp /home/ann / \\ C:\\ tmpab12cd_3 pytest-of-ann pytest-0 1732951234 9af8c3be3a"
    " 7c1811ed-e98f-4c9c-a9f9-58c757ff494f Error: Uncaught AssertionError: assert ValueError: [ERROR] [3] PID"
    " | ** ==7== I1130 {b, a} {'a': 1, map[ ] } ' \" ` <date> <tmp> <n> @1a2b3c4d #PID< 0.1.2> > ://u:p@"
    " [recovered] 2/2 Test #2: ... ***Failed === --- ERROR - ,".split()
)
LINES = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=12).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda between: between.join(parts))
)


def by_name(rule: Rule) -> str:
    return rule.name


@pytest.mark.parametrize("rule", rules.RULES, ids=by_name)
def test_a_rule_makes_the_same_failure_equal_and_leaves_another_one_apart(rule: Rule) -> None:
    same, again = (rules.normal(line, None) for line in rule.equal)
    one, other = (rules.normal(line, None) for line in rule.differ)
    assert same == again
    assert one != other
    assert rule.equal[0] != rule.equal[1]


@pytest.mark.parametrize("rule", rules.RULES, ids=by_name)
def test_without_a_rule_its_pair_would_differ(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    rest = tuple(other for other in rules.RULES if other is not rule)
    monkeypatch.setattr(rules, "RULES", rest)
    same, again = (rules.normal(line, None) for line in rule.equal)
    assert same != again


def test_every_rule_has_a_name_of_its_own_and_a_reason() -> None:
    names = [rule.name for rule in rules.RULES]
    assert len(set(names)) == len(names)
    assert all(len(rule.reason.split()) >= 4 for rule in rules.RULES)


@given(LINES)
@example("Error: [1] " * 20 + "x")
@example("{b, a}" * 400)
@example("1s " * 700)
def test_normalising_twice_changes_nothing_more(line: str) -> None:
    once = rules.normal(line, None)
    assert rules.normal(once, None) == once
    masked = rules.mask_id(line)
    assert rules.mask_id(masked) == masked


def test_no_line_is_an_empty_one_and_a_long_one_is_cut_before_any_pattern() -> None:
    assert rules.normal(None, None) == ""
    assert rules.normal("  ", None) == ""
    assert rules.normal("x" * 5_000 + " at 12:31:12", None) == "x" * 2_000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exit 1", "exit 2"),
        ("HTTP 404 for /cart", "HTTP 500 for /cart"),
        ("refused (os error 111)", "refused (os error 110)"),
        ("KeyError: 'user'", "KeyError: 'order'"),
        ("utf-8 is not supported", "utf-16 is not supported"),
        ("needs libshop 3.9", "needs libshop 3.10"),
        ("expected 3 items, got 23", "expected 3 items, got 24"),
        ("unsupported hash type md5", "unsupported hash type md6"),
        ("no decade facade", "no defaced facade"),
        ("no file '/etc/shop/a.toml'", "no file '/etc/shop/b.toml'"),
        ("cannot resolve db.example", "cannot resolve web.example"),
        ("0.30000000000000004 != 0.3", "0.30000000000000009 != 0.3"),
        ("left [1, 2]", "left [2, 1]"),
        ("retry=True", "retry=False"),
        ("Bee::buzz() called", "Bee::stop() called"),
        ("failed with 0xC0000005", "failed with 0xC0000006"),
        ("no file 'src/tmp/a/x.txt'", "no file 'src/tmp/b/x.txt'"),
    ],
)
def test_what_the_failure_means_stays(one: str, other: str) -> None:
    assert rules.normal(one, None) != rules.normal(other, None)


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/tmpab12cd_3/orders.json",
        "/tmp/tmp.c2LAWWGDLH/orders.json",
        "/tmp/shop-oeBXzq/orders.json",
        "/tmp/shop-GTPLCR/orders.json",
        "/tmp/shop-14067/orders.json",
        "/tmp/shop11671193786418450747/orders.json",
        "/tmp/TestCheckout752277159/001/orders.json",
        "/tmp/d20261130-15279-f41ups/orders.json",
        "/tmp/pytest-of-ann/pytest-12/test_out0/orders.json",
        "/tmp/pytest-of-ann/pytest-12/popen-gw3/test_out1/orders.json",
        "/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/tmpab12cd_3/orders.json",
        "file:///var/tmp/tmpab12cd_3/orders.json",
        r"C:\Users\ann\AppData\Local\Temp\1\tmpab12cd_3\orders.json",
        r"C:\\Users\\ann\\AppData\\Local\\Temp\\tmpab12cd_3\\orders.json",
        "D:/a/_temp/tmpab12cd_3/orders.json",
    ],
)
def test_a_temporary_folder_goes_and_what_is_below_it_stays(path: str) -> None:
    assert rules.normal(f"no file '{path}'", None) == "no file '<tmp>/orders.json'"
    assert rules.normal(f"no file '{path}'".replace("orders", "carts"), None) == "no file '<tmp>/carts.json'"


@pytest.mark.parametrize(
    ("root", "line"),
    [
        ("/srv/ci/shop", "no file '/srv/ci/shop/data/in.csv'"),
        ("/srv/ci/shop/", "no file '/srv/ci/shop/data/in.csv'"),
        ("/tmp/tmpx1/shop", "no file '/private/tmp/tmpx1/shop/data/in.csv'"),
        ("/srv/ci/shop", "no file 'file:///srv/ci/shop/data/in.csv'"),
        ("/srv/ci/shop", r"no file '\/srv\/ci\/shop\/data\/in.csv'"),
        (r"C:\ws\shop", r"no file 'C:\ws\shop\data\in.csv'"),
        (r"C:\ws\shop", r"no file 'c:\\ws\\shop\\data\\in.csv'"),
        (r"C:\ws\shop", "no file 'file:///C:/ws/shop/data/in.csv'"),
        ("C:/ws/shop", "no file '/c/ws/shop/data/in.csv'"),
    ],
)
def test_the_runs_own_root_goes_in_every_form(root: str, line: str) -> None:
    assert rules.normal(line, root) == "no file 'data/in.csv'"
    assert rules.normal(line.replace("shop", "shop2"), root) != "no file 'data/in.csv'"


def test_the_root_is_also_known_by_its_real_path_and_never_inside_another(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    root = str(tmp_path / "link")
    assert rules.normal(f"cannot open {real}/a.csv", root) == "cannot open a.csv"
    assert rules.normal(f"cannot enter {root}", root) == "cannot enter ."
    assert rules.normal("cannot open /old/srv/ci/a.csv", "/srv/ci") == "cannot open /old/srv/ci/a.csv"
    assert rules.normal("cannot open /etc/a.csv", "/") == "cannot open /etc/a.csv"


@pytest.mark.parametrize(
    ("test", "masked"),
    [
        ("tests.test_app::test_day[2026-11-30T08:27:30]", "tests.test_app::test_day[<date>]"),
        ("tests.test_app::test_id[7c1811ed-e98f-4c9c-a9f9-58c757ff494f]", "tests.test_app::test_id[<uuid>]"),
        ("tests.test_app::test_file[/tmp/tmpab12cd_3/a.csv]", "tests.test_app::test_file[<tmp>/a.csv]"),
        (
            "tests.test_app::test_at[<Cart object at 0x7f37ea52cce0>]",
            "tests.test_app::test_at[<Cart object at <addr>>]",
        ),
        ("tests.test_app::test_peer[127.0.0.1:43801]", "tests.test_app::test_peer[127.0.0.1:<port>]"),
        ("/srv/ci/shop/test/a.test.js", "test/a.test.js"),
        # an id is no message: its numbers, durations and separators are its name
        ("e2e::1 adds", "e2e::1 adds"),
        ("tests.test_app::test_wait[5s-123456789]", "tests.test_app::test_wait[5s-123456789]"),
        ("Qty/P.Doubles/1", "Qty/P.Doubles/1"),
        ("example.com/shop/cart::TestCheckout/line_12", "example.com/shop/cart::TestCheckout/line_12"),
        ("std::f64::tests::adds", "std::f64::tests::adds"),
    ],
)
def test_an_id_keeps_its_name_and_loses_what_the_moment_gave(test: str, masked: str) -> None:
    assert rules.mask_id(test, "/srv/ci/shop") == masked
