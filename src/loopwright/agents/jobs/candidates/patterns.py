"""Patterns by which a language states requirements, and what makes one doubt; read from the TOML files beside."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

# What one has to know of German and English to tell sentences and languages apart; the words are in a TOML file.

Language = Literal["de", "en"]
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words by what they are for."""

    abbreviations: frozenset[str]
    openers: frozenset[str]
    months: tuple[str, ...]
    before_ordinals: frozenset[str]
    stop_words: dict[Language, frozenset[str]]

    def begins_sentence(self, text: str) -> bool:
        """Whether the text begins with a word that sentences open with."""
        first = WORD.match(text)
        return first is not None and first[0] in self.openers

    def is_month(self, text: str) -> bool:
        """Whether the text begins with the name of a month."""
        first = WORD.match(text)
        return first is not None and first[0] in self.months

    def is_before_ordinal(self, text: str) -> bool:
        """Whether the text ends with a word behind which a number with a full stop is an ordinal."""
        words = text.split()
        return bool(words) and words[-1].lower() in self.before_ordinals

    def language_of(self, text: str, otherwise: Language = "en") -> Language:
        """The language by its commonest words; `otherwise` where they do not tell."""
        words = [word.lower() for word in WORD.findall(text)]
        counts = {code: sum(word in known for word in words) for code, known in self.stop_words.items()}
        if counts["de"] == counts["en"]:
            return otherwise
        return "de" if counts["de"] > counts["en"] else "en"


@cache
def vocabulary() -> Vocabulary:
    """The packaged vocabulary."""
    text = resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    return Vocabulary(
        abbreviations=frozenset(read["abbreviations"]),
        openers=frozenset(read["sentence_openers"]),
        months=tuple(read["months"]),
        before_ordinals=frozenset(read["before_ordinals"]),
        stop_words={"de": frozenset(read["stop_words"]["de"]), "en": frozenset(read["stop_words"]["en"])},
    )


Nature = Literal["obligation", "prohibition", "condition", "demand", "extension", "recommendation", "permission"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that state a requirement; `strength` is how sure they are, 0 to 1.

    `sure` ones state it by a convention of the genre, such as the words of RFC 2119 in capitals.
    """

    name: str
    nature: Nature
    strength: float
    regex: re.Pattern[str]
    sure: bool


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

    patterns = [
        Pattern(p["name"], p["nature"], p["strength"], compiled(p["regex"]), p.get("sure", False))
        for p in read["pattern"]
    ]
    doubts = [
        Doubt(d["name"], d["weight"], compiled(d["regex"]), compiled(d["unless"]) if "unless" in d else None)
        for d in read["doubt"]
    ]
    return Grammar(tuple(patterns), tuple(doubts))


# What kind of requirement a sentence states, how important it is, and which rules concern it.

RequirementType = Literal["functional", "compliance", "constraint", "non_functional"]
Priority = Literal["high", "medium", "low"]
Topic = Literal["gobd", "gdpr", "law", "quality", "security"]


@dataclass(frozen=True, slots=True)
class Sorting:
    """Where a requirement belongs."""

    req_type: RequirementType
    priority: Priority
    gobd_relevant: bool
    gdpr_relevant: bool


def sorting_of(text: str, around: str, nature: Nature) -> Sorting:
    """Sort a requirement.

    Args:
        text: the requirement.
        around: its section and the document's title, which say what the rules around it are about.
        nature: how it is stated.
    """
    gobd = _speaks_of("gobd", f"{text}\n{around}")
    gdpr = _speaks_of("gdpr", f"{text}\n{around}")
    binding = nature in ("obligation", "prohibition", "demand")
    req_type: RequirementType = "functional"
    if gobd or gdpr or _speaks_of("law", text):
        req_type = "compliance"
    elif nature in ("prohibition", "condition"):
        req_type = "constraint"
    elif _speaks_of("quality", text):
        req_type = "non_functional"
    priority: Priority = "medium"
    if nature in ("recommendation", "permission"):
        priority = "low"
    elif binding and (req_type == "compliance" or _speaks_of("security", text)):
        priority = "high"
    return Sorting(req_type, priority, gobd, gdpr)


def _speaks_of(topic: Topic, text: str) -> bool:
    return _topics()[topic].search(text) is not None


@cache
def _topics() -> dict[Topic, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("topics.toml").read_text(encoding="utf-8")
    words = tomllib.loads(text)
    topics: tuple[Topic, ...] = get_args(Topic)
    return {topic: re.compile("|".join(words[topic]), re.IGNORECASE) for topic in topics}
