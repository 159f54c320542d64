"""Rules for places: temporary folders, homes, interpreters, and the lines and columns of source files."""

from __future__ import annotations

import re

from chalkgit.failures.rule import Rule

# What ends a path in a message; a path with blanks keeps what follows its first.
# What may stand before a path is what ends one: a path inside another (src/tmp/x) is none, and no part of a
# line is looked at from two beginnings.
_ENDS = r"\s'\"`<|:;,(){}\[\]*?="
REST = rf"[^{_ENDS}>]*"
BEFORE = rf"(?<![^{_ENDS}])"
_DRIVE = r"(?:[A-Za-z]:[\\/]+|/[a-z]/|/mnt/[a-z]/)"
# Of each system as it documents them; the last but Windows' is RUNNER_TEMP of GitHub's hosted runners, and
# `a/_temp` that of Azure's.
_TEMP = (
    r"(?:/private)?(?:/var/folders/\w\w/\w+/[TC]|/var/tmp|/usr/tmp|/tmp|/dev/shm)"
    r"|/run/user/\d+|/home/runner/work/_temp"
    rf"|{_DRIVE}(?:(?:Users|DOCUME~1)[\\/]+[^\\/\s'\"]+[\\/]+(?:AppData[\\/]+Local|LOCALS~1)[\\/]+Te?mp"
    r"|Windows[\\/]+Temp|Te?mp|a[\\/]+_temp)"
)
_SEPARATOR = re.compile(r"[\\/]+")
_RANDOM = re.compile(
    r"(?:te?mp)[._-]?(?:[a-z0-9_]{8}|[A-Za-z0-9]{6}|[A-Za-z0-9]{10})"  # mkdtemp of Python, C and coreutils
    r"|\D*\d{3}[\w.-]*"  # Go, Java, Ruby: digits; a process id
    r"|.*[-_.](?:\d+|(?![A-Z]?[a-z]+\Z)[A-Za-z0-9]{6,})"  # mkdtemp of Node: letters of both cases
    r"|(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{6,}"
)
_MKDTEMP = re.compile(
    r".*[-_.][A-Za-z0-9]{6}"
)  # of a folder also where the six are a word: what is below it tells
_PYTEST = re.compile(r"pytest-of-[^/]+|pytest-(?:\d+|current)|popen-gw\d+|\d{3}")

_SOURCE = (
    r"(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|go|rs|py|pyi|pyx|rb|rake|erb|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte"
    r"|java|kt|kts|scala|groovy|clj|ex|exs|erl|php|pl|pm|t|lua|sh|bash|bats|zsh|swift|cs|fs|vb|dart|zig|nim"
    r"|jl|hs|ml|el|sql|proto|graphql|html|css|scss|ya?ml|toml|json|xml|cfg|ini|md|txt|feature|robot|gradle"
    r"|cmake|mk|xs)"
)
_EXCEPTION = r"(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Failure|Failed|Exit|Interrupt)(?:: |$)|assert )"


def _temporary(found: re.Match[str]) -> str:
    parts = [part for part in _SEPARATOR.split(found["rest"]) if part]
    while parts and _PYTEST.fullmatch(parts[0]):
        inside = parts.pop(0).startswith(("pytest-", "popen-"))
        if inside and parts and not _PYTEST.fullmatch(parts[0]) and not parts[0].startswith("pytest-"):
            parts.pop(0)  # the test's own folder, numbered when its name was taken
            break
    else:
        if len(parts) > 1 and (_RANDOM.fullmatch(parts[0]) or _MKDTEMP.fullmatch(parts[0])):
            parts.pop(0)
            while len(parts) > 1 and _PYTEST.fullmatch(parts[0]):
                parts.pop(0)  # Go numbers the folders of a test: TestCheckout752277159/001
    if len(parts) == 1:
        stem, dot, extension = parts[0].rpartition(".")
        if _RANDOM.fullmatch(stem if dot and stem else parts[0]):
            return f"<tmp>{dot}{extension}" if dot and stem else "<tmp>"
    return "/".join(["<tmp>", *parts])


