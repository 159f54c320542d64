"""Rules for how things are shown: prefixes, quantities, the order of what has none."""

from __future__ import annotations

from chalkgit.failures.rule import Rule
from chalkgit.failures.rules_order import ordered

_NUMBER = r"(?<![\w.])(?:\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
_UNIT = (
    r"(?: ?(?:ns|nanos|us|µs|μs|ms|msecs?|secs?|mins?|hrs?|nanoseconds?|microseconds?|milliseconds?|seconds?"
    r"|minutes?|hours?|wallclock secs?)\b|s\b)"
)

FIRST = (
    Rule(
        "prefix",
        "marks of the runner or the log before its message, where a reader left them",
        r"^(?:# ?(?=Failed test)|\[ERROR\] |\*\* |[│→✗✖●×] ?)+(?=\S)",
        "",
        equal=("[ERROR] no quantity", "│ no quantity"),
        differ=("[ANN] no quantity", "[BOB] no quantity"),
    ),
    Rule(
        "banner",
        "a rule drawn to the terminal's width around the message",
        r"^[=_~*-]{3,} (?=\S)| [=_~*-]{3,}$",
        "",
        equal=("===== no tests ran in 3.09s =====", "==== no tests ran in 10.30s ===="),
        differ=("--- a", "--- b"),
    ),
    Rule(
        "uncaught",
        "a runner says that nobody caught it, or names the class that says nothing",
        r"^(?:(?:Uncaught|Unhandled)(?: \(in promise\))? (?=[A-Z]\w*:)|Error: (?=\S)"
        r"|AssertionError \[ERR_ASSERTION\]: (?=\S))+",
        "",
        needs=("Unca", "Unha", "Error"),
        equal=("Uncaught Error: no quantity", "no quantity"),
        differ=("Uncaught TypeError: no quantity", "Uncaught RangeError: no quantity"),
    ),
    Rule(
        "class-of-error",
        "Node names the class of an error anew in brackets",
        r"^([A-Z]\w*) \[(?:Error|[A-Z]\w*Error)\](?=: )",
        r"\1",
        needs=("Error]",),
        equal=("TypeError [Error]: no quantity", "TypeError: no quantity"),
        differ=("TypeError [ERR_A]: no quantity", "TypeError [ERR_B]: no quantity"),
    ),
    Rule(
        "assert",
        "pytest keeps or drops the class before a bare assert, by the quotes in it",
        r"^AssertionError: (?=assert )",
        "",
        needs=("AssertionError",),
        equal=("AssertionError: assert 3 == 4", "assert 3 == 4"),
        differ=("AssertionError: 3 == 4", "AssertionError: 3 == 5"),
    ),
    Rule(
        "python-class",
        "how a class is shown changed with pytest's version",
        r"<class '([\w.]+)'>",
        r"\1",
        needs=("<class '",),
        equal=("DID NOT RAISE <class 'ValueError'>", "DID NOT RAISE ValueError"),
        differ=("DID NOT RAISE <class 'ValueError'>", "DID NOT RAISE <class 'KeyError'>"),
    ),
    Rule(
        "python-match",
        "how pytest.raises tells a mismatch changed with its version",
        r"^(?:(Regex)|(Input)): (?=['\"])",
        lambda found: "Expected regex: " if found[1] else "Actual message: ",
        needs=("Regex", "Input"),
        equal=("Regex: 'quantity'", "Expected regex: 'quantity'"),
        differ=("Regex: 'quantity'", "Input: 'quantity'"),
    ),
    Rule(
        "rust-assert",
        "how Rust tells a failed comparison changed with 1.73",
        r"^assertion failed: `\(left (==|!=) right\)`",
        r"assertion `left \1 right` failed",
        needs=("assertion failed: `",),
        equal=("assertion failed: `(left == right)`", "assertion `left == right` failed"),
        differ=("assertion failed: `(left == right)`", "assertion failed: `(left != right)`"),
    ),
    Rule(
        "rust-sides",
        "the values under it, quoted before 1.73",
        r"^(left|right): `([^`]*)`,?$",
        r"\1: \2",
        needs=("left: `", "right: `"),
        equal=("  left: `3`,", "left: 3"),
        differ=("left: `3`,", "right: `3`"),
    ),
    Rule(
        "quotes",
        "how a name is quoted depends on the locale (C compilers) and on the version (Ruby 3.4)",
        r"[‘`]([^‘’`']*)[’']|\bnil:NilClass\b",
        lambda found: "nil" if found[1] is None else f"'{found[1]}'",
        needs=("’", "`", "nil:"),
        equal=("undefined method `total' for nil:NilClass", "undefined method 'total' for nil"),
        differ=("undefined method `total' for nil", "undefined method `count' for nil"),
    ),
    Rule(
        "hint",
        "newer interpreters add a guess at what was meant",
        r"[.?]? Did you mean:? .{1,200}\?$",
        "",
        needs=("Did you mean",),
        equal=("name 'totl' is not defined. Did you mean: 'total'?", "name 'totl' is not defined"),
        differ=("name 'totl' is not defined. Did you mean: 'total'?", "name 'cnt' is not defined"),
    ),
    Rule(
        "go-recovered",
        "whether the testing package caught a panic, and raised it anew",
        r" \[recovered(?:, repanicked)?\]$",
        "",
        needs=("[recovered",),
        equal=("panic: assignment to entry in nil map [recovered]", "panic: assignment to entry in nil map"),
        differ=("panic: a [x]", "panic: a [y]"),
    ),
    Rule(
        "ctest-counters",
        "how many tests were done before, and dots to the terminal's width",
        r"^\d+/\d+ Test +#\d+: | ?\.{2,} ?(?=\*{3})",
        lambda found: "Test: " if found[0][0].isdigit() else " ",
        needs=("Test", "***"),
        digits=True,
        equal=(
            "2/2 Test #2: Cart.Total .......***Timeout   2.01 sec",
            "7/9 Test #2: Cart.Total ...***Timeout   1.5 sec",
        ),
        differ=("2/2 Test #2: Cart.Total ...***Timeout", "2/2 Test #2: Cart.Empty ...***Timeout"),
    ),
)

