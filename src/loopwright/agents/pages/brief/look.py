"""What a text says about the look: colours, light or dark, style words."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

Mode = Literal["light", "dark"]
"""The colour scheme a design system starts in; every design system carries both."""


@dataclass(frozen=True, slots=True)
class ThemeWishes:
    """What the brief or the answers say about the look."""

    mode: Mode | None = None
    """None when nobody said: the product type's own mode applies."""
    brand_colors: tuple[str, ...] = ()
    """Accent colours as `#RRGGBB`, the most important first."""
    style_words: tuple[str, ...] = ()
    """`minimal`, `playful`, `bold`, `elegant`, …"""


_HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_BETWEEN = r"(?:\s{0,3}(?:accents?|colou?rs?|tones?|brand|theme|primary|色|色调))?\s{0,3}[(（:：=,，-]?\s{0,3}"
"""What may stand between a colour's name and the hex that it describes."""
_DARK = re.compile(
    r"\bdark(?:er)?\b(?!\s+(?:roast|chocolate|green|blue|red|brown|grey|gray|purple))|深色|暗色|夜间", re.I
)
_CHINESE_PAIR = re.compile(
    r"([红橙黄绿蓝紫粉棕黑金灰白])([红橙黄绿蓝紫粉棕黑金灰白])(?=配色|相间|搭配|两色|主题|色|风格|极简|简约)"
)
"""Two colours in two signs: 蓝白配色, 黑白极简."""

_LIGHT = re.compile(r"\b(?:light|bright|white)\s+(?:theme|mode|look|background|design|ui)\b|浅色|明亮", re.I)


@lru_cache(maxsize=256)
def read_theme(text: str) -> ThemeWishes:
    """The wishes in a brief, an answer or a message; empty where nothing is said."""
    return ThemeWishes(mode=_mode(text), brand_colors=colors_in(text), style_words=tuple(_style_words(text)))


def _mode(text: str) -> Mode | None:
    if _DARK.search(text):
        return "dark"
    return "light" if _LIGHT.search(text) else None


def colors_in(text: str) -> tuple[str, ...]:
    """Colours by hex or by name as `#RRGGBB`, in the order in which they are named; no more than three.

    A name beside a hex only says what the hex looks like: "blue #1D70B8" is one colour, the hex.
    """
    named: dict[str, str] = read_table("colours.json")
    words = "|".join(sorted(map(re.escape, named), key=len, reverse=True))
    things = "|".join(read_table("ambiguous_colours.json"))  # "coffee shop" is no colour, "coffee brown" is
    thing = re.compile(rf"(?<![a-z])(?:{things})(?![a-z])(?!\s+(?:colou?r|brown|tone|theme|accent|palette))", re.I)
    text = _CHINESE_PAIR.sub(r"\1色\2色", thing.sub(" ", text))
    text = re.sub(rf"(?<![a-z])(?:{words}){_BETWEEN}(?=(?:{_HEX.pattern}))", " ", text, flags=re.I)
    text = re.sub(rf"({_HEX.pattern})\s*[)）]?\s*\(?(?:{words})(?![a-z])", r"\1 ", text, flags=re.I)
    # No word boundary beside Chinese characters: they are written without spaces.
    pattern = re.compile(rf"{_HEX.pattern}|(?<![a-z])(?:{words})(?![a-z])", re.I)
    found = (_as_hex(match[0], named) for match in pattern.finditer(text))
    return tuple(dict.fromkeys(found))[:3]


def _as_hex(word: str, named: dict[str, str]) -> str:
    if not word.startswith("#"):
        return named[word.lower()]
    digits = word[1:]
    return "#" + ("".join(2 * digit for digit in digits) if len(digits) == 3 else digits).upper()


def _style_words(text: str) -> Iterable[str]:
    lowered = text.lower()
    for style, words in read_table("styles.json").items():
        if any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", lowered) for word in words):
            yield style


@cache
def read_table(name: str) -> Any:
    """A table of names of colours or styles."""
    return json.loads(resources.files("loopwright.agents.pages.brief").joinpath(name).read_text(encoding="utf-8"))
