"""Looks of pages, written by hand."""

from typing import Any

from loopwright.agents.pages.account.looks import Element, Look


def element(*kinds: str, text: str = "", **given: Any) -> Element:
    """An element of these kinds; what is not given is ordinary."""
    ordinary: dict[str, Any] = {
        "tag": "p", "kinds": kinds, "text": text, "own": text, "label": "", "href": "", "classes": (), "path": "p",
        "inside": -1, "x": 0, "y": 0, "width": 100, "height": 40, "fixed": False, "colour": "rgb(0, 0, 0)",
        "ground": "rgb(255, 255, 255)", "size": 16.0, "weight": 400.0, "font": "serif", "radius": 4.0, "align": "left",
        "padding": 8.0, "mono": False,
    }  # fmt: skip
    return Element(**{**ordinary, **given})


def look(*elements: Element, slug: str = "index", **given: Any) -> dict[str, Look]:
    """One page with these elements."""
    ordinary: dict[str, Any] = {"title": "Home", "lang": "en", "wide": False}
    return {slug: Look(slug, elements=elements, **{**ordinary, **given})}
