"""The names of agents and editors as people type them: in any case, by a short form, or nearly right."""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.render.clean import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NEAR = 0.6  # difflib's own measure of “close enough to be meant”


def known(typed: str, what: str, names: Sequence[str], others: Mapping[str, str]) -> str:
    """The one of `names` that is meant; others: what people say instead of one of them."""
    said = "-".join(typed.lower().replace("_", " ").replace("-", " ").split())
    found = others.get(said, said)
    if found in names:
        return found
    from difflib import get_close_matches

    near = get_close_matches(said, [*names, *others], 1, _NEAR)
    hint = f"{others.get(near[0], near[0])}? " if near else ""
    raise ChalkError(
        f"“{line(typed)}” is no {what} that is known here", hint=f"{hint}one of: {', '.join(names)}"
    )
