"""Whom an app is for, and what those people do with its things: read them, choose one, borrow one."""

import re

from loopwright.agents.pages.domain.features import Feature, capital, kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, before_preposition, is_verb, stripped

MOST_OF_AUDIENCE = 5
"""Words of "for the families of our village" after its first."""
_OWNERS = frozenset(
    {"i", "we", "me", "us", "you", "user", "users", "ich", "wir", "man", "je", "nous", "yo", "我", "我们"}
)
"""Who keeps the things of an app themselves."""


def is_audience(text: str, words: Lexicon) -> bool:
    """Whether a part of a brief only says whom the app is for: "for locals", "for my team"."""
    found = words.starts("for_whom", text)
    if found is None or not words.whole("for_whom", found[0].strip()) or re.search(r"[\d(:]", text):
        return False
    rest = stripped(text[found.end() :], words)
    if not words.spaced:
        return 0 < len(rest) <= 8 and is_group(rest, words)
    parts = rest.split()
    if not 0 < len(parts) <= MOST_OF_AUDIENCE or re.search(r"ing$", parts[0]) or is_verb(parts[0], words):
        return False
    head = before_preposition(rest, words)[0]
    plural = words.language == "en" and re.fullmatch(r"(?:[a-z]+ )?[a-z]{3,}[^s\W]s", head) is not None
    return is_group(head, words) or (plural and kind_of_block(head) == "" and len(parts) <= 2)


def is_group(noun: str, words: Lexicon) -> bool:
    """Whether a noun names people by what they have in common."""
    last = noun.split()[-1] if noun.split() else noun
    forms = (last, re.sub(r"(?:s|es|en|innen)$", "", last)) if words.spaced else (last, last[-2:])
    return any(words.whole(name, form) for name in ("groups", "people") for form in forms if form)


def action_of(feature: Feature, words: Lexicon) -> str:
    """What people do with each thing of a list, as its button says it: "Borrow"; empty for nothing of that kind."""
    if not feature.verb and words.spaced and (found := _TO_BE.search(feature.title)):
        return capital(found[1]) if words.whole("acting", found[1].lower()) else feature.action
    return feature.action or (
        capital(feature.verb) if feature.kind == "list" and words.whole("acting", feature.verb or "-") else ""
    )


_TO_BE = re.compile(r"\s(?:to|zum|à|para|for)\s+(\w+)$", re.I)
"""What is done with things, behind them: "tools to borrow"."""
_EACH = re.compile(r"^(?P<verb>\w+(?: in| up| out)?) (?:each|every|all|their|the|my|our) (?P<noun>[^\W\d_].*)$", re.I)
MOST_OF_BUTTON = 32
"""Characters on the button of a form."""


def infinitive(verb: str, language: str) -> str:
    """The infinitive of a French or Spanish verb in the plural; any other as it is."""
    if language == "fr":
        return re.sub(r"(?<=[^\W\d_]{2})ent$", "er", verb)
    return re.sub(r"(?<=[^\W\d_]{2})([ae])n$", r"\1r", verb) if language == "es" else verb


def button_of(feature: Feature, words: Lexicon) -> str:
    """What the button of a form says: what people do there, "Log a cleaning"; empty where that is too long."""
    title = feature.title
    verb = infinitive(feature.verb, words.language)
    if words.language != "en" and verb and verb[:4].lower() not in title.lower():
        title = f"{title} {verb}" if words.language == "de" else f"{capital(verb)} {feature.noun or title}".strip()
        title = title if words.spaced else f"{verb}{feature.noun}"
    if words.language == "en" and (found := _EACH.match(title)) and is_verb(found["verb"].lower(), words):
        article = "" if found["noun"].endswith("s") else "an " if re.match(r"[aeiou]", found["noun"], re.I) else "a "
        title = f"{found['verb']} {article}{found['noun']}"
    return title if len(title) <= MOST_OF_BUTTON else ""


def only_read(feature: Feature, words: Lexicon) -> bool:
    """Whether a list is read by people who do not keep it: visitors choose a storey, newcomers meet the team."""
    others = feature.people and feature.people.lower() not in _OWNERS
    return bool(others) and words.whole("reading", feature.verb or "-")


def before_audience(subject: str, words: Lexicon) -> str:
    """What an app is, without the people whom it is for at its end."""
    head, rest = before_preposition(subject, words)
    return head if head and rest and is_audience(rest, words) else subject


def asks_for_search(text: str, words: Lexicon) -> bool:
    """Whether a part asks for nothing but a search through what there is: "with search", "a search field"."""
    marker = words.starts("with", text)
    noun = stripped(text[marker.end() :] if marker and words.spaced else text, words)
    return words.whole("searching", noun)
