"""At a session's start: what a newcomer to this repository must know, and how to ask for the rest.

That it keeps records and how many; the two commands; and a few of the dead ends that no edit would bring up,
since they are about no single file: the most final first. The same records give the same text.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import repair
from chalkgit.answers.standing import Standing, marked, reopen, trust
from chalkgit.answers.stored import read, superseded
from chalkgit.doors import agent_session, showing
from chalkgit.doors.agent_words import ABOUT, Said, Tell, Text
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.records.status import excluded
from chalkgit.render import brief
from chalkgit.store import journal
from chalkgit.store import place as places
from chalkgit.thresholds import AGENT_START_RULINGS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.doors.agent_event import Event
    from chalkgit.store.ahead import Ahead
    from chalkgit.store.place import Place

_KINDS = (
    ("dead-end", "dead end", "dead ends"),
    ("lesson", "lesson", "lessons"),
    ("procedure", "procedure", "procedures"),
)
_EMPTIED = ("compact", "clear")
_START = "@start"  # no path of a repository
# What speaks of its state keeps a record from being counted; `excluded` decides where one is shown.
_RECALLED = """json_extract(body, '$.retired') is null and json_extract(body, '$.settled') is null and
  coalesce(json_extract(body, '$.review.state'), '') not in ('rejected', 'quarantined') and
  id not in (select old from successors where effective = 1) and path not like '@notes/%'"""
_CANDIDATES = f"""select path from files where kind = 'dead-end' and {_RECALLED}
  and path not in (select path from names where form <> 'glob')
  order by {{}} desc, json_extract(body, '$.valid-from') desc, id desc limit {{}}"""
_FINAL = " + ".join(
    f"coalesce(json_extract(body, '$.{field}') {test}, 0)"
    for field, test in (
        ("degree", "= 'contradicted'"),
        ("action", "= 'abandon'"),
        ("scope", "= 'general'"),
        ("layer", "in ('design', 'requirement', 'environment')"),
    )
)


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
    return text.text(), lambda: showing.keep(place, session, "agent", showings)


def _text(place: Place, tell: Tell, ahead: Ahead | None, rebuild: bool) -> tuple[Text, list[journal.Showing]]:
    index = refresh.up_to_date(place, rebuild=rebuild, ahead=ahead, words=False)
    if index.unwritten:
        tell(index.unwritten)
    text, showings = Text(ABOUT), [journal.Showing(_START, "", "", 0)]
    counts = [(_count(index, kind), one, more) for kind, one, more in _KINDS]
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
        said = brief.text(one.record, reopened=one.reopened, trust=one.trust, silenced=one.silenced)
        if text.add(said):
            showings.append(journal.Showing(_START, one.record.id, one.hash, len(said.encode())))
    return text, showings


def _count(index: Index, kind: str) -> int:
    """How many records of a kind may be recalled."""
    [row] = index.table.rows(f"select count(distinct id) from files where kind = ? and {_RECALLED}", kind)
    return int(row[0])


def _worth(index: Index) -> list[Standing]:
    """The dead ends to know before any file is opened: the most final first, of those the newest."""
    now, replaced = times.system_clock(), superseded(index)
    query = _CANDIDATES.format(_FINAL, 10 * AGENT_START_RULINGS)
    order = {row[0]: at for at, row in enumerate(index.table.rows(query))}
    read_ones = sorted(read(index, list(order)), key=lambda record: order[record.path])
    alive = [r for r in read_ones if excluded(r, now=now, superseded=replaced) is None]
    hashes = index.table.hashes([record.path for record in alive])
    stand = [Standing(record, [], hashes.get(record.path, "")) for record in alive]
    found = marked(index.place, trust(index, stand, "agent"))[:AGENT_START_RULINGS]
    reopen(index, found, now)
    return found
