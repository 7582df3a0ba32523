"""Which kind of product a text is about: keywords in English and Chinese, no model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from loopwright.agents.pages.brief.knowledge import GENERAL, Keywords, Product, other_kinds, products
from loopwright.agents.pages.brief.sitemap import without_page_list

# What a brief asks for, in the phrase with which it begins: "a dashboard camera shop with reviews" asks for a shop.

_LEAD = re.compile(
    r"^\W*(?:(?:please|hi|hello|hey)\b[\s,!]*)*(?:(?:can|could|would)\s+you\s+)?"
    r"(?:(?:i\s+(?:want|need|would\s+like)|we\s+(?:want|need)|i'd\s+like|make|create|build|design|generate|develop"
    r"|prototype|give|show)\b(?:\s+(?:me|us|to\s+(?:make|build|create|have|see)))*\s*)?"
    r"(?:(?:an?|the|my|our|some|this|simple|nice|new|small|mobile|modern|beautiful|single|one-page|\d+"
    r"|one|two|three|four|five"
    r"|six|seven|eight)\s+)*",
    re.IGNORECASE,
)
_ENGLISH_END = re.compile(
    r"\b(?:for|with|that|which|where|who|to|in|on|of|about|from|by|using|called|named|titled|like|at|and|showing|so)\b",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:\s|^)(?:app|apps|application|website|web\s*site|site|pages?|prototype|clone|program(?:me)?|platform|tool"
    r"|system|software|service|something|anything|things?|stuff)\s*$",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?P<preposition>for|of|about|on|with)\s+(?:(?:an?|the|my|our|some|all|your)\s+)*(?P<topic>.+)$", re.IGNORECASE
)
_CHINESE_LEAD = re.compile(
    r"^\W*(?:请|麻烦|帮我们?|给我们?|我们?(?:想|要|需要)?|做|建|搭|设计|开发|制作|生成|创建|来|要|一个|一款|一张|一套|个|款|张)*"
)
_CHINESE_FRAME = re.compile(
    r"(?:应用|小程序|平台|网站|网页|页面|软件|系统|工具|大全|介绍|app|APP|App|规划|计划|记录|管理)$"
)
_CLAUSE_END = re.compile(r"[,.;:!?\n()，。；：！？、]|\s[–-]\s")
_HAS_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked for.

    `phrase` is the noun phrase whose last word says what it is ("dashboard camera shop"), without a frame such as
    "app"; it is empty where the brief frames something in other words ("an app where …"). `topic` is what an empty
    frame is for, or what follows the phrase's "of".
    """

    phrase: str
    topic: str = ""
    purpose: bool = False
    """Whether the topic follows "for": an app for a shop has to do with selling, an app about shops may not."""


def read_subject(brief: str) -> Subject:
    """The subject of a brief's first clause."""
    clause = next((part.strip() for part in _CLAUSE_END.split(brief.strip()) if part.strip()), "")
    if _HAS_CHINESE.search(clause):
        return Subject(_unframed(_CHINESE_LEAD.sub("", clause), _CHINESE_FRAME))
    rest = _LEAD.sub("", clause, count=1)
    end = _ENGLISH_END.search(rest)
    phrase = _unframed(rest[: end.start()] if end else rest, _FRAME)
    if phrase and end and end[0].lower() == "of":
        return Subject(phrase, _until_end(rest[end.end() :]))
    if phrase:
        return Subject(phrase)
    topic = _TOPIC.search(rest)
    if topic is None:
        return Subject("")
    return Subject("", _until_end(topic["topic"]), topic["preposition"].lower() == "for")


def _until_end(text: str) -> str:
    end = _ENGLISH_END.search(text)
    return (text[: end.start()] if end else text).strip()


def _unframed(phrase: str, frame: re.Pattern[str]) -> str:
    phrase = phrase.strip()
    while (shorter := frame.sub("", phrase).strip()) != phrase:
        phrase = shorter
    return phrase


# What a brief says that it does not want: taken out before anything is read from it.

