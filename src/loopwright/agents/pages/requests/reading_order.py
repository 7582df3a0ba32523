"""Requests about the order of things, likeness and the theme, read from a clause."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from loopwright.agents.pages.account.effects import Effect, Property
from loopwright.agents.pages.requests.kept import meant
from loopwright.agents.pages.requests.meaning import Named, Page, in_menu, relation, target
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, left_over, named, verb, without, words

Reader = Callable[[str, str, tuple[str, ...], Effect | None], Effect | None]


def of_kind(found: Effect, meant: Named) -> Effect | None:
    """The style of an element: a colour is that of letters, or of what stands behind them."""
    if not meant or (meant.kind == "page" and meant.words):
        return None
    if (
        found.property == "size"
        and meant.kind == "text"
        and not (meant.words or meant.inside or meant.looking)
        and found.relation != "like"
    ):
        return found.model_copy(update={"operation": "text_size", "kind": "text"})
    if found.property == "ground" and meant.kind in ("text", "heading", "headline", "link", "icon", "price"):
        found = found.model_copy(update={"property": "colour"})
    named_so = {
        "kind": meant.kind,
        "words": meant.words,
        "nth": meant.nth,
        "inside": meant.inside,
        "looking": meant.looking,
    }
    return found.model_copy(update=named_so)


_SWAP = re.compile(
    r"^(?:please |bitte )?(?:swap|exchange|switch(?: round)?|(?:ver)?tausche?|échange[rz]?|intercambia)\s+(?P<both>.+)$"
    r"|^(?:请)?(?:交换|对调|互换)(?P<zh>.+)$|^(?:请)?(?:把|将)?(?P<ba>.+?)(?:互换|对调|交换)(?:位置|一下)*$",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:the )?(?:first two|two first)\b|\bdie (?:ersten beiden|beiden ersten)\b|\bles deux premi(?:ers|ères)\b"
    r"|\bl[oa]s dos primer[oa]s\b|前两[个张]?",
    re.IGNORECASE,
)
_TO_OTHER = re.compile(r"^(?:to|over|on|off|zu|auf)\b", re.IGNORECASE)


def _swap(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    within, rest = in_menu(rest)
    found = _SWAP.match(rest.strip(" .!。"))
    both = (found["both"] or found["zh"] or found["ba"]).strip() if found else ""
    if not both or _TO_OTHER.match(both):
        return None
    if _BOTH.search(both):
        meant = target(_BOTH.sub(" ", both))
        if not meant.kind or meant.words:
            return None
        one, other = Named(meant.kind, "", 1), Named(meant.kind, "", 2)
    else:
        halves = re.split(r"\s+(?:and|with|for|und|mit|et|avec|y|con|por)\s+|[和与跟]", both)
        if len(halves) != 2:
            return None
        one, other = target(halves[0]), target(halves[1])
        if within and one.words and other.words:
            one, other = (Named("menu item", each.words, each.nth) for each in (one, other))
        if one.nth and other.nth and not (one.kind and other.kind):
            kind = one.kind or other.kind
            one, other = Named(kind, one.words, one.nth), Named(kind, other.words, other.nth)
        # "the Offers and News sections": the kind is said once.
        if one.words and other.words:
            one, other = (
                Named("" if each.kind == "section" else each.kind, each.words, each.nth) for each in (one, other)
            )
    if not one or not other:
        return None
    return Effect(
        operation="swap", kind=one.kind, words=one.words, nth=one.nth, anchor=other.words, anchor_kind=other.kind,
        anchor_nth=other.nth, pages=slugs,
    )  # fmt: skip


_SORT = (
    (
        r"(?:please |bitte )?(?:sort|order|arrange|sortiere?|ordne|trie[rz]?|ordena[r]?)(?:\s+(?P<what>.+?))?[\s,]+"
        r"(?:by|nach|par|por)\s+(?:the |their |dem |der |le |la |el |su )?(?P<key>.+)"
    ),
    r"(?:please |bitte )?(?:sort|order|sortiere?|ordne)\s+(?P<what>.+?)\s+(?P<key>alphabetical\w*|alphabetisch)",
    r"(?:请)?(?:把|将|让)?(?P<what>.*?)按照?(?P<key>.+?)(?:排序|排列|排)",
)


_FIRST = re.compile(
    r"\bfirst\b|\bzuerst\b|\ben premier\b|\bd['’]abord\b|\bprimero\b|(?:排|放)?在?(?:最)?前面?|排前", re.IGNORECASE
)
_SPAN = re.compile(
    r"(?<![^\W_])(?:from|von|vom|du|de|del|desde)\s+(?:the |der |dem |la |l[oa]s )?(?P<one>[^,]+?)\s+"
    r"(?:to|nach|bis|zu[rm]?|aux?|à|a|al|hasta)\s+(?:the |der |dem |la |l[oa]s )?(?P<other>[^,]+)"
    r"|从(?P<zh>[^，,]+?)到(?P<zh_other>[^，,]+?)(?=排|$)",
    re.IGNORECASE,
)
_MOST = re.compile(r"st(?:e\w*)?\b|most|plus|moins|m[aá]s|mayor|menor|nächst|next|最", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """By what things are to stand in order (a dimension, or the adjective that says it), and which way."""

    by: str
    way: Literal["", "less", "more"]
    rest: str
    """The text without the words that say so."""


def order_in(text: str) -> Order | None:
    """The order that adjectives say: "shortest first", "from cheapest to dearest", "die stärksten zuerst"."""
    first, span = _FIRST.search(text), _SPAN.search(text)
    if span is not None:
        start, other = (span["one"] or span["zh"]), (span["other"] or span["zh_other"])
        found, end = _adjective(start), _adjective(other)
        if found and end and found[1] != end[1]:
            left = " ".join(each.replace(match[0], " ") for each, (_, _, match) in ((start, found), (other, end)))
            return Order(found[0], found[1], f"{text[: span.start()]} {left} {text[span.end() :]}")
    most = _adjective(text)
    if first is None or most is None or not _MOST.search(most[2][0]):
        return None
    ends = sorted((first.span(), most[2].span()))
    rest = f"{text[: ends[0][0]]} {text[ends[0][1] : ends[1][0]]} {text[ends[1][1] :]}"
    return Order(most[0], most[1], rest)


def _adjective(text: str) -> tuple[str, Literal["less", "more"], re.Match[str]] | None:
    """The first adjective of an order in a text, of several there the longest."""
    found = [
        (match.start(), -len(match[0]), by or match[0].lower(), way, match)
        for by, way, expressions in words()["orders"]
        if (match := any_of(*expressions).search(text)) is not None
    ]
    return min(found, key=lambda each: each[:2])[2:] if found else None


def _sort(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    plain = " ".join(rest.strip(" .!。").split())
    order = order_in(plain)
    bare = " ".join(re.sub(r"[,，]", " ", order.rest).split()) if order else plain
    for shape in _SORT:
        found = re.fullmatch(shape, bare, re.IGNORECASE)
        if found is None:
            continue
        falls, rises = (group(way).search(found["key"]) is not None for way in ("falling", "rising"))
        key = without(found["key"], [group("falling"), group("rising")])
        by = named("sort_keys", key)
        value = by[0] if by and not left_over(key.replace(by[1][0], " ")) else left_over(key)
        way = order.way if order else "less" if falls else "more" if rises or value == "name" else ""
        return _sorted(found["what"] or "", value or (order.by if order else ""), slugs, way)
    if order is None:
        return None
    what, value = without(bare, [group("falling"), group("rising")]), order.by
    if (by := named("sort_keys", what)) is not None and value not in ("date", "price"):
        what, value = what.replace(by[1][0], " "), by[0]
    return _sorted(what, value, slugs, order.way)


def with_key(effect: Effect, pages: Sequence[Page]) -> Effect:
    """A sort by a dimension or an adjective as one by the field of the list that has it ("the strongest": strength)."""
    every = [each for page in pages for each in page.lists if not effect.pages or page.slug in effect.pages]
    lists = [kept for kept in [meant(effect.words, every)] if kept] or every
    fields = [each for kept in lists for each in kept.fields]
    shape = words()["dimensions"].get(effect.value)
    labels = [str(each["label"]) for each in fields if shape and re.search(shape, str(each["label"]), re.IGNORECASE)]
    if not shape and any(any_of(*each[2]).fullmatch(effect.value) for each in words()["orders"]):
        stem = effect.value.casefold()[:5]
        labels = [str(each["label"]) for each in fields if len(stem) > 3 and stem in str(each["label"]).casefold()]
        labels = labels or [str(each["label"]) for each in fields if each["kind"] in ("number", "money")]
    own = effect.value in ("name", "date") or (effect.value == "price" and any(f["kind"] == "money" for f in fields))
    if len(set(labels)) != 1 or own:
        return effect
    return effect.model_copy(update={"value": labels[0]})


def _sorted(what: str, value: str, slugs: tuple[str, ...], way: Literal["", "less", "more"]) -> Effect | None:
    what_is = target(
        re.sub(
            r"\b(?:ones?|entries|items?|lists?|einträge|liste)\b|列表",
            " ",
            without(what, [verb("move"), verb("other")]),
        )
    )
    if not value or what_is.nth or len(what_is.words.split()) > 3:
        return None
    return Effect(operation="sort", words=what_is.words, value=value, relation=way, pages=slugs)


_LIKE = re.compile(
    r"(?:\b(?:in |have |has |get |with )?(?:the )?same (?P<en>colou?r|size|font size|corners|roundness|shape) as"
    r"|\b(?:in )?(?:dieselbe|derselben|die gleiche|der gleichen) (?P<de>farbe|größe|schriftgröße|form)(?: haben)? wie"
    r"|\bla même (?P<fr>couleur|taille|forme) que|\bel mismo (?P<es>color|tamaño) que)\b\s*(?P<other>.*)$"
    r"|(?:和|跟|与|同)(?P<as>.+?)(?:一样|相同)的?(?P<zh>颜色|大小|圆角)",
    re.IGNORECASE,
)
_PROPERTIES: Sequence[tuple[str, Property]] = (
    (r"colou?r|farbe|couleur|颜色", "ground"),
    (r"size|größe|taille|tamaño|大小", "size"),
    (r"corners|roundness|shape|form|圆角", "radius"),
)


def _like(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """The look of one thing like that of another, or like on another page."""
    found = _LIKE.search(rest)
    if found is None:
        return None
    said = next(filter(None, (found["en"], found["de"], found["fr"], found["es"], found["zh"])))
    what = next(name for pattern, name in _PROPERTIES if re.search(pattern, said, re.IGNORECASE))
    other = target(re.sub(r"\b(?:has|have|haben|hat)\b", " ", found["other"] or found["as"] or ""))
    meant = target(re.sub(r"\b(?:sollen|soll|haben)\b", " ", f"{rest[: found.start()]} {rest[found.end() :]}"))
    if not meant or relation(rest) is not None:
        return None
    page = ""
    if not other:
        if len(slugs) != 1 or not meant.kind:
            return None
        page, slugs = slugs[0], ()
    made = Effect(
        operation="style", property=what, relation="like", anchor=other.words, anchor_kind=other.kind,
        anchor_nth=other.nth, anchor_page=page, pages=slugs,
    )  # fmt: skip
    return of_kind(made, meant)


def _theme(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    scheme = named("themes", rest)
    if scheme is None or slugs:
        return None
    noun = group("theme_nouns").search(rest)
    whole = any_of(*words()["kinds"]["page"], "app", "site", "it all", "应用", "整体").search(rest)
    if re.search(r"\bdark ?mode\b", rest, re.IGNORECASE):
        noun = noun or scheme[1]
    if not noun and not whole:
        return None
    if verb("add").search(rest) or re.search(
        r"\b(?:toggle|button|schalter|umschalter)\b|开关|切换", rest, re.IGNORECASE
    ):
        return None
    if re.search(r"\b(?:darker|lighter|dunkler|heller)\b", rest, re.IGNORECASE):
        return None
    rest = rest.replace(scheme[1][0], " ")
    patterns = [
        group("theme_nouns"),
        verb("change"),
        verb("move"),
        re.compile(r"\b(?:to|go|app|site|it|alles|gesamte|whole|everything)\b|换成?|整体|应用|整个", re.I),
    ]
    patterns += [any_of(*words()["kinds"]["page"]), group("pronouns")]
    if left_over(without(rest, patterns)):
        return None
    return Effect(operation="theme", value=scheme[0])


@cache
def _moods() -> Sequence[tuple[str, re.Pattern[str]]]:
    """The style words of briefs, also as comparatives ("calmer", "cosier", "verspielter")."""
    text = resources.files("loopwright.agents.pages.brief").joinpath("styles.json").read_text(encoding="utf-8")
    found = []
    for mood, names in json.loads(text).items():
        ends = {"y": "(?:y|ier)", "o": "[oa]s?"}
        forms = [
            re.escape(n[:-1]) + ends[n[-1]] if n[-1] in ends else rf"{re.escape(n)}(?:e?r|e[nrs]?)?" for n in names
        ]
        found.append((mood, any_of(*[n if HAN.search(n) else form for n, form in zip(names, forms, strict=True)])))
    return found


_MORE = re.compile(
    r"\b(?:more|bit|look|feel(?:ing)?|style|app(?:li(?:cation)?)?|anwendung|aplicación|web ?site|site|thing|it|plus|más"
    r"|mas|mehr|etwas|aussehen|wirken|ganze|stil|stile|estilo)\b"
    r"|\bl['’]|更加?|一点|风格|整[个体]|应用|看起来",
    re.IGNORECASE,
)


def _mood(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """Another look of the whole app by a style word; with a pronoun only where it stands for nothing said before."""
    if slugs or (last is not None and group("pronouns").search(rest)):
        return None
    for mood, pattern in _moods():
        found = pattern.search(rest)
        if found is None:
            continue
        left = f"{rest[: found.start()]} {rest[found.end() :]}"
        known = [any_of(*words()["kinds"]["page"]), verb("change"), group("theme_nouns"), group("small"), group("much")]
        if not left_over(without(left, [*known, _MORE, group("pronouns"), group("wanting")])):
            return Effect(operation="restyle", relation="more", value=mood)
    return None


ORDERING: Sequence[Reader] = (_swap, _sort, _like, _theme, _mood)
