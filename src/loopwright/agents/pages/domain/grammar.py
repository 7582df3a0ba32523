"""The clauses of a brief in English, German, French, Spanish or Chinese: who does what with what, by general words."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from loopwright.kernel.account.reading import language_of

_TITLES = re.compile(r"\b((?<!\w)[A-Za-z]|Dr|Mr|Mrs|Ms|St|Prof|Nr|No|vs|e\.g|z\.B|bzw|inkl|approx|Sra?|Mme|M)\.\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"“„«¿¡]?[\w#])|[;。！？；]\s*|\n+|\s[–—]\s|(?<=\w)[–—](?=\s)")
_COMMA = re.compile(r"\s*[,，、]\s*")
_INSIDE = re.compile(r"[(（]([^()（）]*)[)）]")
_HOLD = "\ue000"
"""Stands for the full stop of a title, so that "Dr. Osei" ends no sentence."""


@dataclass(frozen=True)
class Lexicon:
    """The general words of a language, compiled."""

    language: str
    words: Mapping[str, Any]

    @property
    def spaced(self) -> bool:
        """Whether words are written apart."""
        return self.language != "zh"

    def starts(self, name: str, text: str) -> re.Match[str] | None:
        """What of these words the text begins with."""
        return _compiled(self.language, name, "start").match(text)

    def inside(self, name: str, text: str) -> re.Match[str] | None:
        """Where one of these words stands by itself."""
        return _compiled(self.language, name, "inside").search(text)

    def whole(self, name: str, text: str) -> bool:
        """Whether the text is one of these words and nothing else."""
        return _compiled(self.language, name, "whole").fullmatch(text.strip()) is not None


@cache
def _compiled(language: str, name: str, where: str) -> re.Pattern[str]:
    pattern = lexicon(language).words[name]
    if where == "whole":
        return re.compile(rf"(?:{pattern})", re.I)
    if language == "zh":
        return re.compile(rf"(?:{pattern})", re.I)
    if where == "start":
        return re.compile(rf"(?:{pattern})(?![\w-])\s*|(?:\b\w['’])(?=\w)(?<!\w\w['’])", re.I)
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I)


@cache
def table(name: str) -> Any:
    """A table of the lexicon by its file name."""
    folder = resources.files("loopwright.agents.pages.domain").joinpath("lexicon")
    return json.loads(folder.joinpath(f"{name}.json").read_text(encoding="utf-8"))


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language."""
    return Lexicon(language, table(language))


def language_read(text: str) -> str:
    """The language as which a text is read; English where nothing tells, and where it is in one that is not read."""
    known = language_of(text)
    return "en" if _unread(text, known) else known


_SCRIPTS = (("ja", "[\u3040-\u30ff]"), ("ko", "[\uac00-\ud7af]"), ("ar", "[\u0600-\u06ff]"), ("el", "[\u0370-\u03ff]"))


def language_code(text: str) -> str:
    """The code of a text's language, also of one that is not read here: by its script, else by its commonest words."""
    for code, signs in _SCRIPTS:
        if len(re.findall(signs, text)) * 5 > len(re.sub(r"\s", "", text)):
            return code
    known = language_of(text)
    return _unread(text, known) or known


def _unread(text: str, known: str) -> str | None:
    """The language that is not read whose commonest words are more than those of the one taken for it."""
    if known == "zh":
        return None
    lower = text.lower()
    counts = {code: len(_words(words).findall(lower)) for code, words in table("others").items()}
    most = max(counts, key=lambda code: counts[code])
    return most if counts[most] > common_words(text, known) else None


def common_words(text: str, language: str) -> int:
    """How many of the commonest words of a language that is read stand in a text."""
    return len(_words(table(language)["common"]).findall(text.lower()))


@cache
def _words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’])(?:{alternatives})(?![\w])")


# Sentences and their parts.


def sentences(text: str) -> list[str]:
    """The sentences, without their full stops; a title's stop ends none."""
    held = _TITLES.sub(lambda found: f"{found[1]}{_HOLD} ", text)
    parts = [part.strip(" .!?。\t") for part in _SENTENCE_END.split(held)]
    return [part.replace(_HOLD, ".") for part in parts if part]


