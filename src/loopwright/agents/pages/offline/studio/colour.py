"""Colour arithmetic: OKLCH, WCAG contrast, and finding a shade that is readable."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

READABLE = 4.5
"""Contrast of normal text to its background (WCAG 2.2, success criterion 1.4.3)."""

_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")


@dataclass(frozen=True, slots=True)
class Oklch:
    """A colour as lightness (0–1), chroma (0–about 0.37) and hue (degrees)."""

    lightness: float
    chroma: float
    hue: float


def normalise_hex(text: str) -> str | None:
    """Return `#RRGGBB` in upper case for `#rgb` or `#rrggbb`, None for anything else."""
    match = _HEX.fullmatch(text.strip())
    if match is None:
        return None
    digits = match.group(1)
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    return f"#{digits.upper()}"


def _channels(colour: str) -> tuple[float, float, float]:
    """Return linear-light red, green and blue (0–1) of `#RRGGBB` (IEC 61966-2-1)."""
    values = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    return red, green, blue


def luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB` (WCAG 2.2)."""
    red, green, blue = _channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def to_oklch(colour: str) -> Oklch:
    """Convert `#RRGGBB` to OKLCH (Ottosson, 2020: https://bottosson.github.io/posts/oklab/)."""
    red, green, blue = _channels(colour)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    green_red = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    blue_yellow = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    hue = math.degrees(math.atan2(blue_yellow, green_red)) % 360
    return Oklch(lightness, math.hypot(green_red, blue_yellow), hue)


def _linear(colour: Oklch) -> tuple[float, float, float]:
    green_red = colour.chroma * math.cos(math.radians(colour.hue))
    blue_yellow = colour.chroma * math.sin(math.radians(colour.hue))
    long = (colour.lightness + 0.3963377774 * green_red + 0.2158037573 * blue_yellow) ** 3
    medium = (colour.lightness - 0.1055613458 * green_red - 0.0638541728 * blue_yellow) ** 3
    short = (colour.lightness - 0.0894841775 * green_red - 1.2914855480 * blue_yellow) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return `#RRGGBB`; chroma is lowered until the colour fits sRGB, hue and lightness are kept."""
    lightness = min(1.0, max(0.0, lightness))
    while True:
        linear = _linear(Oklch(lightness, chroma, hue))
        if chroma < 0.004 or all(-0.0005 <= channel <= 1.0005 for channel in linear):
            break
        chroma *= 0.94
    digits = []
    for channel in linear:
        value = min(1.0, max(0.0, channel))
        value = value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
        digits.append(f"{round(value * 255):02X}")
    return "#" + "".join(digits)


def shade(colour: str, lightness: float) -> str:
    """Return the colour at another OKLCH lightness."""
    source = to_oklch(colour)
    return from_oklch(lightness, source.chroma, source.hue)


def readable_on(colour: str, grounds: tuple[str, ...], ratio: float = READABLE) -> str:
    """Return the shade of `colour` nearest to it that has `ratio` contrast to every ground.

    The search goes away from the grounds: darker on light grounds, lighter on dark ones. Where no shade will do it ends
    in black or white.
    """
    source = to_oklch(colour)
    step = -0.01 if sum(luminance(ground) for ground in grounds) / len(grounds) > 0.18 else 0.01
    lightness = source.lightness
    candidate = colour
    while 0.0 <= lightness + step <= 1.0 and any(contrast(candidate, ground) < ratio for ground in grounds):
        lightness += step
        candidate = from_oklch(lightness, source.chroma, source.hue)
    if all(contrast(candidate, ground) >= ratio for ground in grounds):
        return candidate
    return "#000000" if step < 0 else "#FFFFFF"


def fill_and_ink(colour: str) -> tuple[str, str]:
    """Return a fill near `colour` and the text colour on it, at a contrast of at least 4.5.

    White text is preferred, since it reads as more confident on saturated fills; the fill is darkened for it
    when it is close, and light fills take dark ink instead.
    """
    source = to_oklch(colour)
    if contrast(colour, "#FFFFFF") < 2.6:
        ink = from_oklch(0.2, min(source.chroma, 0.04), source.hue)
        return readable_on(colour, (ink,), READABLE), ink
    return readable_on(colour, ("#FFFFFF",), READABLE), "#FFFFFF"
