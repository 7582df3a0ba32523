"""Whether a text is in a given language: a careful answer, or none.

Scripts are told apart by Unicode; languages that share the Latin script by their commonest words, and where these are
too few, by counting the words that a language has at all.  One word is not enough, and a language without a list is
never ruled out by words alone.
"""

import bz2
import json
import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from importlib.resources import files

# Which languages a word belongs to: lists of the commonest words of seven languages.

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
_VOCABULARY_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;\u2026\n\"\u201c\u201d\u201e\u00ab\u00bb()\u2013\u2014]\s*$")


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, names left out.

    A name is what is written with a capital inside a sentence, and then wherever it stands.
    """
    found = [(match[0], _begins_sentence(text, match.start())) for match in _VOCABULARY_WORD.finditer(text)]
    names = {word.lower() for word, first in found if word[0].isupper() and not first}
    words = (word.lower().replace("\u2019", "'") for word, _ in found)
    return [word for word in words if word not in names]


def known(words: list[str], language: str) -> int:
    """How many of the words are words of a language of `LANGUAGES`; a word counts as often as it is there."""
    vocabulary = _vocabulary(language)
    return sum(word in vocabulary or all(part in vocabulary for part in word.split("'")) for word in words)


def _begins_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 8) : position]
    return not before.strip() or _SENTENCE_END.search(before) is not None


@cache
def _vocabulary(language: str) -> frozenset[str]:
    # As text the words of seven languages would be a seventh of what an installation takes. They are sorted, and each
    # is a letter that says how many letters it shares with the word before it (a: none, b: one), and then its others.
    packed = files(__package__).joinpath("vocabulary", f"{language}.bz2").read_bytes()
    words = [""]
    for line in bz2.decompress(packed).decode().split():
        words.append(words[-1][: ord(line[0]) - ord("a")] + line[1:])
    return frozenset(words[1:])


# Language tags: whether their first part is a language (BCP 47, IANA language subtag registry).


def primary_subtag(tag: str) -> str:
    """The first part of a language tag in lower case: `en` of `EN-us`."""
    return tag.partition("-")[0].lower()


def has_known_language(tag: str) -> bool:
    """Whether a language tag begins with a language that is in the registry.

    Nothing else of the tag is looked at, as browsers and screen readers do not either: `en-US-GB` means English.
    Three-letter codes of languages that have one of two letters are not in the registry.
    """
    subtag = primary_subtag(tag)
    return subtag in _subtags() or (len(subtag) == 3 and subtag.isascii() and "qaa" <= subtag <= "qtz")


@cache
def _subtags() -> frozenset[str]:
    data = json.loads(files(__package__).joinpath("language_subtags.json").read_text(encoding="utf-8"))
    return frozenset(subtag for line in data["subtags"].values() for subtag in line.split())


LEAST_LETTERS = 6
"""Letters of a foreign script from which a text is taken to be written in it; a name has fewer."""
LEAST_WORDS = 3
"""Common words of a language from which a text is taken to be written in it."""
CLEAR_LEAD = 2.5
"""How many times as many common words a text must have in one language as in another."""
LEAST_COUNTED = 2
"""Words, names apart, from which the languages of all of them are counted."""
EXPLAINED = 0.9
"""Share of its words that a language must have for a text to be taken as written in it."""
CLEAR_GAP = 2 / 3
"""Share of those words that another language may have at most, to be ruled out by them."""
DOMINANT = 0.8
"""Share of the letters that a script must have."""
_SCRIPTS = {
    "CJK": "han", "HIRAGANA": "kana", "KATAKANA": "kana", "HANGUL": "hangul", "CYRILLIC": "cyrillic", "GREEK": "greek",
    "HEBREW": "hebrew", "ARABIC": "arabic", "THAI": "thai", "DEVANAGARI": "devanagari", "GEORGIAN": "georgian",
    "ARMENIAN": "armenian", "BENGALI": "bengali", "TAMIL": "tamil", "TELUGU": "telugu", "LATIN": "latin",
}  # fmt: skip
_WRITTEN_IN = {
    "zh": "han", "yue": "han", "wuu": "han", "ja": "han kana", "ko": "hangul han", "el": "greek", "he": "hebrew",
    "yi": "hebrew", "th": "thai", "hi": "devanagari", "mr": "devanagari", "ne": "devanagari", "ka": "georgian",
    "hy": "armenian", "bn": "bengali", "ta": "tamil", "te": "telugu", "ar": "arabic", "fa": "arabic", "ur": "arabic",
    "ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic", "be": "cyrillic", "mk": "cyrillic", "kk": "cyrillic",
}  # fmt: skip
"""Languages that are not written in Latin letters, with the scripts that are theirs."""
_TELLS = {"kana": "ja", "hangul": "ko", "greek": "el", "thai": "th", "georgian": "ka", "armenian": "hy"}
"""Scripts that belong to one language only, as far as web pages go."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def is_in_language(text: str, tag: str) -> bool | None:
    """Whether a text is in the language of a tag; None when that cannot be told."""
    language = _listed(primary_subtag(tag))
    scripts = _script_counts(text)
    letters = sum(scripts.values())
    if not letters:
        return None
    by_script = _judge_scripts(scripts, letters, language)
    if by_script is not None:
        return by_script
    if scripts["latin"] < DOMINANT * letters:
        return None
    by_common_words = _judge_words(text, language)
    return _judge_vocabulary(text, language) if by_common_words is None else by_common_words


