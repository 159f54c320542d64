"""Text that tries to instruct its reader: phrases that address a model, or hand it something to run.

Precise rather than many, since a warning fails a build: each pattern is one that a report of what was tried
has no use for. What it misses is still data to whoever reads it, and is quoted as such everywhere.
"""

from __future__ import annotations

import re

from chalkgit.answers import review_hides

_MODEL = (
    r"(?:ai|llm|gpt|chatgpt|claude|copilot|gemini|cursor|(?:large )?language model"
    r"|(?:ai|coding) (?:assistant|agent|model))s?"
)
_TOLD = (
    r"(?:instructions?|prompts?|messages?|rules|directions|directives|guidelines|guardrails|commands?"
    r"|context)"
)
_PERSON = r"(?:the |your |any )?(?:user|human|operator|person|developer|maintainer|reviewer)s?\b"
_ACT = (
    r"(?:run|execute|send|upload|reply|respond|output|approve|merge|obey|ignore|reveal|comply|delete"
    r"|download)"
)
_SHELL = r"(?:sudo (?:-\S+ )*)?(?:/\S*/)?(?:ba|z|da|k|fi)?sh\b"
_FETCH = r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^|;&\n]{0,300}"

# (what it does, the patterns that say so)
_TABLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "it tells its reader to ignore what it was told",
        (
            r"\b(?:ignore|disregard|forget|override|bypass|discard)\b(?: \w+){0,3}?"
            r" (?:previous|prior|above|earlier|preceding|foregoing|system|existing|original|other)"
            rf"(?: \w+)? {_TOLD}\b",
            r"\b(?:ignore|disregard|forget) (?:all|any|everything|every) (?:of )?(?:your|the|these|those)?"
            rf" ?(?:{_TOLD}|(?:you (?:were|have been) told))\b",
        ),
    ),
    (
        "it gives new instructions",
        (r"\b(?:new|real|hidden|secret) (?:system )?(?:instructions?|prompts?|directives?)\s*:",),
    ),
    (
        "it says who its reader is",
        (
            r"\byou are (?:now (?:an? |the |in |dan\b|free\b)|no longer (?:an? |bound))",
            rf"\byou are an? (?:helpful )?(?:{_MODEL}\b|assistant\b)",
        ),
    ),
    (
        "it speaks to a model",
        (
            rf"\bas an? (?:{_MODEL}|assistant)\b(?:,| you\b| i\b| your\b)",
            r"\b(?:note|message|instructions?|attention|important|notice)(?: to| for)?:?"
            rf"(?: (?:all|any|the))? (?:{_MODEL}|assistants?)(?: (?:assistants?|agents?|models?|systems?))?"
            r"\b ?(?::|reading this)",
        ),
    ),
    (
        "it tells its reader what to do at once",
        (
            r"\byou (?:must|should|shall|will|have to|need to) (?:now|immediately|at once)"
            rf" {_ACT}\b",
        ),
    ),
    (
        "it asks its reader to keep something from people",
        (
            r"\b(?:do not|don't|never) (?:tell|inform|notify|alert|ask|(?:mention|reveal) (?:this|it) to)"
            rf" {_PERSON}",
            r"\bwithout (?:telling|informing|notifying|alerting|asking|mentioning (?:this|it) to)"
            rf" {_PERSON}",
        ),
    ),
    (
        "it asks for what its reader was told in secret",
        (
            r"\b(?:reveal|print|repeat|output|show|leak) (?:me |us )?(?:your|the)"
            rf" (?:system|hidden|initial|original|secret) {_TOLD}\b",
        ),
    ),
    (
        "it asks for secrets to be sent somewhere",
        (
            r"\b(?:send|post|upload|exfiltrate|leak|forward|e?mail|submit)\b[^.\n]{0,60}\b"
            r"(?:api.?keys?|secrets?|credentials?|access tokens?|passwords?|environment variables|\.env\b"
            r"|ssh keys?|private keys?)\b[^\n]{0,40}\bto (?:https?://|\S+@\S+)",
        ),
    ),
    (
        "it asks to be taken for reviewed",
        (
            r"\b(?:always|automatically|silently|blindly) (?:approve|merge|accept)"
            r" (?:this|all|any|every|the)\b",
            r"\b(?:mark|treat|consider|regard) this (?:record|lesson|ruling|text|file)? ?as "
            r"(?:approved|reviewed|trusted|verified|authoritative|an? (?:system|instruction))",
        ),
    ),
    (
        "it imitates the marks of a conversation with a model",
        (
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id"
            r"|end_header_id|eot_id)\|>|\[/?INST\]|<</?SYS>>",
            r"(?<!\w)</?(?:system[-_ ]?(?:prompt|reminder|message|instructions?)|function_calls?"
            r"|tool_(?:calls?|use|results?)|antml:\w+|assistant|system)(?: [^<>\n]{0,80})?>",
            r"</lessons>",
            r"^\s*#{2,} ?(?:system|instructions?|assistant|response) ?:",
            r"^\s*(?:system|assistant) ?: ?(?:you|ignore|sure|i |from now)",
        ),
    ),
    (
        "it imitates the call of a tool",
        (
            r"\"(?:tool|tool_name|function|name|recipient_name|action)\"\s*:\s*\"[^\"\n]{1,60}\"\s*,\s*"
            r"\"(?:arguments|parameters|args|input|tool_input|action_input|params)\"\s*:\s*[{\[\"]",
            r"\"(?:tool_calls|tool_use|function_call)\"\s*:\s*[{\[\"]",
            r"\"type\"\s*:\s*\"(?:tool_use|tool_call|function_call|tool_result)\"",
        ),
    ),
    (
        "it runs what it downloads",
        (
            rf"{_FETCH}\| ?{_SHELL}",
            rf"{_FETCH}\| ?(?:sudo )?(?:python|perl|ruby|node)\d?\b",
            r"\b(?:ba|z)?sh (?:-c )?[\"']?(?:\$\(|<\() ?(?:curl|wget)\b|\beval [\"']?\$\( ?(?:curl|wget)\b",
            rf"\bbase64 (?:-d|--decode)\b[^|;\n]{{0,100}}\| ?{_SHELL}",
            r"\b(?:iex|invoke-expression)\b[^\n]{0,100}\b(?:iwr|invoke-webrequest|downloadstring)\b",
        ),
    ),
)
_PATTERNS = tuple(
    (words, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for words, patterns in _TABLE
    for pattern in patterns
)


def found(text: str) -> tuple[str, str] | None:
    """What it tries, in words, and the passage; None where it does not."""
    lines = _spaced(review_hides.plain(text))
    # a sentence may go over the end of a line, and some patterns begin one
    for plain in dict.fromkeys((lines, lines.replace("\n", " "))):
        for words, pattern in _PATTERNS:
            match = pattern.search(plain)
            if match is not None:
                return words, match[0].strip()
    return None


def _spaced(text: str) -> str:
    """One blank between words; the beginnings of lines stay."""
    text = text.replace("’", "'")
    return re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[^\S\n]+", " ", text))
