"""What a brief says about the look, and what it lists that the app should have."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

from loopwright.agents.pages.brief.colours import as_ground, ground_in, is_colour_only, is_sandy, named_colours
from loopwright.agents.pages.brief.knowledge import language_of
from loopwright.agents.pages.colour import Colour

# What a text says about the look: colours, light or dark, style words.

Mode = Literal["light", "dark"]
"""The colour scheme a design system starts in; every design system carries both."""


@dataclass(frozen=True, slots=True)
class ThemeRequest:
    """What the brief or the answers say about the look."""

    mode: Mode | None = None
    """None when nobody said: the product type's own mode applies."""
    brand_colors: tuple[str, ...] = ()
    """Accent colours as `#RRGGBB`, the most important first."""
    style_words: tuple[str, ...] = ()
    """`minimal`, `playful`, `bold`, `elegant`, …"""
    ground: str | None = None
    """The background that was asked for, as `#RRGGBB`."""


DARK_GROUND = 0.18
"""A background of less relative luminance asks for light text."""
PALE = 0.82
"""A colour of more relative luminance is no accent where another one is named."""


_HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_BETWEEN = r"(?:\s{0,3}(?:accents?|colou?rs?|tones?|brand|theme|primary|色|色调))?\s{0,3}[(（:：=,，-]?\s{0,3}"
"""What may stand between a colour's name and the hex that it describes."""
_DARK = re.compile(
    r"\bdark(?:er)?\b(?!\s+(?:roast|chocolate|chocolates|beer|ages|matter|web))|\bnight mode\b|\bdunk(?:el|le[rnsm]?)\b"
    r"|\bsombre\b|\boscur[oa]\b|深色|暗色|夜间模式|夜间",
    re.I,
)
_CHINESE_PAIR = re.compile(
    r"([红橙黄绿蓝紫粉棕黑金灰白])([红橙黄绿蓝紫粉棕黑金灰白])(?=配色|相间|搭配|两色|主题|色|风格|极简|简约)"
)
"""Two colours in two signs: 蓝白配色, 黑白极简."""

_LIGHT = re.compile(
    r"\b(?:helle[rsnm]? (?:design|modus|farben)|(?:thème|mode) clair)\b"
    r"|\b(?:light|bright|white)\s+(?:theme|mode|look|background|design|ui)\b|浅色|明亮",
    re.I,
)


@lru_cache(maxsize=256)
def read_theme(text: str) -> ThemeRequest:
    """What a brief, an answer or a message says about the look; empty where nothing is said."""
    ground = ground_in(text)
    mode = _mode(text) or _mode_of_ground(ground)
    if ground is None and mode != "dark":
        ground = _second_as_ground(text)
    return ThemeRequest(mode=mode, brand_colors=colors_in(text), style_words=tuple(_style_words(text)), ground=ground)


_WHITE = 0.98
"""A colour of more relative luminance is the plain ground that an app has by itself."""


def _second_as_ground(text: str) -> str | None:
    """The background that a pale colour beside a strong one makes: the cream of "navy and cream"."""
    found = _all_colours(text)
    strong = [colour for colour in found if Colour.from_hex(colour).luminance < PALE and not is_sandy(colour)]
    pale = [colour for colour in found if colour not in strong and Colour.from_hex(colour).luminance < _WHITE]
    return as_ground(pale[0]) if strong and pale and len(found) == 2 else None


def _mode_of_ground(ground: str | None) -> Mode | None:
    return None if ground is None else "dark" if Colour.from_hex(ground).luminance < DARK_GROUND else "light"


def _mode(text: str) -> Mode | None:
    """Light or dark where the text says so; an adjective of a colour ("dark teal") says nothing of it."""
    rest = text
    for _, found in reversed(named_colours(text)):
        if found["shade"] or found["after"] or found["pre"]:
            rest = rest[: found.start()] + " " + rest[found.end() :]
    if _DARK.search(rest):
        return "dark"
    return "light" if _LIGHT.search(rest) else None


def colors_in(text: str) -> tuple[str, ...]:
    """Colours by hex or by name as `#RRGGBB`, in the order in which they are named; no more than three.

    A name beside a hex only says what the hex looks like: "blue #1D70B8" is one colour, the hex. A background is not
    among them.
    """
    things = "|".join(read_table("ambiguous_colours.json"))  # "coffee shop" is no colour, "coffee brown" is
    thing = re.compile(
        rf"(?<![a-z])(?:{things})(?![a-z])(?!\s+(?:colou?r|brown|pink|red|green|blue|tone|theme|accent|palette))", re.I
    )
    alone = is_colour_only(text)
    text = _CHINESE_PAIR.sub(r"\1色\2色", text if alone else _without_things(text, thing))
    text = re.sub(rf"({_HEX.pattern})\s*[)）]?\s*\(?[a-z]+ ?[a-z]*(?=\))", r"\1 ", text, flags=re.I)
    ground = ground_in(text, plain=True)
    kept = [colour for colour in _all_colours(text) if colour != ground] or _all_colours(text)
    strong = [colour for colour in kept if Colour.from_hex(colour).luminance < PALE] or kept
    return tuple(strong)[:3]


