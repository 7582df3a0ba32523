"""How much room a piece of text takes at most, roughly, without a font."""

import math

from selectolax.lexbor import LexborNode

WIDE_CHARACTER = 1.4
"""Width in em of pictographs and East Asian characters, an upper bound."""
BROAD_CHARACTER = 1.0
"""Width in em of capitals, signs and the broad letters m and w, an upper bound."""
PLAIN_CHARACTER = 0.65
"""Width in em of digits and of the other small letters, an upper bound (Verdana, a wide font, has 0.64)."""
SPACE = 0.35
_FIRST_WIDE_CODE_POINT = 0x2190


def text_width(node: LexborNode, font_size: float, *, deep: bool = False) -> float:
    """The width in pixels of an element's text on one line, an upper bound in practice.

    Parameters: `deep` takes the text of the descendants in; otherwise only that which stands directly in the element.
    """
    text = " ".join(node.text(deep=deep, strip=False).split())
    if not text:
        return 0.0
    return sum(_width(character) for character in text) * font_size


def _width(character: str) -> float:
    if character == " ":
        return SPACE
    if ord(character) >= _FIRST_WIDE_CODE_POINT:
        return WIDE_CHARACTER
    is_plain = character.isdigit() or (character.islower() and character not in "mw")
    return PLAIN_CHARACTER if is_plain else BROAD_CHARACTER


def line_count(width: float, available: float, white_space: str | None) -> int:
    """How many lines a text may need at most; none for no text."""
    if width == 0:
        return 0
    if white_space in ("nowrap", "pre"):
        return 1
    # Lines break at words, so each may stay a good deal emptier than it could be.
    return 1 if width <= available else math.ceil(width / max(available * 0.6, 24.0))
