"""Colours as CSS writes them (CSS Color Levels 4 and 5).

Not known, and so None: relative colours (`rgb(from …)`), `calc()` inside a colour and `attr()`.  System colours depend
on the machine; they are taken as Chromium paints them where nobody chose others.
"""

import json
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from loopwright.agents.pages.colour import HUES, Colour, Triple, contrast, encode, mix, to_linear
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, trim

Scheme = Literal["light", "dark"]
MAXIMUM_LENGTH = 500
"""Characters of a colour; longer ones are not known."""
MAXIMUM_DEPTH = 8
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_FUNCTIONS = {"rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark"}
_PERCENT_OF: dict[str, Triple] = {
    "lab": (100.0, 125.0, 125.0),
    "lch": (100.0, 150.0, 1.0),
    "oklab": (1.0, 0.4, 0.4),
    "oklch": (1.0, 0.4, 1.0),
    "hsl": (1.0, 1.0, 1.0),
    "hwb": (1.0, 1.0, 1.0),
}
"""What 100 % is worth in each place (CSS Color 4, sections 6 to 9)."""


def parse_colour(text: str, current: Colour | None = None, scheme: Scheme = "light") -> Colour | None:
    """The colour that a value says, variables replaced; None when it is none or cannot be told.

    Args:
        text: a single component value, say `#fff` or `oklch(70% 0.1 200 / 50%)`.
        current: what `currentcolor` stands for.
        scheme: which side `light-dark()` takes.
    """
    return _parse(text.strip(), current, scheme) if len(text) <= MAXIMUM_LENGTH else None


@lru_cache(maxsize=4096)
def _parse(text: str, current: Colour | None, scheme: Scheme) -> Colour | None:
    tokens = trim(parse_values(text))
    return _colour(tokens[0], current, scheme, 0) if len(tokens) == 1 else None


def is_colour_token(token: CssToken) -> bool:
    """Whether a component value is written as a colour: hex digits, a name, or a colour function."""
    if token.kind == "hash":
        return len(token.name) in (3, 4, 6, 8) and _HEX_DIGITS.issuperset(token.name)
    if token.kind == "function":
        return token.name in _FUNCTIONS
    return token.kind == "ident" and (token.name in colour_names() or token.name in system_colours("light"))


@cache
def colour_names() -> dict[str, str]:
    """The named colours of CSS and their `#rrggbb`."""
    names: dict[str, str] = json.loads(files(__package__).joinpath("colour_names.json").read_text(encoding="utf-8"))
    return names


@cache
def system_colours(scheme: Scheme) -> dict[str, str]:
    """The system colours of CSS Color 4, section 6.2, and their `#rrggbb`, in the light or the dark scheme."""
    text = files(__package__).joinpath("system_colours.json").read_text(encoding="utf-8")
    colours: dict[str, str] = json.loads(text)[scheme]
    return colours


def _colour(token: CssToken, current: Colour | None, scheme: Scheme, depth: int) -> Colour | None:
    if depth > MAXIMUM_DEPTH:
        return None
    if token.kind == "hash":
        return _hex(token.name)
    if token.kind == "ident":
        if token.name == "currentcolor":
            return current
        if token.name == "transparent":
            return Colour(0.0, 0.0, 0.0, 0.0)
        named = colour_names().get(token.name) or system_colours(scheme).get(token.name)
        return None if named is None else Colour.from_hex(named)
    if token.kind != "function" or token.name not in _FUNCTIONS:
        return None
    if token.name == "color-mix":
        return _mix(token, current, scheme, depth)
    if token.name == "light-dark":
        sides = [part for part in split_on(token.children, ",") if len(part) == 1]
        return _colour(sides[scheme == "dark"][0], current, scheme, depth + 1) if len(sides) == 2 else None
    return _function(token)


def _hex(digits: str) -> Colour | None:
    if len(digits) not in (3, 4, 6, 8) or not _HEX_DIGITS.issuperset(digits):
        return None
    if len(digits) < 6:
        digits = "".join(2 * digit for digit in digits)
    values = [int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)]
    return Colour(*values)


