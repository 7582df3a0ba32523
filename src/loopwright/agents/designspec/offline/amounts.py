"""Changes of a size: `20 % taller`, `twice as wide`, `10 mm longer`, `to 25 mm`, `half the radius`."""

import re
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.designspec.offline.quantities import NUMBER, Length, UnusableQuantity, lengths, number

_LESS = r"smaller|shorter|narrower|thinner|lower|less|slimmer|flatter|finer|decrease|reduce|shrink|shorten|lower"
_PERCENT = re.compile(rf"(?<![\w.])([-+]?{NUMBER})\s?(?:%|percent|per cent)", re.I)
_TIMES = re.compile(
    rf"(?<![\w.])({NUMBER})\s?(?:x\b(?!\s*[-=\d])|times|fold|-fold)|\b(?:scale|"
    rf"multiply)\b.*?\bby (?:a )?(?:factor (?:of )?)?({NUMBER})(?!\s*(?:%|[a-zµ]))",
    re.I,
)
_WORDS = {
    r"twice|double[ds]?|doubling": 2.0,
    r"thrice|tripled?|triples": 3.0,
    r"quadrupled?": 4.0,
    r"half|halved?|halves": 0.5,
    r"a third": 1 / 3,
    r"a quarter": 0.25,
}


@dataclass(frozen=True)
class Amount:
    """How a size changes: times a factor, by metres more (or less), or to metres."""

    kind: Literal["factor", "delta", "absolute"]
    value: float
    unit_given: bool = True

    def of(self, old: float, metres_per_unit: float) -> float:
        """The new size, in the units of the old one.

        Raises:
            UnusableQuantity: nothing would be left.
        """
        scaled = self.value / metres_per_unit
        new = {"factor": old * self.value, "delta": old + scaled, "absolute": scaled}[self.kind]
        if new <= 0:
            raise UnusableQuantity("Nothing would be left of it.")
        return new


def is_less(clause: str) -> bool:
    """Whether a clause speaks of making something smaller."""
    return re.search(rf"\b(?:{_LESS})\b", clause, re.I) is not None


def read_amount(clause: str) -> Amount | None:
    """The change that a clause speaks of; None when it gives no amount.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    less = is_less(clause)
    percent = _PERCENT.search(clause)
    if percent:
        share = number(percent[1]) / 100
        if re.search(r"\b(?:to|of)\s*$", clause[: percent.start()], re.I):
            return Amount("factor", share)
        return Amount("factor", 1 - abs(share) if less else 1 + share)
    for words, factor in _WORDS.items():
        if re.search(rf"\b(?:{words})\b", clause, re.I):
            return Amount("factor", factor)
    times = _TIMES.search(clause)
    if times:
        return Amount("factor", 1 / _nonzero(number(times[1] or times[2])) if less else number(times[1] or times[2]))
    found = lengths(clause)
    return _by_length(clause, found[0], less) if found else None


def _by_length(clause: str, length: Length, less: bool) -> Amount:
    comparative = re.search(
        r"\b(?:taller|higher|wider|longer|thicker|bigger|larger|deeper|broader|more|smaller|"
        r"shorter|narrower|thinner|less|"
        r"slimmer|flatter|finer)\b(?! than)|\bby\s*$",
        clause if re.search(r"er\b|more|less", clause, re.I) else clause[: length.start],
        re.I,
    )
    if comparative and not re.search(r"\bto\s*$", clause[: length.start], re.I):
        return Amount("delta", -abs(length.metres) if less else length.metres, length.unit_given)
    return Amount("absolute", length.metres, length.unit_given)


def _nonzero(value: float) -> float:
    if value == 0:
        raise UnusableQuantity("Nothing can be zero times as large.")
    return value