def items(text: str, words: Lexicon) -> list[str]:
    """The parts of a sentence between commas and "and"; what stands in brackets stays together."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\ue001{len(kept) - 1}\ue002"

    held = _INSIDE.sub(keep, text)
    joined = words.words["and"]
    comma = r"(?:(?<!\d)[,，、]|[,，、](?!\d))"
    pattern = rf"\s*{comma}\s*(?:(?:{joined})\s+)?|\s+(?:{joined})\s+" if words.spaced else rf"[,，、]|(?:{joined})"
    parts = re.split(pattern, held, flags=re.I)
    return [
        re.sub("\ue001(\\d+)\ue002", lambda found: kept[int(found[1])], part).strip(" .")
        for part in parts
        if part.strip()
    ]


def bracketed(text: str) -> tuple[str, list[str]]:
    """A text without its brackets, and what is listed in them."""
    listed = [part for inner in _INSIDE.findall(text) for part in _COMMA.split(inner)]
    return " ".join(_INSIDE.sub(" ", text).split()), [part.strip() for part in listed if part.strip()]


def stripped(text: str, words: Lexicon) -> str:
    """A noun phrase without the articles and small words before it."""
    text = text.strip(" ,.:;!?-–")
    while (found := words.starts("articles", text)) and found.end() < len(text) and found.end() > 0:
        text = text[found.end() :].strip(" ,.:")
    return text


def before_preposition(text: str, words: Lexicon) -> tuple[str, str]:
    """A noun phrase cut at its first preposition: "list of patients" → "list", "of patients"."""
    found = words.inside("prepositions", text) if words.spaced else None
    if found is None or found.start() == 0:
        return text, ""
    return text[: found.start()].strip(), text[found.start() :].strip()


@dataclass(frozen=True, slots=True)
class Said:
    """One part of a sentence: who (`actor`) does what (`verb`) with what (`object`); without a verb a noun phrase."""

    actor: str
    verb: str
    object: str
    text: str


def said(text: str, words: Lexicon) -> Said:
    """Actor, verb and object of a part of a sentence."""
    return _said_spaced(text, words) if words.spaced else _said_joined(text, words)


def _said_joined(text: str, words: Lexicon) -> Said:
    rest = text
    actor = ""
    while True:
        stripped_text = re.sub(r"^(?:用户|大家|我们|我|人们)", "", rest)
        for name in ("articles", "modals"):
            found = words.starts(name, stripped_text)
            if found and 0 < found.end() < len(stripped_text):
                stripped_text = stripped_text[found.end() :]
        if stripped_text == rest:
            break
        rest = stripped_text
    who = rf"(?:{words.words['people']})(?=(?:{words.words['modals']})*(?:{words.words['verbs']}))"
    people = re.match(rf"{who}|[\u3400-\u9fff]{{2,4}}(?=(?:可以|能够?|需要)(?:{words.words['verbs']}))", rest)
    if people:
        actor, rest = people[0], rest[people.end() :]
        while modal := words.starts("modals", rest):
            rest = rest[modal.end() :]
    verb = words.starts("verbs", rest)
    if verb and len(verb[0]) < len(rest) - (len(verb[0]) == 1):
        return Said(actor, verb[0], stripped(rest[verb.end() :], words), rest)
    return Said(actor, "", rest, rest)


def _said_spaced(text: str, words: Lexicon) -> Said:
    nominal = words.language != "de" and _NOMINAL.match(text.strip()) is not None
    text = stripped(text, words)
    while (found := words.starts("modals", text)) and 0 < found.end() < len(text):
        text = stripped(text[found.end() :], words)
    tokens = text.split()
    last = tokens[-1] if len(tokens) > 1 else ""
    if words.language == "de" and last[:1].islower() and words.whole("verbs", last):
        return _with_actor(tokens[:-1], last, words)
    if words.language == "de" and (clause := _german_clause(tokens, words)):
        return clause
    for place, token in enumerate(tokens[:6]):
        if nominal and place == 0:
            continue
        bare = token.strip(",.:\"'“”")
        for length in (3, 2):
            phrasal = " ".join(tokens[place : place + length]).lower()
            if len(tokens) > place + length and words.whole("verbs", phrasal) and _acts(tokens, place, words):
                return _said_at(tokens, place, phrasal, words)
        if phrase := _verb_by_place(tokens, place, words.language):
            return _said_at(tokens, place, phrase, words)
        to_do = bare == "to" and place + 1 < len(tokens) and is_verb(tokens[place + 1].strip(",.:"), words)
        if place and words.whole("prepositions", bare) and not to_do:
            break
        if is_verb(bare, words) and _acts(tokens, place, words):
            return _said_at(tokens, place, base(bare, words), words)
    return Said("", "", text, text)


_NOMINAL = re.compile(
    r"(?:the|an?|my|our|your|their|his|her|its|each|every|some|any|une?|les?|des|du|notre|nos|mes|mon|el|los|las|unos|"
    r"unas|una|mis?)\s",
    re.I,
)
"""How a noun phrase begins: the word after it is no verb ("the train number")."""
PARTICLES = frozenset(("up", "down", "out", "off", "away", "back"))
_AFTER_MODAL = re.compile(r"(?:can|could|should|must|may|will|shall|to)", re.I)
_PLURAL_VERB = {"fr": re.compile(r"^\w{2,}ent$"), "es": re.compile(r"^\w{2,}[ae]n$")}
"""How a verb ends after a noun in the plural, where no adjective does."""
_ROMANCE_OBJECT = re.compile(r"les?|la|des|du|une?|el|los|las|una?|unos|unas", re.I)
_NO_VERB = re.compile(r"(?:be|have|also|not|only|then|the|an?|my|our|your|their|his|her|its|which|what|each|all)", re.I)


_APART = re.compile(r"(?:an|ab|auf|aus|ein|mit|vor|zu|zurück|weg|fest|nach|hoch|herunter|hinzu)")
_GERMAN_VERB = re.compile(r"[a-zäöü]\w{2,}(?:en|ern|eln)")
_GERMAN_OBJECT = re.compile(r"(?:den|die|das|ein|eine|einen|ihre?n?|ihren|alle|neue|ihr)", re.I)


def _german_clause(tokens: Sequence[str], words: Lexicon) -> Said | None:
    """A German clause in the plural with its verb before its object, as one would title it: "Fehler beschreiben"."""
    for place, token in enumerate(tokens[:3]):
        before = tokens[place - 1][:1].isupper() if place else True
        last = tokens[-1] if len(tokens) > place + 1 else ""
        apart = _APART.fullmatch(last) is not None
        object_ = tokens[place + 1 : -1] if apart else tokens[place + 1 :]
        known = words.whole("verbs", f"{last}{token}" if apart else token)
        followed = bool(object_) and _GERMAN_OBJECT.fullmatch(object_[0]) is not None
        if before and _GERMAN_VERB.fullmatch(token) and (followed or known) and (object_ or apart):
            verb = f"{last}{token}" if apart else token
            noun = stripped(" ".join(object_), words)
            return Said(stripped(" ".join(tokens[:place]), words), verb, noun, f"{noun} {verb}".strip())
    return None


def _verb_by_place(tokens: Sequence[str], place: int, language: str) -> str:
    """The verb at a place that only a verb can have, known or not: "jot down", or what follows a modal verb."""
    token, following = tokens[place].lower(), tokens[place + 1 : place + 3]
    if ending := _PLURAL_VERB.get(language):
        if re.match(r"cu[aá]nt|combien|quel", tokens[0], re.I):
            return ""  # "cuántas plazas quedan libres" asks for a figure
        begins = not place and following and _ROMANCE_OBJECT.fullmatch(following[0])
        if begins and (ending.search(token) or (len(token) > 4 and _INFINITIVE[language].search(token))):
            return token
        return token if place and following and re.search(r"[sx]$", tokens[place - 1]) and ending.search(token) else ""
    if language != "en" or not token.isalpha() or not following or _NO_VERB.fullmatch(token):
        return ""
    if place == 0 and len(following) == 2 and following[0] in PARTICLES and not token.endswith("s"):
        return f"{token} {following[0]}"
    modal = place > 1 and _AFTER_MODAL.fullmatch(tokens[place - 1]) and tokens[place - 1].lower() != "to"
    return token if modal else ""


def _said_at(tokens: Sequence[str], place: int, verb: str, words: Lexicon) -> Said:
    """Actor, verb and object where the verb stands at this place."""
    before = " ".join(tokens[:place]).replace("be able to", "")
    actor = " ".join(each for each in before.split() if each != "to" and not words.whole("modals", each))
    rest = tokens[place + len(verb.split()) :]
    if rest and verb.count(" ") and words.whole("prepositions", rest[0]):
        rest = rest[1:]
    return Said(stripped(actor, words), verb, stripped(" ".join(rest), words), " ".join(tokens[place:]))


def _with_actor(tokens: Sequence[str], verb: str, words: Lexicon) -> Said:
    """A German clause with its verb at the end: what stands before the modal verb acts."""
    place = next((at for at, token in enumerate(tokens) if words.whole("modals", token)), None)
    actor = " ".join(tokens[:place]) if place else ""
    rest = stripped(" ".join(tokens[(place + 1) if place is not None else 0 :]), words)
    return Said(actor, verb, rest, f"{rest} {verb}")


def _acts(tokens: Sequence[str], place: int, words: Lexicon) -> bool:
    """Whether the verb-like word at a place is a verb there, and no noun: "list of", "photo book", "order history"."""
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    if not following or (
        words.whole("prepositions", following) and following.lower() in ("of", "de", "von", "des", "du")
    ):
        return False
    if place == 0:
        return words.language == "en" or tokens[0][:1].islower() or words.language in ("fr", "es")
    before = tokens[place - 1].strip(",.:")
    if words.language != "en":
        return tokens[place][:1].islower()
    plural = before.endswith("s") and not before.endswith(("ss", "us", "'s"))
    return plural or words.whole("modals", before) or before.lower() in (
        "people", "children", "i", "we", "you", "they", "everyone", "anyone", "who", "users", "not", "to", "staff"
    )  # fmt: skip


def base(token: str, words: Lexicon) -> str:
    """A verb as the lexicon has it."""
    token = token.lower()
    if words.language != "en":
        return next(
            (verb for verb in (token, *_infinitives(token, words.language)) if words.whole("verbs", verb)), token
        )
    for ending, instead in (
        ("", ""),
        ("s", ""),
        ("es", ""),
        ("ing", ""),
        ("ing", "e"),
        ("ies", "y"),
        ("ed", ""),
        ("d", ""),
    ):
        if token.endswith(ending):
            stem = token[: len(token) - len(ending)] + instead if ending else token
            if words.whole("verbs", stem):
                return stem
            if ending == "ing" and len(stem) > 2 and stem[-1] == stem[-2] and words.whole("verbs", stem[:-1]):
                return stem[:-1]
    return token


_ENDINGS = {
    "de": (("t", "en"), ("et", "en"), ("e", "en"), ("st", "en"), ("t", "n")),
    "fr": (("e", "er"), ("es", "er"), ("ent", "er"), ("ons", "er"), ("ez", "er"), ("it", "ir"), ("issent", "ir"),
           ("ent", "re")),
    "es": (("a", "ar"), ("an", "ar"), ("amos", "ar"), ("e", "er"), ("en", "er"), ("e", "ir"), ("en", "ir"),
           ("imos", "ir")),
}  # fmt: skip


def _infinitives(token: str, language: str) -> list[str]:
    """What infinitives a form may belong to."""
    return [
        token[: len(token) - len(ending)] + instead
        for ending, instead in _ENDINGS.get(language, ())
        if token.endswith(ending) and len(token) > len(ending) + 2
    ]


def active(text: str, words: Lexicon) -> str:
    """What can be done to a thing, said as doing it: "links can be filtered by a tag" is "filter links by a tag"."""
    found = re.fullmatch(words.words["passive"], text.strip(), re.I) if "passive" in words.words else None
    if found is None or not is_verb(found["deed"], words):
        return text
    thing, deed, rest = found["thing"], base(found["deed"], words), found["rest"].strip()
    order = (thing, rest, deed) if words.language == "de" else (deed, thing, rest)
    return " ".join(part for part in order if part)


_INFINITIVE = {
    "en": re.compile(""),
    "de": re.compile("n$"),
    "fr": re.compile("(?:er|ir|re)$"),
    "es": re.compile("[aei]r$"),
    "zh": re.compile(""),
}


def is_infinitive(token: str, words: Lexicon) -> bool:
    """Whether this is a verb as the lexicon has it."""
    return words.whole("verbs", token.lower()) and _INFINITIVE[words.language].search(token.lower()) is not None


def is_verb(token: str, words: Lexicon) -> bool:
    """Whether this is a form of one of the language's verbs."""
    return words.whole("verbs", base(token, words))
