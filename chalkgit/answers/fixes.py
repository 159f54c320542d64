"""Does a note name the fix, or only the symptom? Asked before it becomes what the next person is told.

No model: English words and the shapes of code, as data (`fixes_words`). A symptom is said to be one only
where the note has words of one, and nothing that tells what to do (an action, a setting, a version, a
command). Whatever is neither, and whatever is not plainly English, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from chalkgit import thresholds
from chalkgit.answers import fixes_words as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHARACTERS = thresholds.FIX_CHARACTERS
ENGLISH_SHARE = thresholds.FIX_ENGLISH_SHARE

_NO_ORDERS = frozenset(("pass", "return", "do", "run"))  # “it should pass” is a wish
_BEFORE_ORDERS = frozenset("fix and then so or to please just simply first now".split())


def empty(text: str) -> str | None:
    """The text, where there is no more in it than that something failed or that it is gone (“flaky”, “fixed”,
    “ok”): so little that nobody could take it for a fix. None of other text."""
    text = " ".join(text.replace("’", "'").split())
    if len(text) > thresholds.FIX_EMPTY_CHARACTERS:
        return None
    bare = text.strip(" .!?,;:-").casefold()
    if text.isascii() and len(bare) < 3 and not any(c.isdigit() for c in bare):
        return text  # `?`, `ok`; `-j1` may be what helped
    said = words.EMPTY.fullmatch(bare) or words.BARE.fullmatch(bare)
    # “ignore it” is an order, and may be all that there is to say
    return text if said and _is_english(text) and not _names_fix(text) else None


def symptom(text: str, failure: Mapping[str, Any] | None = None) -> str | None:
    """The words by which the text names a symptom and no fix; None where it has one, or cannot be judged."""
    text = " ".join(text[:CHARACTERS].replace("’", "'").split())
    if failure and repeats(text, failure):
        return text
    if not any(len(word) >= 3 for word in words.WORD.findall(text)) and text.isascii():
        return text
    if empty(text) is not None:
        return text
    # of “When S, do Y” S is the symptom by right
    situation, sign, rest = text.partition(", ")
    text = rest if sign and situation[:5].casefold() == "when " else text
    if not _is_english(text):
        return None
    if words.EMPTY.fullmatch(text.strip(" .!?,;:-").casefold()):
        return text
    found = words.SYMPTOM.search(text) or words.SYMPTOM.search(text.casefold())
    return found.group() if found and not _names_fix(text) else None


def repeats(text: str, failure: Mapping[str, Any]) -> bool:
    """Whether the text is the failure's own error line (or reason) over again."""
    said = _bare(text)
    return bool(said) and said in {_bare(line) for line in _lines(failure)}


def _lines(failure: Mapping[str, Any]) -> Iterable[str]:
    for name in ("error", "reason"):
        value = failure.get(name)
        if isinstance(value, str):
            yield value
            yield from value.split("\n")


def _bare(text: str) -> str:
    return " ".join(words.PRINTED.sub("", text.strip()).casefold().split()).strip(" .!:;\"'“”`")


def _is_english(text: str) -> bool:
    if any(c.isalpha() and not c.isascii() for c in text):
        return False
    found = words.WORD.findall(text)
    # names of code are no language's
    plain = [word for word in found if word.islower() or word.istitle() or len(word) == 1]
    lowered = [word.casefold() for word in plain]
    if any(word in words.FOREIGN for word in lowered):
        return False
    if len(lowered) <= 3:
        return True
    of_symptoms = {
        word for found in words.SYMPTOM.finditer(text.casefold()) for word in found.group().split()
    }
    known = sum(word in words.ENGLISH or word in of_symptoms for word in lowered)
    return known >= ENGLISH_SHARE * len(lowered)


def _names_fix(text: str) -> bool:
    if words.SETTING.search(text) or words.INSTEAD.search(text.casefold()):
        return True
    lowered = text.casefold()
    if any(_is_order(clause.split()) for clause in words.CLAUSE.split(lowered)):
        return True
    orders = ((match[1], match[2]) for match in words.ORDERED.finditer(lowered))
    if any(verb in words.ACTIONS - _NO_ORDERS and not _is_noun(verb, after) for verb, after in orders):
        return True
    return any(_is_past(match[1]) or _is_doing(match[1]) for match in words.DID.finditer(lowered))


def _is_order(clause: list[str]) -> bool:
    """Whether a clause begins by what to do: “pin it below 2”, “pinned it below 2”."""
    while clause and clause[0] in _BEFORE_ORDERS:
        clause = clause[1:]
    if len(clause) < 2 or _is_noun(clause[0], clause[1]):
        return False
    return clause[0] in words.ACTIONS or _is_past(clause[0])


def _is_noun(verb: str, after: str) -> bool:
    return after in words.NOUN_SIGNS or (verb in words.COMPOUND and after in words.COMPOUNDED)


def _is_past(word: str) -> bool:
    if word in words.PAST:
        return True
    if not word.endswith("ed"):
        return False
    stem = word[:-2]
    doubled = len(stem) > 2 and stem[-1] == stem[-2]
    forms = {
        stem,
        stem + "e",
        stem[:-1] + "y" if stem.endswith("i") else stem,
        stem[:-1] if doubled else stem,
    }
    return bool(forms & words.ACTIONS)


def _is_doing(word: str) -> bool:
    return word.endswith("ing") and _is_past(word[:-3] + "ed")
