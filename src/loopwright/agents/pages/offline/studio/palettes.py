"""Palettes: from a brand colour and a look to every colour role, each text readable on the grounds it stands on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loopwright.agents.pages.offline.studio.colour import (
    READABLE,
    Oklch,
    contrast,
    from_oklch,
    luminance,
    readable_on,
    to_oklch,
)
from loopwright.agents.pages.offline.studio.contracts import Mode

WHITE = "#FFFFFF"
VANISHING = 1.12
"""A fill with less contrast than this to the page looks like none."""
DARK_GROUND = 0.18
"""Luminance of middle grey: a background below it makes a dark theme."""

GROUNDS: dict[Mode, dict[str, tuple[float, float]]] = {
    # role → (lightness, share of the look's tint)
    "light": {"bg": (0.975, 1.0), "surface": (0.997, 0.25), "surface-2": (0.945, 1.3), "border": (0.885, 1.3)},
    "dark": {"bg": (0.175, 1.0), "surface": (0.225, 1.0), "surface-2": (0.275, 1.1), "border": (0.345, 1.1)},
}
"""OKLCH keeps a step in lightness an equal step to the eye, whatever the hue of the tint."""

STATES = {"success": (0.15, 150.0), "warning": (0.14, 75.0), "danger": (0.2, 25.0)}
"""Chroma and hue of the colours that mean something; lightness follows the ground."""


@dataclass(frozen=True, slots=True)
class Colours:
    """What a palette is made from."""

    brand: str
    accent: str | None = None
    tint: float = 0.012
    """Chroma of the neutral colours; 0 makes them grey."""
    tint_hue: float | None = None
    """Hue of the neutral colours; None takes the brand's."""
    background: str | None = None
    surface: str | None = None
    text: str | None = None


def make_palette(colours: Colours, mode: Mode) -> dict[str, str]:
    """Every colour role of one mode, as `#RRGGBB`."""
    brand = to_oklch(colours.brand)
    grounds = _grounds(colours, brand, mode)
    soft = _soft(brand, mode)
    under = (grounds["bg"], grounds["surface"], grounds["surface-2"])
    text = colours.text or from_oklch(0.23 if mode == "light" else 0.955, colours.tint * 1.2, _tint_hue(colours, brand))
    text = readable_on(text, under, 7.0)
    muted = from_oklch(0.5 if mode == "light" else 0.74, colours.tint * 1.6, _tint_hue(colours, brand))
    accent = colours.accent or from_oklch(
        min(0.72, max(0.5, brand.lightness)), max(brand.chroma, 0.11), brand.hue + 150
    )
    brand_fill, on_brand = _fill(colours.brand, under)
    primary = readable_on(brand_fill, (*under, soft))
    accent_fill, on_accent = _fill(accent, under)
    states = {
        name: readable_on(from_oklch(0.55 if mode == "light" else 0.78, chroma, hue), under)
        for name, (chroma, hue) in STATES.items()
    }
    return {
        **grounds,
        "text": text,
        "muted": readable_on(muted, under),
        "brand": brand_fill,
        "on-brand": on_brand,
        "brand-2": _companion(brand_fill, on_brand),
        "primary": primary,
        "on-primary": _ink_on(primary),
        "primary-soft": soft,
        "on-primary-soft": readable_on(primary, (soft,), 7.0 if mode == "light" else READABLE),
        "accent": accent_fill,
        "on-accent": on_accent,
        "accent-text": readable_on(accent_fill, under),
        **states,
        "inverse": text,
        "on-inverse": readable_on(grounds["bg"], (text,)),
    }


def is_dark(colour: str) -> bool:
    """Whether a background of this colour makes a dark theme."""
    return luminance(colour) < DARK_GROUND


def without_grounds(colours: Colours) -> Colours:
    """The same for the other mode, where given grounds and text would be wrong."""
    return replace(colours, background=None, surface=None, text=None)


def _tint_hue(colours: Colours, brand: Oklch) -> float:
    return brand.hue if colours.tint_hue is None else colours.tint_hue


def _grounds(colours: Colours, brand: Oklch, mode: Mode) -> dict[str, str]:
    hue = _tint_hue(colours, brand)
    made = {role: from_oklch(light, colours.tint * share, hue) for role, (light, share) in GROUNDS[mode].items()}
    if colours.background is None:
        return made
    given = to_oklch(colours.background)
    away = -0.035 if mode == "light" else 0.05
    surface = colours.surface or from_oklch(
        given.lightness + (0.02 if mode == "light" else 0.045), given.chroma, given.hue
    )
    return {
        "bg": colours.background,
        "surface": surface,
        "surface-2": from_oklch(given.lightness + away, given.chroma * 1.2, given.hue),
        "border": from_oklch(given.lightness + 2.6 * away, given.chroma * 1.2, given.hue),
    }


def _soft(brand: Oklch, mode: Mode) -> str:
    if mode == "light":
        return from_oklch(0.93, min(brand.chroma * 0.45, 0.06), brand.hue)
    return from_oklch(0.3, min(brand.chroma * 0.5, 0.07), brand.hue)


def _fill(colour: str, under: tuple[str, ...]) -> tuple[str, str]:
    """A fill that is seen on the page's grounds (at 3 to 1, WCAG 1.4.11, where it would vanish in them), and its ink.

    The colour itself is kept wherever it can be: people recognise their brand.
    """
    if min(contrast(colour, ground) for ground in under) < VANISHING:
        colour = readable_on(colour, under, 3.0)
    return colour, _ink_on(colour)


def _ink_on(fill: str) -> str:
    """White where it is readable, else a dark tint of the fill; one of them always is (21 = 4.58 squared)."""
    if contrast(fill, WHITE) >= READABLE:
        return WHITE
    source = to_oklch(fill)
    ink = from_oklch(0.2, min(source.chroma, 0.04), source.hue)
    return ink if contrast(ink, fill) >= READABLE else "#000000"


def _companion(fill: str, ink: str) -> str:
    """A neighbour of the brand for gradients, with the same ink readable on it."""
    source = to_oklch(fill)
    shifted = from_oklch(source.lightness + (0.06 if ink != WHITE else -0.08), source.chroma, source.hue - 24)
    return readable_on(shifted, (ink,))


__all__ = ["Colours", "is_dark", "make_palette", "without_grounds"]
