"""What a model's answers are taken to mean: the values stand in `thresholds`, or are measured by the user."""

from __future__ import annotations


class Calibration:
    """What a model's answers mean on the proposals it was measured on.

    lexical, shared: from where on one of the two measures decides. consent: the cosine below which rare words
    in common do not. near: the order from which on a hit among `records` is worth a look. sure: confidence of
    a hit over the rule, (intercept, per margin); unsure: of one below it. Where `measured` is False the words
    decide, and nothing is near by meaning alone but from the cosine `alike` on.
    """

    __slots__ = (
        "alike",
        "consent",
        "lexical",
        "measured",
        "near",
        "records",
        "shared",
        "source",
        "sure",
        "unsure",
    )

    def __init__(
        self,
        lexical: float,
        shared: float,
        source: str,
        *,
        consent: float = -1.0,
        near: float = 9.0,
        records: int = 1_809,
        alike: float = 2.0,
        sure: tuple[float, float],
        unsure: tuple[float, float] = (-0.5, 0.1),
        measured: bool = True,
    ) -> None:
        self.lexical = lexical
        self.shared = shared
        self.source = source
        self.consent = consent
        self.near = near
        self.records = records
        self.alike = alike
        self.sure = sure
        self.unsure = unsure
        self.measured = measured
