"""Which working notes speak of a failure: explicit words count, undone ones do not."""

from __future__ import annotations

import time

import pytest

from chalkgit.records import notes
from chalkgit.records.record import Record

COUNT = """
tried pooling connections per worker, did not work under fork
mmap for the index: doesn't work on network drives
the retry loop never worked for websockets
moved the parser to a thread and it fails on Windows
the build failed with the new linker
nightly keeps failing since the upgrade
storing the session in a cookie was vetoed by security
ruled out: the licence forbids bundling
legal ruled the vendor out
rewriting it in Rust is a dead end
going through the proxy was a dead-end
abandoned the streaming parser after two weeks
backed out the new scheduler
had to back it out? no: we backed it out
the port is blocked by the firewall of the customer
full table scan is too slow
snapshot tests turned out too flaky here
the regex approach is far too brittle
we cannot pickle the handle
can't run two migrations at once
could not get the sandbox to start
reverted the switch to lazy imports
had to revert the cache change
batching made it worse
inlining made startup much slower on ARM
gave up on incremental parsing
it was no use, the lock is held by the driver
larger buffers: no good
the team rejected a second database
upgrading libfoo broke the Windows build
breaks as soon as two workers start
a bigger heap did not help
sharding by user does not scale
it ended in failure after three attempts
no longer works with Python 3.14
the watcher stopped working on macOS
increasing the timeout had no effect
the importer crashed on the large file
the fix failed on ARM
Fixed the parser but it fails on ARM
this is not a typo, it fails on every second run
Do not use mmap because it fails on NFS
Don't try it. It fails.
both rewrites were dead ends
would not work behind a proxy
The pool of reader.go failed under load; see the log
Tests passed. Production failed.
""".strip().splitlines()

NOT = """
fixed the failing test
it does not fail any more
it doesn't fail with the new driver
the test that failed now passes
it cannot fail
we can not only read but also write
no failures
12 passed, 0 failed
no tests failed
zero failed runs this week
never fails in production
without failing a single request
fix: failing upload on slow links
fix the failing build of the docs
fixes the broken and failing link check
prevents it from failing on start
avoid failing when the cache is cold
it is no longer too slow
not too slow for our case
this is not a dead end
that option is not ruled out
a second cause cannot be ruled out
works well, cannot complain
you can't go wrong with sqlite here
I can't wait to try the new parser
why did it fail?
is it too slow?
if it fails, the job is retried
in case the upload fails, we keep the file
it might fail on Windows, untested
the job should fail when the key is missing
add a counter of failed logins
retry failed jobs after a minute
rejected promises are logged
abandoned carts get an e-mail after a day
the gateway fails over to the replica
make the validator fail fast
the build failed until we pinned numpy
it crashed before the fix
the index was too slow and is now fixed
line breaks are kept
breaks the text into words
we broke the work into three steps
makes no use of eval
the failing test is fixed
tests that failed yesterday are green
was never reverted
the change was not rejected
add dark mode to the settings page
remember to ask Ada about the parser
use failsafe defaults
we made the slower path faster
is this still failing? ask Bo
stopped failing after the reboot
we use uv for the lock file
""".strip().splitlines()


@pytest.mark.parametrize("text", COUNT)
def test_a_note_that_says_it_failed_counts(text: str) -> None:
    assert notes.has_failure_marker(text)


@pytest.mark.parametrize("text", NOT)
def test_a_note_that_names_no_failure_does_not_count(text: str) -> None:
    assert not notes.has_failure_marker(text)


def test_a_note_counts_by_what_was_written_or_by_its_route() -> None:
    fields = {"id": "aaaaaaaa", "kind": "dead-end"}
    assert notes.admitted(Record({**fields, "route": "the cache is too slow"}))
    assert notes.admitted(Record({**fields, "route": "the cache", "raw": "route: the cache … failed"}))
    assert not notes.admitted(Record({**fields, "route": "the cache"}))


@pytest.mark.parametrize("unit", ["it does not fail ", "not ", "a" * 64, "ruled it ", "?"])
def test_a_megabyte_is_read_in_time_that_grows_with_its_length(unit: str) -> None:
    def seconds(size: int) -> float:
        start = time.perf_counter()
        notes.has_failure_marker(unit * (size // len(unit)))
        return time.perf_counter() - start

    assert seconds(1_000_000) < max(40 * seconds(100_000), 0.5)
