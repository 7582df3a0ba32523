"""Two colours mixed in a colour space (CSS Color Level 4, section 12; Level 5, section 3)."""

from loopwright.agents.pages.colour.colour import Colour
from loopwright.agents.pages.colour.spaces import Triple, encode, from_linear, to_linear

HUES = {"hsl": 0, "hwb": 0, "lch": 2, "oklch": 2}
"""Which of a space's three values is a hue."""
_POWERLESS = {"lch": 0.0015, "oklch": 4e-6}
"""Chroma below which a colour counts as grey, whose hue means nothing; 1e-5 in the other spaces."""


def mix(space: str, one: Colour, other: Colour, share: float, opacity: float, way: str) -> Colour | None:
    """`share` of the other colour in the first, premultiplied by alpha; hues go the shorter way unless told."""
    first, second = from_linear(space, one.linear), from_linear(space, other.linear)
    if first is None or second is None:
        return None
    alpha = one.alpha * (1 - share) + other.alpha * share
    hue_at = HUES.get(space)
    values = []
    for position, (a, b) in enumerate(zip(first, second, strict=True)):
        if position == hue_at:
            values.append(_hue_between(space, first, second, share, way))
        elif alpha <= 0:
            values.append(0.0)
        else:
            values.append((a * one.alpha * (1 - share) + b * other.alpha * share) / alpha)
    linear = to_linear(space, (values[0], values[1], values[2]))
    return None if linear is None else Colour(*encode(linear), alpha=alpha * opacity)


def _hue_between(space: str, first: Triple, second: Triple, share: float, way: str) -> float:
    at = HUES[space]
    strengths = [values[1] if space != "hwb" else 1 - values[1] - values[2] for values in (first, second)]
    powerless = [strength < _POWERLESS.get(space, 1e-5) for strength in strengths]
    if powerless[0] or powerless[1]:  # a grey has no hue of its own, so it takes the other's
        return second[at] if powerless[0] else first[at]
    start, end = first[at], second[at]
    gap = end - start
    if way == "longer":
        end += -360 if 0 < gap < 180 else 360 if -180 < gap <= 0 else 0
    elif way == "increasing":
        end += 360 if gap < 0 else 0
    elif way == "decreasing":
        end -= 360 if gap > 0 else 0
    else:
        end -= 360 if gap > 180 else -360 if gap < -180 else 0
    return start + (end - start) * share
