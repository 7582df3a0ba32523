"""Colours as numbers: spaces, mixing, luminance and contrast, shades. How CSS writes them is the cascade's matter."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Colour spaces of CSS Color Level 4, each converted to and from linear-light sRGB.

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

_SRGB_TO_XYZ: Matrix = (
    (506752 / 1228815, 87881 / 245763, 12673 / 70218),
    (87098 / 409605, 175762 / 245763, 12673 / 175545),
    (7918 / 409605, 87881 / 737289, 1001167 / 1053270),
)
_XYZ_TO_SRGB: Matrix = (
    (12831 / 3959, -329 / 214, -1974 / 3959),
    (-851781 / 878810, 1648619 / 878810, 36519 / 878810),
    (705 / 12673, -2585 / 12673, 705 / 667),
)
_P3_TO_XYZ: Matrix = (
    (608311 / 1250200, 189793 / 714400, 198249 / 1000160),
    (35783 / 156275, 247089 / 357200, 198249 / 2500400),
    (0.0, 32229 / 714400, 5220557 / 5000800),
)
_REC2020_TO_XYZ: Matrix = (
    (63426534 / 99577255, 20160776 / 139408157, 47086771 / 278816314),
    (26158966 / 99577255, 472592308 / 697040785, 8267143 / 139408157),
    (0.0, 19567812 / 697040785, 295819943 / 278816314),
)
_A98_TO_XYZ: Matrix = (
    (573536 / 994567, 263643 / 1420810, 187206 / 994567),
    (591459 / 1989134, 6239551 / 9945670, 374412 / 4972835),
    (53769 / 1989134, 351524 / 4972835, 4929758 / 4972835),
)
_PROPHOTO_TO_D50: Matrix = (
    (0.79776664490064230, 0.13518129740053308, 0.03134773412839220),
    (0.28807482881940130, 0.71183523424187300, 0.00008993693872564),
    (0.0, 0.0, 0.82510460251046020),
)
_D50_TO_D65: Matrix = (
    (0.955473421488075, -0.02309845494876471, 0.06325924320057072),
    (-0.0283697093338637, 1.0099953980813041, 0.021041441191917323),
    (0.012314014864481998, -0.020507649298898964, 1.330365926242124),
)
_D65_TO_D50: Matrix = (
    (1.0479297925449969, 0.022946870601609652, -0.05019226628920524),
    (0.02962780877005599, 0.9904344267538799, -0.017073799063418826),
    (-0.009243040646204504, 0.015055191490298152, 0.7518742814281371),
)
_D50_WHITE: Triple = (0.3457 / 0.3585, 1.0, (1.0 - 0.3457 - 0.3585) / 0.3585)
_KAPPA, _EPSILON = 24389 / 27, 216 / 24389


def encode(linear: Triple) -> Triple:
    """Linear-light sRGB to gamma-encoded sRGB (IEC 61966-2-1)."""
    red, green, blue = (_encode(channel) for channel in linear)
    return red, green, blue


def decode(encoded: Triple) -> Triple:
    """Gamma-encoded sRGB to linear-light sRGB."""
    red, green, blue = (_decode(channel) for channel in encoded)
    return red, green, blue


def to_linear(space: str, values: Triple) -> Triple | None:
    """A colour of a space of `SPACES` in linear-light sRGB; None for a space that is not known.

    Args:
        space: its name in lower case, as `color()` and `color-mix()` write it.
        values: RGB spaces and XYZ from 0 to 1; Lab lightness 0 to 100; OKLab lightness 0 to 1; hues in degrees;
            saturation, lightness, whiteness and blackness 0 to 1.
    """
    convert = SPACES.get(space)
    return None if convert is None else convert[0](values)


def from_linear(space: str, linear: Triple) -> Triple | None:
    """Linear-light sRGB in one of the spaces in which colours are mixed; None for another."""
    convert = SPACES.get(space)
    return None if convert is None or convert[1] is None else convert[1](linear)


def oklab(linear: Triple) -> Triple:
    """Linear-light sRGB in OKLab, where equal distances look about equally far."""
    red, green, blue = linear
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def from_oklab(values: Triple) -> Triple:
    """OKLab in linear-light sRGB."""
    lightness, green_red, blue_yellow = values
    long = (lightness + 0.3963377774 * green_red + 0.2158037573 * blue_yellow) ** 3
    medium = (lightness - 0.1055613458 * green_red - 0.0638541728 * blue_yellow) ** 3
    short = (lightness - 0.0894841775 * green_red - 1.2914855480 * blue_yellow) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def polar(values: Triple) -> Triple:
    """Lab or OKLab as lightness, chroma and hue (degrees)."""
    lightness, first, second = values
    return lightness, math.hypot(first, second), math.degrees(math.atan2(second, first)) % 360


def rectangular(values: Triple) -> Triple:
    """Lightness, chroma and hue (degrees) as Lab or OKLab."""
    lightness, chroma, hue = values
    return lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))


def _encode(channel: float) -> float:
    size = abs(channel)
    value = size * 12.92 if size <= 0.0031308 else 1.055 * size ** (1 / 2.4) - 0.055
    return math.copysign(value, channel)


def _decode(channel: float) -> float:
    size = abs(channel)
    value = size / 12.92 if size <= 0.04045 else ((size + 0.055) / 1.055) ** 2.4
    return math.copysign(value, channel)


def _multiply(matrix: Matrix, values: Triple) -> Triple:
    red, green, blue = (sum(factor * value for factor, value in zip(row, values, strict=True)) for row in matrix)
    return red, green, blue


def _rgb(matrix: Matrix, curve: Callable[[float], float]) -> Callable[[Triple], Triple]:
    """An RGB space with its own primaries and transfer curve."""

    def convert(values: Triple) -> Triple:
        red, green, blue = (math.copysign(curve(abs(value)), value) for value in values)
        return _multiply(_XYZ_TO_SRGB, _multiply(matrix, (red, green, blue)))

    return convert


def _rec2020_curve(value: float) -> float:
    """The display transfer of BT.1886 that CSS Color 4 took over in 2024: a pure power of 2.4."""
    return float(value**2.4)


def _prophoto(values: Triple) -> Triple:
    red, green, blue = (math.copysign(abs(v) / 16 if abs(v) <= 16 / 512 else abs(v) ** 1.8, v) for v in values)
    d50 = _multiply(_PROPHOTO_TO_D50, (red, green, blue))
    return _multiply(_XYZ_TO_SRGB, _multiply(_D50_TO_D65, d50))


def _from_lab(values: Triple) -> Triple:
    lightness, first, second = values
    middle = (lightness + 16) / 116
    roots = (first / 500 + middle, middle, middle - second / 200)
    x, z = (root**3 if root**3 > _EPSILON else (116 * root - 16) / _KAPPA for root in (roots[0], roots[2]))
    y = middle**3 if lightness > _KAPPA * _EPSILON else lightness / _KAPPA
    d50 = (x * _D50_WHITE[0], y * _D50_WHITE[1], z * _D50_WHITE[2])
    return _multiply(_XYZ_TO_SRGB, _multiply(_D50_TO_D65, d50))


def _to_lab(linear: Triple) -> Triple:
    d50 = _multiply(_D65_TO_D50, _multiply(_SRGB_TO_XYZ, linear))
    relative = (value / white for value, white in zip(d50, _D50_WHITE, strict=True))
    x, y, z = (math.cbrt(value) if value > _EPSILON else (_KAPPA * value + 16) / 116 for value in relative)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _from_hsl(values: Triple) -> Triple:
    hue, saturation, lightness = values
    reach = saturation * min(lightness, 1 - lightness)

    def channel(offset: int) -> float:
        turn = (offset + hue / 30) % 12
        return lightness - reach * max(-1.0, min(turn - 3, 9 - turn, 1.0))

    return decode((channel(0), channel(8), channel(4)))


def _to_hsl(linear: Triple) -> Triple:
    red, green, blue = encode(linear)
    most, least = max(red, green, blue), min(red, green, blue)
    lightness, span = (most + least) / 2, most - least
    if span < 1e-9:
        return 0.0, 0.0, lightness
    saturation = 0.0 if lightness in (0, 1) else (most - lightness) / min(lightness, 1 - lightness)
    if most == red:
        hue = (green - blue) / span + (6 if green < blue else 0)
    elif most == green:
        hue = (blue - red) / span + 2
    else:
        hue = (red - green) / span + 4
    hue *= 60
    return ((hue + 180) % 360, -saturation, lightness) if saturation < 0 else (hue % 360, saturation, lightness)


def _from_hwb(values: Triple) -> Triple:
    hue, white, black = values
    if white + black >= 1:
        grey = white / (white + black)
        return decode((grey, grey, grey))
    red, green, blue = encode(_from_hsl((hue, 1.0, 0.5)))
    reach = 1 - white - black
    return decode((red * reach + white, green * reach + white, blue * reach + white))


def _to_hwb(linear: Triple) -> Triple:
    encoded = encode(linear)
    return _to_hsl(linear)[0], min(encoded), 1 - max(encoded)


SPACES: dict[str, tuple[Callable[[Triple], Triple], Callable[[Triple], Triple] | None]] = {
    "srgb": (decode, encode),
    "srgb-linear": (lambda values: values, lambda values: values),
    "display-p3": (_rgb(_P3_TO_XYZ, _decode), None),
    "a98-rgb": (_rgb(_A98_TO_XYZ, lambda value: float(value ** (563 / 256))), None),
    "rec2020": (_rgb(_REC2020_TO_XYZ, _rec2020_curve), None),
    "prophoto-rgb": (_prophoto, None),
    "xyz": (lambda values: _multiply(_XYZ_TO_SRGB, values), lambda linear: _multiply(_SRGB_TO_XYZ, linear)),
    "xyz-d65": (lambda values: _multiply(_XYZ_TO_SRGB, values), lambda linear: _multiply(_SRGB_TO_XYZ, linear)),
    "xyz-d50": (
        lambda values: _multiply(_XYZ_TO_SRGB, _multiply(_D50_TO_D65, values)),
        lambda linear: _multiply(_D65_TO_D50, _multiply(_SRGB_TO_XYZ, linear)),
    ),
    "lab": (_from_lab, _to_lab),
    "lch": (lambda values: _from_lab(rectangular(values)), lambda linear: polar(_to_lab(linear))),
    "oklab": (from_oklab, oklab),
    "oklch": (lambda values: from_oklab(rectangular(values)), lambda linear: polar(oklab(linear))),
    "hsl": (_from_hsl, _to_hsl),
    "hwb": (_from_hwb, _to_hwb),
}
"""Name → (to linear-light sRGB, and back for the spaces in which `color-mix()` mixes)."""


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


# Shades of a colour: by their lightness, and the nearest one that keeps a contrast.

STEP = 0.005
"""Step of lightness (OKLCH) in which a shade is looked for."""
_IN_SRGB = 0.0005
_MIDDLE = 0.18
"""Luminance of middle grey: grounds brighter than this are light ones."""


def shade(colour: Colour, lightness: float) -> Colour:
    """The colour at another OKLCH lightness, 0 to 1; chroma is lowered until sRGB can show it, the hue is kept."""
    _, chroma, hue = colour.oklch
    return from_oklch(lightness, chroma, hue)


def from_oklch(lightness: float, chroma: float, hue: float) -> Colour:
    """The opaque colour, in the steps of `#RRGGBB`.

    Args:
        lightness: what lies beyond 0 to 1 is taken for the nearer end.
        chroma: it is lowered until sRGB can show the colour; lightness and hue are kept.
        hue: degrees.
    """
    lightness = min(1.0, max(0.0, lightness))
    while True:
        linear = from_oklab(rectangular((lightness, chroma, hue)))
        if chroma < 0.004 or all(-_IN_SRGB <= channel <= 1 + _IN_SRGB for channel in linear):
            break
        chroma *= 0.94
    red, green, blue = (min(1.0, max(0.0, channel)) for channel in encode(linear))
    return Colour.from_hex(Colour(red, green, blue).hex)


def nearest_shade(colour: Colour, partners: Sequence[tuple[Colour, float]]) -> Colour | None:
    """The shade of an opaque colour nearest to it that has a contrast to each of several others.

    Args:
        colour: where the search begins; it is the answer itself where it keeps them all.
        partners: opaque colours, each with the contrast that is needed to it.

    Returns:
        None where no lightness keeps them all, as between black text and white text.
    """
    lightness = colour.oklch.lightness
    if _keeps(colour, partners):
        return colour
    for step in range(1, int(1 / STEP) + 1):
        for direction in (-1, 1):
            wanted = lightness + direction * step * STEP
            if -STEP < wanted < 1 + STEP:
                candidate = shade(colour, wanted)
                if _keeps(candidate, partners):
                    return candidate
    return None


def readable_on(colour: Colour, grounds: Sequence[Colour], ratio: float) -> Colour:
    """The shade of a colour that is readable on grounds: darker on light ones, lighter on dark ones.

    Args:
        colour: where the search begins; it is the answer itself where it can be read.
        grounds: one at least.
        ratio: the contrast that is needed to each.

    Returns:
        Black or white where no shade will do.
    """
    source = colour.oklch
    step = -0.01 if sum(ground.luminance for ground in grounds) / len(grounds) > _MIDDLE else 0.01
    lightness, candidate = source.lightness, colour
    partners = [(ground, ratio) for ground in grounds]
    while 0.0 <= lightness + step <= 1.0 and not _keeps(candidate, partners):
        lightness += step
        candidate = from_oklch(lightness, source.chroma, source.hue)
    if _keeps(candidate, partners):
        return candidate
    return Colour.from_hex("#000000" if step < 0 else "#FFFFFF")


def _keeps(colour: Colour, partners: Sequence[tuple[Colour, float]]) -> bool:
    return all(contrast(colour, other) >= ratio for other, ratio in partners)


# Two colours mixed in a colour space (CSS Color Level 4, section 12; Level 5, section 3).

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
