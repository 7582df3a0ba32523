"""What one has to know of German and English to tell sentences and languages apart; the words are in a TOML file."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

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
