"""Random wishes for changes of a page, from a seeded grammar."""

import random

COLOURS = ("green", "navy", "coral", "#7C3AED", "black", "teal", "gold", "white")
PARTS = ("header", "buttons", "cards", "background", "hero", "prices", "title", "bottom navigation", "footer", "links")
ADDITIONS = (
    "testimonials",
    "a newsletter form",
    "opening hours",
    "an FAQ",
    "a map",
    "a banner",
    "a gallery",
    "a search bar",
)
SIZES = ("bigger", "smaller", "bold")
SHAPES = ("use square corners", "rounder corners please", "more space", "less space")
WORDS = ("Fresh every day", "Hello & welcome", "Numbers < 10", "Ünïcode – naïve", "你好", "Sale!", 'It\'s "quoted"')


def random_wish(random_: random.Random, headings: list[str], section_names: list[str]) -> str:
    """One wish about a page that has these headings and sections."""
    kinds = ["colour", "accent", "size", "shape", "add", "title", "rename", "remove", "hide", "several"]
    kind = random_.choice(kinds)
    if kind == "several":
        return ". ".join(random_wish(random_, headings, section_names) for _ in range(2))
    if kind == "colour":
        return f"make the {random_.choice(PARTS)} {random_.choice(COLOURS)}"
    if kind == "accent":
        return f"set the accent color to {random_.choice(COLOURS)}"
    if kind == "size":
        return f"make the {random_.choice(PARTS)} {random_.choice(SIZES)}"
    if kind == "shape":
        return random_.choice(SHAPES)
    if kind == "add":
        return f"add {random_.choice(ADDITIONS)}"
    if kind == "title":
        return f"change the title to {random_.choice(WORDS)}"
    if kind == "rename" and headings:
        return f"replace {random_.choice(headings)} with {random_.choice(WORDS[:2])}"
    if section_names:
        return f"{kind if kind in ('remove', 'hide') else 'hide'} the {random_.choice(section_names)} section"
    return "add opening hours"
