"""Lengths with what they are of: `radius 3 mm`, `5 mm thick`, `1 mm in diameter`."""

import re
from collections.abc import Mapping

from loopwright.agents.designspec.offline.quantities import Length, lengths

LABELS: Mapping[str, str] = {
    "radius_top": r"(?:top|upper) radius|radius (?:at|on) (?:the )?top",
    "radius_bottom": r"(?:bottom|base|lower) radius|radius (?:at|on) (?:the )?(?:bottom|base)",
    "diameter_top": r"(?:top|upper) diameter|diameter (?:at|on) (?:the )?top",
    "diameter_bottom": r"(?:bottom|base|lower) diameter|diameter (?:at|on) (?:the )?(?:bottom|base)",
    "inner_radius": r"(?:inner|inside) radius",
    "inner_diameter": r"(?:inner|inside) diameter|bore|id",
    "wall": r"(?:thick )?walls?(?: thickness)?(?: thick)?|shell(?: thickness)?",
    "radius": r"(?:outer )?radius|radii|rad|r",
    "diameter": r"(?:outer )?diameters?|diam|dia|d|od|across|bore",
    "height": r"height|high|tall|thickness|thick|z",
    "width": r"width|wide|broad|x",
    "length": r"(?:total |overall )?length|long",
    "depth": r"depth|deep|y",
}
"""What a length may be of, by the words that say so; earlier ones win over later ones."""

_BEFORE = {
    name: re.compile(rf"\b(?:{words})(?: is| are)?\s*(?:of|=|:|to|is|about)?\s*$", re.I)
    for name, words in LABELS.items()
}
_AFTER = {name: re.compile(rf"\s*-?(?:in |of )?(?:{words})\b", re.I) for name, words in LABELS.items()}


def of_one(text: str) -> list[tuple[str, Length]]:
    """The lengths of a text about a single radius: what is “diameter on top” of a cone is a diameter here.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    return [(re.sub(r"_(?:top|bottom)$", "", label), length) for label, length in labelled(text)]


def labelled(text: str) -> list[tuple[str, Length]]:
    """The lengths of the text with their labels, `""` where there is none.

    A label before its length wins over one behind it, and no label serves two lengths: so both `radius 3 mm height
    5 mm` and `3 mm radius 5 mm height` are read as they are meant.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    found = []
    used = 0
    for length in lengths(text):
        before = text[used : length.start]
        name = next((label for label, pattern in _BEFORE.items() if pattern.search(before)), "")
        used = length.end
        if not name:
            after = [(label, match) for label, pattern in _AFTER.items() if (match := pattern.match(text, length.end))]
            if after:
                name, match = max(after, key=lambda pair: pair[1].end())
                used = match.end()
        found.append((name, length))
    return found
