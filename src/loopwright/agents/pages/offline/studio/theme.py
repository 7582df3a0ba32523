"""What a text says about the look: colours, light or dark, style words."""

import re
from collections.abc import Iterable

from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.contracts import Mode, ThemeWishes

_HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_DARK = re.compile(
    r"\bdark(?:er)?\b(?!\s+(?:roast|chocolate|green|blue|red|brown|grey|gray|purple))|深色|暗色|夜间", re.I
)
_LIGHT = re.compile(r"\b(?:light|bright|white)\s+(?:theme|mode|look|background|design|ui)\b|浅色|明亮", re.I)


def read_theme(text: str) -> ThemeWishes:
    """The wishes in a brief, an answer or a message; empty where nothing is said."""
    return ThemeWishes(mode=_mode(text), brand_colors=colors_in(text), style_words=tuple(_style_words(text)))


def _mode(text: str) -> Mode | None:
    if _DARK.search(text):
        return "dark"
    return "light" if _LIGHT.search(text) else None


def colors_in(text: str) -> tuple[str, ...]:
    """Colours by hex or by name as `#RRGGBB`, in the order in which they are named; no more than three."""
    named: dict[str, str] = resources.read_json("colours.json")
    words = "|".join(sorted(map(re.escape, named), key=len, reverse=True))
    things = "|".join(resources.read_json("ambiguous_colours.json"))  # "coffee shop" is no colour, "coffee brown" is
    thing = re.compile(rf"(?<![a-z])(?:{things})(?![a-z])(?!\s+(?:colou?r|brown|tone|theme|accent|palette))", re.I)
    text = thing.sub(" ", text)
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
    for style, words in resources.read_json("styles.json").items():
        if any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", lowered) for word in words):
            yield style
