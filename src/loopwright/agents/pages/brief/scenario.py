"""Which kind of product a text is about: keywords in English and Chinese, no model."""

import re
from dataclasses import dataclass
from functools import cache

from loopwright.agents.pages.brief.knowledge import Product, products

UNKNOWN = "unknown"

STRONG_WEIGHT = 2
"""A keyword that names the product ("coffee shop", "kanban") counts as two that merely fit it ("menu", "task")."""


@dataclass(frozen=True)
class ScenarioMatch:
    """How well a text fits a product type. `keywords` are the ones found in it."""

    name: str
    confidence: float
    keywords: tuple[str, ...] = ()


def detect_scenario(text: str, min_confidence: float = 0.5, fallback: str = UNKNOWN) -> ScenarioMatch:
    """The scenario of a text, or `fallback` (with the confidence of the best guess) when nothing is sure enough.

    Confidence = min(1, hits / 3), as the field notes have it, where a strong keyword counts as two hits: with the
    default threshold, one strong or two weak keywords are needed.
    """
    best = rank_scenarios(text)[:1]
    if best and best[0].confidence >= min_confidence:
        return best[0]
    return ScenarioMatch(fallback, best[0].confidence if best else 0.0)


def rank_scenarios(text: str) -> list[ScenarioMatch]:
    """All product types that have a keyword in the text, the best first; equals keep alphabetical order."""
    scored = [(hits, match) for known in products().values() for hits, match in [_match(known, text)] if hits]
    return [match for _, match in sorted(scored, key=lambda pair: -pair[0])]


def _match(known: Product, text: str) -> tuple[int, ScenarioMatch]:
    strong = _found(text, known.keywords.strong.en, known.keywords.strong.zh)
    weak = _found(text, known.keywords.weak.en, known.keywords.weak.zh)
    hits = STRONG_WEIGHT * len(strong) + len(weak)
    return hits, ScenarioMatch(known.product_type, round(min(1.0, hits / 3), 2), (*strong, *weak))


def _found(text: str, english: tuple[str, ...], chinese: tuple[str, ...]) -> tuple[str, ...]:
    words = {_normal(match) for match in _pattern(english).findall(text)} if english else set()
    return (*(word for word in english if _normal(word) in words), *(word for word in chinese if word in text))


def _normal(word: str) -> str:
    return re.sub(r"[\s-]+", " ", word.lower())


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """All words at once, at word boundaries; a blank in a word also matches a hyphen and a line break.

    A look-ahead captures, so that words inside other words ("coffee" in "coffee shop") are found as well.
    """
    forms = (re.sub(r"[ -]", r"[\\s-]+", re.escape(word).replace(r"\ ", " ").replace(r"\-", "-")) for word in words)
    ordered = sorted(forms, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?=({'|'.join(ordered)})(?!\w))", re.IGNORECASE)
