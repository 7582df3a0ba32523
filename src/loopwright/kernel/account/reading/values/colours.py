"""Colours by hex or by name."""

import colorsys
import re

from loopwright.kernel.account.reading.sentences import Line
from loopwright.kernel.account.reading.values.amounts import Found

# --------------------------------------------------------------------------------------------------------------------
# Whether two colours are near each other.
# --------------------------------------------------------------------------------------------------------------------

NEAR_HUE = 25 / 360
GREY = 0.12
"""With less saturation a colour is a grey, and its hue says nothing."""
NEAR_LIGHTNESS = 0.25


def near_hue(first: str, second: str) -> bool:
    """Whether two colours (`#rrggbb`) have nearly the same hue, or are greys of nearly the same lightness."""
    (hue, light, full), (other, other_light, other_full) = _parts(first), _parts(second)
    if full < GREY or other_full < GREY or min(light, other_light) < 0.04 or max(light, other_light) > 0.97:
        both_grey = all(f < GREY or not 0.04 < li < 0.97 for f, li in ((full, light), (other_full, other_light)))
        return both_grey and abs(light - other_light) <= NEAR_LIGHTNESS
    apart = abs(hue - other)
    return min(apart, 1 - apart) <= NEAR_HUE


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)


_HEX = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")


def colour_at(line: Line, index: int) -> Found | None:
    """The colour that begins at a word; `dark green` is one colour of the hue of green."""
    word = line.words[index]
    if word.kind == "literal":
        return Found(index, index + 1, "colour", full_hex(word.norm)) if _HEX.fullmatch(word.norm) else None
    start = index
    if word.kind == "word" and line.has(index, "shades") and index + 1 < len(line.words):
        start = index + 1
    phrase = line.phrase_at(start, "colours")
    if phrase is None and start > index:
        return None
    if phrase is None:
        return None
    after = start + len(phrase.words)
    if line.words[start].kind == "han":
        if len(phrase.words) == 1 and not _single_character(line, start):
            return None
    elif line.has(after, "not_colour_before") and not line.has(index, "shades"):
        return None
    return Found(index, after, "colour", str(phrase.value))


def _single_character(line: Line, index: int) -> bool:
    """Whether one character is a colour here: 标红, 改成蓝; in most words it is part of another."""
    return line.has(index - 1, "single_colour_after") and (
        index + 1 >= len(line.words) or line.words[index + 1].kind != "han" or line.has(index + 1, "function")
    )


def full_hex(text: str) -> str:
    """The colour as `#rrggbb`, in small letters."""
    digits = text.lstrip("#").lower()
    if len(digits) in (3, 4):
        digits = "".join(2 * digit for digit in digits[:3])
    return "#" + digits[:6]
