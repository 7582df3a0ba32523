"""What an app is about: content for the subject of a brief, laid over the content of its product type.

`data/topics/{product_type}/{topic}.json` holds the keys that differ from the product type's JSON, and `words`: the
regular expression that finds the subject in a brief.  Words that may as well be features of any app (notes, events)
count only where a brief begins, in topics marked `lead_only`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from loopwright.agents.pages.brief.details import read_details
from loopwright.agents.pages.brief.features import features_in, without_answers
from loopwright.agents.pages.brief.knowledge import GENERAL, Language, language_of
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.details import filled

# The language an app speaks: that of its brief, where the studio has words in it.


def spoken_language(product_type: str, text: str) -> Language:
    """The language of the text if there is content of this product type in it, else English."""
    language = language_of(text)
    return language if language != "en" and resources.exists(content_path(product_type, language)) else "en"


def content_path(product_type: str, language: Language) -> str:
    """Where the content of a product type in another language would be."""
    return f"languages/{language}/products/{product_type}.json"


class Translator(Protocol):
    """The function `t` of the templates."""

    def __call__(self, label: str, meaning: str = "") -> str:
        """A label in the app's language; `meaning` tells apart labels that are one word in English alone."""
        ...


def translator(language: Language) -> Translator:
    """The function `t` of the templates: a label in the app's language.

    The strings of a label with a meaning stand under `meaning|label`.  A label that a language lacks is an error of the
    studio (a test looks for them), never of the user: it stays English.
    """
    strings: dict[str, str] = {} if language == "en" else resources.read_json(f"languages/{language}/strings.json")

    def translate(label: str, meaning: str = "") -> str:
        return strings.get(f"{meaning}|{label}" if meaning else label, label)

    return translate


# Content for subjects that no topic knows: a shop for goods never heard of, a trip to a place not on the list.

MAX_LENGTH = 30
"""A longer name would not fit the heading of a phone's page."""

_NAME = r"[A-Z][\w'’-]+(?:\s+(?:(?:of|de|la|del|and|the)\s+){0,2}[A-Z][\w'’-]+){0,2}"
_PLACE = re.compile(
    r"\b(?i:trips?|travel\w*|journeys?|holidays?|vacations?|tours?|weekends?|honeymoon|days|weeks?|backpack\w*|hik\w+"
    r"|cycling|guide|itinerary|planner|drive|cruise|visit\w*)\s+(?:[a-z]+\s+){0,3}?"
    rf"(?i:to|in|for|around|through|across|of|along|from)\s+(?:the\s+)?(?P<found>{_NAME})"
)
_PLACE_BEFORE = re.compile(
    rf"(?<!^)(?<![.!?]\s)\b(?P<found>{_NAME})\s+(?i:trip|travel|itinerary|holiday|vacation|tour|city guide|road trip)\b"
)
_PLACE_ZH = re.compile(
    r"(?:做|设计|制作|要|想要)?(?:一[个款]|个)?(?:去|到|游)?(?P<found>[\u4e00-\u9fff]{2,4}?)(?:自驾|自由行|旅行|旅游|之旅|行程|攻略|[一二三四五六七八九十\d]+日游)"
)
_ADJECTIVES = (
    r"(?:(?:an?|the|my|our|some|new|small|little|online|web|mobile|simple|modern|local|nice|cute|playful|luxury|premium"
    r"|family|independent|dark|light|minimal\w*)\s+)*"
)
_THINGS = rf"{_ADJECTIVES}(?P<found>[a-z][a-z' -]{{2,29}}?)"
_END = r"(?=[,.;:!?\n]|$|\s+(?:with|that|in|for|called|named|to|from|and|by|at|online)\b)"
_SHOP = r"(?:shop|store|boutique|marketplace|webshop)"
_GOODS = re.compile(
    rf"\b{_SHOP}\b(?:\s+app)?\s+(?:for|with|selling|that sells|of|offering)\s+{_THINGS}{_END}", re.IGNORECASE
)
_SELL = re.compile(rf"\bsell(?:s|ing)?\s+{_THINGS}{_END}", re.IGNORECASE)
_GOODS_BEFORE = re.compile(
    rf"(?:^|\b(?:an?|the|my|our|for)\s+){_ADJECTIVES}(?P<found>[a-z][a-z'-]+(?:\s[a-z'-]+)?)\s+{_SHOP}\b", re.IGNORECASE
)
_NO_GOODS = re.compile(
    r"(?:.*\b)?(?:online|web|mobile|e-?commerce|app|things|products|items|parents|me|us|cart|basket|check-?out|filters?"
    r"|wish ?lists?|favou?rites|search|reviews?|orders?|pages?|theme|accent|mode|style|look|colou?rs?|kids|families"
    r"|people|customers|students|teenagers)",
    re.IGNORECASE,
)
"""Words that say what the shop has or whom it is for, rather than what it sells."""
_WAYS = {"place": (_PLACE, _PLACE_BEFORE, _PLACE_ZH), "goods": (_GOODS, _SELL, _GOODS_BEFORE)}


