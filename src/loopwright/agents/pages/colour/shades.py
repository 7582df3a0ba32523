"""Shades of a colour: by their lightness, and the nearest one that keeps a contrast."""

from collections.abc import Sequence

from loopwright.agents.pages.colour.colour import Colour, contrast
from loopwright.agents.pages.colour.spaces import encode, from_oklab, rectangular

STEP = 0.005
"""Step of lightness (OKLCH) in which a shade is looked for."""
_IN_SRGB = 0.0005
_MIDDLE = 0.18
"""Luminance of middle grey: grounds brighter than this are light ones."""


def shade(colour: Colour, lightness: float) -> Colour:
    """The colour at another OKLCH lightness, 0 to 1; chroma is lowered until sRGB can show it, the hue is kept."""
    _, chroma, hue = colour.oklch
    return from_oklch(lightness, chroma, hue)


def from_oklch(lightness: float, chroma: float, hue: float) -> Colour:
    """The opaque colour, in the steps of `#RRGGBB`.

    Args:
        lightness: what lies beyond 0 to 1 is taken for the nearer end.
        chroma: it is lowered until sRGB can show the colour; lightness and hue are kept.
        hue: degrees.
    """
    lightness = min(1.0, max(0.0, lightness))
    while True:
        linear = from_oklab(rectangular((lightness, chroma, hue)))
        if chroma < 0.004 or all(-_IN_SRGB <= channel <= 1 + _IN_SRGB for channel in linear):
            break
        chroma *= 0.94
    red, green, blue = (min(1.0, max(0.0, channel)) for channel in encode(linear))
    return Colour.from_hex(Colour(red, green, blue).hex)


def nearest_shade(colour: Colour, partners: Sequence[tuple[Colour, float]]) -> Colour | None:
    """The shade of an opaque colour nearest to it that has a contrast to each of several others.

    Args:
        colour: where the search begins; it is the answer itself where it keeps them all.
        partners: opaque colours, each with the contrast that is needed to it.

    Returns:
        None where no lightness keeps them all, as between black text and white text.
    """
    lightness = colour.oklch.lightness
    if _keeps(colour, partners):
        return colour
    for step in range(1, int(1 / STEP) + 1):
        for direction in (-1, 1):
            wanted = lightness + direction * step * STEP
            if -STEP < wanted < 1 + STEP:
                candidate = shade(colour, wanted)
                if _keeps(candidate, partners):
                    return candidate
    return None


def readable_on(colour: Colour, grounds: Sequence[Colour], ratio: float) -> Colour:
    """The shade of a colour that is readable on grounds: darker on light ones, lighter on dark ones.

    Args:
        colour: where the search begins; it is the answer itself where it can be read.
        grounds: one at least.
        ratio: the contrast that is needed to each.

    Returns:
        Black or white where no shade will do.
    """
    source = colour.oklch
    step = -0.01 if sum(ground.luminance for ground in grounds) / len(grounds) > _MIDDLE else 0.01
    lightness, candidate = source.lightness, colour
    partners = [(ground, ratio) for ground in grounds]
    while 0.0 <= lightness + step <= 1.0 and not _keeps(candidate, partners):
        lightness += step
        candidate = from_oklch(lightness, source.chroma, source.hue)
    if _keeps(candidate, partners):
        return candidate
    return Colour.from_hex("#000000" if step < 0 else "#FFFFFF")


def _keeps(colour: Colour, partners: Sequence[tuple[Colour, float]]) -> bool:
    return all(contrast(colour, other) >= ratio for other, ratio in partners)
