"""Shorthand properties written out as the longhands that compliance looks at.

Logical properties are mapped for horizontal text running left to right.  Properties that no rule reads pass through
unchanged.
"""

from collections.abc import Callable

from loopwright.agents.pages.compliance.cascade.colours import is_colour_token
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, split_on, words

Longhands = dict[str, str]

SIDES = ("top", "right", "bottom", "left")
CSS_WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_BORDER_STYLES = frozenset(
    ["none", "hidden", "dotted", "dashed", "solid", "double", "groove", "ridge", "inset", "outset"]
)
_COLOUR_KEYWORDS = frozenset({"transparent", "currentcolor"})
_BORDER_WIDTHS = frozenset({"thin", "medium", "thick"})
_FONT_WEIGHTS = frozenset({"bold", "bolder", "lighter"})
_FONT_SIZES = frozenset(
    ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "larger", "smaller"]
)
_LOGICAL = {
    "block-size": "height", "min-block-size": "min-height", "max-block-size": "max-height",
    "inline-size": "width", "min-inline-size": "min-width", "max-inline-size": "max-width",
    "grid-gap": "gap", "grid-row-gap": "row-gap", "grid-column-gap": "column-gap",
    "inset-block-start": "top", "inset-block-end": "bottom", "inset-inline-start": "left", "inset-inline-end": "right",
} | {
    f"{box}-{logical}": f"{box}-{side}"
    for box in ("margin", "padding")
    for logical, side in (
        ("block-start", "top"), ("block-end", "bottom"), ("inline-start", "left"), ("inline-end", "right"),
    )
}  # fmt: skip
RESETTABLE = (
    "display", "position", "visibility", "box-sizing", "width", "height", "min-width", "min-height", "max-width",
    "max-height", "font-size", "line-height", "white-space", "overflow-x", "overflow-y", "flex-direction", "flex-grow",
    "flex-wrap", "align-items", "align-self", "row-gap", "column-gap", "top", "right", "bottom", "left", "float",
    "transform", "aspect-ratio", "color", "background-color", "background-image", "opacity", "text-shadow",
    "font-weight", "rotate", "scale", "translate", "filter", "text-indent", "text-align",
    *(
        name.format(side=side)
        for name in ("margin-{side}", "padding-{side}", "border-{side}-width", "border-{side}-style")
        for side in SIDES
    ),
)  # fmt: skip
"""The longhands that `all` resets, as far as any rule reads them."""


def expand(name: str, value: str) -> Longhands:
    """The longhands that one declaration sets; `value` has no variables left in it."""
    name = _LOGICAL.get(name, name)
    expander = _EXPANDERS.get(name)
    if expander is None:
        return {name: value}
    keyword = value.strip().lower()
    if keyword in CSS_WIDE:
        return dict.fromkeys(longhands_of(name), keyword)
    return expander(words(value))


def longhands_of(name: str) -> tuple[str, ...]:
    """The longhands a property stands for; the property itself when it is none of the known shorthands."""
    name = _LOGICAL.get(name, name)
    return _LONGHANDS.get(name, (name,))


def _sides(pattern: str) -> Callable[[list[CssToken]], Longhands]:
    """One to four values for top, right, bottom and left."""

    def expander(values: list[CssToken]) -> Longhands:
        if not 1 <= len(values) <= 4:
            return {}
        texts = [value.text for value in values]
        top = texts[0]
        right = texts[1] if len(texts) > 1 else top
        bottom = texts[2] if len(texts) > 2 else top
        left = texts[3] if len(texts) > 3 else right
        return {pattern.format(side=side): text for side, text in zip(SIDES, (top, right, bottom, left), strict=True)}

    return expander


def _pair(first: str, second: str) -> Callable[[list[CssToken]], Longhands]:
    """One value for both longhands, or one for each."""

    def expander(values: list[CssToken]) -> Longhands:
        return {first: values[0].text, second: values[-1].text} if 1 <= len(values) <= 2 else {}

    return expander


def _border(sides: tuple[str, ...]) -> Callable[[list[CssToken]], Longhands]:
    def expander(values: list[CssToken]) -> Longhands:
        width, style = "medium", "none"
        for value in values:
            if value.name in _BORDER_STYLES:
                style = value.name
            elif value.name in _BORDER_WIDTHS or value.kind in ("dimension", "number") or value.name == "calc":
                width = value.text
        pairs = (((f"border-{side}-width", width), (f"border-{side}-style", style)) for side in sides)
        return {name: text for pair in pairs for name, text in pair}

    return expander


def _font(values: list[CssToken]) -> Longhands:
    for position, value in enumerate(values):
        is_size = value.kind in ("dimension", "percentage", "function") or value.name in _FONT_SIZES
        if value.kind == "ident" and not is_size:
            continue
        if not is_size:
            continue  # a weight such as 600
        rest = values[position + 1 :]
        has_line_height = len(rest) > 1 and rest[0].name == "/"
        family = " ".join(token.text for token in (rest[2:] if has_line_height else rest))
        line_height = rest[1].text if has_line_height else "normal"
        weights = [each.text for each in values[:position] if each.kind == "number" or each.name in _FONT_WEIGHTS]
        return {
            "font-size": value.text,
            "line-height": line_height,
            "font-family": family,
            "font-weight": weights[-1] if weights else "normal",
        }
    return {}


