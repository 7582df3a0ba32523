"""Style tokens made of what was measured of an image; what was not is an honest default."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.style.palette import Swatch
from loopwright.agents.pages.style.shapes import Shapes

COLOURED = 0.25
"""Chroma from which a colour can stand for a brand."""

READABLE = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""

_BLACK, _WHITE = Swatch(17, 17, 17, 0.0), Swatch(255, 255, 255, 0.0)
_NEUTRAL_PRIMARY = Swatch(51, 65, 85, 0.0)


Radius = Literal["none", "small", "medium", "large", "full"]
Spacing = Literal["compact", "normal", "airy"]
Shadow = Literal["none", "subtle", "medium", "strong"]
Style = Literal["modern", "classic", "playful", "minimal", "bold"]

_RADII: tuple[tuple[float, Radius], ...] = ((2.0, "none"), (8.0, "small"), (16.0, "medium"))
"""Up to so many CSS pixels; beyond them `large`."""
_GAPS: tuple[tuple[float, Spacing], ...] = ((11.0, "compact"), (17.0, "normal"))
"""Up to so many CSS pixels between boxes; beyond them `airy`."""


class StyleTokens(BaseModel):
    """What an image says about a look (field notes, 000 · pages). `assumed` names what nobody saw."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Literal["light", "dark"]
    colors: dict[str, Any]
    palette: tuple[str, ...]
    typography: dict[str, str]
    radius: Radius
    spacing: Spacing
    shadow: Shadow
    style: Style
    assumed: tuple[str, ...]


def make_tokens(palette: Sequence[Swatch], shapes: Shapes | None = None) -> StyleTokens:
    """Give each colour of the palette its part, and choose defaults for what palette and shapes cannot tell."""
    light = sum(swatch.luminance * swatch.share for swatch in palette) >= 0.18  # the luminance of middle grey
    background = _ground(palette, light)
    coloured = sorted((s for s in palette if s.chroma >= COLOURED), key=lambda s: s.chroma * s.share**0.5, reverse=True)
    primary = coloured[0] if coloured else next((s for s in palette if s is not background), _NEUTRAL_PRIMARY)
    secondary = next((s for s in (*coloured[1:], *palette) if s not in (primary, background)), primary)
    accent = next((s for s in coloured if s not in (primary, secondary)), primary)
    text = _text(palette, background)
    vivid = max((swatch.chroma for swatch in palette), default=0.0)
    return StyleTokens(
        mode="light" if light else "dark",
        colors={
            "primary": primary.hex,
            "secondary": secondary.hex,
            "accent": accent.hex,
            "background": background.hex,
            "surface": _mix(background, _WHITE, 0.6 if light else 0.08).hex,
            "text": {
                "primary": text.hex,
                "secondary": _mix(text, background, 0.2).hex,
                "muted": _mix(text, background, 0.35).hex,
            },
        },
        palette=tuple(swatch.hex for swatch in palette),
        typography={"fontFamily": "system-ui, sans-serif", "scale": "normal"},
        radius=_radius(shapes) or "medium",
        spacing=_spacing(shapes) or "normal",
        shadow="subtle" if light else "none",
        style="bold" if vivid > 0.75 else "minimal" if vivid < COLOURED else "modern",
        assumed=_assumed(shapes),
    )


def _radius(shapes: Shapes | None) -> Radius | None:
    if shapes is None or shapes.radius is None:
        return None
    if shapes.pill:
        return "full"
    measured = shapes.radius
    return next((name for most, name in _RADII if measured <= most), "large")


def _spacing(shapes: Shapes | None) -> Spacing | None:
    if shapes is None or shapes.gap is None:
        return None
    measured = shapes.gap
    return next((name for most, name in _GAPS if measured <= most), "airy")


def _assumed(shapes: Shapes | None) -> tuple[str, ...]:
    measured = {"radius": _radius(shapes), "spacing": _spacing(shapes)}
    return tuple(name for name in ("typography", "radius", "spacing", "shadow", "style") if not measured.get(name))


def _ground(palette: Sequence[Swatch], light: bool) -> Swatch:
    """The colour on which things stand: the most frequent one that is light, or dark, enough; else white or black."""
    fitting = [s for s in palette if (s.luminance > 0.6 if light else s.luminance < 0.08)]
    return max(fitting, key=lambda s: s.share) if fitting else (_WHITE if light else _BLACK)


def _text(palette: Sequence[Swatch], background: Swatch) -> Swatch:
    """The palette's most readable colour on the ground, or the better one of near-black and white."""
    candidates = [s for s in palette if s.chroma < COLOURED * 2 and s.contrast(background) >= READABLE * 1.5]
    return max(candidates or [_BLACK, _WHITE], key=background.contrast)


def _mix(one: Swatch, other: Swatch, part: float) -> Swatch:
    """The first colour with a part of the second in it."""
    pairs = ((one.red, other.red), (one.green, other.green), (one.blue, other.blue))
    red, green, blue = (round(a + (b - a) * part) for a, b in pairs)
    return Swatch(red, green, blue, 0.0)
