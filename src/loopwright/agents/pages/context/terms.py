"""The terms of a text: stems of its words, the concepts that these stand for, and pairs of Chinese signs."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

CONCEPT = "concept:"
"""How a term begins that is a concept rather than a word: "pay" and "invoice" share `concept:payment`."""

_WORD = re.compile(r"[a-z][a-z'’]*[a-z]|[a-z]+\d*|\d+[a-z]+", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_SUFFIXES = (
    ("ations", ""),
    ("ation", ""),
    ("ingly", ""),
    ("ments", ""),
    ("ment", ""),
    ("ness", ""),
    ("ings", ""),
    ("ing", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ers", ""),
    ("est", ""),
    ("ed", ""),
    ("er", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
)
"""Endings of English words that change neither subject nor thing, longest first."""

SHORTEST_STEM = 3
"""Letters that a stem keeps: "ring" is no "r"."""


@cache
def stem(word: str) -> str:
    """A word without its ending, so that "vaccines" and "vaccination", "close" and "closing" are one term.

    A small suffix stripper in the manner of Porter's algorithm; what matters is that both sides are cut alike.
    """
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and not word.endswith(("ss", "us")):
            left = word.removesuffix(suffix) + replacement
            if len(left) >= SHORTEST_STEM and re.search(r"[aeiouy]", left):
                word = left
                break
    if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]  # "shipp" of "shipping"
    return word[:-1] if len(word) > SHORTEST_STEM and word.endswith("e") else word


def words(text: str) -> list[str]:
    """The stems of the words that carry meaning, in their order; of Chinese text, pairs of neighbouring signs."""
    plain = re.sub(r"[_.\-/]", " ", text.lower())
    found = [stem(word.replace("’", "'").removesuffix("'s")) for word in _WORD.findall(plain) if word not in _stop()]
    for run in _CHINESE.findall(text):
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return found


def concepts(text: str) -> frozenset[str]:
    """The concepts that words of the text stand for, in English or Chinese."""
    english, chinese = _lexicon()
    stems = [stem(word) for word in re.findall(r"[a-z]+", re.sub(r"[_.\-/]", " ", text.lower()))]
    pairs = [f"{one} {two}" for one, two in pairwise(stems)]
    triples = [f"{one} {two}" for one, two in zip(pairs, stems[2:], strict=False)]
    found = {name for key in (*stems, *pairs, *triples) for name in english.get(key, ())}
    if _CHINESE.search(text):
        found |= {name for key, names in chinese.items() if key in text for name in names}
    return frozenset(CONCEPT + name for name in found)


@cache
def _stop() -> frozenset[str]:
    """Words that every text has, and those that every request for an app has."""
    return frozenset(_read("stop_words.json"))


@cache
def _lexicon() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """Concepts by the stems of English words (a phrase has blanks) and by Chinese words."""
    groups: dict[str, list[str]] = _read("concepts.json")
    english: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, tuple[str, ...]] = {}
    for name, members in groups.items():
        for member in members:
            if _CHINESE.search(member):
                chinese[member] = (*chinese.get(member, ()), name)
            else:
                key = " ".join(stem(word) for word in re.findall(r"[a-z]+", member.lower()))
                english[key] = (*english.get(key, ()), name)
    return english, chinese


def _read(name: str) -> Any:
    return json.loads(resources.files("loopwright.agents.pages.context").joinpath(name).read_text(encoding="utf-8"))
