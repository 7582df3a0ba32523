"""The name that a brief gives its app, in five languages."""

import re

from loopwright.agents.pages.brief.knowledge import find_app_name
from loopwright.agents.pages.domain.grammar import Lexicon, is_verb, language_read, lexicon

_NUMBER = re.compile(r"\d+")
NAME_NEAR = 160
"""Characters from the start within which something quoted is the app's name."""


_WORD = r"(?:(?:St|Ste|Sta|Mt|Dr)\. )?[A-ZÀ-Þ0-9](?:[\w'’-]|\.(?=\w))*"
_NAME = rf"{_WORD}(?:(?: & | ?[+&] ?| | (?:of|the|de|la|und|et|y|du|des|del|von|and) (?=[A-ZÀ-Þ])){_WORD}){{0,4}}"


_PAGE_NAME = re.compile(
    r"(?<!\w)(?:(?!one |single )\w+ )?(?:pages?|screens?|tabs?|sections?|unterseite|bildschirm|reiter|onglet|pantalla|"
    r"sección)\s+(?:called|named|titled|namens|genannt|intitulée?|nommée?|appelée?|llamad[oa]|titulad[oa])\s+"
    r"[\"“„«]?(?P<page>[^,.;:\"”“»]+?)[\"”“»]?"
    r"(?=\s+(?:with|where|that|for|mit|avec|où|con|donde)\s(?P<rest>.*)|[,.;:]|$)",
    re.I,
)
"""A page of the app by its name, which is not the app's."""
_THEIRS = (
    r"(?:(?:we|i) (?:are|run|own|manage)|we['’]re|\w+ (?:\w+ )?runs?|wir sind|somos|nous sommes|"
    r"(?:ich bin|wir sind) \w+ (?:im|beim|bei|vom|der|des))"
)
"""After what people tell who they are, or what is theirs."""


def named_page(text: str) -> tuple[str, str] | None:
    """The page that a part of a brief gives a name, and what it says is on it."""
    found = _PAGE_NAME.search(text)
    return (found["page"].strip(), (found["rest"] or "").strip()) if found else None


def labelled_name(brief: str) -> str:
    """The name where the brief says that it is one, or quotes it; empty elsewhere."""
    words, name = lexicon(language_read(brief)), _NAME
    brief = _PAGE_NAME.sub(" ", brief)
    quoted = r"[„“\"«「『《‚‘]\s?(?P<quoted>[^”“\"»」』》’‘\n]{1,40}?)\s?[”“\"»」』》’]"
    label = rf"(?:{words.words['label']})"
    for pattern in (
        rf"(?i:{label})\s*:?\s*{quoted}",
        rf"(?i:{label})\s*:?\s*(?P<plain>{name})",
        rf"(?<![A-Za-zÀ-ÿ0-9]){quoted}",
    ):
        found = re.search(pattern, brief)
        if found and (pattern[:4] != "(?<!" or (found.start() < NAME_NEAR and not found["quoted"][0].islower())):
            return _tidy_name(found.groupdict().get("quoted") or found.groupdict().get("plain") or "")
    return ""


def given_name(brief: str) -> str:
    """The name that the brief gives the app in any of the languages, as it is written there, or empty."""
    words = lexicon(language_read(brief))
    if labelled := labelled_name(brief):
        return labelled
    name = _NAME
    if words.language == "zh":
        found = re.search(rf"(?:{words.words['label']})\s*(?P<plain>[^\s，。、,：:的]{{2,12}})", brief)
        return found["plain"] if found else ""
    said = re.match(
        rf"(?P<plain>{name}) (?:is|ist|est|es) (?:an?|the|eine?|une?|una?) (?:[\w-]+ )?(?i:{words.words['frame']})\b",
        brief,
    )
    if said:
        return _tidy_name(said["plain"])
    first = re.split(r"[:;.!?]\s|\n", brief, maxsplit=1)[0]
    theirs = re.search(rf"(?:^|[,.!]\s+)(?:\w+ )?(?i:{_THEIRS})\s+(?:(?:the|der|die|das)\s+)?(?P<plain>{name})", brief)
    if theirs and " " in theirs["plain"]:
        return _tidy_name(theirs["plain"])
    owner = re.search(
        rf"\b(?:for|of|für|von|pour|de|para|des?|der)\s+(?:(?:the|our|die|den|das|la|le|el)\s+)?(?P<plain>{name})"
        r"(?=\s*(?:[:,.;(]|$|e\. ?V\.|in\b|with\b|mit\b|avec\b|con\b|und\b|that\b))",
        first,
    )
    if owner is None and words.spaced and words.language != "de":
        before, after = r"(?P<between>(?:[a-zà-ÿ'-]+ ){0,3})", r"(?: [a-zà-ÿ'-]+){0,2}\s*(?:[:,.;(]|$)"
        owner = re.search(rf"\b(?:for|of|pour|de|para)\s+(?:the\s+)?{before}(?P<plain>{name})(?={after})", first)
        alone = owner is not None and not any(words.whole("prepositions", each) for each in owner["between"].split())
        owner = owner if owner and alone and re.search(r"[ &]", owner["plain"]) else None
    if owner and not _ordinary(owner["plain"], words):
        return _tidy_name(owner["plain"])
    beside = re.search(rf",\s+(?:the\s+|die\s+|der\s+)?(?P<plain>{name})(?=\s*(?:[:,.]|$))", first)
    listed = beside is not None and re.match(rf"(?:,?\s+{name})*", first[beside.start() :])
    listed = listed and re.search(r",? (?:and|und|et|y) ", listed[0])  # several names: things of the app
    if beside and not listed and words.spaced and not _ordinary(beside["plain"], words):
        return _tidy_name(beside["plain"])
    heading = re.match(
        rf"(?P<plain>{name})\s*(?:[:–—-]\s|\.\s|,\s(?:an?|the|eine?|der|die|das|une?|la|le|una?)\b)", brief
    )
    if heading and not is_verb(heading["plain"].split()[0], words) and not words.starts("frame", heading["plain"]):
        return _tidy_name(heading["plain"])
    return find_app_name(_PAGE_NAME.sub(" ", brief)) or ""


def _ordinary(text: str, words: Lexicon) -> bool:
    """Whether a capitalised word after "for" is an ordinary German noun, or people."""
    return words.whole("people", text) or (words.language == "de" and " " not in text and not _NUMBER.search(text))


def _tidy_name(text: str) -> str:
    return text.strip(" .,;:'’-")
