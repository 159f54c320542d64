"""The coding agents' door: one JSON object in, and what the model should know by now out as its context.

After an edit the rulings about the edited files, at a session's start what a newcomer must know, at a prompt
that it was tried. It is added late, never at the head of a prompt; it blocks nothing; and it exits 0 whatever
happens, since an agent reads another code as the failure of its own edit.
"""

from __future__ import annotations

from chalkgit import config
from chalkgit.errors import ChalkError
from chalkgit.thresholds import AGENT_INPUT_BYTES

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from chalkgit.doors.agent_event import Event
    from chalkgit.doors.agent_words import Said, Tell
    from chalkgit.store.ahead import Ahead

_PROMPTS = (b"UserPromptSubmit", b"BeforeAgent")


def read(stream: BinaryIO) -> bytes:
    """All of stdin, kept up to a byte too many: a client that still writes must not meet a closed pipe."""
    data = stream.read(AGENT_INPUT_BYTES + 1)
    while len(data) > AGENT_INPUT_BYTES and stream.read(1024 * 1024):
        pass
    return data


def begun(directory: str | None) -> Ahead | None:
    """A look at the records of the folder the client runs us in, which is nearly always of those it edits.

    It runs while the event is read. The folder is named, so that nothing is believed of what git exported
    about another repository.
    """
    if config.bypassed("RULINGS"):
        return None
    from chalkgit.store import ahead

    return ahead.begin(directory or ".")


def answer(
    data: bytes,
    client: str | None,
    *,
    directory: str | None,
    out: Tell,
    tell: Tell,
    ahead: Ahead | None = None,
    failed: Callable[[], object] | None = None,
) -> int:
    """Always 0. ahead: a look that is under way, used where it is of the place that is asked. failed: what
    keeps the traceback of a bug of ours."""
    if silent(data):
        return 0
    try:
        said = _said(data, client, directory, tell, ahead)
        if said is not None:
            out(said[0])
            said[1]()
    except BrokenPipeError:
        raise
    except ChalkError as error:
        tell(f"nothing is shown: {error.message}")
    except OSError as error:  # a folder that went away under us, a full disk
        tell(f"nothing is shown: {error}")
    except Exception as error:
        if failed is None:
            tell(f"nothing is shown, for a bug in chalkgit: {error!r}")
        else:
            failed()
    return 0


def silent(data: bytes) -> bool:
    """Whether all that this event could be answered with is switched off."""
    if not config.bypassed("RULINGS"):
        return False
    return config.bypassed("CHECK") or not any(name in data for name in _PROMPTS)


def _said(
    data: bytes, client: str | None, directory: str | None, tell: Tell, ahead: Ahead | None
) -> Said | None:
    from chalkgit.doors import agent_event

    if len(data) > AGENT_INPUT_BYTES:
        raise ChalkError(f"standard input is larger than {AGENT_INPUT_BYTES:,} bytes")
    if client is not None and client not in agent_event.CLIENTS:
        tell(f"“{client}” is no client that is known here: {', '.join(agent_event.CLIENTS)}")
        client = None
    event = agent_event.read(data, client, directory)
    found = _context(event, tell, ahead)
    if found is None:
        return None
    context, shown = found
    return _spoken(event, context), shown


def _context(event: Event, tell: Tell, ahead: Ahead | None) -> Said | None:
    from chalkgit.doors import agent_event

    if event.kind == agent_event.PROMPT:
        if config.bypassed("CHECK"):
            return None
        from chalkgit.doors import agent_prompt

        return agent_prompt.context(event, tell, ahead)
    if config.bypassed("RULINGS"):
        return None
    if event.kind == agent_event.EDIT:
        from chalkgit.doors import agent_edit

        return agent_edit.context(event, tell, ahead)
    if event.kind == agent_event.START:
        from chalkgit.doors import agent_start

        return agent_start.context(event, tell, ahead)
    what = f"“{event.name}” of {event.client}" if event.name else "an event without a name"
    tell(f"nothing is said at {what}, where it would reach no model")
    return None


def _spoken(event: Event, context: str) -> str:
    """The client's dialect, in ASCII: a narrow encoding of stdout changes nothing of it."""
    import json

    if event.client == "cursor":
        return json.dumps({"additional_context": context})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}})
