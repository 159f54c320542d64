"""Texts to word pieces, as fastembed cuts them: the only user of tokenizers.

`tokenizer` follows fastembed's rules for the files of a model. Reading 30,000 words out of tokenizer.json is
most of what loading one costs (17 ms, of 138 for all of a query): `split` puts them into a file of their own,
line by line, where the same tokenizer comes out of it in half the time.
"""

from __future__ import annotations

import json
import os
import sys

import tokenizers

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

WORDS, REST = "words.txt", "words.json"
MODEL = ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word")


def tokenizer(directory: str, prepared: str | None = None) -> tuple[Any, int]:
    """The tokenizer of a model's folder, cutting long texts where fastembed does, and the id it pads with.

    prepared: a folder that `split` was given for the same files. ValueError where the files lack something,
    and what tokenizers raises where they are damaged.
    """
    settings = _json(directory, "tokenizer_config.json")
    whole = prepared is None or not os.path.exists(os.path.join(prepared, REST))
    made = _whole(directory) if whole else _joined(str(prepared))
    limits = [limit for limit in map(settings.get, ("model_max_length", "max_length")) if _is_limit(limit)]
    if not limits:
        raise ValueError("tokenizer_config.json does not say how long a text may be")
    side = settings.get("truncation_side") or (made.truncation or {}).get("direction", "right")
    made.enable_truncation(max_length=min(limits), direction=side)
    for token in _special(_json(directory, "special_tokens_map.json", {})):
        made.add_special_tokens([tokenizers.AddedToken(**token) if isinstance(token, dict) else token])
    padding = made.padding or {}
    made.no_padding()
    word = padding.get("pad_token") or settings.get("pad_token")
    known = padding.get("pad_id", _json(directory, "config.json", {}).get("pad_token_id"))
    number = made.token_to_id(word) if known is None and word is not None else known
    if number is None:
        raise ValueError("the tokenizer's files name no token to pad with")
    return made, int(number)


def split(directory: str, prepared: str) -> None:
    """Put the words and the rest of a tokenizer into two files; none where that would lose anything."""
    found = _json(directory, "tokenizer.json")
    model = found["model"]
    if model.get("type") != "WordPiece":
        return
    words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    added = {token["content"]: token["id"] for token in found["added_tokens"]}
    found["model"] = {**model, "vocab": {model["unk_token"]: model["vocab"][model["unk_token"]], **added}}
    options = {name: model[name] for name in MODEL}
    with open(os.path.join(prepared, WORDS), "w", encoding="utf-8", newline="\n") as handle:
        handle.writelines(f"{word}\n" for word in words)
    with open(os.path.join(prepared, REST), "w", encoding="utf-8") as handle:
        json.dump({"tokenizer": json.dumps(found), "model": options}, handle)
    if _joined(prepared).to_str() != _whole(directory).to_str():
        os.unlink(os.path.join(prepared, REST))


def _whole(directory: str) -> Any:
    return tokenizers.Tokenizer.from_file(os.path.join(directory, "tokenizer.json"))


def _joined(prepared: str) -> Any:
    rest = _json(prepared, REST)
    made = tokenizers.Tokenizer.from_str(rest["tokenizer"])
    made.model = tokenizers.models.WordPiece.from_file(os.path.join(prepared, WORDS), **rest["model"])
    return made


def _is_limit(value: Any) -> bool:
    # transformers writes 1e30 where it does not know
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= sys.maxsize


def _special(listed: dict[str, Any]) -> list[Any]:
    values = [value if isinstance(value, list) else [value] for value in listed.values()]
    return [token for tokens in values for token in tokens if isinstance(token, str | dict)]


def _json(directory: str, name: str, absent: dict[str, Any] | None = None) -> Any:
    try:
        with open(os.path.join(directory, name), encoding="utf-8") as handle:
            return json.load(handle)
    except FileNotFoundError:
        if absent is None:
            raise
        return absent
