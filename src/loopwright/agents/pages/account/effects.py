"""What an edit asks, as predicates of the pages as they are seen before it and after it.

Each predicate compares two looks and shares nothing with the code that edits. An effect that was there before is none:
who asks for a change is told that it was so already.
"""

import colorsys
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.account.looks import Element, Look, Looks

Operation = Literal[
    "style",
    "rename",
    "remove",
    "show",
    "move",
    "columns",
    "switch",
    "brand",
    "currency",
    "menu",
    "text_size",
    "restyle",
    "theme",
    "swap",
    "sort",
    "search",
    "unhide",
]
Property = Literal["", "radius", "size", "colour", "ground", "weight", "align", "space", "face", "warmth"]
Place = Literal["", "top", "bottom", "below", "above", "after_headline"]


class Effect(BaseModel):
    """One thing that an edit asks of the pages.

    `kind` is what the words call the element (`button`, `card`; empty: anything), `words` are the words that it shows;
    `value` is the new text, colour, currency or address, `pages` the slugs that are meant (empty: all), `anchor` and
    `anchor_kind` the other element of a place, of a swap or of a likeness (`anchor_page`: on that page). `nth` and
    `anchor_nth` count in reading order (-1: the last; 0: all), `amount` says by how much. A sort has in `words` what is
    sorted, in `value` by what (`name`, `price`, `date`, or the words of a label), and rises (`more`), falls (`less`) or
    does either. A restyle has the style word in `value` (`playful`). `inside` is the kind of element in which it stands
    ("the icons of the menu").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    operation: Operation
    kind: str = Field(default="", max_length=40)
    inside: str = Field(default="", max_length=40)
    words: str = Field(default="", max_length=300)
    property: Property = ""
    relation: Literal["", "more", "less", "set", "like"] = ""
    value: str = Field(default="", max_length=1_000)
    place: Place = ""
    anchor: str = Field(default="", max_length=300)
    anchor_kind: str = Field(default="", max_length=40)
    anchor_page: str = Field(default="", max_length=100)
    nth: int = Field(default=0, ge=-1, le=99)
    anchor_nth: int = Field(default=0, ge=-1, le=99)
    amount: Literal["", "small", "much"] = ""
    pages: tuple[str, ...] = ()


class Verdict(BaseModel):
    """Whether the effect is there, whether it was there before, and what was measured."""

    model_config = ConfigDict(frozen=True)

    holds: bool
    told: str
    so_already: bool = False
    absent: bool = False
    """The thing that is to change is on none of the pages."""


SAME = 0.6
"""CSS pixels by which lengths may differ and be the same: browsers round."""


def mentions(element: Element, words: str) -> bool:
    """Whether the element shows these words, as its own text or its name."""
    # A section is often called by its name in the source: what was added as a newsletter is headed “Stay in touch”.
    name = plain(element.path) if "section" in element.kinds and " > " not in element.path else ""
    wanted, texts = plain(words), (plain(element.text), plain(element.label), name)
    return bool(wanted) and any(wanted in text for text in texts)


def plain(text: str) -> str:
    """The words of a text in lower case, without what stands between them."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def targets(effect: Effect, look: Look) -> list[Element]:
    """The elements of a page that an effect is about; with words, the innermost ones that show them."""
    found = look.of_kind(effect.kind)
    if effect.inside:
        found = [each for each in found if effect.inside in each.kinds or within(each, look, (effect.inside,))]
    if effect.words:
        found = [each for each in found if mentions(each, effect.words)]
        least = min((len(each.text) for each in found), default=0)
        found = [each for each in found if len(each.text) <= least + 10] if not effect.kind else found
    return _counted(found, effect.nth) if effect.nth else found


def anchors(effect: Effect, look: Look) -> list[Element]:
    """The other elements that an effect names."""
    named = Effect(operation="style", kind=effect.anchor_kind, words=effect.anchor, nth=effect.anchor_nth)
    return targets(named, look) if effect.anchor or effect.anchor_kind else []


