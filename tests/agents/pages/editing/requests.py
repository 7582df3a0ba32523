"""Random requests for changes of a page, from a seeded grammar."""

import random

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
WORDS = ("Fresh every day", "Hello & welcome", "Numbers < 10", "Ünïcode – naïve", "你好", "Sale!", 'It\'s "quoted"')


def random_request(random_: random.Random, headings: list[str]) -> str:
    """One request about a page that has these headings; what a change of looks asks for is `change_app`'s."""
    kind = random_.choice(["add", "rename", "several"])
    if kind == "several":
        return ". ".join(random_request(random_, headings) for _ in range(2))
    if kind == "rename" and headings:
        return f"replace {random_.choice(headings)} with {random_.choice(WORDS[:2])}"
    return f"add {random_.choice(ADDITIONS)}"
