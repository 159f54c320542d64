"""What a change does to the records, in a person's words: at most one finding a record and rule.

A file that only moved says so; one that differs in comments or spelling alone says nothing.
"""

from __future__ import annotations

from chalkgit.answers import review_claims
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_secrets import bare_name
from chalkgit.answers.review_words import KINDS, called, changed, named, quoted, some
from chalkgit.records import changes
from chalkgit.records.record import Record, is_open, person
from chalkgit.records.status import excluded, restriction

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from chalkgit.answers.review_sides import Sides

_RESOLVED = ("resolution", "lesson", "resolved-by", "distilled-by")


def findings(sides: Sides, judged: Collection[str] = ()) -> Iterator[Finding]:
    """judged: the ids of records whose review is told of by another rule."""
    broken = {problem.path for problem in sides.problems if problem.fatal}
    for record_id in sides.changed:
        before, after = sides.before.get(record_id), sides.after.get(record_id)
        if after is None:
            assert before is not None
            if before.path not in broken:
                yield _deleted(sides, before)
        elif before is None:
            yield _added(sides, after)
        elif before.fields == after.fields:
            if before.path != after.path:
                yield _finding(sides, "moves", after, f"moves {named(after)} here from {before.path}")
        else:
            yield from _edited(sides, before, after, after.id in judged)
    yield from _reopened(sides)


def _finding(sides: Sides, rule: str, record: Record, message: str, *fields: str, **more: Any) -> Finding:
    line = sides.line(record, *fields)
    return Finding(rule, record.path, message, line=line, record=record.id, title=called(record), **more)


def _deleted(sides: Sides, record: Record) -> Finding:
    # no command that brings it back: what was forgotten on purpose, a secret say, would be there again
    message = f"deletes {named(record)}: no tombstone tells why"
    return Finding("deletes", record.path, message, record=record.id, title=called(record))


def _added(sides: Sides, record: Record) -> Finding:
    kind = f"open {KINDS[record.kind]}" if is_open(record) else KINDS[record.kind]
    author = person(record.get("by"))
    message = f"adds the {kind} {named(record)}" + (f", by {quoted(author, 60)}" if author else "")
    why = excluded(record, now=sides.now, superseded={})
    if why not in (None, "open", "expired", "not valid yet"):  # of its time `rots` tells
        message += f" ({why} from the start)"
    details = [f"{name}: {quoted(value)}" for name, value in _gist(record)]
    replaced = [i for i in record.items("supersedes") if i in sides.after or i in sides.before]
    if not replaced:
        return _finding(sides, "adds", record, message, "route", "lesson", "failure", details=details)
    message += f", in place of {some([_other(sides, i) for i in replaced])}"
    return _finding(sides, "supersedes", record, message, "supersedes", details=details)


def _gist(record: Record) -> Iterator[tuple[str, Any]]:
    """What a reader would act on, beside the title."""
    for name, words in (("observation", "why"), ("trap", "mind"), ("alternative", "instead")):
        if record.text(name):
            yield words, record.text(name)
    rule = record.text("lesson")
    if record.kind == "lesson" and rule and record.text("resolution") not in (None, rule):
        yield "because", record.text("resolution")


def _other(sides: Sides, record_id: str) -> str:
    other = sides.after.get(record_id) or sides.before.get(record_id)
    return named(other) if other is not None else record_id


def _edited(sides: Sides, before: Record, after: Record, judged: bool) -> Iterator[Finding]:
    differ = {name: (old, new) for name, old, new in changes.differences(before.fields, after.fields)}
    happened = changes.events(before.fields, after.fields)
    if changes.RETIRED in happened:
        because = after.part("retired", "because")
        message = f"retires {named(after)}: {quoted(because) if because else 'it does not say why'}"
        yield _finding(sides, "retires", after, message, "retired")
    if changes.SETTLED in happened:
        commit = _commit(after.text("settled"))
        yield _finding(
            sides, "settles", after, f"settles {named(after)}: {commit} removed its cause", "settled"
        )
    new = [i for i in after.items("supersedes") if i not in before.items("supersedes")]
    if new:
        message = f"{named(after)} takes the place of {some([_other(sides, i) for i in new])}"
        yield _finding(sides, "supersedes", after, message, "supersedes")
    if changes.RESOLVED in happened:
        said = quoted(after.text("lesson") or after.text("resolution"))
        yield _finding(sides, "resolves", after, f"resolves {named(before)}: {said}", "resolution", "lesson")
        for name in _RESOLVED:
            differ.pop(name, None)
    claims = review_claims.compared(before.fields, after.fields)
    yield from _claimed(sides, after, claims)
    told = {*claims.weaker, *claims.stronger}
    told.update(_taken_back(before, after), ["review"] if judged else [])
    rest = {n: d for n, d in differ.items() if n not in told and not _is_told(n, *d)}
    if rest:
        details = [f"{bare_name(name)} {_differs(name, *both)}" for name, both in rest.items()]
        said = details[0] if len(rest) == 1 else some(map(bare_name, rest), 5)
        message = f"corrects {named(after)}: {said}"
        details = details if len(rest) > 1 else []
        yield _finding(sides, "corrects", after, message, *rest, details=details)


