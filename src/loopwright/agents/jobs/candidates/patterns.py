"""Patterns by which a language states requirements, and what makes one doubt; read from the TOML files beside."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from loopwright.agents.jobs.candidates.vocabulary import Language

Nature = Literal["obligation", "prohibition", "condition", "demand", "extension", "recommendation", "permission"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that state a requirement; `strength` is how sure they are, 0 to 1."""

    name: str
    nature: Nature
    strength: float
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words that take `weight` of the sureness away, unless others stand in the same sentence."""

    name: str
    weight: float
    regex: re.Pattern[str]
    unless: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Grammar:
    """What one language has."""

    patterns: tuple[Pattern, ...]
    doubts: tuple[Doubt, ...]


@cache
def grammar_of(language: Language) -> Grammar:
    """The packaged patterns of a language."""
    text = resources.files(__package__).joinpath("patterns", f"{language}.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    fragments: dict[str, str] = read["fragments"]

    def compiled(regex: str) -> re.Pattern[str]:
        for name, fragment in fragments.items():
            regex = regex.replace(f"{{{name}}}", fragment)
        return re.compile(regex)

    patterns = [Pattern(p["name"], p["nature"], p["strength"], compiled(p["regex"])) for p in read["pattern"]]
    doubts = [
        Doubt(d["name"], d["weight"], compiled(d["regex"]), compiled(d["unless"]) if "unless" in d else None)
        for d in read["doubt"]
    ]
    return Grammar(tuple(patterns), tuple(doubts))