LAST = (
    Rule(
        "line-number",
        "lines move with every edit above them",
        r"(?i:\b(lines? ))\d+(?:-\d+)?(?:((?:,| :)? ?(?:col(?:umn)?|offset|char) )\d+)?",
        lambda found: f"{found[1]}<n>{found[2] + '<n>' if found[2] else ''}",
        needs=("ine", "INE"),
        digits=True,
        equal=("no value: line 1 column 9", "no value: line 12 column 1"),
        differ=("no value: item 1", "no value: item 2"),
    ),
    Rule(
        "duration",
        "how long it took, or was allowed to: measured times differ in each run and print as limits do",
        rf"{_NUMBER}{_UNIT}|(?<![\w.])(?:\d+h)?\d+m(?:\d+(?:\.\d+)?s)?(?!\w)|\bPT\d[\d.HMS]*",
        "<duration>",
        digits=True,
        equal=("after 50.324398ms: deadline exceeded", "after 1m30.5s: deadline exceeded"),
        differ=("after 3 tries: deadline exceeded", "after 4 tries: deadline exceeded"),
    ),
    Rule(
        "size",
        "how large it grew",
        rf"{_NUMBER} ?(?:[KMGT]i?B|kB|bytes?)\b",
        "<size>",
        needs=("B", "byte"),
        digits=True,
        equal=("tab 2048 bytes leaked", "tab 1.5 MiB leaked"),
        differ=("tab 2 windows leaked", "tab 3 windows leaked"),
    ),
    Rule(
        "large-number",
        "nine digits and more are a time or a number drawn by lot; the digits of a fraction are a value",
        r"(?<![\d.])\d{9,}(?:\.\d+)?(?!\d)",
        "<n>",
        digits=True,
        equal=("lease 1732951234.123 over", "lease 1764483754 over"),
        differ=("lease 17329512 over", "lease 17329513 over"),
    ),
    Rule(
        "order",
        "members of a set or map come in another order in each run",
        r"^.+$",
        lambda found: ordered(found[0]),
        needs=("{", "map["),
        equal=("extra {'a', 'b'} in map[x:1 y:2]", "extra {'b', 'a'} in map[y:2 x:1]"),
        differ=("extra ['a', 'b']", "extra ['b', 'a']"),
    ),
)
