"""One test has one id, whatever names it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.failures import naming


@pytest.mark.parametrize(
    ("classname", "name", "suites", "file", "test"),
    [
        ("shop.CartTest", "checksOut", [], "", "shop.CartTest::checksOut"),
        ("cart adds", "cart adds", [], "", "cart adds"),
        ("adds", "cart adds", [], "", "cart adds"),
        ("dds", "cart adds", [], "", "dds::cart adds"),  # the end of a word is no name
        ("", "adds", ["//shop:test", ""], "", "//shop:test::adds"),
        ("", "adds", [], "./shop\\a.js", "shop/a.js::adds"),
        ("", "", [], "a.js", "a.js"),
        ("spec/cart_spec.lua:12", " cart\n adds ", [], "", "spec/cart_spec.lua::cart adds"),
        ("shop", "src/lib.rs - add (line 7)", [], "", "shop::src/lib.rs - add"),
    ],
)
def test_a_testcase_is_named_by_class_and_name(
    classname: str, name: str, suites: list[str], file: str, test: str
) -> None:
    assert naming.from_report(classname, name, suites, file) == test


@pytest.mark.parametrize(
    ("node", "test"),
    [
        ("tests/unit/test_cart.py::TestCart::test_add", "tests.unit.test_cart.TestCart::test_add"),
        ("tests\\test_a.py::test_b[x::y/z.py]", "tests.test_a::test_b[x::y/z.py]"),
        ("test_a.py::TestA::()::test_b", "test_a.TestA::test_b"),
        ("tests/test_a.py", "tests.test_a"),
        ("README.rst::README.rst", "README.rst::README.rst"),
    ],
)
def test_a_node_of_pytest_is_named_as_in_its_report(node: str, test: str) -> None:
    assert naming.python_node(node) == test


@pytest.mark.parametrize(
    ("title", "test"),
    [
        ("test_x (mod.C.test_x)", "mod.C::test_x"),
        ("test_x (mod.C)", "mod.C::test_x"),
        ("test_x (mod.C.test_x) (i=3)", "mod.C::test_x (i=3)"),
        ("test_x (mod.Ctest_x)", "mod.Ctest_x::test_x"),
        ("setUpClass (mod.C)", "mod.C::setUpClass"),
        ("some words", "some words"),
    ],
)
def test_unittest_names_the_method_before_and_after_3_11(title: str, test: str) -> None:
    assert naming.unittest_case(title) == test


def test_each_runner_has_its_own_shape() -> None:
    assert naming.jest(["cart", "checks  out"]) == "cart checks out"
    assert naming.vitest("./test/a.ts", ["cart", "adds"]) == "test/a.ts::cart > adds"
    assert naming.vitest("test/a.ts", ["test/a.ts"]) == naming.vitest("test/a.ts", []) == "test/a.ts"
    assert naming.node(["cart", "adds"]) == "cart > adds"
    assert naming.node([], "./test/a.mjs") == "test/a.mjs"
    assert naming.gtest("Qty/P", "Doubles/1, where GetParam() = 3") == "Qty/P.Doubles/1"
    assert naming.ctest("2 - Cart.Adds") == naming.ctest("Cart.Adds") == "Cart.Adds"
    assert naming.catch2("./build/t.exe", "adds") == "t.global::adds"
    assert naming.minitest("CartTest", "test_adds") == "CartTest#test_adds"
    assert naming.phpunit("Shop\\CartTest", "testAdds") == "Shop.CartTest::testAdds"
    assert naming.file_case("./t/cart.t", "adds") == "t/cart.t::adds"
    assert naming.exunit("Elixir.CartTest", "test adds") == "CartTest::test adds"
    assert naming.java("shop.CartTest", "adds()") == "shop.CartTest::adds"
    assert naming.java("shop.CartTest", "adds(int)[1]") == "shop.CartTest::adds(int)[1]"


def test_go_names_the_package_and_its_test_binary_alike() -> None:
    assert naming.go("acme.com/cart", "TestA/b") == "acme.com/cart::TestA/b"
    for package in ("acme.com/cart", "acme.com/cart_test", "acme.com/cart [acme.com/cart.test]"):
        assert naming.go(package) == "acme.com/cart"


def test_cargo_names_the_binary_without_its_hash() -> None:
    assert naming.cargo("target/debug/deps/shop-0123456789abcdef", "tests::adds") == "shop::tests::adds"
    assert naming.cargo("tests/api.rs", "adds") == "api::adds"
    assert naming.cargo("shop", "tests::adds") == "shop::tests::adds"
    assert naming.cargo("shop-0123", "adds") == "shop-0123::adds"  # no hash


def test_rspec_names_the_file_as_its_formatter_does() -> None:
    assert naming.rspec("./spec/cart_spec.rb:12", "Cart adds") == "spec.cart_spec::Cart adds"
    assert naming.rspec("./spec/cart_spec.rb", "") == "spec.cart_spec"


def test_the_folder_of_the_run_is_left_out_of_an_id_and_no_other() -> None:
    assert naming.relative("/srv/shop/test/a.js::cart", "/srv/shop/") == "test/a.js::cart"
    assert naming.relative("C:\\ci\\shop\\a.js", "C:\\ci\\shop") == "a.js"
    for test, root in (
        ("/srv/shopping/a.js", "/srv/shop"),
        ("a.js", "/srv"),
        ("/a.js", "/"),
        ("/a.js", None),
    ):
        assert naming.relative(test, root) == test


@given(st.text(), st.text(), st.lists(st.text(), max_size=3), st.text())
def test_an_id_has_no_blanks_but_single_ones(classname: str, name: str, suites: list[str], file: str) -> None:
    test = naming.from_report(classname, name, suites, file)
    assert test == naming.squeeze(test)
