"""What rspec prints: "Failures:" with `1) description`, then "Failed examples:" with each one's file.

The progress and documentation formatters end alike. Errors outside of examples (a file that did not load, a
suite hook) come before, without a number.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COUNTS = re.compile(r"\d{1,9} examples?, \d{1,9} failures?")
_ENTRY = re.compile(r"\s+(\d{1,9})\) (.*)$")
_EXAMPLE = re.compile(r"rspec (?:'([^']+)'|(\S+)) +# (.*)$")
_RERUN = re.compile(r"(?:\[[\d:]+\]|:\d+(?::\d+)*)$")
_FRAME = re.compile(r"\s*# (?:\./)?([^:]+\.rb):\d+")
_LOADING = re.compile(r"An error occurred while loading (.+?\.rb)\b")
_CLASS = re.compile(r"[A-Z][\w:]*:$")
_RUBY_LINE = re.compile(r"\S+\.rb:\d+: ")
_OUTSIDE = "An error occurred "
_SOURCE = "Failure/Error:"
_ENDS = (
    "Finished in ",
    "Failed examples:",
    "Top ",
    "Randomized with seed",
    "Pending:",
    "Failures:",
    "Coverage report",
)


def read(lines: Sequence[str]) -> Reading | None:
    """The failing examples that rspec printed; None where this is not rspec's output."""
    counted = mine = False
    for line in lines:
        if " example" in line and _COUNTS.match(line):
            counted = True
        elif line.startswith((_OUTSIDE, "rspec ")):
            mine = mine or _LOADING.match(line) is not None or _EXAMPLE.match(line) is not None
        elif _SOURCE in line:
            mine = True
    if not (counted or mine):
        return None
    return Reading("rspec", blocks.once([*_outside(lines), *_inside(lines)]), complete=counted)


def _outside(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if line.startswith(_OUTSIDE):
            end = blocks.until(
                lines, at + 1, lambda after: after.startswith((_OUTSIDE, *_ENDS)) or not _told(after)
            )
            loading = _LOADING.match(line)
            yield told(naming.rspec(loading[1], "") if loading else "", lines[at + 1 : end])


def _told(line: str) -> bool:
    """Whether a line may be of an error: the count of examples is not."""
    return not line.startswith("No examples found.") and " examples, " not in line


def _inside(lines: Sequence[str]) -> list[Failure]:
    examples = [_example(line) for line in lines if line.startswith("rspec ")]
    files = {description: file for file, description in filter(None, examples)}
    found = []
    within = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(("Failures:", "Pending:", "Finished in ", "Failed examples:")):
            within = line.startswith("Failures:")
        elif within and (match := _ENTRY.match(line)):
            end = blocks.until(lines, at, _ends)
            title = match[2].removesuffix(" FIXED")
            file = files.get(title) or files.get(match[2]) or _file(lines[at:end])
            found.append(told(naming.rspec(file, title), lines[at:end]))
            at = end
    # of an output that was cut at its beginning, or a quiet formatter, the examples alone
    return found or [Failure(naming.rspec(*example)) for example in filter(None, examples)]


def _ends(line: str) -> bool:
    return line.startswith(_ENDS) or (") " in line and _ENTRY.match(line) is not None)


def _example(line: str) -> tuple[str, str] | None:
    """File and description of `rspec ./spec/a.rb:7 # Cart checks out` or `rspec './spec/a.rb[1:2]' # …`."""
    match = _EXAMPLE.match(line)
    return (_RERUN.sub("", match[1] or match[2]), match[3]) if match else None


def _file(block: Sequence[str]) -> str:
    """Of a failure that no list names: the outermost file of its frames."""
    frames = [match[1] for line in block if ".rb:" in line and (match := _FRAME.match(line))]
    specs = [file for file in frames if file.endswith("_spec.rb")]
    return (specs or frames or [""])[-1]


def told(test: str, block: Sequence[str]) -> Failure:
    """The failure that a block tells: after the source the message, below its class where it has
    one. Of several failures of one example, and of an exception and its cause, the first."""
    start = next((at for at, line in enumerate(block) if _SOURCE in line), None)
    if start is None:
        return blocks.failure(test, block[: blocks.until(block, 0, _frame)])
    # the source stands behind the colon; where it takes several lines, below it up to a blank one
    one = block[start].partition(_SOURCE)[2].strip()
    blank = start + 1 if one else blocks.until(block, start + 1, lambda line: not line.strip())
    end = blocks.until(block, blank, _frame)
    message = [line.strip() for line in block[blank:end] if line.strip()]
    if not message:
        # rspec shows no message where there is none: the source is what is left
        return blocks.failure(test, [block[start].partition(_SOURCE)[2], *block[start + 1 : blank]])
    if len(message) > 1 and _CLASS.match(message[0]):
        if message[0] == "SyntaxError:":
            # Ruby 3.2 and later show the code first
            place = next((at for at, line in enumerate(message) if _RUBY_LINE.match(line)), 1)
            return blocks.failure(test, message[place:])
        return blocks.failure(test, message[1:])
    return blocks.failure(test, message)


def _frame(line: str) -> bool:
    text = line.strip()
    return text.startswith("# ") or text == "#"
