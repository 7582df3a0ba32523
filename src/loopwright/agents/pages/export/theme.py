"""The colours that an app shows outside its pages: on its icon, and in the bars of an installed app."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from loopwright.agents.pages.colour.colour import Colour
from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.design.inventory import take_inventory

_BRAND = ("brand", "primary", "accent", "main")
_GROUND = ("color-bg", "background", "bg", "surface", "ground")
_NOT_A_GROUND_OR_BRAND = re.compile(r"(?:^|-)(?:on|text|muted|border|soft|contrast|ink)(?:-|$)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,.*)?\)", re.DOTALL)
_CHAIN = 10


@dataclass(frozen=True)
class Theme:
    """Brand colour, and the ground that the app stands on."""

    brand: Colour
    ground: Colour


DEFAULT = Theme(Colour.from_hex("#2563EB"), Colour.from_hex("#FFFFFF"))
"""Where a style sheet names no colours: the default primary of the field notes, on white."""


def read_theme(css: str) -> Theme:
    """The colours of a design system, by the names of its variables."""
    variables = take_inventory(css).variables
    brand, ground = _colour(variables, _BRAND), _colour(variables, _GROUND)
    return Theme(brand or DEFAULT.brand, ground or DEFAULT.ground)


def _colour(variables: Mapping[str, str], words: tuple[str, ...]) -> Colour | None:
    """The first variable whose name has one of the words, the first word first, and whose value is a colour."""
    for word in words:
        for name in variables:
            if word not in name or _NOT_A_GROUND_OR_BRAND.search(name.removeprefix("--")):
                continue
            found = _resolved(variables, name)
            if found is not None:
                return found
    return None


def _resolved(variables: Mapping[str, str], name: str) -> Colour | None:
    value = variables[name]
    for _ in range(_CHAIN):
        other = _VARIABLE.fullmatch(value.strip())
        if other is None:
            break
        value = variables.get(other[1], "")
    return parse_colour(value)