def _counted(found: Sequence[Element], nth: int) -> list[Element]:
    """The element at a place of the reading order, which goes line by line."""
    order = sorted(found, key=lambda each: (round(each.y / 8), each.x))
    at = nth - 1 if nth > 0 else nth
    return order[at : at + 1 or None] if -len(order) <= at < len(order) else []


def again(element: Element, look: Look) -> list[Element]:
    """The elements of another look that have the same tag and words."""
    return [each for each in look.elements if each.tag == element.tag and each.text == element.text]


def pairs_of(effect: Effect, before: Looks, after: Looks, scope: Iterable[str]) -> list[tuple[Element, Element]]:
    """The elements that are meant, each as it was and as it is."""
    found = []
    for slug in scope:
        now = by_key(after[slug].elements)
        then = by_key(before[slug].elements)
        meant = {id(each) for each in targets(effect, before[slug])}
        found += [(old, now[key]) for key, old in then.items() if id(old) in meant and key in now]
    return found


def by_key(elements: Sequence[Element]) -> dict[tuple[str, str, int], Element]:
    """Elements by tag, text and place among those of the same tag and text, so that two looks can be compared."""
    counts: Counter[tuple[str, str]] = Counter()
    found = {}
    for each in elements:
        name = (each.tag, each.text[:80])
        counts[name] += 1
        found[(*name, counts[name])] = each
    return found


def within(element: Element, look: Look, kinds: Sequence[str]) -> bool:
    """Whether the element stands inside one of these kinds."""
    at = element
    while at.inside >= 0:
        at = look.elements[at.inside]
        if set(kinds) & set(at.kinds):
            return True
    return False


def measures(look: Look) -> list[tuple[object, ...]]:
    """What of a page an edit of other pages leaves as it is."""
    return [
        (e.tag, e.own, e.colour, e.ground, e.size, e.weight, e.font, round(e.radius), e.width, e.padding)
        for e in look.elements
    ]


# --------------------------------------------------------------------------------------------------------------------
# Colours as they are seen.
# --------------------------------------------------------------------------------------------------------------------


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, each 0 to 1."""
    if colour.startswith("#"):
        wide = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:4])
        return int(wide[:2], 16) / 255, int(wide[2:4], 16) / 255, int(wide[4:6], 16) / 255
    numbers = [float(each) for each in re.findall(r"[\d.]+", colour)[:3]]
    if colour.startswith("color("):
        return numbers[0], numbers[1], numbers[2]
    return numbers[0] / 255, numbers[1] / 255, numbers[2] / 255


def lightness(colour: str) -> float:
    """How light a colour is, 0 to 1 (HLS)."""
    return colorsys.rgb_to_hls(*rgb(colour))[1]


def chromatic(colour: str) -> bool:
    """Whether a colour is none of the greys, the tints of a ground, and near-blacks."""
    _, light, full = colorsys.rgb_to_hls(*rgb(colour))
    return full >= 0.25 and 0.12 < light < 0.8


def near(one: str, other: str) -> bool:
    """Whether two colours have one name: their hues are close, or both have next to none and are as light."""
    (h1, l1, s1), (h2, l2, s2) = (colorsys.rgb_to_hls(*rgb(each)) for each in (one, other))
    if s2 < 0.12 or l2 < 0.06 or l2 > 0.96:
        return abs(l1 - l2) < 0.12 and (s1 < 0.25 or l1 < 0.08 or l1 > 0.94)
    if min(l1, l2) > 0.8:  # tints differ by little, and are told apart
        return max(abs(a - b) for a, b in zip(rgb(one), rgb(other), strict=True)) < 0.15
    apart = min(abs(h1 - h2), 1 - abs(h1 - h2))
    return apart < 0.05 and s1 > 0.15 and abs(l1 - l2) < 0.3


def contrast(one: str, other: str) -> float:
    """The contrast of two colours (WCAG 2.2), 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