_BOUNDARY = (
    r"(?=[,.;:!?\n()]|\s[–-]\s|"
    r"\b(?:but|just|only|instead|rather|and\s+(?!not\b|no\b)|or\s+(?!not\b|no\b))\b|$)"
)
_ENGLISH = re.compile(
    r"\b(?:(?:is|are|it's|that's|this is)\s+not"
    r"|isn't|aren't|(?:do|does|should|must|would|need|will)(?:n't| not)"
    r"(?:\s+(?:want|need|be|have|become|look like|include|use|make|like|build))*"
    r"|not(?!\s+(?:only|just|yet)\b)|no|without"
    r"|never|instead of|rather than|nothing is|neither|nor)\b(?:\s+(?:an?|the|any|another|for))*\s+[^,.;:!?\n()]*?"
    + _BOUNDARY,
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:不是(?!只)|不要(?:做成?|用|有)?|不需要|不用|没有|别(?:做|用)成?|无需|而不是)[^，。；：,.;:！!？?\n、]{1,20}"
)


def without_negations(text: str) -> str:
    """The text without its negated phrases: "not a shop, a portfolio" → ", a portfolio".

    A negation reaches to the next mark of punctuation or to a word that turns the sentence. "Not only" and "not just"
    negate nothing.
    """
    return _CHINESE.sub(" ", _ENGLISH.sub(" ", text))


UNKNOWN = "unknown"

STRONG_WEIGHT = 2.0
"""A keyword that names the product ("coffee shop", "kanban") counts as two that merely fit it ("menu", "task")."""

SUBJECT_BONUS = 1.5
"""What a keyword gains with which the subject ends: "a dashboard camera shop" is a shop."""

LEAD_BONUS = 1.0
"""What a keyword gains with which the brief begins, or that says what the app is for."""

OTHER_KIND_LOSS = 2.0
"""What every product type loses when the subject is a thing of another kind: "a quiz about movies" is a quiz."""

FULL_CONFIDENCE = 3.0
"""So many hits make a match sure (field notes, 000 · pages)."""


@dataclass(frozen=True)
class ScenarioMatch:
    """How well a text fits a product type. `keywords` are the ones found in it."""

    name: str
    confidence: float
    keywords: tuple[str, ...] = ()


def detect_scenario(text: str, min_confidence: float = 0.5, fallback: str = UNKNOWN) -> ScenarioMatch:
    """The scenario of a text, or `fallback` (with the confidence of the best guess) when nothing is sure enough.

    Confidence = min(1, hits / 3), as the field notes have it, where a strong keyword counts as two hits and the one
    that the subject ends with as one and a half more: with the default threshold, one strong or two weak keywords are
    needed, or a weak one that is the subject.
    """
    best = rank_scenarios(text)[:1]
    if best and best[0].confidence >= min_confidence:
        return best[0]
    return ScenarioMatch(fallback, best[0].confidence if best else 0.0)


def rank_scenarios(text: str) -> Sequence[ScenarioMatch]:
    """All product types that have a keyword in the text, the best first; equals keep alphabetical order.

    Negated phrases do not count, nor does the list of pages as long as the rest of the text has keywords: "cart" as a
    page of a restaurant's app makes no shop of it.
    """
    wanted = without_negations(text)
    return _ranked(without_page_list(wanted), wanted) or _ranked(wanted, wanted)


def is_of_another_kind(text: str) -> bool:
    """Whether the subject of the text names a kind of app that none of the product types is."""
    return _other_kind(read_subject(without_negations(text)))


def likeliest_type(text: str) -> str:
    """The product type to build: the sure one, else the likeliest, else none in particular.

    A subject of another kind is no hint at a product type: a quiz about movies is no streaming app.
    """
    match = detect_scenario(text)
    if match.name != UNKNOWN:
        return match.name
    ranked = [] if is_of_another_kind(text) else rank_scenarios(text)
    return ranked[0].name if ranked else GENERAL


@lru_cache(maxsize=256)
def _ranked(text: str, whole: str) -> tuple[ScenarioMatch, ...]:
    subject = read_subject(whole)
    loss = OTHER_KIND_LOSS if _other_kind(subject) else 0.0
    scored = []
    owners = {known.product_type for known in products().values() if _subject_of(known, subject)}
    for known in products().values():
        hits, keywords = _hits(known, text, subject, bool(owners - {known.product_type}))
        if keywords and hits > loss:
            confidence = round(min(1.0, (hits - loss) / FULL_CONFIDENCE), 2)
            scored.append((hits, ScenarioMatch(known.product_type, confidence, keywords)))
    return tuple(match for _, match in sorted(scored, key=lambda pair: -pair[0]))


