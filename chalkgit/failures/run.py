"""What a failed run said: its failing tests, and of each the first line of its error.

Every reader (of a report, of what a runner printed) gives a `Reading`; `failures.reading` makes one `Run` of
them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence


class Failure:
    """One failing test, or a file that did not load.

    test: its id as `failures.naming` writes it, volatile spans not yet masked; "" where the run failed
    outside of any test (a build). error: the first line of its error as it was printed, without the runner's
    and CI's prefixes; None where none is told. detail: the lines of the error after it (cleaned alike, no
    blank ones, at most `thresholds.DETAIL_LINES`), for a first line that holds no value of its own.
    """

    __slots__ = ("detail", "error", "test")

    def __init__(self, test: str, error: str | None = None, detail: Sequence[str] = ()) -> None:
        self.test = test
        self.error = error
        self.detail = tuple(detail)

    def __repr__(self) -> str:
        return f"Failure({self.test!r}, {self.error!r}, {self.detail!r})"


class Reading:
    """What one report or one output says: the failures in the order it tells them.

    runner: who wrote it ("pytest", "go", "junit", …). root: the folder the run was started in, where it says
    so itself (pytest's `rootdir:`). complete: False where the report ends before its end.
    """

    __slots__ = ("complete", "failures", "root", "runner")

    def __init__(
        self, runner: str, failures: Sequence[Failure], *, root: str | None = None, complete: bool = True
    ) -> None:
        self.runner = runner
        self.failures = tuple(failures)
        self.root = root
        self.complete = complete