def _flex(values: list[CssToken]) -> Longhands:
    keyword = values[0].name if len(values) == 1 and values[0].kind == "ident" else ""
    if keyword in ("none", "auto"):
        return {"flex-grow": "0" if keyword == "none" else "1", "flex-basis": "auto"}
    numbers = [value.text for value in values if value.kind == "number"]
    basis = [value.text for value in values if value.kind != "number"]
    return {"flex-grow": numbers[0] if numbers else "1", "flex-basis": basis[0] if basis else "0px"}


def _flex_flow(values: list[CssToken]) -> Longhands:
    wraps = [value.name for value in values if "wrap" in value.name]
    directions = [value.name for value in values if value.name.startswith(("row", "column"))]
    return {
        "flex-direction": directions[0] if directions else "row",
        "flex-wrap": wraps[0] if wraps else "nowrap",
    }


def _background(values: list[CssToken]) -> Longhands:
    """The colour and the pictures; what lies where is not looked at."""
    layers = split_on(values, ",")
    if not layers[-1]:
        return {}
    colours = [token.text for token in layers[-1] if is_colour_token(token) or token.name in _COLOUR_KEYWORDS]
    images = [token.text for layer in layers for token in layer if _is_image(token)]
    return {
        "background-color": colours[-1] if colours else "transparent",
        "background-image": ", ".join(images) if images else "none",
        "background-clip": "text" if any(token.name == "text" for token in values) else "border-box",
    }


def _is_image(token: CssToken) -> bool:
    return token.kind == "url" or (token.kind == "function" and token.name.endswith(("gradient", "url", "image-set")))


def _all(values: list[CssToken]) -> Longhands:
    return {}  # only the CSS-wide keywords are valid, and `expand` has dealt with them


_BORDER_ALL = tuple(f"border-{side}-{part}" for side in SIDES for part in ("width", "style"))
_EXPANDERS: dict[str, Callable[[list[CssToken]], Longhands]] = {
    "padding": _sides("padding-{side}"),
    "margin": _sides("margin-{side}"),
    "inset": _sides("{side}"),
    "border-width": _sides("border-{side}-width"),
    "border-style": _sides("border-{side}-style"),
    "border": _border(SIDES),
    "border-block": _border(("top", "bottom")),
    "border-inline": _border(("left", "right")),
    "padding-block": _pair("padding-top", "padding-bottom"),
    "padding-inline": _pair("padding-left", "padding-right"),
    "margin-block": _pair("margin-top", "margin-bottom"),
    "margin-inline": _pair("margin-left", "margin-right"),
    "inset-block": _pair("top", "bottom"),
    "inset-inline": _pair("left", "right"),
    "overflow": _pair("overflow-x", "overflow-y"),
    "gap": _pair("row-gap", "column-gap"),
    "place-items": _pair("align-items", "justify-items"),
    "place-self": _pair("align-self", "justify-self"),
    "font": _font,
    "flex": _flex,
    "flex-flow": _flex_flow,
    "background": _background,
    "all": _all,
} | {f"border-{side}": _border((side,)) for side in SIDES}
_LONGHANDS: dict[str, tuple[str, ...]] = {
    "padding": tuple(f"padding-{side}" for side in SIDES),
    "margin": tuple(f"margin-{side}" for side in SIDES),
    "inset": SIDES,
    "border-width": _BORDER_ALL[::2],
    "border-style": _BORDER_ALL[1::2],
    "border": _BORDER_ALL,
    "border-block": ("border-top-width", "border-top-style", "border-bottom-width", "border-bottom-style"),
    "border-inline": ("border-left-width", "border-left-style", "border-right-width", "border-right-style"),
    "padding-block": ("padding-top", "padding-bottom"),
    "padding-inline": ("padding-left", "padding-right"),
    "margin-block": ("margin-top", "margin-bottom"),
    "margin-inline": ("margin-left", "margin-right"),
    "inset-block": ("top", "bottom"),
    "inset-inline": ("left", "right"),
    "overflow": ("overflow-x", "overflow-y"),
    "gap": ("row-gap", "column-gap"),
    "place-items": ("align-items", "justify-items"),
    "place-self": ("align-self", "justify-self"),
    "font": ("font-size", "line-height", "font-family", "font-weight"),
    "flex": ("flex-grow", "flex-basis"),
    "flex-flow": ("flex-direction", "flex-wrap"),
    "background": ("background-color", "background-image", "background-clip"),
    "all": RESETTABLE,
} | {f"border-{side}": (f"border-{side}-width", f"border-{side}-style") for side in SIDES}
