"""Globs of record files: `*` within a folder, `**` across folders, `?` one character, `[…]` a set.

One that ends with `/` names folders, and all in them. Some files have such names themselves
(`pages/[id].tsx`): spelled out, they are named too.
"""

from __future__ import annotations


def matches(glob: str, path: str) -> bool:
    """Whether a path matches; a glob without a slash is asked of the file's name alone."""
    rooted = glob.startswith("./")
    glob = glob.removeprefix("./")
    if path == glob or path.startswith(glob.removesuffix("/") + "/"):
        return True
    if glob.endswith("/"):
        glob += "**"
    elif "/" not in glob and not rooted:
        path = path.rsplit("/", 1)[-1]
    # what stands before the first sign and after the last one is compared first: nearly all globs end here
    head, tail = _ends(glob)
    return path.startswith(head) and path.endswith(tail) and _accepts(_tokens(glob), path)


def _ends(glob: str) -> tuple[str, str]:
    signs = [at for at, c in enumerate(glob) if c in "*?[]"]
    return (glob[: signs[0]], glob[signs[-1] + 1 :]) if signs else (glob, glob)


def _tokens(glob: str) -> list[str]:
    """The glob's parts: `**/`, `**`, `*`, `?`, a set, or a character."""
    found, at = [], 0
    while at < len(glob):
        end = at + 1
        if glob.startswith("**/", at):
            end = at + 3
        elif glob.startswith("**", at):
            end = at + 2
        elif glob[at] == "[" and "]" in glob[at + 2 :]:
            end = glob.index("]", at + 2) + 1
        found.append(glob[at:end])
        at = end
    return found


def _accepts(tokens: list[str], path: str) -> bool:
    """Whether the tokens match the whole path: all that can match is followed at once, so the time is
    bounded by the length of the one times that of the other."""
    at = _rested(tokens, {0}, True)
    for character in path:
        after = set()
        for place in at:
            token = tokens[place] if place < len(tokens) else ""
            if token in ("**", "**/") or (token == "*" and character != "/"):
                after.add(place)
            if _one(token, character):
                after.add(place + 1)
        at = _rested(tokens, after, character == "/")
    return len(tokens) in at


def _rested(tokens: list[str], places: set[int], fresh: bool) -> set[int]:
    """The places with those that a star may be skipped to; `**/` is skipped at a folder's start alone."""
    found = set()
    for place in places:
        while place not in found:
            found.add(place)
            token = tokens[place] if place < len(tokens) else ""
            if token in ("*", "**") or (token == "**/" and fresh):
                place += 1
    return found


def _one(token: str, character: str) -> bool:
    if token == "?":
        return character != "/"
    if token in ("*", "**", "**/"):
        return token == "**/" and character == "/"
    if len(token) > 1:
        import re  # of single characters alone: a whole glob as one pattern can be made to take for ever

        return re.fullmatch(_set(token[1:-1]), character) is not None
    return token == character


def _set(inside: str) -> str:
    import re  # costs a third of a bare interpreter: few globs have a set

    negated = inside[0] in "!^"
    chars = inside[1:] if negated else inside
    escaped = chars.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
    try:
        re.compile(f"[{escaped}]")
    except re.error:  # a range that runs backwards: the characters themselves
        escaped = re.escape(chars)
    return f"[^/{escaped}]" if negated else f"(?!/)[{escaped}]"
