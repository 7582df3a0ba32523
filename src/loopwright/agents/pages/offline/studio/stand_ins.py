"""Content for subjects that no topic knows: a shop for goods never heard of, a trip to a place not on the list.

A product type's JSON names such content as `stand_in`: `{"topic": "anywhere", "finds": "place"}`.  The topic marks with
`{place}`, `{Goods}` and `{goods}` where the words of the brief stand; it is used only where the brief has such words.
"""

from __future__ import annotations

import re
from typing import Any

from loopwright.agents.pages.offline.studio.details import filled

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
