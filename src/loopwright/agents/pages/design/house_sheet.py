"""The house's own style sheet: plain, whole, and in the colours that were asked for."""

from collections.abc import Sequence
from importlib import resources

from loopwright.agents.pages.design.check import PACKAGE, StyleSheet, completed


def house_sheet(brand_colors: Sequence[str] = ()) -> StyleSheet:
    """The sheet that stands in where no model has written a usable one.

    Args:
        brand_colors: colours that the user asked for (hex, the main one first).
    """
    css = resources.files(PACKAGE).joinpath("house.css").read_text(encoding="utf-8")
    return completed(css, [], brand_colors)
