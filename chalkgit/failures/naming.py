"""The ids of failing tests: the same test has one id, whether a report or an output names it.

An id is what the runner's JUnit report says, `classname::name`, and where the runner prints another shape,
that shape is turned into this one. Nothing of one run alone is in an id: no time, host, hash, line number or
count. Volatile spans inside names (a date in a parameter) stay, `rules.mask_id` masks them; absolute paths
stay, `relative` (below) is asked by who knows the root.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANKS = re.compile(r"\s+")
_LINE = re.compile(r":\d{1,9}$")
_RUSTDOC_LINE = re.compile(r" \(line \d{1,9}\)")
_RUST_HASH = re.compile(r"-[0-9a-f]{16}$")
_RUST_SUFFIXES = (".rs", ".exe")
_RUBY_FILE = re.compile(r"\.[^./]*$")
_UNITTEST = re.compile(r"^(?P<name>[^\s()]+) \((?P<where>[^\s()]+)\)(?P<rest>.*)$", re.DOTALL)
_CTEST_NUMBER = re.compile(r"^\d{1,9} - ")


def squeeze(text: str) -> str:
    """Blanks of any kind and number as one: `" a\\n  b"` -> `"a b"`."""
    return _BLANKS.sub(" ", text).strip()


def slashed(path: str) -> str:
    """A path with `/` and without `./` before it: `".\\\\tests\\\\a.py"` -> `"tests/a.py"`."""
    path = squeeze(path).replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path.removeprefix("file://")


def relative(test: str, root: str | None) -> str:
    """An id or path without the folder the run was started in.

    `("/srv/shop/test/a.js::cart", "/srv/shop")` -> `"test/a.js::cart"`; any other is given back as it is.
    """
    if not root:
        return test
    base = slashed(root).rstrip("/") + "/"
    return slashed(test)[len(base) :] if len(base) > 1 and slashed(test).startswith(base) else test


def joined(group: str, name: str, between: str = "::") -> str:
    """`group::name`; the group is left out where the name says it already (jest-junit, mocha, ctest).

    `("shop.CartTest", "checksOut")` -> `"shop.CartTest::checksOut"`; `("checks out", "cart checks out")` ->
    `"cart checks out"`; `("a b", "a b")` -> `"a b"`; `("", "a")` -> `"a"`.
    """
    group, name = squeeze(group), squeeze(name)
    if not group or group == name or name.endswith(" " + group):
        return name
    return f"{group}{between}{name}" if name else group


def from_report(classname: str, name: str, suites: Sequence[str] = (), file: str = "") -> str:
    """The id of a JUnit testcase whose dialect has no rule of its own.

    suites: the names of the suites around it, outermost first. `("spec/a.lua:12", "cart checks out")` ->
    `"spec/a.lua::cart checks out"`; `("", "a", ["//shop:test"])` -> `"//shop:test::a"`; without name and
    classname the file is what failed.
    """
    group = _LINE.sub("", squeeze(classname))
    if not group:
        group = " > ".join(filter(None, map(squeeze, suites))) or slashed(file)
    return joined(group, _RUSTDOC_LINE.sub("", squeeze(name))) or slashed(file)


def python_node(node: str) -> str:
    """pytest's node id: `"tests/a.py::C::t[p::q]"` -> `"tests.a.C::t[p::q]"`; `"tests/a.py"` -> `"tests.a"`.

    As pytest's junitxml.mangle_test_address has it, which leaves other endings than .py alone.
    """
    path, bracket, parameters = squeeze(node).partition("[")
    # `()` stood for the instance of a class until pytest 4
    parts = [part for part in path.split("::") if part != "()"]
    parts[0] = slashed(parts[0]).removesuffix(".py").replace("/", ".")
    if len(parts) == 1:
        return parts[0] + bracket + parameters
    return ".".join(parts[:-1]) + "::" + parts[-1] + bracket + parameters


def unittest_case(title: str) -> str:
    """`"test_x (mod.C.test_x)"` (3.11 and later) and `"test_x (mod.C)"` -> `"mod.C::test_x"`.

    A subtest keeps what tells it apart: `"test_x (mod.C.test_x) (i=3)"` -> `"mod.C::test_x (i=3)"`;
    `"setUpClass (mod.C)"` -> `"mod.C::setUpClass"`; another title stays as it is.
    """
    found = _UNITTEST.match(squeeze(title))
    if not found:
        return squeeze(title)
    name, where = found["name"], found["where"]
    return f"{where.removesuffix('.' + name)}::{name}{found['rest']}"


def jest(titles: Sequence[str]) -> str:
    """jest and mocha tell a test by its titles alone: `["cart", "checks out"]` -> `"cart checks out"`."""
    return squeeze(" ".join(titles))


def vitest(file: str, titles: Sequence[str]) -> str:
    """`("test/a.test.ts", ["cart", "checks out"])` -> `"test/a.test.ts::cart > checks out"`; no titles: the
    file."""
    return joined(slashed(file), " > ".join(map(squeeze, titles)))


def node(titles: Sequence[str], file: str = "") -> str:
    """node:test: `["cart", "checks out"]` -> `"cart > checks out"`; no titles: the file that did not load."""
    return " > ".join(map(squeeze, titles)) or slashed(file)


def gtest(suite: str, name: str) -> str:
    """`("Qty/P", "Doubles/1")` -> `"Qty/P.Doubles/1"`; gtest's own `, where GetParam() = 3` is no part of
    it."""
    return joined(suite, name.partition(", where ")[0], ".")


def ctest(name: str) -> str:
    """`"CartTest.ChecksOut"`; the number of the list of failed tests is dropped: `"2 -
    CartTest.ChecksOut"`."""
    return _CTEST_NUMBER.sub("", squeeze(name))


def catch2(program: str, name: str, fixture: str = "global") -> str:
    """`("build/t", "checks out")` -> `"t.global::checks out"`; fixture: the class of a TEST_CASE_METHOD."""
    program = slashed(program).rpartition("/")[2].removesuffix(".exe")
    return joined(f"{program}.{fixture}" if program else "", name)


def go(package: str, test: str = "") -> str:
    """`("example.com/shop/cart", "TestCheckout/a")` -> `"example.com/shop/cart::TestCheckout/a"`.

    A package that did not build or has no test to blame is its own id. Test files outside of the package
    (`cart_test`) and test binaries (`cart.test`, `cart [cart.test]`) are of the package.
    """
    package = squeeze(package).partition(" [")[0].removesuffix(".test").removesuffix("_test")
    return joined(package, test)


def cargo(binary: str, test: str) -> str:
    """`("target/debug/deps/shop-0123456789abcdef", "tests::checks_out")` -> `"shop::tests::checks_out"`.

    binary: what the Running line, nextest or the Doc-tests line names; `tests/api.rs` -> `api`. A doc test
    keeps its file without the line: `"src/lib.rs - add (line 7)"` -> `"shop::src/lib.rs - add"`.
    """
    name = slashed(binary)
    if name.endswith(_RUST_SUFFIXES) or _RUST_HASH.search(name):
        name = _RUST_HASH.sub("", name.rpartition("/")[2].rpartition(".")[0] or name.rpartition("/")[2])
    return joined(name, _RUSTDOC_LINE.sub("", squeeze(test)))


def ruby_file(path: str) -> str:
    """rspec_junit_formatter's classname of a file: `"./spec/cart_spec.rb"` -> `"spec.cart_spec"`."""
    return _RUBY_FILE.sub("", slashed(path)).replace("/", ".").strip(".")


