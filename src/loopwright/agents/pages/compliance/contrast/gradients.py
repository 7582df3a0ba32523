"""The colours of a gradient (CSS Images Level 3, section 3), from its beginning to its end."""

import math
from dataclasses import dataclass
from itertools import pairwise

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on

STEPS = 16
"""Colours taken from a gradient; between two of them nothing changes that could be read."""
MAXIMUM_STOPS = 64
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_SIDES = {"to right": 90.0, "to left": 270.0, "to top": 0.0, "to bottom": 180.0}
_PLAIN = frozenset({"transparent", "currentcolor"})


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient as colours at equal distances."""

    colours: tuple[Colour, ...]
    direction: float | None
    """Degrees clockwise from the top in which it runs; None for gradients that do not run along a line."""


@dataclass(frozen=True, slots=True)
class _Stop:
    colour: Colour
    place: float | None
    """Share of the way, 0 to 1; None where it is left to the browser."""


def parse_gradient(text: str, current: Colour | None, scheme: Scheme) -> Gradient | None:
    """Read one gradient function; None when it is none or when a colour or a place in it is not known."""
    tokens = parse_values(text.strip())
    if len(tokens) != 1 or tokens[0].kind != "function" or not tokens[0].name.endswith("-gradient"):
        return None
    parts = split_on(tokens[0].children, ",")
    is_linear = tokens[0].name.endswith("linear-gradient")
    direction = 180.0 if is_linear else None
    if parts and not any(_is_colour(token) for token in parts[0]):
        direction = _direction(parts.pop(0)) if is_linear else None
    stops: list[_Stop] = []
    for part in parts[:MAXIMUM_STOPS]:
        read = _stops(part, current, scheme)
        if read is None:
            return None
        stops += read
    return Gradient(_sample(_placed(stops)), direction) if stops else None


def _is_colour(token: CssToken) -> bool:
    return is_colour_token(token) or (token.kind == "ident" and token.name in _PLAIN)


def _direction(part: tuple[CssToken, ...]) -> float | None:
    first = part[0] if part else None
    if first is not None and first.kind == "dimension" and first.name in _ANGLES:
        return (first.number * _ANGLES[first.name]) % 360
    return _SIDES.get(" ".join(token.name for token in part if token.kind == "ident"))


def _stops(part: tuple[CssToken, ...], current: Colour | None, scheme: Scheme) -> list[_Stop] | None:
    """One part: a colour with up to two places, or a hint of where the middle lies, which changes no colour."""
    colours = [token for token in part if _is_colour(token)]
    places = [token for token in part if token.kind in ("percentage", "dimension", "number", "function")]
    places = [token for token in places if token not in colours]
    if not colours:
        return [] if places else None
    colour = parse_colour(colours[0].text, current, scheme)
    if colour is None:
        return None
    shares = [token.number / 100 if token.kind == "percentage" else None for token in places]
    return [_Stop(colour, share) for share in shares or [None]]


def _placed(stops: list[_Stop]) -> list[tuple[float, Colour]]:
    """Every stop with its place; those without one are spread evenly, none lies before the one it follows."""
    places = [stop.place for stop in stops]
    places[0] = 0.0 if places[0] is None else places[0]
    places[-1] = 1.0 if places[-1] is None else places[-1]
    known = [position for position, place in enumerate(places) if place is not None]
    filled: list[float] = []
    for position, place in enumerate(places):
        if place is None:
            before = max(each for each in known if each < position)
            after = min(each for each in known if each > position)
            start, end = places[before] or 0.0, places[after] or 0.0
            place = start + (end - start) * (position - before) / (after - before)
        filled.append(max(place, filled[-1]) if filled else place)
    return list(zip(filled, (stop.colour for stop in stops), strict=True))


def _sample(stops: list[tuple[float, Colour]]) -> tuple[Colour, ...]:
    return tuple(_at(stops, step / (STEPS - 1)) for step in range(STEPS))


def _at(stops: list[tuple[float, Colour]], place: float) -> Colour:
    if place <= stops[0][0]:
        return stops[0][1]
    for (start, first), (end, second) in pairwise(stops):
        if place <= end:
            return first if end <= start else _mixed(first, second, (place - start) / (end - start))
    return stops[-1][1]


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    """Between two colours, in sRGB with alpha multiplied in, as gradients are drawn."""
    alpha = first.alpha + (second.alpha - first.alpha) * share
    if alpha <= 0:
        return Colour(0.0, 0.0, 0.0, 0.0)
    pairs = ((first.red, second.red), (first.green, second.green), (first.blue, second.blue))
    red, green, blue = (
        (one * first.alpha * (1 - share) + other * second.alpha * share) / alpha for one, other in pairs
    )
    return Colour(red, green, blue, alpha)
