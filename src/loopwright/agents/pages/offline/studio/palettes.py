"""Palettes: from a brand colour and a look to every colour role, each text readable on the grounds it stands on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loopwright.agents.pages.colour.colour import Oklch
from loopwright.agents.pages.offline.studio.colour import (
    READABLE,
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
ROOM = 5.0
"""Contrast of derived grounds to black or white, so that a text colour between the two is left to choose."""
SEEN = 3.0
"""Contrast of a graphic to what it stands on (WCAG 2.2, 1.4.11)."""
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
    plain = (grounds["bg"], grounds["surface"], grounds["surface-2"])
    under = (*plain, soft)
    hue = _tint_hue(colours, brand)
    text = colours.text or from_oklch(0.23 if mode == "light" else 0.955, colours.tint * 1.2, hue)
    text = readable_on(text, under, 7.0)
    muted = from_oklch(0.5 if mode == "light" else 0.74, colours.tint * 1.6, hue)
    accent = colours.accent or _accent(brand, plain)
    primary = readable_on(colours.brand, under)
    states = {
        name: readable_on(from_oklch(0.55 if mode == "light" else 0.78, chroma, angle), under)
        for name, (chroma, angle) in STATES.items()
    }
    return {
        **grounds,
        "text": text,
        "muted": readable_on(muted, under),
        # What the user asked for stays to the digit; only what is derived from it moves to be readable.
        "brand": colours.brand,
        "on-brand": _ink_on(colours.brand),
        "brand-2": _companion(colours.brand, _ink_on(colours.brand)),
        "brand-edge": _edge(colours.brand, plain),
        "mark": readable_on(colours.brand, plain, SEEN),
        "primary": primary,
        "on-primary": _ink_on(primary),
        "primary-soft": soft,
        "on-primary-soft": readable_on(primary, (soft,), 7.0 if mode == "light" else READABLE),
        "accent": accent,
        "on-accent": _ink_on(accent),
        "accent-text": readable_on(accent, under),
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
    # Grounds beside a middle grey must leave room for one ink on all of them.
    ink = ("#000000" if mode == "light" else WHITE,)
    return {
        "bg": colours.background,
        "surface": readable_on(surface, ink, ROOM),
        "surface-2": readable_on(from_oklch(given.lightness + away, given.chroma * 1.2, given.hue), ink, ROOM),
        "border": from_oklch(given.lightness + 2.6 * away, given.chroma * 1.2, given.hue),
    }


def _soft(brand: Oklch, mode: Mode) -> str:
    if mode == "light":
        return from_oklch(0.93, min(brand.chroma * 0.45, 0.06), brand.hue)
    return from_oklch(0.3, min(brand.chroma * 0.5, 0.07), brand.hue)


def _accent(brand: Oklch, plain: tuple[str, ...]) -> str:
    """A colour across from the brand, seen on the page's grounds."""
    made = from_oklch(min(0.72, max(0.5, brand.lightness)), max(brand.chroma, 0.11), brand.hue + 150)
    return _edge(made, plain)


def _edge(colour: str, plain: tuple[str, ...]) -> str:
    """The colour itself, or a shade that is seen where it would vanish in the page: the edge of a white button."""
    vanishes = min(contrast(colour, ground) for ground in plain) < VANISHING
    return readable_on(colour, plain, SEEN) if vanishes else colour


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
