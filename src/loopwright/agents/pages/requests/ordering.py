"""Requests about the order of things, carried out in the pages' source: swaps and sorts."""

import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect, anchors, targets
from loopwright.agents.pages.account.effects_places import sorted_lists
from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.data_changes import redrawn
from loopwright.agents.pages.requests.kept import DATA, as_json, records_in, with_records
from loopwright.agents.pages.requests.rewriting import in_source, part_of
from loopwright.kernel.account.reading import read_values


def swap(effect: Effect, app: App, looks: Looks) -> App:
    """The app with two things in each other's place.

    Raises:
        NotDone: they are not there, one holds the other, or a script makes them.
    """
    done = False
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        one, other = targets(effect, look)[:1], anchors(effect, look)[:1]
        if not one or not other or one == other:
            continue
        parts = [
            in_source(app.pages[slug], part_of(each, look) if not kind or "heading" in each.kinds else each)
            for each, kind in ((one[0], effect.kind), (other[0], effect.anchor_kind))
        ]
        app, done = app.with_page(slug, _placed(app.pages[slug], parts, list(reversed(parts)), effect)), True
    if not done:
        raise NotDone("absent", what=" / ".join([effect.words or effect.kind, effect.anchor or effect.anchor_kind]))
    return app


def _placed(
    html: str, places: Sequence[SourceElement | None], parts: Sequence[SourceElement | None], effect: Effect
) -> str:
    """The page with each part where another one stands."""
    known = [(place, part) for place, part in zip(places, parts, strict=True) if place is not None and part is not None]
    order = sorted((place for place, _ in known), key=lambda each: each.start)
    if len(known) < len(places) or any(a.end > b.start for a, b in itertools.pairwise(order)):
        raise NotDone("made_by_script", what=effect.words or effect.kind)
    edits = [Edit(place.start, place.end, html[part.start : part.end]) for place, part in known]
    return apply_edits(html, sorted(edits, key=lambda each: each.start))


def sort(effect: Effect, app: App, looks: Looks) -> App:
    """The app with lists in order: their entries in the source, or the records from which a script makes them.

    Raises:
        NotDone: there is no such list, or neither source nor records hold its entries.
    """
    done = False
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        for entries in sorted_lists(effect, look):
            app, done = _list_sorted(effect, app, slug, look, entries), True
    if not done:
        raise NotDone("absent", what=effect.words or effect.value)
    return app


def _list_sorted(effect: Effect, app: App, slug: str, look: Look, entries: Sequence[Element]) -> App:
    order = _in_order(effect, entries)
    opening = _ENTITY.search(_opening(app.pages[slug], entries[0]))
    records = records_in(app.pages[slug]).get(opening["name"], []) if opening else []
    if opening and records:  # the script makes the list anew of them, whatever stands in the source
        names = [_head(each, look) for each in order]
        if len({*names} & {str(each.get("name")) for each in records}) == len(records) == len(names):
            made = sorted(records, key=lambda each: names.index(str(each["name"])))
            return redrawn(with_records(app, opening["name"], made), opening["name"])
    places = [in_source(app.pages[slug], each) for each in entries]
    if all(places):
        parts = [places[entries.index(each)] for each in order]
        return app.with_page(slug, _placed(app.pages[slug], places, parts, effect))
    heads = [_head(each, look) for each in order]
    changed = app
    for other, html in app.pages.items():
        if not effect.pages or other in effect.pages or other == slug:
            changed = changed.with_page(other, _items_sorted(html, heads))
    if changed.pages == app.pages:
        raise NotDone("made_by_script", what=effect.words or effect.kind)
    return changed


def _in_order(effect: Effect, entries: Sequence[Element]) -> list[Element]:
    keyed = [(_key(effect.value, each.text), each) for each in entries]
    have = [(key, each) for key, each in keyed if key is not None]
    if len({type(key) for key, _ in have}) > 1:
        raise NotDone("unknown")
    have.sort(key=lambda pair: pair[0], reverse=effect.relation == "less")
    return [each for _, each in have] + [each for key, each in keyed if key is None]


_FIGURE = re.compile(r"\d{1,3}(?:[,. ’']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?")
_SIGNS = ("$", "€", "£", "¥", "₹", "CHF", "EUR", "USD", "GBP", "Fr.", "kr", "元")


def _key(by: str, text: str) -> float | str | None:
    """By what the maker orders an entry; the check reads the order that is seen in its own way."""
    if by == "name":
        return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split()) or None
    if by not in ("price", "date"):
        _, label, text = text.casefold().partition(by.casefold())
        if not label:
            return None
        text = text.lstrip(" :–-\u00a0.·")
    days = [str(value.value) for value in read_values(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value.value))]
    if by != "price" and days:
        return days[0]
    if by == "date":
        return None
    for found in _FIGURE.finditer(text):
        beside = (text[: found.start()].rstrip(), text[found.end() :].lstrip())
        if by != "price" or beside[0].endswith(_SIGNS) or beside[1].startswith(_SIGNS):
            if by != "price" and len(text) - len(text[found.start() :]) > 1:
                break
            return _amount(found[0])
    return None if by == "price" else text


def _amount(figure: str) -> float:
    """A figure as it is written: the last point or comma before one or two digits is that of the decimals."""
    whole, _, part = (
        figure.replace(",", ".").rpartition(".") if re.search(r"[.,]\d{1,2}$", figure) else (figure, "", "")
    )
    return float(f"{re.sub(r'[^0-9]', '', whole)}.{part or 0}")


def _head(entry: Element, look: Look) -> str:
    """What an entry is called: its heading, else its first words."""
    number = look.elements.index(entry)
    inside = [each for each in look.elements[number:] if entry.path in each.path and each is not entry]
    heads = [each for each in inside if "heading" in each.kinds] or [each for each in inside if each.own]
    return heads[0].text if heads else entry.text


_ENTITY = re.compile(r"\bdata-records=[\"'](?P<name>[^\"']+)")


def _opening(html: str, entry: Element) -> str:
    """The start tag of the named element in which a script puts an entry."""
    around = re.match(r"#[\w-]+", entry.path)
    found = SourceMap(html).select(around[0]) if around else []
    return html[found[0].start : found[0].tag.end] if found else ""


def _items_sorted(html: str, names: Sequence[str]) -> str:
    """The page with its things, where they have these names, in their order."""
    found = DATA.search(html)
    if found is None:
        return html
    data: dict[str, Any] = json.loads(found["data"])
    items = data.get("items", [])
    known = [each.get("name") for each in items]
    if len(known) < 2 or set(names) != set(known) or known == sorted(known, key=names.index):
        return html
    items.sort(key=lambda each: names.index(each["name"]))
    return f"{html[: found.start('data')]}{as_json(data)}{html[found.end('data') :]}"
