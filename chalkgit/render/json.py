"""Answers as JSON objects. Others script against these keys: they are COMMANDS, not decoration."""

from __future__ import annotations

import json
from collections.abc import Sequence

from chalkgit.records.record import person
from chalkgit.render.clean import json_text

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.as_of import AsOf
    from chalkgit.answers.catalogue import Entry
    from chalkgit.answers.check import Answer
    from chalkgit.answers.ruling import Ruling
    from chalkgit.errors import Problem

VERSION = 1
_SHOWN = ("route", "observation", "trap", "alternative", "lesson", "layer", "scope", "degree", "action")


def text(value: object) -> str:
    return json_text(json.dumps(value, ensure_ascii=False, indent=2))


def line(value: object) -> str:
    return json_text(json.dumps(value, ensure_ascii=False))


def ruling(one: Ruling) -> dict[str, Any]:
    record = one.record
    return {
        "id": record.id,
        "ref": record.get("ref"),
        "kind": record.kind,
        **{name: record.get(name) for name in _SHOWN},
        "confidence": round(one.confidence, 4),
        "lexical": _rounded(one.lexical),
        "semantic": _rounded(one.semantic),
        "method": one.method,
        "why": one.why,
        "feedback": _feedback(one),
        "elsewhere": one.elsewhere,
        "shares": one.shares,
        "store": one.place.root,
        "label": one.label or None,
        "source": one.source,
        "stale": one.stale,
        "drift": one.drift,
        "reopened": one.reopened,
        "trust": one.trust,
        "by": person(record.get("by")),
        "when": one.when,
        "recorded_at": one.recorded_at,
        "commit": one.commit,
        "unknown": one.unknown,
        "path": record.path,
    }


def _feedback(one: Ruling) -> dict[str, int] | None:
    marks = one.feedback
    return {"wrong": marks.wrong, "useful": marks.useful} if marks is not None else None


def check(answer: Answer) -> dict[str, Any]:
    return {
        "version": VERSION,
        "proposal": answer.proposal,
        "verdict": answer.verdict,
        "rulings": [ruling(r) for r in answer.rulings],
        "near": [ruling(r) for r in answer.near],
        "procedures": [ruling(r) for r in answer.procedures],
        "below": answer.below,
        "withheld": answer.withheld,
        "semantic": {
            "ran": answer.ran,
            "model": answer.model,
            "covered": answer.covered,
            "skipped": answer.skipped,
            "hint": answer.hint,
            "calibration": answer.calibration,
        },
        "rerank": _rerank(answer),
        "decider": answer.decider.as_json() if answer.decider else None,
        "bypassed": answer.bypassed,
        "records": answer.records,
        "as_of": as_of(answer.as_of),
    }


def _rerank(answer: Answer) -> dict[str, Any] | None:
    second = answer.rerank
    return {key: getattr(second, key) for key in ("ran", "model", "skipped", "hint")} if second else None


def batch(answer: Answer) -> dict[str, Any]:
    """A line of `check --batch`: the answer, and the best candidates whatever the verdict."""
    hits = [
        {"id": r.record.id, "ref": r.record.get("ref"), "confidence": round(r.confidence, 6)}
        for r in answer.hits
    ]
    return {**check(answer), "hits": hits, "score": hits[0]["confidence"] if hits else 0.0}


def as_of(moment: AsOf | None) -> dict[str, Any] | None:
    """The moment that was asked about, null where none was."""
    if moment is None:
        return None
    from chalkgit.render.as_of import as_json  # few questions have a moment of their own

    return as_json(moment)


def at(
    paths: Sequence[str],
    rulings: Sequence[Ruling],
    records: int,
    bypassed: bool,
    moment: AsOf | None = None,
    *,
    withheld: int = 0,
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "paths": list(paths),
        "rulings": [{**ruling(r), "files": r.files} for r in rulings],
        "withheld": withheld,
        "bypassed": bypassed,
        "records": records,
        "as_of": as_of(moment),
    }


def findings(problems: Sequence[Problem]) -> dict[str, Any]:
    rows = [
        {"path": p.path, "line": p.line, "message": p.message, "hint": p.hint, "fatal": p.fatal}
        for p in problems
    ]
    return {"version": VERSION, "findings": rows}


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def entry(one: Entry) -> dict[str, Any]:
    """A record of `list` and `show`: every field as the file has it, and what the store says of it."""
    return {
        **one.record.fields,
        "id": one.record.id,
        "ref": one.record.get("ref"),
        "path": one.record.path,
        "status": one.status,
        "superseded_by": one.superseded_by,
        "reopened": one.reopened,
        "trust": one.trust,
        "recorded_at": one.recorded_at,
        "commit": one.commit,
        "unknown": one.unknown,
    }
