"""`decider` as people read it: the state of the one there is, and what a trusted one would be sent."""

from __future__ import annotations

import json

from chalkgit import thresholds, times
from chalkgit.render.clean import line

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_WHAT = (
    (
        "recall",
        "current_failure",
        "the first error, failing tests, exit code and end of a failed run's output",
    ),
    ("recall", "lessons", "of up to five lessons what failed and what fixed it"),
    ("check", "proposal", "the proposal that is checked"),
    ("check", "dead_ends", "of up to five dead ends what was tried and why it failed"),
)


def status(found: Mapping[str, Any]) -> Iterator[str]:
    """The page of `decider status`."""
    if found["url"] is None:
        yield "mode       off: your settings name no decider"
    else:
        yield f"mode       {found['mode']}" + (
            ", switched off by CHALKGIT_BYPASS_DECIDER" if found["bypassed"] else ""
        )
        yield f"url        {line(found['url'])}"
        yield f"model      {line(found['model'])}"
        yield f"threshold  {found['threshold']:g}"
        yield f"trusted    {_trusted(found)}"
        yield f"answers    {_answers(found)}"
    lessons = found["lessons"]
    if lessons["there"] is not None:
        enough = f"at least {lessons['needed']}" if lessons["there"] else str(lessons["resolved"])
        yield f"lessons    {enough} resolved; it takes {lessons['needed']} before recall asks"
    yield from _gates(found)
    for trouble in found["troubles"]:
        yield f"trouble    {_when(trouble['at'])} {line(trouble['purpose'])}: {line(trouble['trouble'])}"
    if found["hint"]:
        yield f"hint: {line(found['hint'])}"


def _gates(found: Mapping[str, Any]) -> Iterator[str]:
    share = f"{thresholds.DECIDER_RIGHT:.0%}"
    if found["url"] is not None and not found["gates"]:
        least = f"{thresholds.DECIDER_JUDGED} judged, {share} of them right"
        yield f"gate       not met: no answer was given yet; it takes {least}"
    for gate in found["gates"]:
        of = f" (revision {line(gate['revision'])})" if gate["revision"] else ""
        if gate["met"]:
            yield f"gate       met: {gate['right']} of {gate['judged']} judged answers were right{of}"
        else:
            why = line(gate["why"])
            if gate["judged"] < thresholds.DECIDER_JUDGED:
                why += f", {gate['right']} of them right; it takes {share}" if gate["judged"] else ""
                why += "; you can judge those below" if found["unjudged"] else ""
            yield f"gate       not met: {why}{of}"
        yield from counted(gate)
    for one in found["unjudged"]:
        said = f"{'yes' if one['yes'] else 'no'} ({one['probability']:.2f}, {line(one['purpose'])})"
        yield f"unjudged   {one['command']}   {said}: {line(one['title'])[: thresholds.BRIEF_CHARACTERS]}"
        about = f" about {line(one['failed'])[: thresholds.BRIEF_CHARACTERS]}" if one["failed"] else ""
        yield f"           asked {_when(one['at'])}{about}"


def counted(gate: Mapping[str, Any]) -> Iterator[str]:
    """What the figures of a gate are made of, where there are any."""
    if gate["judged"]:
        parts = [f"{gate[one]['right']} of {gate[one]['judged']} {one} were right" for one in ("yes", "no")]
        parts += [f"{gate['left_out']} more about the same records left out"] if gate["left_out"] else []
        yield f"           {', '.join(parts)}; a record counts once"
        for word, other in (("yes", "no"), ("no", "yes")):
            if gate["judged"] == gate[word]["judged"]:
                yield f"           no {other} was judged: what always says {word} would look the same"


def judged(name: str, yes: bool, right: bool | None) -> str:
    """What became of an answer that somebody judged."""
    said = f"{line(name)}: the decider's newest answer about it was {'yes' if yes else 'no'}, "
    if right is None:
        return said + "and people disagree whether that is right: it does not count"
    return said + f"which counts as {'right' if right else 'wrong'}"


def sent(url: str, state: Mapping[str, Any], questions: Mapping[str, str], own: bool) -> Iterator[str]:
    """What would be sent, before anybody agrees to it."""
    yield f"To {line(url)} would be sent, with each `recall` or `check` that asks the decider:"
    for command, field, what in _WHAT:
        yield f"  {command:<6}  {field:<15}  {what}"
    yield (
        f"At most {thresholds.DECIDER_STATE_CHARACTERS:,} characters a request, "
        f"{thresholds.DECIDER_CURRENT_CHARACTERS:,} of them of the failure or proposal; secrets are masked "
        "by their shape. Records of your other stores and working notes may be among them."
    )
    if url.startswith("http:"):
        yield "The connection is not encrypted: whoever is between can read it."
    whose = "a lesson of this repository" if own else "no lesson: there is none here yet"
    size = len(json.dumps(state, ensure_ascii=False))
    yield f"An example, made of {whose} ({size:,} characters):"
    put = {name: {"type": "noul", "instructions": asked} for name, asked in questions.items()}
    body = {"model": "…", "state": state, "questions": put}
    yield from (f"  {_indented(row)}" for row in json.dumps(body, ensure_ascii=False, indent=2).split("\n"))


def _indented(row: str) -> str:
    """A row of JSON with its indent, harmless to show."""
    indent = row[: len(row) - len(row.lstrip(" "))]
    return indent + line(row)


def _trusted(found: Mapping[str, Any]) -> str:
    if found["local"]:
        return "yes: it is this machine"
    return "yes, by you" if found["trusted"] else "no: it is not asked"


def _answers(found: Mapping[str, Any]) -> str:
    if found["reachable"] is None:
        return "not asked"
    if not found["reachable"]:
        return f"no: {line(found['problem'])}"
    return "yes" + (f", revision {line(found['revision'])}" if found["revision"] else "")


def _when(at: Any) -> str:
    """The minute of a journal's row, which anybody who can write the file may have changed."""
    from datetime import UTC, datetime

    known = isinstance(at, int) and 0 < at < 1 << 47
    return times.iso(datetime.fromtimestamp(at / 1000, UTC)) if known else "at an unknown time"
