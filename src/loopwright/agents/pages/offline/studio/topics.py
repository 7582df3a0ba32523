"""What an app is about: content for the subject of a brief, laid over the content of its product type.

`data/topics/{product_type}/{topic}.json` holds the keys that differ from the product type's JSON, and `words`: the
regular expression that finds the subject in a brief.  Words that may as well be features of any app (notes, events)
count only where a brief begins, in topics marked `lead_only`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from loopwright.agents.pages.offline.studio import resources

GENERAL = "app"
"""The product type whose content stands in where a product type has none of its own."""

MIN_FEATURES, MAX_FEATURES = 3, 8
"""With fewer features than that, a brief says too little to fill a list."""

MAX_FEATURE_WORDS = 6
"""A longer fragment of a brief is a sentence rather than the name of something."""

_LEAD = re.compile(
    r"^(?:and|or|with|also|plus|it|i|you|we|users?|people|should|can|must|want|need|needs|wants|to|have|has|include"
    r"|includes|including|see|a|an|the|be|able|there|is|are|my|their|your)\s+",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"\b(?:app|application|site|website|prototype|tool|platform)s?\s+(?P<purpose>(?:for|to|that|where|about|which)\s.+?)"
    r"(?:[.;:!?\n]|,?\s+with\s|,\s|$)",
    re.IGNORECASE,
)
_MOTIFS = ("orbs", "tiles", "bauhaus", "arches", "strata", "stones", "dunes", "sprout")


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

    A general app about something that no topic knows gets what its brief says of it: purpose and features.
    """
    content = product_content(product_type)
    topic = find_topic(product_type, brief) or find_topic(product_type, app_name)
    if topic is not None:
        return resources.merged(content, resources.read_json(f"topics/{product_type}/{topic}.json"))
    return resources.merged(content, _from_brief(brief)) if product_type == GENERAL else content


def product_content(product_type: str) -> dict[str, Any]:
    """The content of a product type over the general content."""
    general: dict[str, Any] = resources.read_json(f"products/{GENERAL}.json")
    if product_type == GENERAL:
        return general
    return resources.merged(general, resources.read_json(f"products/{product_type}.json"))


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


def _from_brief(brief: str) -> dict[str, Any]:
    """A hero that says what the app is for, and its features as the things it has."""
    made: dict[str, Any] = {}
    purpose = _PURPOSE.search(brief)
    if purpose is not None:
        text = purpose["purpose"].strip()
        made["hero"] = {"text": f"Made {text}." if text.lower().startswith(("for", "to")) else f"One app {text}."}
    features = features_in(brief)
    if len(features) >= MIN_FEATURES:
        made["categories"] = [{"id": "all-features", "name": "Features", "icon": "sparkle"}]
        made["items"] = [_feature_item(name, number) for number, name in enumerate(features)]
    return made


def features_in(brief: str) -> list[str]:
    """The short things that a brief lists, as names: `Hive inspections`, `A map of hives`."""
    listed = brief.partition(" with ")[2] or brief.partition(":")[2]
    names = []
    for part in re.split(r"[,;.:\n]|\s+and\s+|\s+-\s+", listed):
        name = part.strip(" -*•\"'!?")
        while stripped := _LEAD.match(name):
            name = name[stripped.end() :]
        if 1 <= len(name.split()) <= MAX_FEATURE_WORDS and len(name) > 2:
            names.append(name[0].upper() + name[1:])
    return list(dict.fromkeys(names))[:MAX_FEATURES]


def _feature_item(name: str, number: int) -> dict[str, Any]:
    return {
        "id": re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or f"feature-{number}",
        "name": name,
        "text": f"{name}: everything in one place, one tap away.",
        "category": "all-features",
        "tags": [],
        "meta": "Open",
        "motif": _MOTIFS[number % len(_MOTIFS)],
        "hue": (210 + 47 * number) % 360,
        "tone": "day",
    }
