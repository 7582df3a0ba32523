"""Lengths in CSS pixels: units, percentages and the math functions of CSS Values Level 4."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from loopwright.agents.pages.compliance.cascade.media import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, trim

_ABSOLUTE = {"px": 1.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "pt": 4 / 3, "pc": 16.0}
_VIEWPORT = {
    f"{size}{axis}": length / 100
    for size in ("", "s", "l", "d")
    for axis, length in (
        ("vw", VIEWPORT_WIDTH),
        ("vh", VIEWPORT_HEIGHT),
        ("vi", VIEWPORT_WIDTH),
        ("vb", VIEWPORT_HEIGHT),
    )
} | {"vmin": VIEWPORT_WIDTH / 100, "vmax": VIEWPORT_HEIGHT / 100}
_AUTOMATIC = frozenset(
    {
        "auto",
        "none",
        "normal",
        "min-content",
        "max-content",
        "fit-content",
        "-webkit-fill-available",
        "stretch",
        "content",
    }
)
CHARACTER_PER_EM = 0.5
"""Width of `ch` where the font is not known: the fallback the standard prescribes."""


class Auto(Enum):
    """A length left to the layout."""

    AUTO = "auto"


AUTO = Auto.AUTO
Length = float | Auto | None
"""Pixels, AUTO, or None for what cannot be told."""


@dataclass(frozen=True, slots=True)
class LengthContext:
    """What relative units refer to, all in CSS pixels; None where not known."""

    font_size: float | None
    root_font_size: float | None
    percent_of: float | None = None
    line_height: float | None = None


def resolve_length(value: str, context: LengthContext) -> Length:
    """A single length in pixels."""
    tokens = trim(parse_values(value))
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.kind == "ident":
        return AUTO if token.name in _AUTOMATIC else None
    if token.kind == "function" and token.name == "fit-content":
        return AUTO
    quantity = _quantity(token, context)
    if quantity is None:
        return None
    amount, is_length = quantity
    return amount if is_length or amount == 0 else None


_Quantity = tuple[float, bool]
"""An amount and whether it is a length (else a plain number)."""


def _quantity(token: CssToken, context: LengthContext) -> _Quantity | None:
    if token.kind == "number":
        return token.number, False
    if token.kind == "percentage":
        return None if context.percent_of is None else (token.number * context.percent_of / 100, True)
    if token.kind == "dimension":
        factor = _pixels_per_unit(token.name, context)
        return None if factor is None else (token.number * factor, True)
    if token.kind == "parentheses":
        return _sum(token.children, context)
    return _function(token, context) if token.kind == "function" else None


def _pixels_per_unit(unit: str, context: LengthContext) -> float | None:
    if unit in _ABSOLUTE:
        return _ABSOLUTE[unit]
    if unit in _VIEWPORT:
        return _VIEWPORT[unit]
    if unit == "em":
        return context.font_size
    if unit == "rem":
        return context.root_font_size
    if unit in ("ch", "ex") and context.font_size is not None:
        return context.font_size * CHARACTER_PER_EM
    return context.line_height if unit == "lh" else None


def _function(token: CssToken, context: LengthContext) -> _Quantity | None:
    arguments = split_on(token.children, ",")
    if token.name in ("calc", "-webkit-calc"):
        return _sum(token.children, context)
    if token.name == "env":
        # No cut-outs on the phone that is checked, so a fallback is never used for the known names.
        known = bool(arguments[0]) and arguments[0][0].name.startswith(("safe-area-", "keyboard-inset-", "titlebar-"))
        return (0.0, True) if known else _sum(arguments[1], context) if len(arguments) > 1 else None
    if token.name not in ("min", "max", "clamp"):
        return None
    values = [_sum(argument, context) for argument in arguments]
    known_values = [value for value in values if value is not None]
    if not known_values or len(known_values) < len(values):
        return None
    amounts = [amount for amount, _ in known_values]
    is_length = any(length for _, length in known_values)
    if token.name == "clamp":
        return (max(amounts[0], min(amounts[1], amounts[2])), is_length) if len(amounts) == 3 else None
    return (min(amounts) if token.name == "min" else max(amounts)), is_length


def _sum(tokens: Sequence[CssToken], context: LengthContext) -> _Quantity | None:
    """Terms joined by `+` and `-`, products within them binding tighter."""
    terms: list[tuple[str, list[CssToken]]] = [("+", [])]
    for token in tokens:
        if token.kind == "literal" and token.name in "+-":
            terms.append((token.name, []))
        elif token.kind != "space":
            terms[-1][1].append(token)
    total, is_length = 0.0, False
    for sign, term in terms:
        value = _product(term, context)
        if value is None:
            return None
        total += value[0] if sign == "+" else -value[0]
        is_length = is_length or value[1]
    return total, is_length


def _product(tokens: list[CssToken], context: LengthContext) -> _Quantity | None:
    if len(tokens) % 2 == 0:
        return None
    first = _quantity(tokens[0], context)
    if first is None:
        return None
    amount, is_length = first
    for sign, token in zip(tokens[1::2], tokens[2::2], strict=True):
        factor = _quantity(token, context)
        if factor is None or sign.name not in ("*", "/") or (sign.name == "/" and factor[0] == 0):
            return None
        amount = amount * factor[0] if sign.name == "*" else amount / factor[0]
        is_length = is_length or factor[1]
    return amount, is_length


# Font sizes: what `font-size` comes to, with the special treatment that browsers give to the family `monospace`.

_KEYWORDS = {
    "xx-small": (9.0, 9.0), "x-small": (10.0, 10.0), "small": (13.0, 12.0), "medium": (16.0, 13.0),
    "large": (18.0, 16.0), "x-large": (24.0, 20.0), "xx-large": (32.0, 26.0), "xxx-large": (48.0, 39.0),
}  # fmt: skip
"""Pixels of the size keywords, in other families and in `monospace`."""
_LARGER = 1.2
_INHERITING = frozenset({"inherit", "unset", "revert", "revert-layer"})


@dataclass(frozen=True, slots=True)
class FontSize:
    """A computed font size and how it came about."""

    pixels: float | None = 16.0
    """None when not known."""
    is_monospace: bool = False
    is_absolute: bool = False
    """Whether a length that does not depend on the parent decided it, here or further up."""
    keyword: str = "medium"
    """The size keyword it stands for, or an empty string."""


INITIAL = FontSize()


def compute_font_size(value: str | None, parent: FontSize, is_monospace: bool, root_pixels: float | None) -> FontSize:
    """The font size of an element.

    Parameters: `value` is what `font-size` is set to, None when not known; `root_pixels` is what `rem` refers to.
    """
    inherited = _in_family(parent, is_monospace)
    if value in _INHERITING:
        return inherited
    if value == "initial" or value in _KEYWORDS:
        keyword = "medium" if value == "initial" else value
        return FontSize(_KEYWORDS[keyword][is_monospace], is_monospace, False, keyword)
    if value is None or inherited.pixels is None:
        return FontSize(None, is_monospace)
    if value in ("larger", "smaller"):
        pixels = inherited.pixels * (_LARGER if value == "larger" else 1 / _LARGER)
        return FontSize(pixels, is_monospace, inherited.is_absolute, "")
    is_relative = all(token.kind == "percentage" or token.name == "em" for token in parse_values(value))
    # Relative sizes go by the parent as this family shows it, absolute ones ask nobody.
    length = resolve_length(value, LengthContext(inherited.pixels, root_pixels, percent_of=inherited.pixels))
    known = length if isinstance(length, float) else None
    return FontSize(known, is_monospace, inherited.is_absolute or not is_relative, "")


def _in_family(parent: FontSize, is_monospace: bool) -> FontSize:
    """The inherited size, adjusted when the family changes from or to `monospace`."""
    if is_monospace == parent.is_monospace or parent.is_absolute or parent.pixels is None:
        return FontSize(parent.pixels, is_monospace, parent.is_absolute, parent.keyword)
    if parent.keyword:
        return FontSize(_KEYWORDS[parent.keyword][is_monospace], is_monospace, False, parent.keyword)
    plain, monospace = _KEYWORDS["medium"]
    scale = monospace / plain if is_monospace else plain / monospace
    return FontSize(parent.pixels * scale, is_monospace, False, "")