def stand_in_content(content: dict[str, Any], brief: str) -> tuple[str, dict[str, str]] | None:
    """The topic that stands in and what its places are filled with; None where the brief names no such thing."""
    wanted = content.get("stand_in")
    if not wanted:
        return None
    found = find_named(wanted["finds"], brief)
    if found is None:
        return None
    return wanted["topic"], {wanted["finds"]: found, wanted["finds"].capitalize(): found[:1].upper() + found[1:]}


def find_named(kind: str, brief: str) -> str | None:
    """The place that a brief goes to (`place`) or what its shop sells (`goods`), in the brief's own words."""
    for pattern in _WAYS[kind]:
        match = pattern.search(brief)
        if match is None:
            continue
        words = match["found"].strip(" -'’")
        if 1 < len(words) <= MAX_LENGTH and not (kind == "goods" and _NO_GOODS.fullmatch(words)):
            return words if kind == "place" else words.lower()
    return None


def fill(topic: dict[str, Any], words: dict[str, str]) -> dict[str, Any]:
    """The topic's content with the words in their places."""
    made: dict[str, Any] = filled(topic, words)
    return made


MIN_FEATURES = 3
"""With fewer features than that, a brief says too little to fill a list."""

ITEM_REFERENCE = "metricId"
"""The field by which a record tells of an item."""

_QUESTION = re.compile(r"^(?:[^\n?？]{0,40}(?:pages?|页面)[^\n?？]*[?？].*|[^\n?？]{3,120}[?？])", re.MULTILINE)
"""Questions within a stored brief, and whole lines on pages: their words ("home page") are not the user's subject."""

_INTERFACE = re.compile(
    r"(?:\w+ )?(?:charts?|graphs?|filters?|alerts?|tables?|search|reports?|settings|notifications?|dark mode|tabs"
    r"|forms?)",
    re.IGNORECASE,
)
"""Parts of an interface: a brief that lists them says how its numbers are shown, not what is counted."""

_LEAD_END = re.compile(r"[,.;:!?\n]|\s(?:with|that|which|where|to)\s")
"""Where a brief stops to say what the app is and begins to say what it has."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject that has content of its own."""

    name: str
    words: re.Pattern[str]
    lead_only: bool


def content_for(product_type: str, brief: str = "", app_name: str = "") -> dict[str, Any]:
    """The content of a product type for the subject of the brief or, where it names none, of the app's name.

    What no topic knows is told in the words of the brief: its features name the items of an app whose content says
    `named_by_brief`, and its subject, names, day and place stand where the content leaves space for them.
    """
    language = spoken_language(product_type, brief)
    content = product_content(product_type, language)
    told = (without_answers(brief), app_name, _QUESTION.sub("", brief))
    topic = next((found for text in told if (found := find_topic(product_type, text))), None)
    stand_in = stand_in_content(content, brief) if topic is None else None
    if topic is not None:
        content = resources.merged(content, _topic_content(product_type, topic, language))
    elif stand_in is not None:
        content = resources.merged(content, fill(_topic_content(product_type, stand_in[0], language), stand_in[1]))
    elif content.get("named_by_brief"):
        counted = [name for name in features_in(brief) if not _INTERFACE.fullmatch(name)]
        content = _named_by_brief(content, counted)
    return _with_details(_with_call(content, brief), brief, app_name)


def _with_call(content: dict[str, Any], brief: str) -> dict[str, Any]:
    """The content with the call to action that the brief asks for ("a waitlist form"), where it has `calls`."""
    wanted = next((call for call in content.get("calls", ()) if re.search(call["like"], brief.lower())), None)
    if wanted is None:
        return content
    lead = {"action": wanted["action"], "thanks": wanted["thanks"]}
    return resources.merged(content, {"hero": {"action": wanted["action"]}, "lead": lead})


