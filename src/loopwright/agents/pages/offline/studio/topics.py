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
from typing import Any

from loopwright.agents.pages.brief.features import features_in, without_answers
from loopwright.agents.pages.brief.kinds import kind_of
from loopwright.agents.pages.brief.knowledge import GENERAL
from loopwright.agents.pages.brief.language import Language
from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.details import filled, read_details
from loopwright.agents.pages.offline.studio.featured import featured
from loopwright.agents.pages.offline.studio.language import content_path, spoken_language
from loopwright.agents.pages.offline.studio.stand_ins import fill, stand_in_content

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
    `named_by_brief`, and its subject, names, day and place stand where the content leaves room for them.
    """
    language = spoken_language(product_type, brief)
    content = product_content(product_type, language)
    told = (without_answers(brief), app_name, _QUESTION.sub("", brief))
    topic = _topic_of_kind(product_type, told[0]) or next(
        (found for text in told if (found := find_topic(product_type, text))), None
    )
    stand_in = stand_in_content(content, brief) if topic is None else None
    if topic is not None:
        content = resources.merged(content, _topic_content(product_type, topic, language))
    elif stand_in is not None:
        content = resources.merged(content, fill(_topic_content(product_type, stand_in[0], language), stand_in[1]))
    elif content.get("named_by_brief"):
        counted = [name for name in features_in(brief) if not _INTERFACE.fullmatch(name)]
        content = _named_by_brief(content, counted)
    if product_type == GENERAL:
        content = _with_features(content, featured(told[0], language), has_topic=topic is not None)
    return _with_details(_with_call(content, brief), brief, app_name)


def _with_features(content: dict[str, Any], told: dict[str, Any], *, has_topic: bool) -> dict[str, Any]:
    """The content with what the brief lists; a subject of its own keeps its words, its home page and its lists."""
    if has_topic:
        told = {key: told[key] for key in ("features", "records") if key not in content}
    return resources.merged(content, told)


def _with_call(content: dict[str, Any], brief: str) -> dict[str, Any]:
    """The content with the call to action that the brief asks for ("a waitlist form"), where it has `calls`."""
    wanted = next((call for call in content.get("calls", ()) if re.search(call["like"], brief.lower())), None)
    if wanted is None:
        return content
    lead = {"action": wanted["action"], "thanks": wanted["thanks"]}
    return resources.merged(content, {"hero": {"action": wanted["action"]}, "lead": lead})


def _topic_of_kind(product_type: str, brief: str) -> str | None:
    """The topic with the name of the brief's kind of app, if there is one."""
    kind = kind_of(brief, product_type)
    return kind.name if kind is not None and resources.exists(f"topics/{product_type}/{kind.name}.json") else None


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
