"""Whether a style is what a wish says: colours as people name them, sizes and corners by which way they went."""

import re
from collections.abc import Mapping

from loopwright.agents.pages.colour.colour import Colour
from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.ledger.styles import same_value
from loopwright.agents.pages.ledger.wishes import Wish

HUE = 30.0
"""Degrees by which a colour may be off from the one that was named; 30 is half the way from one primary to the next."""
LIGHTNESS = 0.3
GREY = 0.045
"""The chroma (of OKLCH) below which no hue is seen."""


def has_become(wish: Wish, before: str | None, after: str) -> bool:
    """Whether a value is what a wish says, and was not before."""
    if wish.aspect == "colour":
        return is_called(wish, parse_colour(after))
    if wish.aspect == "size" and wish.exact:
        return same_value(after, wish.value)
    if wish.aspect == "alignment":
        return after.strip() in (wish.value, {"left": "start", "right": "end"}.get(wish.value, ""))
    names = {"normal": 400.0, "bold": 700.0}
    old, new = (_number(value or "", names) for value in (before, after))
    more = wish.value in ("bigger", "bolder", "rounder")
    return old is not None and new is not None and (new > old if more else new < old)


def _number(value: str, names: Mapping[str, float]) -> float | None:
    """A length in pixels, or a bare number; None for what cannot be compared."""
    text = value.strip().lower()
    found = re.fullmatch(r"(-?\d*\.?\d+)(px|rem|em|pt|%)?", text)
    if found is None:
        return names.get(text)
    return float(found[1]) * {"rem": 16.0, "em": 16.0, "pt": 4 / 3}.get(found[2] or "", 1.0)


def is_called(wish: Wish, colour: Colour | None) -> bool:
    """Whether people would call a colour by the name that the wish uses."""
    wanted = parse_colour(wish.value)
    if colour is None or wanted is None or colour.alpha < 0.5:
        return False
    is_, meant = colour.oklch, wanted.oklch
    nearness = 0.5 if wish.exact else 1.0
    if abs(is_.lightness - meant.lightness) > LIGHTNESS * nearness:
        return False
    if meant.chroma < GREY or is_.chroma < GREY:
        return meant.chroma < GREY and is_.chroma < GREY
    turn = abs(is_.hue - meant.hue) % 360
    return min(turn, 360 - turn) <= HUE * nearness