RULES = (
    Rule(
        "interpreter",
        "where Python is installed, and its minor version there, is the machine's",
        rf"(?:{BEFORE}(?:[A-Za-z]:)?[\\/]{REST}(?:bin|Scripts)[\\/]+)(?:python|pypy)[\d.]*(?:\.exe)?(?![\w/\\-])",
        "python",
        needs=("python", "pypy"),
        equal=(
            "/opt/venv-3.12/bin/python3.12: No module named shop",
            "/usr/bin/python3: No module named shop",
        ),
        differ=("/usr/bin/python3: No module named shop", "/usr/bin/python3: No module named cart"),
    ),
    Rule(
        "temporary",
        "temporary folders have a new name in each run; what lies below them has the same",
        rf"{BEFORE}(?:file:(?://)?)?(?:{_TEMP})(?![\w.-])(?:\\+\d{{1,2}}(?=\\))?(?P<rest>(?:[\\/]{REST})?)",
        _temporary,
        needs=("tmp", "Tmp", "TMP", "temp", "Temp", "TEMP", "/var/folders/", "/dev/shm", "/run/user/"),
        ids=True,
        equal=(
            "no file '/tmp/pytest-of-ann/pytest-0/test_out0/out.txt'",
            r"no file 'C:\Users\ann\AppData\Local\Temp\1\tmpab12cd_3\out.txt'",
        ),
        differ=("no file '/tmp/shop/in.txt'", "no file '/tmp/shop/out.txt'"),
    ),
    Rule(
        "place-of-exception",
        "pytest's --tb=line puts the place before the exception, its other styles do not",
        rf"^(?:[A-Za-z]:)?[^\s:]+\.{_SOURCE}:\d+(?::\d+)?: (?={_EXCEPTION})",
        "",
        digits=True,
        equal=("shop/app.py:11: ValueError: no quantity", "ValueError: no quantity"),
        differ=("app.go:11: first problem", "cart.go:11: first problem"),
    ),
    Rule(
        "source-line",
        "lines move with every edit above them; the file's name stays",
        rf"(?<=[\w)\]])(\.{_SOURCE})"
        r"(?:(?::\d+){1,2}(?!\d)|\(\d+(?:,\d+)?\)|:\[\d+,\d+\]|:line \d+|#L\d+|,? line \d+|['\"], line \d+)",
        r"\1",
        digits=True,
        ids=True,
        equal=("cart.go:15: lost", "cart.go:7:22: lost"),
        differ=("cart.go:15: lost", "shop.go:15: lost"),
    ),
    Rule(
        "place-in-text",
        "line and column of a parser, in parentheses",
        r" ?\((?:\d+:\d+|line \d+(?:, col(?:umn)? \d+)?)\)",
        "",
        needs=("(",),
        digits=True,
        equal=("Unexpected token (1:10)", "Unexpected token (12:3)"),
        differ=("Unexpected token (1)", "Unexpected token (2)"),
    ),
    Rule(
        "home",
        "whose home it is depends on the machine",
        rf"{BEFORE}(?:file:(?://)?)?(?:/home/[^/\s'\"`<>:,;()]+|/Users/[^/\s'\"`<>:,;()]+|/root(?![\w.-])"
        rf"|{_DRIVE}Users[\\/]+[^\\/\s'\"`<>:,;()]+)",
        "~",
        needs=("/home/", "/Users/", "/root", "Users"),
        equal=("no file '/home/ann/.shop/key'", "no file '/Users/bob/.shop/key'"),
        differ=("no file '/etc/shop/key'", "no file '/opt/shop/key'"),
    ),
    Rule(
        "generated-folder",
        "a folder whose name ends in four digits or more was numbered by a program",
        r"(?<=[A-Za-z]-)\d{4,}(?=/)",
        "<n>",
        needs=("/",),
        digits=True,
        equal=("namespaces/cart-5405/pods missing", "namespaces/cart-9911/pods missing"),
        differ=("namespaces/cart-54/pods missing", "namespaces/cart-99/pods missing"),
    ),
)