def _hits(known: Product, text: str, subject: Subject, of_others: bool) -> tuple[float, tuple[str, ...]]:
    """The weight of a product type's keywords, and the keywords.

    Where the subject ends with a keyword of another type (`of_others`), those that stand before it in the same phrase
    only say more about it: "personal trainer booking" is about booking.
    """
    text = _masked(text, known.keywords.not_in)
    found = [*((word, STRONG_WEIGHT) for word in _found(text, known.keywords.strong))]
    found += [(word, 1.0) for word in (*_found(text, known.keywords.weak), *_done(text, known.keywords.verbs))]
    is_subject = any(_ends_with(subject.phrase, word) for word, _ in found)
    beside = of_others and not is_subject
    hits = sum(weight / 2 if beside and _normal(word) in _normal(subject.phrase) else weight for word, weight in found)
    if is_subject:
        hits += SUBJECT_BONUS
    elif any(_leads(text, subject, word, known.keywords.verbs) for word, _ in found):
        hits += LEAD_BONUS
    return hits, tuple(dict.fromkeys(word for word, _ in found))


def _leads(text: str, subject: Subject, word: str, verbs: tuple[str, ...]) -> bool:
    """Whether the brief begins with what is done ("sell my jam", 卖水果的), or is for what the keyword names."""
    if subject.purpose and _ends_with(subject.topic, word):
        return True
    if not word.isascii():
        return subject.phrase.endswith("的") and subject.phrase.startswith(word)
    return word in verbs and re.match(rf"\W*{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _subject_of(known: Product, subject: Subject) -> bool:
    words = known.keywords
    phrase = _masked(subject.phrase, words.not_in)
    return any(
        _ends_with(phrase, word) for word in (*words.strong.en, *words.strong.zh, *words.weak.en, *words.weak.zh)
    )


def _masked(text: str, phrases: tuple[str, ...]) -> str:
    return _pattern_of_phrases(phrases).sub(" ", text) if phrases else text


@cache
def _pattern_of_phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    english = [re.escape(phrase) for phrase in phrases if phrase.isascii()]
    chinese = [re.escape(phrase) for phrase in phrases if not phrase.isascii()]
    return re.compile("|".join([*(rf"\b{phrase}\b" for phrase in english), *chinese]), re.IGNORECASE)


def _other_kind(subject: Subject) -> bool:
    words = other_kinds()
    return any(_ends_with(part, word) for part in (subject.phrase, subject.topic) for word in (*words.en, *words.zh))


def _ends_with(phrase: str, word: str) -> bool:
    phrase, word = _normal(phrase), _normal(word)
    if not word.isascii():
        return phrase.endswith(word)
    return phrase == word or phrase.endswith(f" {word}")


def _found(text: str, words: Keywords) -> tuple[str, ...]:
    said = {_normal(match) for match in _pattern(words.en).findall(text)} if words.en else set()
    return (*(word for word in words.en if _normal(word) in said), *(word for word in words.zh if word in text))


def _done(text: str, verbs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(verb for verb in verbs if _verb_pattern(verb).search(text))


@cache
def _verb_pattern(verb: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^\W*|\b(?:to|can|should|could|must|and|i|we|they|you|who|people|users?|members?|clients?|customers?|guests?"
        rf"|patients?|students?|friends)\s+){re.escape(verb)}\b(?!\s+(?:club|shop|store|review|about))",
        re.IGNORECASE,
    )


@lru_cache(maxsize=8_192)
def _normal(word: str) -> str:
    return re.sub(r"[\s-]+", " ", word.lower()).strip()


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """All words at once, at word boundaries; a blank in a word also matches a hyphen and a line break.

    A look-ahead captures, so that words inside other words ("coffee" in "coffee shop") are found as well.
    """
    forms = (re.sub(r"[ -]", r"[\\s-]+", re.escape(word).replace(r"\ ", " ").replace(r"\-", "-")) for word in words)
    ordered = sorted(forms, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?=({'|'.join(ordered)})(?!\w))", re.IGNORECASE)