def _function(token: CssToken) -> Colour | None:
    """`rgb()` and its kin, in the old notation with commas or the new one with spaces and a slash."""
    parts, alpha = _arguments(token)
    name = token.name.removesuffix("a") if token.name in ("rgba", "hsla") else token.name
    if name == "color" and parts:
        space, parts = parts[0].name, parts[1:]
        values = [_component(part, 1.0) for part in parts]
    elif name == "rgb":
        space = "srgb"
        values = [_component(part, 1.0, 255.0) for part in parts]
    else:
        space = name
        scale = _PERCENT_OF.get(name, (1.0, 1.0, 1.0))
        values = [_place(name, position, part, scale) for position, part in enumerate(parts[:3])]
    opacity = 1.0 if alpha is None else _component(alpha, 1.0)
    if len(parts) != 3 or opacity is None or any(value is None for value in values):
        return None
    first, second, third = (value or 0.0 for value in values)
    legal = _bounded(space, (first, second, third))
    linear = to_linear(space, legal)
    if linear is None:
        return None
    # sRGB needs no way there and back, which would cost a rounding error.
    encoded = legal if space == "srgb" else encode(linear)
    return Colour(*encoded, alpha=min(1.0, max(0.0, opacity)))


def _place(space: str, position: int, part: CssToken, scale: Triple) -> float | None:
    if HUES.get(space) == position:
        return _hue(part)
    # hsl(200 50 40) and hwb(200 10 20) write percentages without the sign.
    plain = 100.0 if space in ("hsl", "hwb") else 1.0
    return _component(part, scale[position], plain)


def _bounded(space: str, values: Triple) -> Triple:
    """Values brought into the bounds that the standard clamps to when it parses."""
    first, second, third = values
    if space == "hsl":
        return first, max(0.0, second), third
    if space in ("lab", "lch"):
        first = min(100.0, max(0.0, first))
    elif space in ("oklab", "oklch"):
        first = min(1.0, max(0.0, first))
    return (first, max(0.0, second), third) if space in ("lch", "oklch") else (first, second, third)


def _arguments(token: CssToken) -> tuple[list[CssToken], CssToken | None]:
    """The components and the alpha of a colour function."""
    if any(child.kind == "literal" and child.name == "," for child in token.children):
        parts = [part[0] for part in split_on(token.children, ",") if len(part) == 1]
        return parts[:3], parts[3] if len(parts) == 4 else None
    before, *after = split_on(token.children, "/")
    parts = [part for part in before if part.kind != "space"]
    opacity = [part for part in after[0] if part.kind != "space"] if after else []
    return parts, opacity[0] if len(opacity) == 1 else None


def _component(token: CssToken, of_percent: float, of_number: float = 1.0) -> float | None:
    """A number divided by `of_number`, a percentage of `of_percent`, `none` as 0; None for anything else."""
    if token.kind == "percentage":
        return token.number / 100 * of_percent
    if token.kind == "number":
        return token.number / of_number
    return 0.0 if token.kind == "ident" and token.name == "none" else None


def _hue(token: CssToken) -> float | None:
    if token.kind == "dimension":
        return token.number * _ANGLES[token.name] if token.name in _ANGLES else None
    return token.number if token.kind == "number" else 0.0 if token.name == "none" else None


def _mix(token: CssToken, current: Colour | None, scheme: Scheme, depth: int) -> Colour | None:
    """`color-mix(in SPACE, COLOUR P%, COLOUR P%)` (CSS Color 5, section 3)."""
    parts = split_on(token.children, ",")
    method = [each.name for each in parts[0] if each.kind == "ident"]
    if len(parts) != 3 or method[:1] != ["in"] or len(method) < 2:
        return None
    sides = [_side(part, current, scheme, depth) for part in parts[1:]]
    if sides[0] is None or sides[1] is None:
        return None
    (one, one_share), (other, other_share) = sides[0], sides[1]
    if one_share is None and other_share is None:
        one_share = other_share = 0.5
    elif one_share is None:
        one_share = 1 - (other_share or 0.0)
    elif other_share is None:
        other_share = 1 - one_share
    total = one_share + (other_share or 0.0)
    if total <= 0:
        return None
    way = method[2] if len(method) > 2 else "shorter"
    return mix(method[1], one, other, (other_share or 0.0) / total, min(1.0, total), way)


def _side(
    part: Sequence[CssToken], current: Colour | None, scheme: Scheme, depth: int
) -> tuple[Colour, float | None] | None:
    share, colour = None, None
    for token in part:
        if token.kind == "percentage":
            share = token.number / 100
        elif token.kind != "space":
            colour = _colour(token, current, scheme, depth + 1)
    return None if colour is None or (share is not None and not 0 <= share <= 1) else (colour, share)


__all__ = ["Colour", "Scheme", "colour_names", "contrast", "is_colour_token", "parse_colour", "system_colours"]
