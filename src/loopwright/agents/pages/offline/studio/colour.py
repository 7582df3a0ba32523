"""Colours as the studio's data has them, `#RRGGBB`: their contrast, and finding a shade that is readable."""

import re

from loopwright.agents.pages.colour import Colour
from loopwright.agents.pages.colour import contrast as contrast_of
from loopwright.agents.pages.colour import from_oklch as shade_of
from loopwright.agents.pages.colour import readable_on as readable_shade

READABLE = 4.5
"""Contrast of normal text to its background (WCAG 2.2, success criterion 1.4.3)."""

_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")


def normalise_hex(text: str) -> str | None:
    """Return `#RRGGBB` in upper case for `#rgb` or `#rrggbb`, None for anything else."""
    match = _HEX.fullmatch(text.strip())
    if match is None:
        return None
    digits = match.group(1)
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    return f"#{digits.upper()}"


def luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB` (WCAG 2.2)."""
    return Colour.from_hex(colour).luminance


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    return contrast_of(Colour.from_hex(first), Colour.from_hex(second))


def from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return `#RRGGBB`; chroma is lowered until the colour fits sRGB, hue and lightness are kept."""
    return shade_of(lightness, chroma, hue).hex


def readable_on(colour: str, grounds: tuple[str, ...], ratio: float = READABLE) -> str:
    """Return the shade of `colour` that has `ratio` contrast to every ground; black or white where none has."""
    return readable_shade(Colour.from_hex(colour), [Colour.from_hex(ground) for ground in grounds], ratio).hex
