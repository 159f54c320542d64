"""At a prompt: that what it asks for was tried, and nothing where it was not."""

from __future__ import annotations

from collections.abc import Iterator

from chalkgit import thresholds
from chalkgit.doors import agent_session, proposals, showing
from chalkgit.doors.agent_words import ABOUT, Said, Tell, Text
from chalkgit.render import brief
from chalkgit.store import journal
from chalkgit.store import place as places

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.doors.agent_event import Event
    from chalkgit.store.ahead import Ahead

_PROMPT = "@prompt"  # no path of a repository


def context(event: Event, tell: Tell, ahead: Ahead | None) -> Said | None:
    """None unless the verdict is tried, and on a ruling that this session was not shown at a prompt."""
    steps = list(_steps(event.prompt))
    place = places.find(event.cwd).require_store()
    if not steps:
        return None
    begun = ahead if ahead is not None and ahead.place.root == place.root else None
    found = proposals.tried(place, steps, thresholds.AGENT_PROMPT_RULINGS, tell, "agent", begun)
    session = agent_session.name(place, event)
    seen = {(key[1], key[2]) for key in journal.seen(place, session, [_PROMPT])} if found else set()
    text, showings = Text(ABOUT), []
    for one in found:
        said = brief.text(one.record, reopened=one.reopened, trust=one.trust)
        if (one.record.id, one.hash) not in seen and (
            text or text.add("It was tried before (words compared):")
        ):
            text.add(said)
            showings.append(journal.Showing(_PROMPT, one.record.id, one.hash, len(said.encode())))
    if not text:
        return None
    text.add("Whoever goes on says that it was tried, and what is different this time.")
    return text.text(), lambda: showing.keep(place, session, "agent", showings)


def _steps(prompt: str) -> Iterator[str]:
    """The prompt as one proposal; the lines of a long one, without fenced and quoted text."""
    if not any(map(str.isalnum, prompt)) or prompt.startswith("/"):
        return  # a slash command is spoken to the client
    if len(prompt.split()) <= thresholds.QUERY_WORDS:
        yield prompt
        return
    fenced, left = False, thresholds.AGENT_PROMPT_STEPS
    for line in prompt.splitlines():
        text = line.strip()
        if text.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and left and not text.startswith((">", "|")) and any(map(str.isalnum, text)):
            left -= 1
            yield " ".join(text.split()[: thresholds.QUERY_WORDS])
