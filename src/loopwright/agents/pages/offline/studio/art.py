"""Inline illustrations: a motif drawn in a palette, varied by a seed; the same seed gives the same picture."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from markupsafe import Markup

from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.colour import from_oklch

TONES: dict[str, dict[str, tuple[float, float, float]]] = {
    # name → (lightness, chroma, hue offset): the roles every motif is drawn in
    "day": {
        "bg": (0.93, 0.045, 0), "bg2": (0.85, 0.085, 18), "a": (0.64, 0.15, 0), "b": (0.52, 0.14, 42),
        "c": (0.78, 0.13, -38), "ink": (0.3, 0.06, 0), "light": (0.985, 0.015, 0),
    },
    "vivid": {
        "bg": (0.74, 0.16, 0), "bg2": (0.62, 0.19, 34), "a": (0.9, 0.1, 60), "b": (0.42, 0.15, -18),
        "c": (0.8, 0.15, 110), "ink": (0.24, 0.08, 0), "light": (0.985, 0.02, 40),
    },
    "night": {
        "bg": (0.3, 0.08, 0), "bg2": (0.16, 0.05, 36), "a": (0.66, 0.18, 22), "b": (0.42, 0.13, -22),
        "c": (0.82, 0.13, 64), "ink": (0.1, 0.03, 0), "light": (0.96, 0.03, 60),
    },
    "dusk": {
        "bg": (0.8, 0.12, 40), "bg2": (0.5, 0.15, -30), "a": (0.62, 0.2, 14), "b": (0.36, 0.11, -48),
        "c": (0.9, 0.11, 62), "ink": (0.19, 0.06, -60), "light": (0.98, 0.03, 60),
    },
    "clay": {
        "bg": (0.9, 0.025, 0), "bg2": (0.82, 0.04, -10), "a": (0.6, 0.09, 0), "b": (0.45, 0.07, 30),
        "c": (0.74, 0.07, 120), "ink": (0.27, 0.025, 0), "light": (0.975, 0.01, 0),
    },
}  # fmt: skip
"""How a hue becomes a palette. OKLCH keeps the roles equally bright across hues, so any pair of items matches."""


def palette(hue: float, tone: str = "day") -> dict[str, str]:
    """Return the seven named colours of a tone at a hue.

    Raises:
        KeyError: for an unknown tone.
    """
    return {
        role: from_oklch(lightness, chroma, (hue + offset) % 360)
        for role, (lightness, chroma, offset) in TONES[tone].items()
    }


class ArtDesk:
    """Draws the pictures of one page and numbers them, so that gradient ids never collide."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._count = 0

    def draw(self, motif: str, seed: str, hue: float = 40, tone: str = "day", ratio: str = "square") -> Markup:
        """Return an `<svg>` of the motif; `ratio` (`square`, `wide`, `hero` or `tall`) changes the crop."""
        self._count += 1
        chance = random.Random(hashlib.sha256(f"{motif}:{seed}".encode()).digest())

        def vary(low: float, high: float) -> float:
            """A seeded number, rounded so that pages stay small."""
            return round(chance.uniform(low, high), 1)

        boxes = {"square": "0 0 200 200", "wide": "0 30 200 120", "hero": "0 8 200 140", "tall": "30 0 140 200"}
        template = resources.environment().get_template(f"art/{motif}.svg.j2")
        values: dict[str, Any] = {"p": palette(hue, tone), "u": f"{self._prefix}{self._count}", "vary": vary}
        body = template.render(values).strip()
        return Markup(
            '<svg class="art" viewBox="{}" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">'
            "{}</svg>"
        ).format(boxes[ratio], Markup(body))  # noqa: S704 - the body is our own template, rendered with escaping on
