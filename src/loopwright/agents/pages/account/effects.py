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
    "filter",
    "unhide",
    "say",
    "retitle",
    "add_record",
    "set_value",
    "add_field",
    "remove_field",
    "require",
    "ask_first",
    "when_empty",
    "new_page",
]
Property = Literal[
    "", "radius", "size", "colour", "ground", "weight", "align", "space", "face", "warmth", "shadow", "edge", "gap"
]
Place = Literal["", "top", "bottom", "below", "above", "after_headline", "at"]


class Effect(BaseModel):
    """One thing that an edit asks of the pages.

    `kind` is what the words call the element (`button`, `card`; empty: anything), `words` are the words that it shows;
    `value` is the new text, colour, currency or address, `pages` the slugs that are meant (empty: all), `anchor` and
    `anchor_kind` the other element of a place, of a swap or of a likeness (`anchor_page`: on that page). `nth` and
    `anchor_nth` count in reading order (-1: the last; 0: all), `amount` says by how much. A sort has in `words` what is
    sorted, in `value` by what (`name`, `price`, `date`, or the words of a label), and rises (`more`), falls (`less`) or
    does either. A restyle has the style word in `value` (`playful`). `inside` is the kind of element in which it stands
    ("the icons of the menu"), `looking` how what is meant looks now: `small`, `big` or a colour ("the grey text"),
    `whole` says that it shows its words and no others. `leads` is the address to which something new leads. A move to
    the place `at` counts its like by `anchor_nth`; a retitling has in `anchor_page` the page that is to be called
    otherwise. `values` are what a new or changed record holds, by label (empty: by what it is), the choices of a new
    field (whose kind is `value`), or the lines of a new page.
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
    looking: str = Field(default="", max_length=10)
    leads: str = Field(default="", max_length=300)
    whole: bool = False
    pages: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()


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
    if effect.kind == "button" and not effect.words:  # a sign without fill and words looks like no button
        found = [each for each in found if "bare" not in each.kinds] or found
    if effect.inside:
        found = [each for each in found if effect.inside in each.kinds or within(each, look, (effect.inside,))]
    if effect.looking:
        found = [each for each in found if _looks_so(each, effect.looking, look)]
    if effect.words:
        found = [each for each in found if mentions(each, effect.words)]
        found = [each for each in found if is_called(each, effect.words)] if effect.whole else _innermost(found, look)
        least = min((len(each.text) for each in found), default=0)
        found = [each for each in found if len(each.text) <= least + 10] if not effect.kind else found
    return _counted(found, effect.nth) if effect.nth else found


def is_called(element: Element, words: str) -> bool:
    """Whether the element shows these words and no others."""
    return plain(words) in (plain(element.text), plain(element.label))


def _innermost(found: Sequence[Element], look: Look) -> list[Element]:
    """What is found, without what only holds something else that is found beside other things."""
    held = {id(holder) for each in found for holder in look.around(each)}
    holders = {"header", "menu", "footer", "page"}
    return [each for each in found if id(each) not in held or not holders & set(each.kinds)]


def settled(effect: Effect, looks: Looks) -> Effect:
    """The effect as it is meant of what it finds.

    Where something says just the words that name it, what only contains them is not meant. "Make X white" is about
    letters, where X has no fill of its own.
    """
    found = [(each, look) for slug, look in looks.items() if not effect.pages or slug in effect.pages
             for each in (targets(effect, look) if effect.words else ())]  # fmt: skip
    if any(is_called(each, effect.words) for each, _ in found):
        effect = effect.model_copy(update={"whole": True})
        found = [(each, look) for each, look in found if is_called(each, effect.words)]
    if (effect.operation, effect.property, effect.kind) != ("style", "ground", "") or effect.relation == "like":
        return effect
    filled = [each for each, look in found if each.inside >= 0 and each.ground != look.elements[each.inside].ground]
    written = all(each.own for each, _ in found)
    return effect.model_copy(update={"property": "colour"}) if found and written and not filled else effect


def _looks_so(element: Element, looking: str, look: Look) -> bool:
    """Whether an element has the colour, or is smaller or bigger than its like usually is."""
    if looking.startswith("#"):
        seen = element.colour if element.own and "button" not in element.kinds else element.ground
        return near(seen, looking) or (_grey(looking) and _grey(seen))
    sizes = sorted(each.size for each in look.of_kind("text") for _ in each.own)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    return element.size < usual - SAME if looking == "small" else element.size > usual + SAME


def _grey(colour: str) -> bool:
    _, light, full = colorsys.rgb_to_hls(*rgb(colour))
    return full < 0.25 and 0.25 < light < 0.8


def anchors(effect: Effect, look: Look) -> list[Element]:
    """The other elements that an effect names."""
    named = Effect(operation="style", kind=effect.anchor_kind, words=effect.anchor, nth=effect.anchor_nth)
    found = targets(named, look) if effect.anchor or effect.anchor_kind else []
    return [each for each in found if effect.anchor and is_called(each, effect.anchor)] or found


def _counted(found: Sequence[Element], nth: int) -> list[Element]:
    """The element at a place of the reading order, which goes line by line."""
    order = sorted(found, key=lambda each: (round(each.y / 8), each.x))
    at = nth - 1 if nth > 0 else nth
    return order[at : at + 1 or None] if -len(order) <= at < len(order) else []


def again(element: Element, look: Look) -> list[Element]:
    """The elements of another look that have the same tag and words, and are of the same kinds where any are."""
    found = [each for each in look.elements if each.tag == element.tag and each.text == element.text]
    return [each for each in found if list(each.kinds) == list(element.kinds)] or found


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
    return any(set(kinds) & set(each.kinds) for each in look.around(element))


def measures(look: Look) -> list[tuple[object, ...]]:
    """What of a page an edit of other pages leaves as it is."""
    return [
        (
            e.tag,
            e.own,
            e.colour,
            e.ground,
            e.size,
            e.weight,
            e.font,
            round(e.radius),
            e.width,
            e.padding,
            e.shadow,
            e.edge,
        )
        for e in look.elements
    ]


# Colours as they are seen.


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


def same(one: str, other: str) -> bool:
    """Whether two colours can hardly be told apart."""
    return max(abs(a - b) for a, b in zip(rgb(one), rgb(other), strict=True)) < 0.03


def readable(element: Element, ink: str = "", ground: str = "") -> bool:
    """Whether letters of this size can be read in an ink on a ground, by default in those that they have (WCAG 2.2)."""
    large = element.size >= 24 or (element.size >= 18.66 and element.weight >= 700)
    return contrast(ink or element.colour, ground or element.ground) >= (3 if large else 4.5)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours (WCAG 2.2), 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
