"""Colour spaces of CSS Color Level 4, each converted to and from linear-light sRGB.

The matrices are those of the specification's sample code (CSS Color 4, section 18); OKLab follows Ottosson
(https://bottosson.github.io/posts/oklab/). Colours outside sRGB keep channels below 0 or above 1 until they are shown.
"""

import math
from collections.abc import Callable

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
