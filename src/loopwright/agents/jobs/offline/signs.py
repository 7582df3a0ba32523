"""What a text looks like: its language by the little words, its kind by the words of the trade."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

READ = 20_000
"""Characters that are looked at; a text shows its language and kind soon."""
LEAST = 3
"""Hits below which a sign is no sign."""


@cache
def _signs() -> Mapping[str, Any]:
    file = resources.files("loopwright.agents.jobs.offline").joinpath("signs.json")
    signs: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return signs


def language_of(text: str) -> str:
    """`de`, `en`, or `unknown`."""
    words = re.findall(r"[^\W\d_]+", text[:READ].lower())
    counts = {code: sum(word in marks for word in words) for code, marks in _signs()["languages"].items()}
    return _most(counts, "unknown")


def kind_of(text: str) -> str:
    """`legal`, `technical`, `policy` or `general`."""
    small = text[:READ].lower()
    counts = {
        kind: sum(len(re.findall(rf"(?<!\w){word}", small)) for word in words)
        for kind, words in _signs()["kinds"].items()
    }
    return _most(counts, "general")


def _most(counts: Mapping[str, int], otherwise: str) -> str:
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= LEAST else otherwise
