"""How pytest ends otherwise than with a test that failed, and what older versions and plugins print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split

from chalkgit.failures.printed import python

ENDS = {
    "an error inside of pytest": (
        """\
        ============================= test session starts ==============================
        collected 1 item
        INTERNALERROR> Traceback (most recent call last):
        INTERNALERROR>   File "/venv/_pytest/main.py", line 289, in wrap_session
        INTERNALERROR>     session.exitstatus = doit(config, session) or 0
        INTERNALERROR>   File "/srv/crate/conftest.py", line 2, in pytest_collection_modifyitems
        INTERNALERROR>     raise RuntimeError('hook broke')
        INTERNALERROR> RuntimeError: hook broke

        ============================ no tests ran in 0.02s =============================
        """,
        ("", "RuntimeError: hook broke"),
    ),
    "conftest.py does not load": (
        """\
        ImportError while loading conftest '/srv/crate/conftest.py'.
        conftest.py:1: in <module>
            import crates_of_nobody
        E   ModuleNotFoundError: No module named 'crates_of_nobody'
        """,
        ("", "ModuleNotFoundError: No module named 'crates_of_nobody'"),
    ),
    "a crash of the interpreter": (
        """\
        ============================= test session starts ==============================
        rootdir: /srv/crate
        collected 2 items

        tests/test_crate.py .Fatal Python error: Segmentation fault

        Current thread 0x00007f2733a22b80 (most recent call first):
          File "/usr/lib/python3.12/ctypes/__init__.py", line 517 in string_at
          File "/srv/crate/tests/test_crate.py", line 12 in test_lid
          File "/venv/_pytest/python.py", line 157 in pytest_pyfunc_call
        """,
        ("tests.test_crate::test_lid", "Fatal Python error: Segmentation fault"),
    ),
    "a crash after -v said which test": (
        """\
        ============================= test session starts ==============================
        collecting ... collected 2 items

        tests/test_crate.py::TestLid::test_on Fatal Python error: Aborted
        """,
        ("tests.test_crate.TestLid::test_on", "Fatal Python error: Aborted"),
    ),
    "a timeout by a thread": (
        """\
        ============================= test session starts ==============================
        rootdir: /srv/crate
        tests/test_crate.py .++++++++++++ Timeout ++++++++++++
        ~~~~~~~~~~~ Stack of MainThread (140092425345920) ~~~~~~~~~~~
          File "/venv/_pytest/python.py", line 157, in pytest_pyfunc_call
            result = testfunction(**testargs)
          File "/srv/crate/tests/test_crate.py", line 11, in test_slow
            time.sleep(9)
        ++++++++++++ Timeout ++++++++++++
        """,
        ("tests.test_crate::test_slow", "++++++++++++ Timeout ++++++++++++"),
    ),
    "an end that a hook asked for": (
        """\
        ============================= test session starts ==============================
        collected 1 item

        !!!!!!!!!!!!!! _pytest.outcomes.Exit: no database !!!!!!!!!!!!!!
        ============================ no tests ran in 0.02s =============================
        """,
        ("", "_pytest.outcomes.Exit: no database"),
    ),
    "too little covered": (
        """\
        tests/test_crate.py ..                                                     [100%]
        FAIL Required test coverage of 90% not reached. Total coverage: 50.00%
        ============================== 2 passed in 0.02s ===============================
        """,
        ("", "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%"),
    ),
    "a worker that crashed": (
        """\
        =================================== FAILURES ===================================
        _____________________________ tests/test_crate.py ______________________________
        [gw1] linux -- Python 3.13.0 /venv/bin/python
        worker 'gw1' crashed while running 'tests/test_crate.py::test_lid'
        =========================== short test summary info ============================
        FAILED tests/test_crate.py::test_lid
        ========================= 1 failed, 1 passed in 0.56s ==========================
        """,
        ("tests.test_crate::test_lid", "worker 'gw1' crashed while running 'tests/test_crate.py::test_lid'"),
    ),
    "a fixture of nobody": (
        """\
        ==================================== ERRORS ====================================
        ________________________ ERROR at setup of test_lid ________________________
        file /srv/crate/tests/test_crate.py, line 10
          def test_lid(shelf):
        E       fixture 'shelf' not found
        >       available fixtures: capfd, tmp_path
        =========================== short test summary info ============================
        ERROR tests/test_crate.py::test_lid
        =============================== 1 error in 0.01s ===============================
        """,
        ("tests.test_crate::test_lid", "fixture 'shelf' not found"),
    ),
    "a subtest": (
        """\
        =================================== FAILURES ===================================
        ____________________________ test_lid [wide] (i=0) _____________________________
        >       with subtests.test("wide", i=0): assert 0 == 1
        E       assert 0 == 1
        __________________________________ test_lid ____________________________________
        contains 1 failed subtest
        =========================== short test summary info ============================
        FAILED tests/test_crate.py::test_lid - contains 1 failed subtest
        SUBFAILED[wide] (i=0) tests/test_crate.py::test_lid - assert 0 == 1
        ========================= 2 failed in 0.56s ==========================
        """,
        ("tests.test_crate::test_lid", "assert 0 == 1"),
    ),
    "an older --tb=line": (
        """\
        =================================== FAILURES ===================================
        /srv/crate/tests/test_crate.py:9: assert 5 == 3
        =========================== short test summary info ============================
        FAILED tests/test_crate.py::test_lid - assert 5 == 3
        ========================= 1 failed in 0.56s ==========================
        """,
        ("tests.test_crate::test_lid", "assert 5 == 3"),
    ),
}


@pytest.mark.parametrize(("text", "failure"), ENDS.values(), ids=ENDS)
def test_a_run_that_ended_otherwise_tells_why(text: str, failure: tuple[str, str]) -> None:
    found = python.read(split(text))
    assert found is not None
    assert (found.failures[0].test, found.failures[0].error) == failure


@given(st.lists(st.sampled_from([line for text, _ in ENDS.values() for line in text.split("\n")])))
def test_parts_of_outputs_in_any_order_are_read(parts: list[str]) -> None:
    python.read(split("\n".join(parts)))
