"""Does a note name the fix, or only the symptom? English phrases both ways, and silence about all others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.answers import fixes

FIXES = [
    "pin urllib3 below 2 in requirements.txt",
    "Pinned urllib3 below 2",
    "set TZ=UTC in the test environment",
    "we moved the fixture to session scope",
    "stop the workers first",
    "raise the pool size to 20",
    "When the pool is drained, close connections in teardown, because the fixture leaks them",
    "use `asyncio_mode = auto` in pyproject.toml",
    "run the migrations before the tests",
    "export DATABASE_URL before running pytest",
    "the port was taken, so bind to port 0 instead",
    "upgrade node to 20.11",
    "npm ci instead of npm install",
    "increase the timeout to 30 s in conftest.py",
    "needs a flush before the read",
    "must close the file before renaming it",
    "added a retry around the flaky download",
    "fixed by clearing the cache directory between tests",
    "replace the deprecated np.float alias by float",
    "Freeze the clock in test_expiry; it fails at midnight otherwise",
    "sort the keys before comparing",
    "delete target/ and rebuild",
    "the fixture should commit the transaction",
    "mock the network call in test_fetch",
    "disable parallel tests for the db package",
    "remove the stale lock file .git/index.lock",
    "don't share the tmpdir between tests",
    "regenerate the snapshots with jest -u",
    "wrap the call in act()",
    "seed the random generator with a fixed value",
    "import the module lazily because of the circular import",
    "mount the volume with :z under SELinux",
    "call super().setUp() in the subclass",
    'pass encoding="utf-8" to open',
    "add the missing index on orders.user_id",
    "install libpq-dev on the runner",
    "it crashed because of stack overflow; raise ulimit -s to 16384",
    "reset the singleton in tearDown",
    "wait for the server to be ready before the first request",
    "The test raced with the cleanup job, so join the thread before asserting",
    "Changed the golden file to LF line endings",
    "downgrade protobuf to 3.20",
    "check_same_thread=False is needed for sqlite in threads",
    "give each worker its own database",
    "avoid the global cache in tests",
    "quote the path, it contains spaces",
    "If it hangs, kill the leftover gpg-agent",
    "I increased shm-size to 2g in the docker run command",
    "The cause was a wrong locale: export LC_ALL=C.UTF-8",
    "escape the backslash in the regex",
    "set timeout to 30s",
    "Increase timeout in conftest",
    "handle errors from the socket",
    "bumped lodash to 4.17.21, the old one breaks on node 22",
    "the env var was missing on CI: set GITHUB_TOKEN in the workflow",
    "db container was not ready; wait for pg_isready",
    "Use freezegun, tests fail after midnight UTC",
    "never run these two suites in parallel, they share port 5432",
    "We forgot to commit the generated file; run make generate",
    "the mock leaked between tests, so patch it with a context manager",
    "Missing dependency: add python3-dev to the Dockerfile",
    "you have to start redis before the integration tests",
    "must be built with CGO_ENABLED=0",
    "fixed it by pinning setuptools<70",
    "Fix: sort the result, dict order is not stable",
    "Turned off the watcher, it fails on tmpfs",
    "do not mock time.sleep here",
    "moved to Python 3.12",
    "make the fixture function-scoped",
    "Rename the module, it shadows the stdlib's queue",
    "replaced os.path.join with pathlib since Windows fails on backslashes",
    "Lowered the batch size because the GPU ran out of memory",
    "test order matters: run test_setup first",
    "the assertion was wrong, compare with approx",
    "use a unique temp dir per worker to avoid the race, it was flaky",
    "Give the pod 512Mi, it was OOM killed with exit code 137",
    "ask for a new token when the old one expires with 401",
    "await the promise, the test ended before it resolved",
    "return early when the list is empty, it raised IndexError",
    "catch ConnectionResetError and reconnect",
    "the clock skew broke the signature; sync with ntp",
    "prefix the table name with the schema",
    "Delete node_modules and run npm ci",
    "LANG was not set so sorting failed -> LC_ALL=C",
    "bind mount needs :Z on Fedora",
    "compare floats with a tolerance",
    "migrations were missing; I added 0042_pool.py",
    "should use utcnow instead of now",
    "needs JDK 17",
    "the test depended on test order, we isolate it now",
]
SYMPTOMS = [
    "fails with KeyError",
    "flaky",
    "fixed it",
    "works now",
    "it works now",
    "Fixed.",
    "test_pool fails on CI",
    "the test is flaky",
    "AssertionError: expected 3 got 4",
    "it crashes randomly on Safari",
    "timeout",
    "the build is broken",
    "passes on rerun",
    "just rerun it",
    "rerun the tests and they pass",
    "build failed with exit code 2",
    "Read timed out",
    "sometimes hangs",
    "connection refused",
    "raises ValueError when the list is empty",
    "all good",
    "no longer fails",
    "could not reproduce",
    "n/a",
    "idk",
    "it fails to start the server",
    "Import error in the settings module",
    "the login page crashes when a user has no name",
    "update failed",
    "ok",
    "same as before",
    "intermittent failure, went away after a retry",
    "NullPointerException in UserService",
    "segfault in the parser",
    "expected 200 but got 500",
    "should be fixed now",
    "seems to be a race, sometimes it fails",
    "the worker could not connect to the database",
    "cannot reproduce it locally",
    "done",
    "never mind",
    "Trying to add a user fails with a 500 error",
    "the snapshot was missing",
    "undefined is not a function",
    "wrong result for negative numbers",
    "the tests pass again",
    "The request times out after 30 seconds",
    "retry",
    "unable to open database file",
    "I'm sorry, I cannot help with that",
    "Tests fail intermittently on CI",
    "Fails on Windows",
    "still failing",
    "The job got killed",
    "got a 503 from the API",
    "java.lang.NullPointerException",
    "TypeError: cannot read properties of undefined",
    "it was a flake",
    "It was a flaky test, not related to the change",
    "the test passes locally but fails on CI",
    "The pipeline is red",
    "exit code 137",
    "The test fails when run with the others",
    "Fails because of a timeout",
    "the login test is broken since yesterday",
    "A race condition somewhere",
    "It hangs forever",
    "random failure",
    "Something is wrong with the database",
    "The error went away",
    "worked after restart",
    "This should be ok now",
    "no idea why but it works",
    "module not found",
    "Permission denied",
    "It fails with the same error every time",
    "the assertion fails",
    "I don't know why this fails",
    "looks like a timeout in the API",
    "test_add fails with AssertionError",
    "The function returns None and the test crashes",
    "segmentation fault (core dumped)",
    "Could not connect to server",
    "resolved",
    "tests are green now",
    "build error",
    "see the log",
    "known issue",
]
# neither in English, or neither a symptom nor a fix
UNJUDGED = [
    "Puffer vorher leeren",
    "Der Test ist flaky, weil der Port belegt war; Port 0 nehmen",
    "Der Test schlägt fehl",
    "le test échoue avec une erreur de timeout",
    "el test falla con KeyError porque la cola no se vacia",
    "テストが失敗する",
    "падает с KeyError",
    "il test fallisce con un timeout",
    "de test faalt met een error",
    "o teste falha com KeyError",
    "pool size 20",
    "the pool was too small",
    "test jest niestabilny i pada z error",
    "KeyError kommt, weil der Cache fehlt",
    "testet er ustabilt og fejler med en error",
    "Passed on second try",
    "The pool runs dry",
]


@pytest.mark.parametrize("text", FIXES)
def test_a_note_that_names_the_fix_is_left_alone(text: str) -> None:
    assert fixes.symptom(text) is None


@pytest.mark.parametrize("text", SYMPTOMS)
def test_a_note_that_names_the_symptom_alone_is_found_out(text: str) -> None:
    assert fixes.symptom(text)


@pytest.mark.parametrize(
    "text", [*FIXES, *UNJUDGED, "-j1", "X=1", "ignore it", "fails with KeyError", "not red, flaky " * 9]
)
def test_what_says_something_is_not_empty(text: str) -> None:
    assert fixes.empty(text) is None


@pytest.mark.parametrize(
    "text",
    ["flaky", "Flaky!", "a flaky test", "it was flaky", "fixed", "Fixed it.", "ok", "?", "works now", "done"],
)
def test_what_says_nothing_is_empty_and_a_symptom_too(text: str) -> None:
    assert fixes.empty(text)
    assert fixes.symptom(text)


@pytest.mark.parametrize("text", UNJUDGED)
def test_what_cannot_be_judged_is_left_alone(text: str) -> None:
    assert fixes.symptom(text) is None


def test_the_error_line_over_again_is_no_note() -> None:
    failure = {"error": "KeyError: 'pool'\nwhile draining", "reason": "make test"}
    for text in (
        "KeyError: 'pool'",
        "E   KeyError: 'pool'",
        "keyerror:  'pool'.",
        "while draining",
        "Make test",
    ):
        assert fixes.repeats(text, failure)
        assert fixes.symptom(text, failure)
    for text in ("KeyError: 'pool'; add the key", "", "drain"):
        assert not fixes.repeats(text, failure)
    assert not fixes.repeats("", {})


@given(st.text(max_size=300))
def test_any_text_is_judged_by_its_own_words(text: str) -> None:
    said = fixes.symptom(text)
    assert said is None or said.casefold() in " ".join(text.replace("’", "'").split()).casefold()
