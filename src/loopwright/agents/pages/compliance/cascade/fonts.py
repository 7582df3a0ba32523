"""Font sizes: what `font-size` comes to, with the special treatment that browsers give to the family `monospace`.

CSS Fonts Level 4, section 2.5, and what Chromium, Firefox and Safari agree on beside it: text in the bare family
`monospace` has 13 instead of 16 pixels, as long as no ancestor set its size in absolute terms.
"""

from dataclasses import dataclass

from loopwright.agents.pages.compliance.cascade.lengths import LengthContext, resolve_length
from loopwright.agents.pages.compliance.cascade.tokens import parse_values

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
