"""Words: what is known of those of a language, how messages are cut into them, and which say something alone."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

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


# Cutting a message into words, and telling which of them say something by themselves.

WordKind = Literal["word", "number", "han", "literal", "mark"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0df3"
    "\u0e31-\u0e4e\u0eb1-\u0ece\u0f18-\u0fbc\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
"""Marks that are written on letters, or between them, and that `\\w` leaves out."""
_LETTER = rf"(?:[^\W\d_{_HAN}]|[{_MARKS}])"
_INNER = rf"(?:[^\W{_HAN}]|[{_MARKS}])"
_ARGUMENT = r"(?:-?\d[\d.]*+|[a-z]\w*+[=._]\w++)"
"""What only code has between the brackets of a call, and no prose: "colour(s)" is none."""
_SCANNER = re.compile(
    rf"""
    (?P<literal>
        \bhttps?://[^\s<>"“”„，。；、）)]++
      | \#[0-9A-Fa-f]{{3,8}}(?![\w-])
      | (?<![\w.@])[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}})++
      | (?<![^\s(\[,;:"'`])(?:~|\.{{1,2}})?/[A-Za-z0-9_.-]*[A-Za-z0-9_-](?:/[A-Za-z0-9_.-]*[A-Za-z0-9_-])*+/?
      | (?<![^\s(\[,;:"'`])--?[A-Za-z][\w-]*+(?!\s*\d+\s*\))
      | (?<![/.])(?<!{_INNER})(?![A-Za-z]\.[a-z](?![a-z0-9]))[A-Za-z0-9_-]++(?:/[A-Za-z0-9_-]++){{0,20}}+
        (?:/?\.[A-Za-z0-9_-]{{1,24}}){{0,3}}\.[a-z][a-z0-9]{{0,4}}(?![\w-]|\.\w)
      | (?<![/.])(?<!{_INNER})[A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z_][A-Za-z0-9_]*+)*+
        \((?:{_ARGUMENT}|(?:{_ARGUMENT}|[a-z])(?:,\ ?(?:{_ARGUMENT}|[a-z])){{1,8}}+)?\)
      | (?<![/.])(?<!{_INNER})[A-Za-z0-9_-]++(?:/[A-Za-z0-9_-]++){{0,20}}+/(?![^\s,;)])
    )
  | (?P<times>(?<=\d)[xX](?=\d))
  | (?P<number>\d{{4}}-\d\d?-\d\d?(?!\d)|\d++(?:[.,:/'’]\d++)*+)
  | (?P<han>[{_HAN}])
  | (?P<word>(?:{_LETTER}|_(?=\w)){_INNER}*+(?:[’'´‐‑-]{_LETTER}{_INNER}*+|-(?=\d)\d++)*+)
  | (?P<mark>\S)
    """,
    re.VERBOSE,
)  # fmt: skip
_DAYS = re.compile(
    r"(?:mon?|tue?s?|wed|thu|fri?|sat?|sun|di|mi|do|so)[a-z]*-(?:mon?|tue?s?|wed|thu|fri?|sat?|sun|di|mi|do|so)[a-z]*"
    r"|(?:mid|early|late|mi|mitte|anfang|ende)-[a-zäöüéû]{3,9}",
    re.I,
)
_KINDS: Mapping[str, WordKind] = {
    "word": "word",
    "number": "number",
    "han": "han",
    "literal": "literal",
    "mark": "mark",
    "times": "mark",
}
SENTENCE_END = frozenset("!?;。！？；…।॥؟۔")
SHARED = 0.05
"""How much less a word speaks for a language that other languages have too."""
MIXED_SHARE = 0.5
"""A language with so large a share of the hits of the first one is taken for a second language of the sentence."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a number, a Chinese character, something to be taken literally (a path, an address) or a mark.

    `start` and `end` count characters of the message; `norm` is how it is looked up.
    """

    start: int
    end: int
    text: str
    norm: str
    kind: WordKind
    speaks: bool = True
    """Whether it could say something at all: punctuation cannot, an emoji can."""


def normal(text: str) -> str:
    """The form in which words are compared: compatible characters made one, case folded, straight apostrophes."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded.replace("’", "'").replace("‐", "-").replace("‑", "-").replace("ß", "ss")


def scan(text: str) -> list[Word]:
    """The words of a text in order, with their places."""
    found: list[Word] = []
    for match in _SCANNER.finditer(text):
        kind = _KINDS[match.lastgroup or "mark"]
        if kind == "word" and "-" in match[0] and _DAYS.fullmatch(match[0]):
            # "Mon-Fri", "mid-April": two words of the calendar.
            found += [
                Word(
                    match.start() + part.start(),
                    match.start() + part.end(),
                    part[0],
                    normal(part[0]),
                    "mark" if part[0] == "-" else "word",
                    part[0] != "-",
                )
                for part in re.finditer(r"-|[^-]+", match[0])
            ]
        else:
            speaks = kind != "mark" or unicodedata.category(match[0]) == "So"
            found.append(Word(match.start(), match.end(), match[0], normal(match[0]), kind, speaks))
    return found


def languages_of(words: Sequence[Word], fallback: Sequence[str] = ()) -> tuple[str, ...]:
    """The languages that the words may be of, the likeliest first; empty where no known language shows."""
    hits: dict[str, float] = {}
    if any(word.kind == "han" for word in words) and not any("\u3040" <= word.text[0] <= "\u30ff" for word in words):
        hits["zh"] = sum(word.kind == "han" for word in words)
    known = _weights()
    for word in words:
        if word.kind == "word":
            for code, weight in known.get(word.norm, ()):
                hits[code] = hits.get(code, 0) + weight
    best = max((count for code, count in hits.items() if code != "zh"), default=0)
    found = [
        code
        for code, count in sorted(hits.items(), key=lambda hit: -hit[1])
        if count and (code == "zh" or count >= MIXED_SHARE * best)
    ]
    return tuple(found) or tuple(fallback)


def language_of(text: str) -> str:
    """The one language of a text: `en`, `de`, `fr`, `es` or `zh`; English where nothing tells.

    A Chinese name in another language's sentence does not make it Chinese: it needs as many characters as there are
    other words.
    """
    words = scan(text)
    found = languages_of(words)
    han = sum(word.kind == "han" for word in words)
    if han and han >= sum(word.kind == "word" for word in words):
        return "zh"
    return next((code for code in found if code != "zh"), "en")


@cache
def _weights() -> Mapping[str, Sequence[tuple[str, float]]]:
    """How much each known word speaks for each language: one that several languages have speaks little for any."""
    found: dict[str, list[tuple[str, float]]] = {}
    for code in LANGUAGES:
        known = lexicon(code)
        for norm in known.sets["function"] | known.sets["verbs"] if code != "zh" else ():
            weight = 2 * known.has("function", norm) + known.has("verbs", norm)
            found.setdefault(norm, []).append((code, weight))
    return {
        norm: codes if len(codes) == 1 else [(code, SHARED * weight) for code, weight in codes]
        for norm, codes in found.items()
    }


def says_something(word: Word, languages: Sequence[str]) -> bool:
    """Whether the word is no function word of every language that it may be of: in doubt it says something."""
    if not word.speaks:
        return False
    if word.kind in ("number", "literal", "mark"):
        return True
    asked = [code for code in languages if (code == "zh") == (word.kind == "han")]
    return not asked or not all(lexicon(code).has("function", word.norm) for code in asked)


def lexicons(languages: Sequence[str]) -> list[Lexicon]:
    """The tables of these languages; of all, where none is known."""
    return [lexicon(code) for code in languages or LANGUAGES]


# The values of a claim's arguments, and the units that their names say.


@dataclass(frozen=True)
class Leaf:
    """One value of a claim's arguments: the names that lead to it, and the texts that stand beside it."""

    path: tuple[str, ...]
    value: Any
    beside: Mapping[str, str]


def parts_of(name: str) -> list[str]:
    """The words of an argument's name."""
    return [part.lower() for part in re.split(r"[_\W]+", name)]


def last_part(leaf: Leaf) -> str:
    """The last word of the name of a value."""
    return parts_of(leaf.path[-1])[-1] if leaf.path else ""


def unit_words(leaf: Leaf) -> list[str]:
    """The words that may name the unit of a number: in its own name from the end, then beside it."""
    own = parts_of(leaf.path[-1])[::-1] if leaf.path else []
    beside = [
        normal(leaf.beside[name])
        for name in ("unit", "units", "currency", "measure", "what", "of")
        if name in leaf.beside
    ]
    return own if _counts(own) else [*own, *beside]


def _counts(own: Sequence[str]) -> bool:
    """Whether a number of this name counts things, so that a unit beside it is that of another number."""
    last = own[0] if own else ""
    return last in ("count", "times") or (last.endswith("s") and not last.endswith(("ss", "us", "is")))


def unit_of(leaf: Leaf, check: frozenset[str]) -> str | None:
    """The unit of a number by the name of its argument, a text beside it, or the name of the check."""
    own = unit_words(leaf)
    for word in own if own and _counts(own) else [*own, *sorted(check & _spelled().keys())]:
        if word in _spelled():
            return _spelled()[word]
    return None


def _spelled() -> Mapping[str, str]:
    return _SPELLED or _fill()


_SPELLED: dict[str, str] = {}


def _fill() -> dict[str, str]:
    for code in LANGUAGES:
        _SPELLED.update({pieces[0]: unit for pieces, unit in lexicon(code).units.items() if len(pieces) == 1})
    _SPELLED.update({pieces[0]: unit for pieces, unit in unit_spellings().items() if len(pieces) == 1})
    # Too short or too common to be a unit in a name: "min" is the least, "in" a preposition, "a", "h", "x" anything.
    for word in (
        "min",
        "in",
        "a",
        "c",
        "f",
        "h",
        "k",
        "l",
        "m",
        "n",
        "s",
        "t",
        "v",
        "w",
        "g",
        "pt",
        "an",
        "second",
        "day",
    ):
        _SPELLED.pop(word, None)
    return _SPELLED
