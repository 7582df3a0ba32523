"""A colour in sRGB with alpha: how it is seen on a ground, and how it stands out from another."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from loopwright.agents.pages.colour.spaces import Triple, decode, oklab, polar


class Oklch(NamedTuple):
    """A colour as it is seen: lightness (0 to 1), chroma (0 to about 0.37 in sRGB) and hue (degrees)."""

    lightness: float
    chroma: float
    hue: float


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in gamma-encoded sRGB; the channels go from 0 to 1, and beyond for colours that sRGB cannot show."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    @classmethod
    def from_hex(cls, text: str) -> "Colour":
        """The colour `#RRGGBB`.

        Raises:
            ValueError: this is no such text.
        """
        return cls(*(int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)))

    @property
    def hex(self) -> str:
        """`#RRGGBB`, without the alpha, clipped to sRGB as a screen does."""
        return "#" + "".join(f"{_byte(channel):02X}" for channel in (self.red, self.green, self.blue))

    @property
    def css(self) -> str:
        """The colour as CSS text: `#rrggbb`, or `rgb(… / …)` for one through which something shines."""
        if self.is_opaque:
            return self.hex.lower()
        red, green, blue = (_byte(channel) for channel in (self.red, self.green, self.blue))
        return f"rgb({red} {green} {blue} / {round(self.alpha, 3)})"

    @property
    def is_opaque(self) -> bool:
        """Whether nothing shines through."""
        return self.alpha >= 0.9995

    @property
    def linear(self) -> Triple:
        """Linear-light sRGB."""
        return decode((self.red, self.green, self.blue))

    @property
    def oklch(self) -> Oklch:
        """Lightness, chroma and hue; the alpha is not looked at."""
        return Oklch(*polar(oklab(self.linear)))

    @property
    def luminance(self) -> float:
        """The relative luminance of WCAG 2.2, 0 to 1; the alpha is not looked at."""
        red, green, blue = decode((_clip(self.red), _clip(self.green), _clip(self.blue)))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def over(self, ground: "Colour") -> "Colour":
        """What is seen when this lies on an opaque or translucent ground: alpha compositing in sRGB, after clipping."""
        share = self.alpha + ground.alpha * (1 - self.alpha)
        if share <= 0:
            return Colour(0.0, 0.0, 0.0, 0.0)
        pairs = ((self.red, ground.red), (self.green, ground.green), (self.blue, ground.blue))
        red, green, blue = (
            (_clip(a) * self.alpha + _clip(b) * ground.alpha * (1 - self.alpha)) / share for a, b in pairs
        )
        return Colour(red, green, blue, share)

    def faded(self, opacity: float) -> "Colour":
        """The same with its alpha multiplied."""
        return Colour(self.red, self.green, self.blue, self.alpha * _clip(opacity))

    def distance(self, other: "Colour") -> float:
        """How different two opaque colours look: Euclidean in OKLab, where about 0.02 is just noticeable."""
        return math.dist(oklab(self.linear), oklab(other.linear))


def contrast(first: Colour, second: Colour) -> float:
    """The contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2)."""
    bright, dark = sorted((first.luminance, second.luminance), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _byte(channel: float) -> int:
    return math.floor(_clip(channel) * 255 + 0.5)