def rspec(file: str, description: str) -> str:
    """`("./spec/cart_spec.rb", "Cart checks out")` -> `"spec.cart_spec::Cart checks out"`; with a line
    number in the file too. No description: the file did not load."""
    return joined(ruby_file(_LINE.sub("", slashed(file))), description)


def minitest(case: str, name: str) -> str:
    """`("CartTest", "test_checks_out")` -> `"CartTest#test_checks_out"`, as it is printed."""
    return joined(case, name, "#")


def phpunit(case: str, name: str) -> str:
    """`("Shop\\\\CartTest", "testX with data set #0")` -> `"Shop.CartTest::testX with data set #0"`."""
    return joined(case.replace("\\", "."), name)


def file_case(file: str, name: str) -> str:
    """bats, prove and busted: `("./t/cart.t", "checks out")` -> `"t/cart.t::checks out"`; `spec/a.lua:12`
    loses 12."""
    return joined(_LINE.sub("", slashed(file)), name)


def exunit(module: str, name: str) -> str:
    """`("Elixir.CartTest", "test checks out")` -> `"CartTest::test checks out"`."""
    return joined(squeeze(module).removeprefix("Elixir."), name)


def java(case: str, method: str) -> str:
    """`("shop.CartTest", "checksOut()")` -> `"shop.CartTest::checksOut"`; parameters of a parametrised test
    stay."""
    return joined(case, squeeze(method).removesuffix("()"))
