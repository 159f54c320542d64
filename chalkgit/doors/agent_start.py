"""At a session's start: what a newcomer to this repository must know, and how to ask for the rest.

That it keeps records and how many; the two commands; and the few dead ends that no edit would bring up: they
are about no single file, hold everywhere, and were refuted or given up. The same records give the same text.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import repair
from chalkgit.answers.standing import Standing, reopen
from chalkgit.answers.stored import read, superseded
from chalkgit.doors import agent_session
from chalkgit.doors.agent_words import ABOUT, Said, Tell, Text
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.render import brief
from chalkgit.store import journal, worktree
from chalkgit.store import place as places
from chalkgit.thresholds import AGENT_START_RULINGS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.doors.agent_event import Event
    from chalkgit.store.ahead import Ahead
    from chalkgit.store.place import Place

LAYERS = ("design", "requirement", "environment")
_KINDS = (
    ("dead-end", "dead end", "dead ends"),
    ("lesson", "lesson", "lessons"),
    ("procedure", "procedure", "procedures"),
)
_EMPTIED = ("compact", "clear")
_START = "@start"  # no path of a repository
# The words narrow down what is read as JSON; `_worth` decides.
_CANDIDATES = """select path from files where kind = 'dead-end' and body like '%"scope": "general"%'
  and (body like '%"degree": "contradicted"%' or body like '%"action": "abandon"%')
  and path not in (select path from names where form <> 'glob')"""


def context(event: Event, tell: Tell, ahead: Ahead | None) -> Said | None:
    """None where there is no store, or an empty one, or this session was told already."""
    place = places.find(event.cwd).require_store()
    if event.source in _EMPTIED:
        agent_session.begin_again(place, event)
    session = agent_session.name(place, event)
    # a resumed conversation still holds what it was told
    if event.source == "resume" and journal.seen(place, session, [_START]):
        return None
    begun = ahead if ahead is not None and ahead.place.root == place.root else None
    text, showings = repair.once(lambda rebuild: _text(place, tell, None if rebuild else begun, rebuild))
    if not text:
        return None
    return text.text(), lambda: _keep(place, session, showings)


def _keep(place: Place, session: str | None, showings: list[journal.Showing]) -> None:
    journal.record(place, session, "agent", showings)


def _text(place: Place, tell: Tell, ahead: Ahead | None, rebuild: bool) -> tuple[Text, list[journal.Showing]]:
    index = refresh.up_to_date(place, rebuild=rebuild, ahead=ahead, words=False)
    if index.unwritten:
        tell(index.unwritten)
    text, showings = Text(ABOUT), [journal.Showing(_START, "", "", 0)]
    counts = [(index.table.count([kind]), one, more) for kind, one, more in _KINDS]
    counted = [f"{count:,} {one if count == 1 else more}" for count, one, more in counts if count]
    if not counted:
        return text, []
    text.add(f"This repository keeps what was learned the hard way in .lessons/: {', '.join(counted)}.")
    text.add(
        'Has an approach been tried before? chalkgit check "the approach". A dead end found today: '
        'chalkgit tried "what was tried" --because "why it does not work".'
    )
    worth = _worth(index)
    if worth:
        text.add("About all of it:")
    for one in worth:
        said = brief.text(one.record, reopened=one.reopened)
        if text.add(said):
            showings.append(journal.Showing(_START, one.record.id, one.hash, len(said.encode())))
    return text, showings


def _worth(index: Index) -> list[Standing]:
    """The dead ends to know before any file is opened, the newest first."""
    now, replaced = times.system_clock(), superseded(index)
    paths = [row[0] for row in index.table.rows(_CANDIDATES) if not row[0].startswith(worktree.NOTES)]
    records = [
        record
        for record in read(index, paths)
        if _holds_everywhere(record) and excluded(record, now=now, superseded=replaced) is None
    ]
    records.sort(key=lambda record: (record.text("valid-from") or "", record.id), reverse=True)
    chosen = records[:AGENT_START_RULINGS]
    hashes = index.table.hashes([record.path for record in chosen])
    found = [Standing(record, [], hashes.get(record.path, "")) for record in chosen]
    reopen(index, found, now)
    return found


def _holds_everywhere(record: Record) -> bool:
    final = record.get("degree") == "contradicted" or record.get("action") == "abandon"
    return final and record.get("scope") == "general" and record.get("layer") in LAYERS
