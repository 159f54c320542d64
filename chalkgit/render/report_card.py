"""The report card as parts to show, in order: those of its JSON, each with what it says in words."""

from __future__ import annotations

from collections.abc import Mapping

from chalkgit.render import report_asked, report_claim, report_used
from chalkgit.render.clean import line
from chalkgit.render.report_parts import Part, plural

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

_TITLES = {
    "activity": "What was asked, and what was shown",
    "retries": "After a failed run",
    "experiment": "What the experiment may claim",
    "echo": "Was it ever used?",
    "records": "Which records earn their keep",
    "alarms": "False alarms, as people marked them",
    "decider": "The decider",
    "waits": "How long people waited",
    "lessons": "Lessons that are open",
    "failing": "Tests that fail again and again",
}


BEGIN = (  # said once, where no section has any data
    "There is no data yet. What would make some: let hooks show records (chalkgit hooks install), ask "
    "chalkgit check, at and recall, tell recall of failed runs (chalkgit recall --output FILE, or pytest's "
    "plugin), and say so where a record was wrong or useful (chalkgit feedback)."
)
# told whole, whatever beginning was asked for
_UNCUT = {
    "experiment": "An experiment is judged by all of its loops: --since and --days leave none out.",
    "lessons": "These are all that are open now: --since and --days leave none out.",
}


def parts(card: Mapping[str, Any]) -> list[Part]:
    """Every section: one without data says so, and what would make some; one in trouble says what it is."""
    found = []
    for name, title in _TITLES.items():
        part = _part(name, card[name], card["unit"], everywhere=empty(card))
        part.title = title
        if card["since"] is not None and name in _UNCUT and card[name]["data"]:
            part.notes.append(_UNCUT[name])
        found.append(part)
    return found


def empty(card: Mapping[str, Any]) -> bool:
    """Whether no section has data, and none is in trouble."""
    return not any(card[name]["data"] or card[name]["trouble"] for name in _TITLES)


def _part(name: str, found: Mapping[str, Any], unit: str, *, everywhere: bool) -> Part:
    if found["trouble"] is not None:
        part = Part(name, f"This cannot be told: {line(found['trouble'])}.")
        part.trouble = True
        return part
    made = _made(name, found, unit)
    if not found["data"]:
        made.lede = "No data yet." if everywhere else f"No data yet. To make some: {found['missing']}."
        if name == "experiment":
            made.lede = f"{line(found['line'])}. {made.lede}"
        made.notes = []
    return made


def _made(name: str, found: Mapping[str, Any], unit: str) -> Part:
    if name in ("activity", "retries"):
        return {"activity": report_asked.activity, "retries": report_asked.retries}[name](found, unit)
    if name == "alarms":
        return report_used.alarms(found, unit)
    return {
        "experiment": report_claim.experiment,
        "echo": report_used.echo,
        "records": report_used.records,
        "decider": report_used.decider,
        "waits": report_asked.waits,
        "lessons": report_used.lessons,
        "failing": report_asked.failing,
    }[name](found)


def window(card: Mapping[str, Any]) -> str:
    """What the report is about, in a sentence."""
    journal = card["journal"]
    since = (card["since"] or journal["begins"] or "")[:10]
    told = f"From {since} to {card['at'][:10]} (UTC)" if since else f"Up to {card['at'][:10]} (UTC)"
    return f"{told}, by the journal of this machine."


def warnings(card: Mapping[str, Any]) -> list[str]:
    """What keeps the report from being whole, or the journal from growing."""
    journal, said = card["journal"], []
    if not card["whole"]:
        why = journal["trouble"] or "; ".join(
            dict.fromkeys(card[name]["trouble"] for name in _TITLES if card[name]["trouble"])
        )
        said.append(f"This report is not whole: {line(why)}.")
    if journal["off"]:
        said.append("The journal is switched off: nothing new is kept.")
    if card["switched_off"]:
        said.append(f"Switched off by a variable now: {', '.join(card['switched_off'])}.")
    begins = journal["begins"]
    if card["since"] and begins and begins > card["since"]:
        said.append(f"The journal begins on {begins[:10]}, later than what was asked for.")
    if journal["left_out"]:
        said.append(f"{plural(journal['left_out'], 'row')} of the journal with an impossible time left out.")
    return said