def _judge_scripts(scripts: Counter[str], letters: int, language: str) -> bool | None:
    """What the script alone tells; None when it tells nothing."""
    own = _WRITTEN_IN.get(language, "").split()
    foreign = {name: number for name, number in scripts.items() if name not in (own or ["latin"])}
    main, number = scripts.most_common(1)[0]
    if own and main in own and number >= DOMINANT * letters:
        # Han without kana may be Chinese or Japanese, Cyrillic may be a dozen languages.
        return True if _TELLS.get(main) == language or (main == "han" and language == "zh") else None
    if main in foreign and number >= max(LEAST_LETTERS, DOMINANT * letters):
        return False if main != "latin" else None
    if language == "ja" and scripts["kana"] and scripts["kana"] + scripts["han"] >= DOMINANT * letters:
        return True
    return None


def _judge_words(text: str, language: str) -> bool | None:
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)[:2000]]
    found = {name: sum(word in common for word in words) for name, common in _common_words().items()}
    best = max(found, key=lambda name: found[name])
    mine = found.get(language, 0)
    others = max((number for name, number in found.items() if not _are_close(name, language)), default=0)
    if mine >= LEAST_WORDS and mine >= CLEAR_LEAD * others:
        return True
    can_be_ruled_out = language in found or language in _WRITTEN_IN
    if can_be_ruled_out and not _are_close(best, language) and _is_clear(words, found[best], mine):
        return False
    return None


def _judge_vocabulary(text: str, language: str) -> bool | None:
    """By the share of its words that each language has (the ACT rules' "most common language of an element").

    In a tie every language is the commonest, as the rules have it.
    """
    words = plain_words(text[:20_000])
    if language not in LANGUAGES or len(words) < LEAST_COUNTED:
        return None
    mine = known(words, language)
    if mine >= EXPLAINED * len(words):
        return True
    best = max(known(words, other) for other in LANGUAGES if not _are_close(other, language))
    return False if best >= EXPLAINED * len(words) and mine <= CLEAR_GAP * best else None


def _is_clear(words: list[str], best: int, mine: int) -> bool:
    """Whether a text is clearly in another language: many of its common words, hardly any of the one it claims."""
    return best >= LEAST_WORDS + 1 and best >= CLEAR_LEAD * mine and best >= 0.2 * len(words)


def _are_close(first: str, second: str) -> bool:
    """Languages that share too many words to be told apart by them."""
    groups = ({"da", "nb", "sv"}, {"es", "pt"})
    return first == second or any({first, second} <= group for group in groups)


def _script_counts(text: str) -> Counter[str]:
    return Counter(script for character in text[:20_000] if character.isalpha() and (script := _script(character)))


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    first = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return _SCRIPTS.get(first, "")


def _listed(language: str) -> str:
    return {"no": "nb", "nn": "nb", "cmn": "zh"}.get(language, language)


@cache
def _common_words() -> dict[str, frozenset[str]]:
    data = json.loads(files(__package__).joinpath("common_words.json").read_text(encoding="utf-8"))
    return {language: frozenset(words.split()) for language, words in data["words"].items()}