def _commit(text: str | None) -> str:
    """As people write it; a name is whole."""
    said = quoted(text, 60)
    return said[:12] if len(said) in (40, 64) and all(c in "0123456789abcdef" for c in said) else said


def _is_told(name: str, old: Any, new: Any) -> bool:
    """Whether a finding of another rule tells of this difference."""
    if name == "supersedes":
        return bool(set(new or ()) - set(old or ())) or not set(old or ()) - set(new or ())
    return name in ("retired", "settled") and old is None


def _differs(name: str, old: Any, new: Any) -> str:
    if name == "review" and new is None and isinstance(old, dict):
        return f"no longer {quoted(old.get('state', 'there'))}"
    return changed(old, new, name)


def _taken_back(before: Record, after: Record) -> dict[str, str]:
    """Of what closed the record and does so no more, field to state; `_reopened` tells of it."""
    states = {"retired": "retired", "settled": "settled"}
    gone = {n: state for n, state in states.items() if before.get(n) is not None and after.get(n) is None}
    kept_out = restriction(before)
    return gone if kept_out is None or restriction(after) is not None else {**gone, "review": kept_out}


def _claimed(sides: Sides, record: Record, claims: review_claims.Claims) -> Iterator[Finding]:
    weaker, stronger = claims.weaker, claims.stronger
    if not weaker and not stronger:
        return
    rule = "weakens" if weaker else "strengthens"
    first = weaker or stronger
    if weaker and stronger:
        message = (
            f"weakens {named(record)} in {', '.join(weaker)}, and strengthens it in {', '.join(stronger)}"
        )
        details = [*(f"weaker: {said}" for said in weaker.values())]
        details += [f"stronger: {said}" for said in stronger.values()]
    elif len(first) == 1:
        message, details = f"{rule} {named(record)}: {next(iter(first.values()))}", []
    else:
        message, details = f"{rule} {named(record)}: {', '.join(first)}", list(first.values())
    weight = float(review_claims.strength(record.text("degree")))
    yield _finding(sides, rule, record, message, *first, details=details, weight=weight)


def _reopened(sides: Sides) -> Iterator[Finding]:
    """Those that could not be recalled before and may be now, whichever file made it so."""
    freed = [i for i in sides.replaced_before if i not in sides.replaced and i in sides.after]
    for record_id in dict.fromkeys([*sides.changed, *freed]):
        after = sides.after.get(record_id)
        before = sides.before.get(record_id) or (after if record_id in freed else None)
        if before is None or after is None:
            continue
        was = excluded(before, now=sides.now, superseded=sides.replaced_before)
        if was in (None, "open", "not valid yet"):
            continue
        closed = [_closed(before, state) for state in _taken_back(before, after).values()]
        still = excluded(after, now=sides.now, superseded=sides.replaced)
        if still in (None, "open"):
            said = " and ".join(dict.fromkeys([_closed(before, was), *closed]))
            yield _finding(sides, "reopens", after, f"reopens {named(after)}: it was {said}", "valid-until")
        elif closed:
            message = f"takes back that {named(after)} was {' and '.join(closed)}; it stays {still}"
            yield _finding(sides, "reopens", after, message)


def _closed(record: Record, was: str) -> str:
    because = record.part("retired", "because") if was == "retired" else record.part("review", "because")
    because = record.text("settled") if was == "settled" else because
    return (
        f"{was} ({quoted(because)})"
        if because and was in ("retired", "settled", "rejected", "quarantined")
        else was
    )