def _all_colours(text: str) -> list[str]:
    """Colours in the order in which they are named; a name beside a hex is that hex."""
    found: list[str] = []
    last = None
    for colour, where in named_colours(text):
        if where["hex"] and last is not None and re.fullmatch(_BETWEEN, text[last.end() : where.start()], re.I):
            found.pop()
        elif last is not None and last["hex"] and re.fullmatch(r"\s*[(（]?\s*", text[last.end() : where.start()]):
            last = where
            continue
        found.append(colour)
        last = where
    return list(dict.fromkeys(found))


def _without_things(text: str, thing: re.Pattern[str]) -> str:
    """The text without words that are both a thing and a colour, except beside a colour: "sage and cream"."""
    kept = re.compile(r"\b(?:and|with|in|,)\s*$", re.I)

    def drop(found: re.Match[str]) -> str:
        before, after = text[: found.start()], text[found.end() :]
        beside = re.match(r"\s*(?:,|and|&)\s*(?P<next>[\w-]+(?: [\w-]+)?)", after)
        if beside and any(is_colour_only(part) for part in (beside["next"], beside["next"].split()[0])):
            return found[0]
        if re.search(r"\b(?:theme|look|design|style|palette|mode|colou?rs?)\b[^.]{0,20}$", before, re.I):
            return found[0]  # "a dark theme with lime"
        earlier = re.search(r"(?P<last>[\w-]+)\s*(?:,|and|&)\s*$", before)
        return found[0] if earlier and kept.search(before) and is_colour_only(earlier["last"]) else " "

    return thing.sub(drop, text)


def _style_words(text: str) -> Iterable[str]:
    lowered = text.lower()
    for style, words in read_table("styles.json").items():
        if any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", lowered) for word in words):
            yield style


@cache
def read_table(name: str) -> Any:
    """A table of names of colours or styles."""
    return json.loads(resources.files("loopwright.agents.pages.brief").joinpath(name).read_text(encoding="utf-8"))


MOST_FEATURES = 8
MOST_FEATURE_WORDS = 6
"""A longer fragment of a brief is a sentence rather than the name of something."""

LONGEST_TITLE = 11
"""Characters of a page's title: five of them stand side by side at the foot of a phone."""

_ANSWERS = re.compile(r"\n\n(?=[^\n]{3,120}[?？])")
"""Where a stored brief ends and the questions that were asked about it, with their answers, begin."""

_LEAD = re.compile(
    r"^(?:and|or|with|also|plus|it|i|you|we|users?|people|should|can|must|want|need|needs|wants|to|have|has|include"
    r"|includes|including|see|a|an|the|be|able|there|is|are|my|their|your)\s+",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[,;.:\n]|\s+and\s+|\s+-\s+")
_CHINESE_LIST = re.compile(r"(?:包括|包含|具有|带有|支持|功能(?:有|包括)?|有)[:：]?(?P<list>[^。！？!?;；\n]{2,120})")
_CHINESE_SEPARATOR = re.compile(r"[、，,]|以及|和|与|及")


def without_answers(brief: str) -> str:
    """What the user wrote first, of a brief that was stored with questions and their answers."""
    return _ANSWERS.split(brief, maxsplit=1)[0]


@lru_cache(maxsize=256)
def features_in(brief: str) -> tuple[str, ...]:
    """The short things that a brief lists, as names: `Hive inspections`, `A map of hives`."""
    told = without_answers(brief)
    if language_of(told) == "zh":
        listed = _CHINESE_LIST.search(told)
        parts = _CHINESE_SEPARATOR.split(listed["list"]) if listed else []
        return tuple(dict.fromkeys(part.strip() for part in parts if 2 <= len(part.strip()) <= 10))[:MOST_FEATURES]
    names = []
    for part in _SEPARATOR.split(told.partition(" with ")[2] or told.partition(":")[2]):
        name = part.strip(" -*•\"'!?")
        while stripped := _LEAD.match(name):
            name = name[stripped.end() :]
        if 1 <= len(name.split()) <= MOST_FEATURE_WORDS and len(name) > 2:
            names.append(name[0].upper() + name[1:])
    return tuple(dict.fromkeys(names))[:MOST_FEATURES]
