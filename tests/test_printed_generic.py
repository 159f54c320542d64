"""Of a log that no known runner wrote the line is picked that tells the cause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures import lines
from chalkgit.failures.printed import generic

CAUSES = {  # the line that is meant is marked with @
    "gcc": """\
        cc -Wall -c lid.c
        lid.c:2:9: warning: unused variable 'error' [-Wunused-variable]
        @lid.c:3:5: error: 'x' undeclared (first use in this function)
            3 |     x = 1;
        lid.c:9:1: error: expected ';'
        make: *** [Makefile:2: lid.o] Error 1
        Error: Process completed with exit code 2.
    """,
    "a linker": """\
        /usr/bin/ld: a.o: in function `main':
        @a.c:(.text+0x5): undefined reference to `lid'
        collect2: error: ld returned 1 exit status
    """,
    "tsc": """\
        @src/a.ts(3,5): error TS2304: Cannot find name 'lid'.
    """,
    "tsc, pretty": """\
        @src/a.ts:3:5 - error TS2304: Cannot find name 'lid'.
        Found 1 error in src/a.ts:3
    """,
    "javac": """\
        @Lid.java:3: error: cannot find symbol
          foo();
        1 error
    """,
    "rustc": """\
        @error[E0425]: cannot find value `lid`
         --> a.rs:1:1
        error: aborting due to 1 previous error
    """,
    "eslint": """\
        /src/a.js
        @  3:5  error  'lid' is not defined  no-undef
        ✖ 1 problem (1 error, 0 warnings)
    """,
    "mypy": """\
        @a.py:3: error: Incompatible types  [assignment]
        Found 1 error in 1 file
    """,
    "ruff": """\
        @a.py:10:1: F821 undefined name 'lid'
        Found 1 error.
    """,
    "cmake": """\
        @CMake Error at CMakeLists.txt:3 (find_package):
          By not providing "FindLid.cmake"
    """,
    "Python": """\
        Traceback (most recent call last):
          File "a.py", line 1, in <module>
            import lids_of_nobody
        @ModuleNotFoundError: No module named 'lids_of_nobody'
    """,
    "Python, no frames": """\
          File "/srv/a.py", line 3
            def f(
                 ^
        @SyntaxError: '(' was never closed
    """,
    "node": """\
        /app/x.js:3
          throw new Error('lid is lost');
          ^

        @Error: lid is lost
            at Object.<anonymous> (/app/x.js:3:9)
    """,
    "Java's last cause": """\
        Exception in thread "main" java.lang.RuntimeException: wrapped
        \tat a.b(C.java:3)
        @Caused by: java.io.IOException: disk is full
        \tat d.e(F.java:4)
        \t... 3 more
    """,
    "Ruby": """\
        @a.rb:3:in `lid': is lost (RuntimeError)
        \tfrom a.rb:5:in `<main>'
    """,
    "PHP": """\
        @PHP Fatal error:  Uncaught Exception: lid in /a.php:3
    """,
    "a shell": """\
        @bash: line 3: frobnicate: command not found
        ##[error]Process completed with exit code 127.
    """,
    "cp": """\
        @cp: cannot stat 'lid': No such file or directory
        script returned exit code 1
    """,
    "git": """\
        @fatal: repository 'https://host/lid' not found
    """,
    "npm": """\
        npm ERR! code ERESOLVE
        @npm ERR! ERESOLVE unable to resolve dependency tree
    """,
    "apt under docker build": """\
        @#8 1.234 E: Unable to locate package lid
        ERROR: failed to solve: process "/bin/sh" did not complete successfully: exit code: 100
    """,
    "make has no rule": """\
        @make: *** No rule to make target 'lid'.  Stop.
    """,
    "make cannot read": """\
        @Makefile:2: *** missing separator.  Stop.
    """,
    "a crash": """\
        ✓ handles error (3 ms)
        ok 3 - error case
        @Segmentation fault (core dumped)
    """,
    "a kill": """\
        + grep error: log
        + ./lid
        @Killed
    """,
    "a sanitizer": """\
        @==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1
    """,
    "a log's level": """\
        23:57:52    ERROR - Return code: 1
        23:57:53     INFO - error count
        @23:57:54    ERROR - lid: unable to open
    """,
    "logfmt": """\
        time="x" level=info msg="0 errors"
        @time="x" level=error msg="no lid"
    """,
    "terraform": """\
        ╷
        @│ Error: Invalid reference
        │
        │   on main.tf line 3
    """,
}


@pytest.mark.parametrize("log", CAUSES.values(), ids=CAUSES)
def test_the_cause_is_picked_and_not_what_reports_it(log: str) -> None:
    marked = split(log)
    log_lines = [line.removeprefix("@") for line in marked]
    (cause,) = [lines.clean(line[1:]) for line in marked if line.startswith("@")]
    noise = "starting\nerror=none retries=0\n0 errors, 0 failed\nErrors: 0\nInstalling error-chain v0.12"
    assert told(generic.read(log_lines)) == {"": cause}
    assert told(generic.read([*noise.split("\n"), *log_lines])) == {"": cause}


@pytest.mark.parametrize(
    "log",
    [
        "all good\n12 passed, 0 failed\nerrors: 0",
        "Process completed with exit code 1.\nTraceback (most recent call last):\nmake: *** [all] Error 2",
        "cc -Werror -c error.c -o error.o\nbuilding errors.py\ndone",
        "INFO  shop.worker processed error=none\nDEBUG error: none\n[INFO] errors: none",
        "ok 1 - fails with error\n✓ rejects on error: timeout\n"
        "--- PASS: TestError (0.00s)\ntest error_path ... ok",
        "warning: this error is ignored\nWARNING: could not load cache\nDeprecationWarning: failed() is old",
        "non-fatal error ignored\nno errors found\nwithout errors",
        "",
    ],
)
def test_what_only_looks_like_an_error_is_none(log: str) -> None:
    assert generic.read(log.split("\n")) is None
    found = generic.read([*log.split("\n"), "lid: error: is lost"])
    assert told(found) == {"": "lid: error: is lost"}


def test_a_traceback_that_ends_the_log_is_meant_and_one_that_was_caught_is_not() -> None:
    def trace(message: str) -> list[str]:
        return ["Traceback (most recent call last):", '  File "a.py", line 1, in f', f"ValueError: {message}"]

    quiet = ["still running"] * 30
    assert told(generic.read([*trace("caught"), *quiet, *trace("last")])) == {"": "ValueError: last"}
    assert told(generic.read([*trace("first"), *quiet, *trace("second"), *quiet])) == {
        "": "ValueError: first"
    }
    surface = ["Error: Process completed with exit code 1.", "make: *** [all] Error 1"] * 20
    assert told(generic.read([*trace("caught"), *quiet, *trace("last"), *surface])) == {
        "": "ValueError: last"
    }


def test_a_command_that_failed_is_no_cause_where_its_own_error_was_told() -> None:
    log = """\
        lid.c:3:5: error: expected ';'
        Traceback (most recent call last):
          File "setup.py", line 1, in <module>
        subprocess.CalledProcessError: Command 'cc' returned non-zero exit status 1.
        """
    assert told(generic.read(split(log))) == {"": "lid.c:3:5: error: expected ';'"}
    alone = split(log)[1:]
    assert told(generic.read(alone)) == {"": split(log)[3]}


def test_the_lines_that_follow_are_told_too() -> None:
    found = generic.read(["CMake Error at a.txt:3 (x):", "  By not providing", "", "later"])
    assert found is not None
    assert found.failures[0].detail == ("By not providing",)


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_lines_end_in_an_answer(log: list[str]) -> None:
    found = generic.read(log)
    assert found is None or found.failures[0].error


@given(
    st.sampled_from(
        ["1:", "error:", "a.b.", "(1,", "x/", "a: ", "- ", "Error: A", "0 errors ", " ", "[ERROR] "]
    )
)
def test_long_lines_are_judged_by_their_beginning(part: str) -> None:
    generic.read([part * 900] * 50)
