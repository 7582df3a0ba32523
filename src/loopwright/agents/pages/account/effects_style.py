"""Effects of style: every element that is meant looks different in the property that was named."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from loopwright.agents.pages.account.effects import (
    SAME,
    Effect,
    Verdict,
    anchors,
    by_key,
    chromatic,
    contrast,
    lightness,
    near,
    pairs_of,
    readable,
    rgb,
    same,
    targets,
)
from loopwright.agents.pages.account.looks import Element, Look, Looks

STANDS_OUT = 1.5
"""The contrast with the page from which a fill is a colour of its own; dark pages have tinted surfaces below it."""


def judge_style(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Every element that is meant has the value, or more or less of the property than before."""
    pairs = pairs_of(effect, before, after, scope)
    if effect.anchor_page and effect.kind == "heading":
        pairs = [pair for pair in pairs if "headline" not in pair[0].kinds]
    if not pairs:
        return Verdict(holds=False, told=f"there is no {effect.words or effect.kind}", absent=True)
    if effect.relation == "like":
        return _alike(effect, before, scope, pairs)
    if effect.property in ("colour", "ground"):
        return _coloured(effect, before, after, scope, pairs)
    if effect.property == "align":
        was, done = (
            [each.align == effect.value and each.stands in (effect.value, "wide", "") for each in side]
            for side in zip(*pairs, strict=True)
        )
        told = f"{sum(done)} of {len(done)} stand {effect.value}"
        return Verdict(holds=all(done) and not all(was), told=told, so_already=all(was))
    if effect.property == "face":
        serif = [_is_set_in(new, effect.value) for _, new in pairs]
        before_it = all(_is_set_in(old, effect.value) for old, _ in pairs)
        told = f"{sum(serif)} of {len(serif)} are set in {effect.value}"
        return Verdict(holds=all(serif) and not before_it, told=told, so_already=before_it)
    if effect.property in ("shadow", "edge"):
        return _outlined(effect, pairs)
    if effect.property == "gap":
        return _spread(effect, before, after, scope)
    figure = FIGURES[effect.property]
    if (effect.kind, effect.property) == ("button", "size"):
        figure = _extent
    way = -1 if effect.relation == "less" else 1
    steps = [way * (figure(new) - figure(old)) for old, new in pairs]
    at_end = [_at_end(effect, old) for old, _ in pairs]
    told = _range_told(effect, [figure(old) for old, _ in pairs], [figure(new) for _, new in pairs])
    if all(at_end) and not any(step > SAME for step in steps):
        return Verdict(holds=False, told=told, so_already=True)
    holds = all(step > SAME / 3 or end for step, end in zip(steps, at_end, strict=True))
    if holds and not all(at_end) and not _by_as_much(effect, [(figure(old), figure(new)) for old, new in pairs]):
        return Verdict(holds=False, told=told)
    if holds and effect.kind == "headline" and effect.property == "size" and (low := _below(after, scope)):
        return Verdict(holds=False, told=low)
    return Verdict(holds=holds, told=told + _headings_too(effect, before, after, scope))


def _outlined(effect: Effect, pairs: Sequence[tuple[Element, Element]]) -> Verdict:
    """Every element that is meant has a shadow or a line around it, of the colour that was named, or has none."""

    def has(each: Element) -> bool:
        there = each.shadow if effect.property == "shadow" else each.edge > 0
        if effect.relation == "less":
            return not there
        return there and (not effect.value or near(each.edge_colour, effect.value))

    was, done = ([has(each) for each in side] for side in zip(*pairs, strict=True))
    told = f"{effect.property} {'gone from' if effect.relation == 'less' else 'around'} {sum(done)} of {len(done)}"
    return Verdict(holds=all(done) and not all(was), told=told, so_already=all(was))


