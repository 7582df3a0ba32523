"""Pictures by name: a motif drawn in a palette, varied by a seed; the same name gives the same picture.

`latte-40-day-square-3f2a.svg` is the motif `latte` at hue 40 in the tone `day`, cropped to a square, with the seed
`3f2a`. The name says all, so that nothing has to be kept of a picture but its name.
"""

import hashlib
import random
import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateNotFound

from loopwright.agents.pages.colour import from_oklch

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

CROPS = {"square": "0 0 200 200", "wide": "0 30 200 120", "hero": "0 8 200 140", "tall": "30 0 140 200"}
"""The part of a motif that a picture shows, as the `viewBox` of its SVG."""

_NAME = re.compile(
    rf"(?P<motif>[a-z_]{{1,40}})-(?P<hue>\d{{1,3}})-(?P<tone>{'|'.join(TONES)})-(?P<crop>{'|'.join(CROPS)})"
    r"-(?P<seed>[0-9a-f]{4})\.svg"
)


def palette(hue: float, tone: str = "day") -> dict[str, str]:
    """The seven named colours of a tone at a hue in degrees.

    Raises:
        KeyError: for an unknown tone.
    """
    return {
        role: from_oklch(lightness, chroma, (hue + offset) % 360).hex
        for role, (lightness, chroma, offset) in TONES[tone].items()
    }


def motifs() -> tuple[str, ...]:
    """The names of what can be drawn, sorted."""
    names = (each.name for each in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".svg.j2") for name in names if name.endswith(".svg.j2")))


def name_of(motif: str, seed: str, hue: float, tone: str, crop: str) -> str:
    """The name under which a picture is drawn.

    Args:
        motif: one of `motifs()`.
        seed: any text; another one gives another variation.
        hue: in degrees.
        tone: one of `TONES`.
        crop: one of `CROPS`.

    Raises:
        KeyError: there is no such motif, tone or crop.
    """
    for wanted, known in ((motif, motifs()), (tone, TONES), (crop, CROPS)):
        if wanted not in known:
            raise KeyError(wanted)
    return f"{motif}-{round(hue) % 360}-{tone}-{crop}-{hashlib.sha256(seed.encode()).hexdigest()[:4]}.svg"


@cache
def picture(name: str) -> str | None:
    """The SVG document of this name; None where the name says nothing that can be drawn."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    chance = random.Random(hashlib.sha256(f"{found['motif']}:{found['seed']}".encode()).digest())

    def vary(low: float, high: float) -> float:
        """A seeded number, rounded so that pictures stay small."""
        return round(chance.uniform(low, high), 1)

    try:
        template = _environment().get_template(f"{found['motif']}.svg.j2")
    except TemplateNotFound:
        return None
    body = template.render(p=palette(float(found["hue"]), found["tone"]), u="p", vary=vary).strip()
    box = CROPS[found["crop"]]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" preserveAspectRatio="xMidYMid slice">{body}</svg>\n'
    )


@cache
def _environment() -> Environment:
    loader = FunctionLoader(_load)
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def _load(name: str) -> str | None:
    file = _folder().joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _folder() -> Traversable:
    return resources.files("loopwright.agents.pages.runtime").joinpath("data", "art")