def _topic_content(product_type: str, topic: str, language: Language) -> dict[str, Any]:
    """A topic's content; in another language its look alone where that language has nothing on it."""
    content: dict[str, Any] = resources.read_json(f"topics/{product_type}/{topic}.json")
    if language == "en":
        return content
    own = f"languages/{language}/topics/{product_type}/{topic}.json"
    kept: dict[str, Any] = {key: content[key] for key in ("look", "templates", "layout") if key in content}
    return resources.merged(content, resources.read_json(own)) if resources.exists(own) else dict(kept)


def _with_details(content: dict[str, Any], brief: str, app_name: str) -> dict[str, Any]:
    """The content with what the brief says in its places; content without `details` has no such places."""
    if "details" not in content:
        return content
    said = {**content["details"], **read_details(brief)}
    subject = said.get("subject", "")
    names = said.get("names", [])
    values = {
        "subject": subject,
        "Subject": subject[:1].upper() + subject[1:],
        "names": content.get("and", " & ").join(names),
        "name": names[0] if names else app_name,
        "app": app_name,
        "place": said.get("place", ""),
        "role": said.get("role", ""),
    }
    made: dict[str, Any] = filled({key: value for key, value in content.items() if key != "details"}, values)
    return {**made, "details": said}


def named_items(items: list[dict[str, Any]], features: Sequence[str]) -> list[dict[str, Any]]:
    """The items under the names that a brief lists, as long as there are enough of them to fill a list.

    An item whose pattern `like` finds itself in a name takes it (an income is money, a waiting time is better when it
    is short); names that fit none take the items that are left over, in their order.
    """
    if len(features) < MIN_FEATURES:
        return items
    left = list(items)
    chosen: dict[str, dict[str, Any]] = {}
    for name in features:
        fitting = next((item for item in left if "like" in item and re.search(item["like"], name.lower())), None)
        if fitting is not None:
            chosen[name] = fitting
            left.remove(fitting)
    for name in (each for each in features if each not in chosen):
        if left:
            chosen[name] = left.pop(0)
    names = [name for name in features if name in chosen]
    named = [{**chosen[name], "id": _identifier(name, number), "name": name} for number, name in enumerate(names)]
    return named if len({item["id"] for item in named}) == len(named) else items


def _named_by_brief(content: dict[str, Any], features: list[str]) -> dict[str, Any]:
    """The content with items named by the brief, without the records that told of other items."""
    items = named_items(content["items"], features)
    known = {item["id"] for item in items}
    records = {
        entity: [each for each in kept if each.get(ITEM_REFERENCE, items[0]["id"]) in known]
        for entity, kept in content["records"].items()
    }
    return {**content, "items": items, "records": records}


def product_content(product_type: str, language: Language = "en") -> dict[str, Any]:
    """The content of a product type over the general content, each with that of another language over it.

    What a product type leaves to the general content is general in the other language, too.
    """
    content: dict[str, Any] = resources.read_json(f"products/{GENERAL}.json")
    if language != "en":
        content = resources.merged(content, resources.read_json(content_path(GENERAL, language)))
    if product_type != GENERAL:
        content = resources.merged(content, resources.read_json(f"products/{product_type}.json"))
    if language != "en" and product_type != GENERAL:
        content = resources.merged(content, resources.read_json(content_path(product_type, language)))
    return content


def find_topic(product_type: str, text: str) -> str | None:
    """The topic that a text names first; people say what an app is about before they say what it has."""
    lowered = text.lower()
    lead = _LEAD_END.split(lowered, maxsplit=1)[0]
    found = {
        topic.name: match.start()
        for topic in _topics(product_type)
        if (match := topic.words.search(lead if topic.lead_only else lowered))
    }
    return min(found, key=lambda name: found[name], default=None)


@cache
def _topics(product_type: str) -> tuple[Topic, ...]:
    folder = f"topics/{product_type}"
    if not resources.folder_exists(folder):
        return ()
    return tuple(_read_topic(folder, name) for name in resources.names_in(folder, ".json"))


def _read_topic(folder: str, name: str) -> Topic:
    data = resources.read_json(f"{folder}/{name}.json")
    return Topic(name, re.compile(rf"(?<![a-z])(?:{data['words']})(?![a-z])"), data.get("lead_only", False))


def _identifier(name: str, number: int) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or f"feature-{number}"
