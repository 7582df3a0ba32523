"""What is known of the words of a language: tables in `languages/`, one file each. Another language is another file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "de", "zh", "fr", "es")
WORD_SETS = (
    "function",
    "verbs",
    "preposition",
    "adjunct",
    "and",
    "but",
    "reason",
    "relative",
    "not_relative",
    "question",
    "together",
    "determiner",
    "capital_only",
    "needs_value",
    "titles",
    "abbreviations",
    "shades",
    "not_colour_before",
    "measures",
    "frame_nouns",
    "frame_glue",
    "single_colour_after",
    "language_names",
    "condition",
    "auxiliary",
    "subject",
    "sole",
    "particle",
    "genitive",
    "span_start",
    "span_end",
    "aside",
    "at_value",
    "rename",
    "rename_to",
    "postfix",
    "rate",
    "goal",
    "or",
    "colour_nouns",
    "postposition",
    "places",
    "given",
    "needs_day",
    "definite",
    "purpose",
    "half",
    "telling",
    "obliges",
    "joins_clauses",
)
HARD_TABLES = ("negation", "limit", "superlative", "all", "order", "position", "calendar")
VALUE_TABLES = (
    "limit",
    "superlative",
    "all",
    "order",
    "position",
    "months",
    "weekdays",
    "numbers",
    "ordinals",
    "clock",
    "clock_words",
    "per",
    "currencies",
    "date_part",
    "relative_times",
    "colours",
)


@dataclass(frozen=True)
class Phrase:
    """A phrase of one or more words: `kind` is the table it is from, `value` what the table says of it."""

    kind: str
    value: Any
    language: str
    words: tuple[str, ...]


@dataclass
class PhraseTable:
    """Phrases by their first word, so that a search looks at few of them."""

    by_first: dict[str, list[Phrase]] = field(default_factory=dict)

    def add(self, phrases: Iterable[Phrase]) -> None:
        """Take more phrases in."""
        for phrase in phrases:
            self.by_first.setdefault(phrase.words[0], []).append(phrase)
        for group in self.by_first.values():
            group.sort(key=lambda phrase: -len(phrase.words))

    def at(self, norms: Sequence[str], index: int) -> Iterator[Phrase]:
        """The phrases that stand at a word, the longest first."""
        for phrase in self.by_first.get(norms[index], ()):
            size = len(phrase.words)
            if size == 1 or tuple(norms[index : index + size]) == phrase.words:
                yield phrase


@dataclass(frozen=True)
class Lexicon:
    """The tables of one language: sets of single words, phrases, and names of units."""

    code: str
    sets: Mapping[str, frozenset[str]]
    phrases: PhraseTable
    units: Mapping[tuple[str, ...], str]

    def has(self, name: str, word: str) -> bool:
        """Whether the word is in the set."""
        return word in self.sets[name]


def pieces_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as the scanner cuts them."""
    # Imported here because the scanner needs the lexicon to know what a function word is.
    from loopwright.kernel.account.reading.words import scan

    return tuple(word.norm for word in scan(phrase))


@cache
def lexicon(code: str) -> Lexicon:
    """The tables of the language with this code, as packaged."""
    raw = read_table(f"{code}.json")
    cut = {name: [pieces_of(word) for word in raw.get(name, "").split()] for name in WORD_SETS}
    sets = {name: frozenset("".join(pieces) for pieces in words) for name, words in cut.items()}
    phrases = PhraseTable()
    for name in WORD_SETS:
        # Chinese words have several characters, which the scanner cuts.
        phrases.add(Phrase(name, "", code, pieces) for pieces in cut[name] if len(pieces) > 1 or code == "zh")
    for name in ("negation", "calendar", "called", "told", "polite"):
        phrases.add(Phrase(name, text, code, pieces_of(text)) for text in _phrases(raw[name]) if text)
    phrases.add(Phrase("frame", text, code, pieces_of(text)) for text in raw["frame"])
    phrases.add(Phrase("negation", text, code, pieces_of(text)) for text in raw.get("closes", {}))
    phrases.add(Phrase("closes", opens, code, pieces_of(text)) for text, opens in raw.get("closes", {}).items())
    for name in VALUE_TABLES:
        phrases.add(Phrase(name, value, code, pieces_of(text)) for text, value in raw[name].items())
    if raw.get("colour_endings"):
        inflected = {
            name + ending: value
            for name, value in raw["colours"].items()
            for ending in raw["colour_endings"].split()
            if name[-1] not in "aeo" and name + ending not in raw["colours"]
        }
        phrases.add(Phrase("colours", value, code, (name,)) for name, value in inflected.items())
    units = {pieces_of(spelling): unit for unit, text in raw["units"].items() for spelling in [unit, *text.split()]}
    return Lexicon(code, sets, phrases, units)


@cache
def tags(codes: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """Of each word that a table of these languages has: the names of the sets that it is in."""
    found: dict[str, set[str]] = {}
    for code in codes:
        for name, words in lexicon(code).sets.items():
            for word in words:
                found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def _phrases(text: str) -> list[str]:
    return text.split("|") if "|" in text else [text]


@cache
def unit_spellings() -> Mapping[tuple[str, ...], str]:
    """Symbols of units that every language writes alike, by their pieces."""
    raw = read_table("units.json")
    symbols = {symbol: symbol for table, units in raw.items() if table != "spellings" for symbol in units}
    return {pieces_of(text): unit for text, unit in {**symbols, **raw["spellings"]}.items()}


@cache
def unit_sizes() -> Mapping[str, tuple[str, float]]:
    """What each unit measures, and how many of the base unit it is: mm, minutes, months, g, l."""
    raw = read_table("units.json")
    return {unit: (name, size) for name, units in raw.items() if name != "spellings" for unit, size in units.items()}


@cache
def relative_times() -> Mapping[str, str]:
    """What is told from today in any language, as `week+1` or `day-1`."""
    return {text: told for code in LANGUAGES for text, told in read_table(f"{code}.json")["relative_times"].items()}


@cache
def read_table(name: str) -> Any:
    """A packaged table."""
    package = "loopwright.kernel.account.reading"
    return json.loads(resources.files(package).joinpath("languages", name).read_text(encoding="utf-8"))