def _spread(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Neighbours among the things that are meant stand further apart, or closer together, than before."""
    old, new = ([each for slug in scope for each in _gaps(effect, side[slug])] for side in (before, after))
    if not old:
        return Verdict(holds=False, told=f"there are no {effect.kind}s beside each other", absent=True)
    way = -1 if effect.relation == "less" else 1
    told = f"distances {min(old)}–{max(old)} → {min(new, default=0)}–{max(new, default=0)} px"
    holds = len(old) == len(new) and all(way * (b - a) > SAME for a, b in zip(old, new, strict=True))
    return Verdict(holds=holds, told=told)


def _gaps(effect: Effect, look: Look) -> list[int]:
    """The distances between neighbours that stand in one thing, in reading order."""
    groups: dict[int, list[Element]] = defaultdict(list)
    for each in targets(effect, look):
        groups[each.inside].append(each)
    found = []
    for group in groups.values():
        order = sorted(group, key=lambda each: (round(each.y / 8), each.x))
        for one, other in itertools.pairwise(order):
            beside = abs(one.y - other.y) < 12
            found.append(other.x - one.x - one.width if beside else other.y - one.y - one.height)
    return found


def _headings_too(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> str:
    """That the headings below the main one have changed with it, which was not asked for in so many words."""
    if effect.kind != "headline" or effect.property != "size":
        return ""
    below = pairs_of(Effect(operation="style", kind="heading"), before, after, scope)
    changed = [new for old, new in below if "headline" not in old.kinds and abs(new.size - old.size) > SAME / 3]
    return f"; {len(changed)} headings below it as well, so that they stay smaller" if changed else ""


def _by_as_much(effect: Effect, figures: Sequence[tuple[float, float]]) -> bool:
    """Whether "a bit" is little and "much" is much: of what was there, and for most of what is meant."""
    shares = [abs(new - old) / old for old, new in figures if old > SAME]
    if not effect.amount or not shares or effect.property not in ("size", "space"):
        return True
    usual = median(shares)
    return usual <= 0.2 if effect.amount == "small" else usual >= 0.25


def _alike(effect: Effect, before: Looks, scope: Sequence[str], pairs: Sequence[tuple[Element, Element]]) -> Verdict:
    """Every element that is meant has the value that the other one had."""
    value = value_of_anchor(effect, before, scope)
    if not value:
        return Verdict(holds=False, told=f"there is no {effect.anchor or effect.anchor_kind}", absent=True)
    was, done = ([_has(effect, each, value) for each in side] for side in zip(*pairs, strict=True))
    poor = [new for _, new in pairs if new.own and not readable(new)]
    told = f"{effect.property} of {sum(done)} of {len(done)}: {value}"
    if poor and not all(was):
        return Verdict(holds=False, told=f"“{poor[0].text[:40]}” could not be read on it")
    return Verdict(holds=all(done) and not all(was), told=told, so_already=all(was))


def value_of_anchor(effect: Effect, look: Looks, scope: Sequence[str]) -> str:
    """The usual value, among the elements that an effect likens others to, of the property it is about."""
    slugs = [effect.anchor_page] if effect.anchor_page else [*scope, *(each for each in look if each not in scope)]
    for slug in slugs:
        kind, words = (effect.anchor_kind, effect.anchor) if not effect.anchor_page else (effect.kind, effect.words)
        likened = effect.model_copy(update={"anchor_kind": kind, "anchor": words})
        found = anchors(likened, look[slug]) if slug in look else []
        if effect.anchor_page:
            found = [each for each in found if "headline" not in each.kinds or effect.kind == "headline"]
            if len({_value(effect, each) for each in found}) > 1:
                return ""  # that page has no one look of them
        if found:
            return Counter(_value(effect, each) for each in found).most_common(1)[0][0]
    return ""


def _value(effect: Effect, element: Element) -> str:
    if effect.property in ("colour", "ground"):
        of_letters = {"text", "heading", "link", "icon", "price"} & set(element.kinds) and "button" not in element.kinds
        return (
            element.colour if of_letters and not {"card", "section", "header"} & set(element.kinds) else element.ground
        )
    return f"{FIGURES[effect.property](element):g}px"


def _has(effect: Effect, element: Element, value: str) -> bool:
    if effect.property in ("colour", "ground"):
        return near(element.ground if effect.property == "ground" else element.colour, value)
    return abs(FIGURES[effect.property](element) - float(value.removesuffix("px"))) <= SAME


def judge_theme(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The ground of every page is dark, or light, and its texts can be read on it as well as before."""
    is_dark = effect.value == "dark"
    now, was = ({slug: lightness(_ground(side[slug])) for slug in scope} for side in (after, before))
    done = [slug for slug in scope if (now[slug] < 0.3 if is_dark else now[slug] > 0.75)]
    had = [slug for slug in scope if (was[slug] < 0.3 if is_dark else was[slug] > 0.75)]
    told = f"{len(done)} of {len(scope)} pages are {effect.value}"
    for slug in done:
        if _poor(after[slug]) > _poor(before[slug]):
            return Verdict(holds=False, told=f"texts of {slug} could not be read on it")
    same = len(had) == len(scope) > 0
    return Verdict(holds=len(done) == len(scope) > 0 and not same, told=told, so_already=same)


def _ground(look: Look) -> str:
    return next((each.ground for each in look.of_kind("page")), "rgb(255, 255, 255)")


def _poor(look: Look) -> int:
    texts = [each for each in look.of_kind("text") if each.own]
    return sum(contrast(each.colour, each.ground) < 3 for each in texts)


FIGURES: Mapping[str, Callable[[Element], float]] = {
    "radius": lambda e: e.radius,
    "size": lambda e: e.size if _is_text(e) else _extent(e),
    "weight": lambda e: e.weight / 100,
    "space": lambda e: e.padding,
    # How much more red than blue the ground has, in steps of one of 255.
    "warmth": lambda e: 255 * (rgb(e.ground)[0] - rgb(e.ground)[2]),
}


def _extent(element: Element) -> float:
    """The side of a square as large as the element: a button is bigger when more than its letters is."""
    return math.sqrt(element.width * element.height)


def _is_set_in(element: Element, face: str) -> bool:
    """Whether the letters are of a family by its name, or of a generic one."""
    first = element.font.partition(",")[0].strip(" \"'")
    return face in (_generic(element), first)


def _generic(element: Element) -> str:
    """The generic family at the end of a list of fonts."""
    last = element.font.rpartition(",")[2].strip(" \"'")
    return "serif" if last in ("serif", "ui-serif") else "sans-serif"


def _is_text(element: Element) -> bool:
    return not {"card", "image", "icon", "logo", "section", "header", "menu", "footer", "form"} & set(element.kinds)


def _at_end(effect: Effect, element: Element) -> bool:
    """Whether the element cannot have more of it: a corner is round, or square, letters are as bold as they come."""
    if effect.property == "weight":
        return element.weight <= 400 if effect.relation == "less" else element.weight >= 800
    if effect.property != "radius":
        return False
    full = min(element.width, element.height) / 2
    return element.radius <= SAME if effect.relation == "less" else element.radius >= full - SAME


def _range_told(effect: Effect, old: Sequence[float], new: Sequence[float]) -> str:
    ends = [f"{min(each):g}–{max(each):g}" if max(each) - min(each) > SAME else f"{max(each):g}" for each in (old, new)]
    return f"{effect.property} of {len(old)}: {ends[0]} → {ends[1]} px"


def _below(after: Looks, scope: Iterable[str]) -> str:
    for slug in scope:
        first = max((e.size for e in after[slug].of_kind("headline")), default=0)
        second = max((e.size for e in after[slug].elements if e.tag == "h2"), default=0)
        if first and first < second:
            return f"on {slug} the headline would be smaller than the headings below it"
    return ""


def _coloured(
    effect: Effect, before: Looks, after: Looks, scope: Sequence[str], pairs: Sequence[tuple[Element, Element]]
) -> Verdict:
    def seen(e: Element) -> str:
        return e.ground if effect.property == "ground" else e.colour

    if effect.relation in ("more", "less"):
        way = 1 if effect.relation == "more" else -1
        least = 0.08 if effect.amount == "much" else 0.01
        done = [way * (lightness(seen(new)) - lightness(seen(old))) > least for old, new in pairs]
        return Verdict(holds=all(done), told=f"{seen(pairs[0][0])} → {seen(pairs[0][1])}")
    left = _illegible(effect, pairs)
    pairs = [pair for pair in pairs if pair not in left]
    done = [
        near(seen(new), effect.value) and (not same(seen(old), seen(new)) or same(seen(new), effect.value))
        for old, new in pairs
    ]
    was = all(same(seen(old), effect.value) for old, _ in pairs)
    poor = [new for _, new in pairs if new.own and not readable(new)]
    poor += [each for slug in scope for each in _lost(before[slug], after[slug])]
    told = f"{sum(done)} of {len(done)} are {effect.value}: {seen(pairs[0][0])} → {seen(pairs[0][1])}"
    told += f"; “{left[0][0].text[:40]}” stays as it was, since it could not be read" if left else ""
    if all(done) and poor and not was:
        return Verdict(holds=False, told=f"“{poor[0].text[:40]}” could not be read on it")
    return Verdict(holds=all(done) and not was, told=told, so_already=was)


def _illegible(effect: Effect, pairs: Sequence[tuple[Element, Element]]) -> list[tuple[Element, Element]]:
    """The few of many that keep their ink, because the one that was asked for cannot be read on what is behind them."""
    if effect.property != "colour" or effect.words or effect.nth or len(pairs) < 4:
        return []
    found = [
        (old, new) for old, new in pairs
        if same(old.colour, new.colour) and not near(new.colour, effect.value)
        if contrast(effect.value, new.ground) < 3
    ]  # fmt: skip
    return found if len(found) * 4 <= len(pairs) else []


def _lost(before: Look, after: Look) -> list[Element]:
    """Texts that could be read on what is behind them, and cannot any more."""
    then = by_key(before.elements)
    return [
        new
        for key, new in by_key(after.elements).items()
        if new.own and not readable(new) and key in then
        if readable(then[key])
    ]


def judge_brand(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Buttons have the brand's colour or a shade of it, can be read on it, and the old one is on none of them."""
    old = Counter(fill for slug in scope for fill in _fills(before[slug]) if not near(fill, effect.value))
    usual = old.most_common(1)[0][0] if old else ""
    left = [slug for slug in scope if usual and usual in _fills(after[slug])]
    shown = [slug for slug in scope if any(near(fill, effect.value) for fill in _fills(after[slug]))]
    was = [slug for slug in scope if any(near(fill, effect.value) for fill in _fills(before[slug]))]
    told = f"{effect.value} or a shade of it on buttons of {len(shown)} of {len(scope)} pages"
    if left:
        return Verdict(holds=False, told=f"{told}; {usual} is left on {', '.join(left)}")
    for each in (button for slug in scope for button in after[slug].of_kind("button")):
        if each.own and near(each.ground, effect.value) and contrast(each.colour, each.ground) < 4.5:
            return Verdict(holds=False, told=f"“{each.text[:40]}” could not be read on it")
    return Verdict(holds=bool(shown) and len(was) < len(shown), told=told, so_already=bool(was) and not old)


def _fills(look: Look) -> list[str]:
    """The colours of buttons that stand out from the page: no grey, no tint of the ground."""
    ground = _ground(look)
    found = [each.ground for each in look.of_kind("button")]
    return [each for each in found if chromatic(each) and contrast(each, ground) >= STANDS_OUT]


def judge_text_size(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The usual size of texts is another one on every page."""
    way = -1 if effect.relation == "less" else 1
    sizes = [(_usual(before[slug]), _usual(after[slug])) for slug in scope]
    holds = bool(sizes) and all(way * (new - old) > SAME / 2 for old, new in sizes)
    holds = holds and _by_as_much(effect.model_copy(update={"property": "size"}), sizes)
    told = ", ".join(f"{old:g} → {new:g} px" for old, new in dict.fromkeys(sizes))
    return Verdict(holds=holds, told=f"text: {told}")


def _usual(look: Look) -> float:
    counts: Counter[float] = Counter()
    for each in look.of_kind("text"):
        counts[each.size] += len(each.own)
    total, sizes = counts.total(), sorted(counts.items())
    passed = 0
    for size, count in sizes:  # the median, by letters
        passed += count
        if passed * 2 >= total:
            return size
    return 0.0


def others_changed(effect: Effect, before: Looks, after: Looks, scope: Iterable[str]) -> str:
    """Which other kinds have other corners now; what is inside an element that is meant goes with it."""
    if effect.property != "radius" or effect.kind in ("page", ""):
        return ""
    figure = FIGURES["radius"]
    wrong: Counter[str] = Counter()
    for slug in scope:
        meant = targets(effect, before[slug])
        inside = {id(each) for each in meant}
        now = by_key(after[slug].elements)
        for key, old in by_key(before[slug].elements).items():
            around = before[slug].elements[old.inside] if old.inside >= 0 else old
            if id(old) in inside or id(around) in inside or key not in now:
                continue
            if abs(figure(now[key]) - figure(old)) > 1 and {"card", "field", "button", "image"} & set(old.kinds):
                wrong[next(k for k in old.kinds if k in ("card", "field", "button", "image"))] += 1
    return f"{', '.join(wrong)} changed as well" if wrong else ""
