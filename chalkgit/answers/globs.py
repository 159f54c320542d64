"""Globs of record files: `*` within a folder, `**` across folders, `?` one character, `[…]` a set.

One that ends with `/` names folders, and all in them. Some files have such names themselves
(`pages/[id].tsx`): spelled out, they are named too.
"""

from __future__ import annotations

import re  # its own cache of compiled patterns serves the few globs a store has


def matches(glob: str, path: str) -> bool:
    """Whether a path matches; a glob without a slash is asked of the file's name alone."""
    glob = glob.removeprefix("./")
    if path == glob or path.startswith(glob.removesuffix("/") + "/"):
        return True
    if glob.endswith("/"):
        glob += "**"
    elif "/" not in glob:
        path = path.rsplit("/", 1)[-1]
    return _pattern(glob).fullmatch(path) is not None


def _pattern(glob: str) -> re.Pattern[str]:
    out, at = [], 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            out.append(".*")
            at += 2
        elif glob[at] == "*":
            out.append("[^/]*")
            at += 1
        elif glob[at] == "?":
            out.append("[^/]")
            at += 1
        elif glob[at] == "[" and "]" in glob[at + 2 :]:
            end = glob.index("]", at + 2)
            out.append(_set(glob[at + 1 : end]))
            at = end + 1
        else:
            out.append(re.escape(glob[at]))
            at += 1
    return re.compile("".join(out), re.DOTALL)


def _set(inside: str) -> str:
    negated = inside[0] in "!^"
    chars = inside[1:] if negated else inside
    escaped = chars.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
    try:
        re.compile(f"[{escaped}]")
    except re.error:  # a range that runs backwards: the characters themselves
        escaped = re.escape(chars)
    return f"[^/{escaped}]" if negated else f"(?!/)[{escaped}]"
