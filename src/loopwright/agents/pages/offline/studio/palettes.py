"""Palettes: from a brand colour and a look to every colour role, each text readable on the grounds it stands on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loopwright.agents.pages.design.derivations import READABLE, SEEN, evaluate, parse_expression
from loopwright.agents.pages.offline.studio.colour import from_oklch, luminance
from loopwright.agents.pages.offline.studio.contracts import Mode

WHITE = "#FFFFFF"
COLOUR = "--color-"
BRAND = "--color-brand"
SPACE = 5.0
"""Contrast of derived grounds to black or white, so that a text colour between the two is left to choose."""
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
    stated = {name: parse_expression(text) for name, text in state_palette(colours, mode).items()}
    return {name.removeprefix(COLOUR): colour.hex for name, colour in evaluate(stated, {}).items()}


def state_palette(colours: Colours, mode: Mode) -> dict[str, str]:
    """What each colour token of one mode is derived by, in the notation of `design/derivations.py`.

    What the user or the look decides is a plain colour; what the user asked for stays to the digit, and only what is
    derived from it moves to be readable.
    """
    light = mode == "light"
    grounds = _grounds(colours, mode)
    plain = ", ".join(f"{COLOUR}{role}" for role in ("bg", "surface", "surface-2"))
    under = f"{plain}, {COLOUR}primary-soft"
    text = colours.text or _tinted(colours, 0.23 if light else 0.955, 1.2)
    muted = _tinted(colours, 0.5 if light else 0.74, 1.6)
    states = {
        name: f"readable({from_oklch(0.55 if light else 0.78, chroma, angle)}, {READABLE}, {under})"
        for name, (chroma, angle) in STATES.items()
    }
    roles = {
        **grounds,
        "text": f"readable({text}, 7, {under})",
        "muted": f"readable({muted}, {READABLE}, {under})",
        "brand": colours.brand,
        "on-brand": f"ink({BRAND})",
        "brand-2": f"companion({BRAND}, {COLOUR}on-brand)",
        "brand-edge": f"seen({BRAND}, {plain})",
        "mark": f"readable({BRAND}, {SEEN}, {plain})",
        "primary": f"readable({BRAND}, {READABLE}, {under})",
        "on-primary": f"ink({COLOUR}primary)",
        "primary-soft": f"soft({BRAND}, 0.93, 0.45, 0.06)" if light else f"soft({BRAND}, 0.3, 0.5, 0.07)",
        "on-primary-soft": f"readable({COLOUR}primary, {7 if light else READABLE}, {COLOUR}primary-soft)",
        "accent": colours.accent or f"seen(opposite({BRAND}), {plain})",
        "on-accent": f"ink({COLOUR}accent)",
        "accent-text": f"readable({COLOUR}accent, {READABLE}, {under})",
        **states,
        "inverse": f"{COLOUR}text",
        "on-inverse": f"readable({COLOUR}bg, {READABLE}, {COLOUR}text)",
    }
    return {f"{COLOUR}{role}": text for role, text in roles.items()}


def derived_of(colours: Colours, mode: Mode) -> dict[str, str]:
    """The statements of `state_palette` that name other tokens."""
    return {name: text for name, text in state_palette(colours, mode).items() if COLOUR in text}


def is_dark(colour: str) -> bool:
    """Whether a background of this colour makes a dark theme."""
    return luminance(colour) < DARK_GROUND


def without_grounds(colours: Colours) -> Colours:
    """The same for the other mode, where given grounds and text would be wrong."""
    return replace(colours, background=None, surface=None, text=None)


def _tinted(colours: Colours, lightness: float, share: float) -> str:
    """A neutral colour: with the look's own hue a plain one, else one that follows the brand's."""
    chroma = colours.tint * share
    if colours.tint_hue is None:
        return f"toned({BRAND}, {lightness:g}, {chroma:.6g})"
    return from_oklch(lightness, chroma, colours.tint_hue)


def _grounds(colours: Colours, mode: Mode) -> dict[str, str]:
    if colours.background is None:
        return {role: _tinted(colours, light, share) for role, (light, share) in GROUNDS[mode].items()}
    away = -0.035 if mode == "light" else 0.05
    surface = colours.surface or f"stepped({COLOUR}bg, {0.02 if mode == 'light' else 0.045}, 1)"
    # Grounds beside a middle grey must leave space for one ink on all of them.
    ink = "#000000" if mode == "light" else WHITE
    return {
        "bg": colours.background,
        "surface": f"readable({surface}, {SPACE}, {ink})",
        "surface-2": f"readable(stepped({COLOUR}bg, {away:g}, 1.2), {SPACE}, {ink})",
        "border": f"stepped({COLOUR}bg, {2.6 * away:g}, 1.2)",
    }


__all__ = ["Colours", "derived_of", "is_dark", "make_palette", "state_palette", "without_grounds"]
