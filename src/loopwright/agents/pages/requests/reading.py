"""From a message to the effects that it asks for; a clause that is not understood whole stays a clause.

A clause is read by taking out what is understood: verb, kind of element, property, place, pages. What is left over
names the element ("the *absence* button") and has to be found on the pages, so that no word is passed over.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loopwright.agents.pages.account.effects import Effect, plain
from loopwright.agents.pages.account.effects_places import without_plural
from loopwright.agents.pages.requests.meaning import (
    Named,
    Page,
    colour_in,
    hidden,
    in_menu,
    is_own,
    is_style,
    looking,
    pages_named,
    part_or_whole,
    place_of,
    quotes,
    relation,
    shown_again,
    target,
    without_colour,
    without_politeness,
)
from loopwright.agents.pages.requests.phrases import STOP, marked, read_apart, without_marks
from loopwright.agents.pages.requests.reading_data import read_data, read_new_page
from loopwright.agents.pages.requests.reading_new import read_link, read_menu_entry, read_show
from loopwright.agents.pages.requests.reading_order import ORDERING, Reader, of_kind, with_key
from loopwright.agents.pages.requests.reading_records import describes_record
from loopwright.agents.pages.requests.reading_words import read_app_name, read_page_name, read_rename, read_say
from loopwright.agents.pages.requests.spelling import spelled
from loopwright.agents.pages.requests.vocabulary import HAN, group, left_over, named, verb, without


@dataclass(frozen=True)
class Request:
    """A clause of a message, and the effect that it asks for; None: it was not understood (`why`, `what` say more).

    `whole` is the part of the message to which it belongs: one that asks for two things is two requests.
    """

    said: str
    effect: Effect | None
    why: str = ""
    what: str = ""
    whole: str = ""


_HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)
MOST_CLAUSES = 8


def read_requests(message: str, pages: Sequence[Page]) -> list[Request]:
    """What a message asks of an app, clause by clause, in its order."""
    if (page := read_new_page(message)) is not None:
        return [Request(message.strip(), page, whole=message.strip())]
    parts = read_apart(marked(message, pages))
    if len(parts) > 1 and (data := _one_thing(message, pages)) is not None:
        return [Request(message.strip(), data, whole=message.strip())]
    found: list[Request] = []
    last: Effect | None = None
    for clause in parts[:MOST_CLAUSES]:
        request = _read_spelled(clause.text, pages, last)
        last = _as_called_now(request.effect) if request.effect else last
        said, whole = without_marks(clause.text), without_marks(clause.said)
        said = said if said in whole else whole  # words that were put in for reading are not told
        found.append(replace(request, said=said, whole=whole))
    return found


def _as_called_now(effect: Effect) -> Effect:
    """The effect as a later clause refers to it: what was called otherwise has its new words."""
    renames = effect.operation in ("rename", "retitle", "say")
    return effect.model_copy(update={"words": effect.value}) if renames else effect


def _read_spelled(clause: str, pages: Sequence[Page], last: Effect | None) -> Request:
    """What a clause asks for; where it is not understood, what it asks with its misspelt words put right."""
    request = read_clause(clause, pages, last)
    if (request.effect is not None and _is_shown(request.effect, pages)) or describes_record(clause, pages):
        return request
    right = spelled(clause, pages)
    other = read_clause(right, pages, last) if right != clause else request
    return other if other.effect is not None and _is_shown(other.effect, pages) else request


def _one_thing(message: str, pages: Sequence[Page]) -> Effect | None:
    """What a sentence with a comma asks of what is kept, where that says all of it: "add X, with a note that …"."""
    text = message.strip(" .!。")
    if STOP.search(text):
        return None
    effect = read_data(text, text, (), pages)
    return effect if effect is not None and effect.operation not in ("set_value", "remove") else None


_OF_SOMETHING_NEW = ("menu", "sort", "search", "show", "add_record", "add_field", "new_page")
"""The operations whose words need not stand on a page."""


def _is_shown(effect: Effect, pages: Sequence[Page]) -> bool:
    """Whether the words that name the element are to be read on a page, as far as it is known what is."""
    texts = [plain(text) for page in pages for text in page.texts]
    known = not texts or effect.operation in _OF_SOMETHING_NEW
    return known or all(any(plain(name) in text for text in texts) for name in (effect.words, effect.anchor) if name)


def read_clause(clause: str, pages: Sequence[Page], last: Effect | None = None) -> Request:
    """What one clause asks for."""
    clause = without_politeness(clause)
    for name in ("members", "translate"):
        if group(name).search(clause) and not quotes(clause):
            return Request(clause, None, name)
    other_name = read_page_name(clause, pages) or read_app_name(clause, pages)
    if other_name is not None:
        return Request(clause, other_name)
    link = read_link(clause, pages)
    if link is not None:
        return Request(clause, shown_again(link, ()) if link.leads else None, "" if link.leads else "no_address")
    slugs, rest = pages_named(clause, pages)
    rest = re.sub(r"^\s*only\s*[:,]?|^\s*[:,]", " ", rest, flags=re.IGNORECASE)
    rest, kept = hidden(rest)
    if _NEW_PAGE.match(clause):
        return Request(clause, None)
    if (data := read_data(clause, rest, slugs, pages)) is not None:
        return Request(clause, data)
    if describes_record(clause, pages):  # one of whose values is not understood: it is no text for the first page
        return Request(clause, None)
    if unknown := _unknown_page(rest):
        return Request(clause, None, "no_page", unknown)
    if (refused := _without_list(clause, rest, pages)) is not None:
        return refused
    for read in _READERS:
        effect = read(clause, rest, slugs, last)
        if effect is not None and effect.operation == "show" and _is_there(shown_again(effect, kept), rest, pages):
            continue
        if effect is not None and effect.operation == "menu" and not effect.value:
            return Request(clause, None, "no_address")
        if effect is not None:
            effect = _on_one_page(_of_page(shown_again(effect, kept), rest), pages)
            return Request(clause, with_key(effect, pages) if effect.operation == "sort" else effect)
    wanted = verb("add").search(rest) or group("wanting").search(rest)
    is_addition = wanted is not None and not (is_style(rest) or verb("other").search(rest))
    is_addition = is_addition and re.search(r"[,，]|instead|anstatt|statt|au lieu|en lugar", rest) is None
    return Request(clause, None, "content" if is_addition else "")


def _without_list(clause: str, rest: str, pages: Sequence[Page]) -> Request | None:
    """A refusal where a list, a form or a field of one is asked for, and the words name none that there is."""
    lists = [each for page in pages for each in page.lists]
    names = ", ".join(dict.fromkeys(each.names[0] for each in lists))
    if group("filtering").search(rest) and not is_own(clause):
        by = [
            f"{each.names[0]}: {', '.join(str(one['label']) for one in each.fields)}" for each in lists if each.entity
        ]
        return Request(clause, None, "filter_by", "; ".join(dict.fromkeys(by)))
    field = _NEW_FIELD.search(rest) and relation(rest) is None and not group("search").search(rest)
    entry = lists and quotes(clause) and group("lists").search(rest) and place_of(rest)[0] == ""
    if verb("add").search(rest) and (field or entry):
        return Request(clause, None, "field", names)
    return None


_NEW_FIELD = re.compile(
    r"\b(?:fields?|feld(?:er)?|eingabefeld|champs?|campos?|checkbox|dropdown)\b|输入框|字段|栏位", re.IGNORECASE
)


def _is_there(effect: Effect, rest: str, pages: Sequence[Page]) -> bool:
    """Whether a text that is to be put somewhere is shown already: then it is moved, and not said once more."""
    meant = [page for page in pages if not effect.pages or page.slug in effect.pages]
    return verb("move").match(rest.strip()) is not None and any(effect.value in page.texts for page in meant)


def _of_page(effect: Effect, rest: str) -> Effect:
    """The effect on the main heading where one heading is meant and none is named: a page has one."""
    one = re.search(r"\bthe heading\b(?!s)", rest, re.IGNORECASE) is not None
    alone = not (effect.words or effect.nth or effect.inside or effect.looking)
    return effect.model_copy(update={"kind": "headline"}) if one and alone and effect.kind == "heading" else effect


def _on_one_page(effect: Effect, pages: Sequence[Page]) -> Effect:
    """The effect on the first page, where it counts elements and no page is named: a page is what people count on."""
    counts = effect.nth or effect.anchor_nth
    if effect.pages or not counts or effect.kind == "menu item" or not pages:
        return effect
    slugs = [page.slug for page in pages]
    return effect.model_copy(update={"pages": ("index" if "index" in slugs else slugs[0],)})


_NEW_PAGE = re.compile(
    r"(?:please )?(?:add|create|make|build|insert)\s+(?:me\s+|us\s+)?(?:an?|another|one more|some)\s+"
    r"(?:(?!(?:on|in|to|at|for|from|of)\b)[\w&'’-]+\s+){0,3}?(?:page|screen)s?\b"
    r"|(?:füge|erstelle|baue)\b(?:(?!\b(?:auf|in|zu[rm]?)\b).)*\bseite\b|(?:加|添加|增加|新建).*页",
    re.IGNORECASE,
)
_PAGE_NAME = re.compile(
    r"\b(?:the|der|die|la|le|el)\s+(?P<en>[\w&'’ -]{2,40}?)[ -](?:page|screen|seite)\b"
    r"|\b(?:page|página)\s+(?:de |des |du )?(?P<fr>[\w'’-]{3,30})\b",
    re.IGNORECASE,
)


def _unknown_page(rest: str) -> str:
    """A page that is named and that the app does not have; the words of a place are no name."""
    found = _PAGE_NAME.search(rest)
    name = (found["en"] or found["fr"] or "") if found else ""
    return name if len(name.split()) <= 3 and not group("everywhere").search(name) and left_over(name) else ""


# One reader for each kind of request, the most particular first.


def _switch(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    wanted = group("switch").search(rest) or re.match(r"(?:please )?add\b|加|füge|ajoute|añade", rest.strip(), re.I)
    if not (group("scheme").search(rest) and wanted):
        return None
    left = left_over(without(rest, [group("scheme"), group("switch"), verb("add"), verb("change")]))
    return Effect(operation="switch", kind="button", pages=slugs) if not left else None


def _currency(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    found = named("currencies", rest)
    if found is None or re.search(r"\d", rest):
        return None
    rest = rest.replace(found[1][0], " ")
    left = left_over(without(rest, [group("money"), verb("change"), verb("add")]))
    return Effect(operation="currency", kind="price", value=found[0], pages=slugs) if not left else None


def _columns(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    if not group("columns").search(rest):
        return None
    number = named("numbers", rest)
    if number is not None:
        rest = rest.replace(number[1][0], " ", 1)
    rest = re.sub(
        r"\b(?:on|auf) (?:the |dem )?(?:phone|mobile|handy|smartphone)\b|手机上?", " ", rest, flags=re.IGNORECASE
    )
    meant = target(without(rest, [group("columns"), verb("add")]))
    value = number[0] if number else "2"
    return Effect(
        operation="columns", kind=meant.kind or "card", value=value, anchor=without_plural(meant.words), pages=slugs
    )


def _brand(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    colour = colour_in(rest)
    if colour is None or slugs or not group("brand").search(rest):
        return None
    left = left_over(without(without_colour(_HEX.sub(" ", rest)), [group("brand"), verb("change"), verb("add")]))
    return Effect(operation="brand", value=colour) if not left and len(_HEX.findall(rest)) <= 1 else None


_STANDING = re.compile(r"\b(?:stehen|sein|stand|go|come|appear|être|estar)\b", re.IGNORECASE)


def _move(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    place, anchor, short = place_of(rest)
    within, bare = in_menu(rest)
    if within and place in ("below", "above"):
        place, anchor, short = place_of(bare)
        anchor = replace(anchor, kind="menu item")
    if not place or (place in ("below", "above") and not anchor):
        return None
    should = re.search(r"\b(?:should|must) (?:be|stand|go|come|appear)\b|soll(?:te|en)?\b|doit|debe", short)
    if not (verb("move").search(short) or should):
        return None
    is_pronoun = group("pronouns").search(short) is not None
    if is_style(short):  # "the menu at the bottom should be black" says where it stands, and how it is to look
        return None
    meant = target(without(in_menu(short)[1] if within else short, [verb("move"), _STANDING]))
    if not meant:
        if last is None or not is_pronoun:
            return None
        meant, slugs = Named(last.kind, last.words, last.nth), slugs or last.pages
    if place == "top" and re.search(r"[:：]|\d{3}", short):
        return None
    if within and place in ("top", "bottom") and not meant.kind:  # one entry among the others, and not the menu
        place, anchor = "at", Named("menu item", "", 1 if place == "top" else -1)
    kind = anchor.kind if place == "at" or (within and meant.words) else meant.kind
    return Effect(
        operation="move", kind=kind, words=meant.words, nth=meant.nth,
        place=place, anchor=anchor.words, anchor_kind="" if place == "at" else anchor.kind, anchor_nth=anchor.nth,
        pages=slugs,
    )  # fmt: skip


def _remove(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    if not verb("remove").search(rest):
        return None
    within, bare = in_menu(rest)
    meant = part_or_whole(without(rest, [verb("remove")]))
    if within and not meant.inside:  # an entry of the menu, and not the menu
        entry = target(without(bare, [verb("remove")]))
        meant = Named("menu item", entry.words, entry.nth) if entry.words and not entry.kind else meant
    if not meant or (meant.kind == "page" and not meant.words):
        return None
    if meant.nth and not meant.kind:
        return None  # "the second gnome" is one of a list, and no words that stand somewhere
    kind = "" if meant.kind == "page" else meant.kind
    return Effect(
        operation="remove", kind=kind, inside=meant.inside, words=meant.words, nth=meant.nth if kind else 0,
        looking=meant.looking, pages=slugs,
    )  # fmt: skip


_SIZE_OF = re.compile(
    r"\b(?:font|text|letter)s?[ -]?(?:size|weight|colou?r)s?\b(?:\s+(?:of|for|in|on)\b)?(?=.*\w)", re.IGNORECASE
)


def _style(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    if _SIZE_OF.search(rest) and named("kinds", _SIZE_OF.sub(" ", rest)):
        rest = _SIZE_OF.sub(" ", rest)
    place, _, short = place_of(rest)
    kind = named("kinds", short)
    if place in ("top", "bottom") and kind and kind[0] in ("menu", "header", "footer"):
        rest = short  # where it stands anyway
    looks, rest = looking(rest)
    bare = " ".join(without_colour(rest).split())
    way, colour, align = relation(rest), colour_in(rest), named("align", rest)
    if (lines := relation(bare)) is not None and lines[0] == "edge":  # "a thin black border" is one thing
        way, rest = lines, bare
    if align is not None:
        found = Effect(operation="style", property="align", relation="set", value=align[0], pages=slugs)
        rest = rest.replace(align[1][0], " ")
    elif way is not None and way[0] in ("edge", "shadow"):
        line = (colour or "") if way[:2] == ("edge", "more") else ""
        found = Effect(operation="style", property=way[0], relation=way[1], value=line, pages=slugs)
        rest = f"{rest[: way[2].start()]} {rest[way[2].end() :]}"
        rest = without(rest, [verb("add")])
        rest = verb("remove").sub(" ", rest) if way[1] == "less" else rest
    elif colour is not None and (way is None or way[0] in ("ground",) or way[2][0].lower() in clause.lower()):
        found = Effect(operation="style", property="ground", relation="set", value=colour, pages=slugs)
        rest = without_colour(rest)
        if way is not None and way[2][0] in rest:
            return None
    elif way is not None:
        found = Effect(operation="style", property=way[0], relation=way[1], pages=slugs)
        rest = f"{rest[: way[2].start()]} {rest[way[2].end() :]}"
    else:
        return None
    meant = replace(part_or_whole(rest), looking=looks)
    if re.search(r"\b(?:its|their)\b", rest, re.IGNORECASE) and last is not None and not meant.words:
        return _of_last(found, meant, last)
    if not meant and slugs and found.property == "ground" and not group("pronouns").search(rest):
        meant = Named("page", "")  # "make the team page light grey"
    if not meant and last is not None and (group("pronouns").search(rest) or HAN.search(clause)):
        meant = Named(last.kind, last.words, last.nth, last.inside, last.looking)
        found = found.model_copy(update={"pages": slugs or last.pages})
    amount: Literal["small", "much", ""] = "small" if group("small").search(rest) else ""
    amount = "much" if group("much").search(rest) else amount
    if way is not None and re.match(r"(?:less|too) round", way[2][0], re.IGNORECASE):
        amount = amount or "small"
    return of_kind(found.model_copy(update={"amount": amount}) if found.relation != "set" else found, meant)


_WITH_OWN_WORDS = ("button", "menu item", "field", "price", "link", "heading", "headline", "text")


def _of_last(found: Effect, meant: Named, last: Effect) -> Effect | None:
    """The style of a part of what was named before: "its text"; what only holds other things has their texts."""
    found = found.model_copy(update={"pages": found.pages or last.pages})
    if meant.kind == "text" and last.kind in _WITH_OWN_WORDS:
        found = found.model_copy(update={"property": "colour"}) if found.property == "ground" else found
        of_it = {
            "kind": last.kind,
            "words": last.words,
            "nth": last.nth,
            "inside": last.inside,
            "looking": last.looking,
        }
        return found.model_copy(update=of_it)
    if not meant.kind or last.words or last.nth or last.inside or last.looking:
        return None
    return of_kind(found, Named(meant.kind, "", 0, last.kind))


_FACES = (
    ("Georgia", "georgia"), ("Times New Roman", r"times(?: new roman)?"), ("Arial", "arial"),
    ("Helvetica", "helvetica"), ("Verdana", "verdana"), ("Tahoma", "tahoma"), ("Trebuchet MS", r"trebuchet(?: ms)?"),
    ("Courier New", r"courier(?: new)?"), ("Comic Sans MS", r"comic sans(?: ms)?"),
    ("sans-serif", r"sans[- ]?serif"), ("serif", r"serif"),
)  # fmt: skip
_FONT = re.compile(
    r"\b(?:fonts?|typefaces?|schrift(?:art)?|police|fuente|different|another|other|something like"
    r"|such as|like|in|family)\b",
    re.IGNORECASE,
)


def _face(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """Letters of a family that phones have, or of a kind of family; without another word those of all texts."""
    for name, pattern in _FACES:
        found = re.search(rf"\b{pattern}\b", rest, re.IGNORECASE)
        if found is None:
            continue
        left = _FONT.sub(" ", f"{rest[: found.start()]} {rest[found.end() :]}")
        meant = part_or_whole(without(left, [verb("change"), re.compile(r",")]))
        if meant.words:
            return None
        kind = meant.kind if meant.kind not in ("", "page") else "text"
        return Effect(
            operation="style", kind=kind, inside=meant.inside, property="face", relation="set", value=name, pages=slugs
        )
    return None


def _search(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """A field for searching in the list that is named, or in all lists of the pages that are."""
    if not ((verb("add").search(rest) or group("wanting").search(rest)) and group("search").search(rest)):
        return None
    known = [group("search"), group("wanting"), verb("add"), group("lists"), _NEW_FIELD]
    left = left_over(without(rest, known))
    if len(left.split()) > 3:
        return None
    return Effect(operation="search", kind="field", words=without_plural(left) if not slugs else "", pages=slugs)


def _unhide(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    if not (group("show_again").search(rest) and group("again").search(rest)):
        return None
    meant = part_or_whole(without(rest, [group("show_again"), group("again")]))
    if not meant:
        return None
    return Effect(operation="unhide", kind=meant.kind, inside=meant.inside, words=meant.words, pages=slugs)


def _outline(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """A shadow or a line around things: it is added and removed in the words of texts and parts, and is a style."""
    way = relation(rest)
    return _style(clause, rest, slugs, last) if way is not None and way[0] in ("edge", "shadow") else None


_READERS: Sequence[Reader] = (
    _unhide, _search, *ORDERING, _switch, _currency, _columns, _brand, read_say, read_rename, read_menu_entry,
    _outline, read_show, _move, _remove, _face, _style,
)  # fmt: skip
