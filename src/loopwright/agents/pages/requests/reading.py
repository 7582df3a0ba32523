"""From a message to the effects that it asks for; a clause that is not understood whole stays a clause.

A clause is read by taking out what is understood: verb, kind of element, property, place, pages. What is left over
names the element ("the *absence* button") and has to be found on the pages, so that no word is passed over.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.account.effects_places import without_plural
from loopwright.agents.pages.requests.meaning import (
    QUOTED,
    Named,
    Page,
    colour_in,
    pages_named,
    part_or_whole,
    place_of,
    quotes,
    relation,
    target,
    without_colour,
)
from loopwright.agents.pages.requests.reading_order import ORDERING, Reader, of_kind
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, left_over, named, verb, without, words


@dataclass(frozen=True)
class Request:
    """A clause of a message, and the effect that it asks for; None: it was not understood (`why`, `what` say more)."""

    said: str
    effect: Effect | None
    why: str = ""
    what: str = ""


_ADDRESS = re.compile(r"https?://[^\s,;]+|www\.[^\s,;]+")
_NUMBER = re.compile(r"\+?\d[\d \-/]{4,}\d(?!\w)")
_HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)
_STOP = re.compile(r"(?<=[.!?;])\s+|[。；！？\n]+")
MOST_CLAUSES = 8


def read_requests(message: str, pages: Sequence[Page]) -> list[Request]:
    """What a message asks of an app, clause by clause, in its order."""
    found: list[Request] = []
    last: Effect | None = None
    for clause in clauses(message)[:MOST_CLAUSES]:
        request = read_clause(clause, pages, last)
        last = request.effect or last
        found.append(request)
    return found


def clauses(message: str) -> list[str]:
    """The parts of a message that each ask for something; a quotation, an address and a list are never cut."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\ue000{len(kept) - 1}\ue001"

    text = re.sub(r"`[^`]+`", keep, message.strip())
    text = re.sub(r"(?<!\w)(?:Dr|Mr|Mrs|Ms|St|Prof|Nr)\.", keep, _ADDRESS.sub(keep, QUOTED.sub(keep, text)))
    doing = "|".join(
        each
        for name in ("rename", "remove", "add", "move", "change", "other")
        for each in words()["verbs"][name]
        if not HAN.search(each)
    )
    joined = "|".join(each for each in words()["conjunctions"] if not HAN.search(each))
    cut = re.compile(rf"(?:\s*,\s*|\s+)(?:(?:{joined})\s+)?(?=(?:please |bitte )?(?:{doing})\b)", re.IGNORECASE)
    parts: list[str] = []
    for sentence in _STOP.split(text):
        pieces = re.split(r"[，,](?=.)", sentence) if HAN.search(sentence) else _cut(sentence, cut, joined)
        parts += [piece for piece in pieces if piece.strip(" .!?。，")]

    parts = _joined(parts)

    def again(part: str) -> str:
        return re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], part).strip(" ,，。!！")

    return [again(part) for part in parts]


_REFERS = re.compile(
    r"^(?:say|show|write|put|mention|add) (?:so|it|that|this|them)\b"
    r"(?!.*\b(?:top|bottom|below|above|under)\b)|^(?:sag|zeig|schreib)\w* (?:das|es)\b",
    re.IGNORECASE,
)


def _joined(parts: Sequence[str]) -> list[str]:
    """A sentence and the request to show it are one: "we are closed on Mondays, say so on the first page"."""
    found: list[str] = []
    for part in parts:
        doing = (
            any(verb(name).match(found[-1].strip()) for name in ("rename", "remove", "add", "move", "change"))
            if found
            else True
        )
        if found and _REFERS.match(part.strip()) and not doing:
            found[-1] = f"{found[-1].rstrip(' ,')}, {part.strip()}"
        else:
            found.append(part)
    return found


def _cut(sentence: str, cut: re.Pattern[str], joined: str) -> list[str]:
    """The sentence cut before verbs that follow a conjunction or a comma, and between what is asked of two kinds."""
    places = [0]
    for found in cut.finditer(sentence):
        between = found[0].strip(" ,").lower()
        if found.start() > 0 and ("," in found[0] or between):
            places.append(found.start())
    both = re.compile(rf"\s+(?:{joined})\s+(?=(?:the|die|den|das|der|les?|la|el|los|las)\s+\S+\s)", re.IGNORECASE)
    pieces: list[str] = []
    for start, end in zip(places, [*places[1:], len(sentence)], strict=True):
        piece = re.sub(rf"^[\s,]*(?:(?:{joined})\s+)*", "", sentence[start:end], flags=re.IGNORECASE)
        halves = both.split(piece)
        whole = all(named("kinds", half) and _wanted(half) for half in halves)
        pieces += halves if whole else [piece]
    return pieces


def _wanted(text: str) -> bool:
    return relation(text) is not None or colour_in(text) is not None


def read_clause(clause: str, pages: Sequence[Page], last: Effect | None = None) -> Request:
    """What one clause asks for."""
    for name in ("members", "translate"):
        if group(name).search(clause) and not quotes(clause):
            return Request(clause, None, name)
    slugs, rest = pages_named(clause, pages)
    if _NEW_PAGE.match(clause):
        return Request(clause, None)
    if unknown := _unknown_page(rest):
        return Request(clause, None, "no_page", unknown)
    searched = group("search").search(rest)
    if _NEW_FIELD.search(rest) and verb("add").search(rest) and relation(rest) is None and not searched:
        return Request(clause, None, "field")
    for read in _READERS:
        effect = read(clause, rest, slugs, last)
        if effect is not None:
            return Request(clause, _on_one_page(effect, pages))
    wanted = verb("add").search(rest) or group("wanting").search(rest)
    is_addition = wanted is not None and not (_wanted(rest) or verb("other").search(rest))
    is_addition = is_addition and re.search(r"[,，]|instead|anstatt|statt|au lieu|en lugar", rest) is None
    return Request(clause, None, "content" if is_addition else "")


_NEW_FIELD = re.compile(
    r"\b(?:fields?|feld(?:er)?|eingabefeld|champs?|campos?|checkbox|dropdown)\b|输入框|字段|栏位", re.IGNORECASE
)


def _on_one_page(effect: Effect, pages: Sequence[Page]) -> Effect:
    """The effect on the first page, where it counts elements and no page is named: a page is what people count on."""
    counts = effect.nth or effect.anchor_nth
    if effect.pages or not counts or effect.kind == "menu item" or not pages:
        return effect
    slugs = [page.slug for page in pages]
    return effect.model_copy(update={"pages": ("index" if "index" in slugs else slugs[0],)})


_NEW_PAGE = re.compile(
    r"(?:please )?(?:add|create|make|build|insert)\s+(?:me\s+|us\s+)?(?:an?|another|one more|some)\s+"
    r"(?:[\w&'’-]+\s+){0,3}?(?:page|screen)s?\b"
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


# --------------------------------------------------------------------------------------------------------------------
# One reader for each kind of request, the most particular first.
# --------------------------------------------------------------------------------------------------------------------


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


_SHAPES = (
    r"(?:re(?:name|label|place)|change|turn)\s+(?:the (?:word|name) )?(?P<old>.+?) (?:to|into|with|by|as)\s(?P<new>.+)",
    r"(?:call|name)\s+(?P<old>.+?)\s+(?P<q>[\"“]?)(?P<new>[A-Z][^\"”]*)",
    r"(?P<what>.+?)\s+(?:is|are|should be|must be) (?:called|named)\s+(?P<new>.+?),?\s+(?:not|instead of)\s(?P<old>.+)",
    r"(?P<old>.+?)\s+(?:is|are|should be|must be) (?:called|named)\s+(?P<new>.+)",
    r"(?:benenne?|nenne?)\s+(?P<old>.+?)\s+(?:in\s+|zu\s+)?(?P<new>\S+(?: \S+){0,3}?)(?:\s+um)?",
    r"(?:ersetze?|ändere?|tausche?)\s+(?P<old>.+?)\s+(?:durch|in|zu|gegen)\s+(?P<new>.+?)(?:\s+(?:um|aus))?",
    r"(?P<old>.+?)\s+(?:heißt|soll(?:en)?)\s+(?:jetzt\s+)?(?P<new>.+?)(?:\s+(?:heißen|genannt werden))",
    r"(?:renomme[rz]?|remplace[rz]?|change[rz]?)\s+(?P<old>.+?)\s+(?:en|par)\s+(?P<new>.+)",
    r"(?:renombra|reemplaza|cambia|sustituye)\s+(?P<old>.+?)\s+(?:a|por|como|en)\s+(?P<new>.+)",
    r"(?:请)?(?:把|将)?(?P<old>.+?)(?:全部|都|统一)?(?:改成|改为|改名为|改名叫|换成|替换为|替换成)(?P<new>.+)",
)
_INSTEAD = re.compile(r",?\s+(?:instead|stattdessen|à la place|en su lugar)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the (?:word |name |label )?|den |die |das |der |le |la |les |el |los )", re.IGNORECASE)


def _rename(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """Other words for words that stand there; without quotes only where a word says that it is about words."""
    plain = _INSTEAD.sub("", " ".join(rest.strip(" .!。").split()))
    for shape in _SHAPES:
        found = re.fullmatch(shape, plain, re.IGNORECASE)
        if found is None:
            continue
        quoted = quotes(plain)
        old, new = found["old"].strip(), found["new"].strip()
        if len(quoted) == 2:
            old, new = (
                (quoted[0], quoted[1]) if plain.find(quoted[0]) <= plain.find(quoted[1]) else (quoted[1], quoted[0])
            )
            if "what" in found.groupdict():
                old, new = new, old
        old, new = (_bare(each) for each in (old, new))
        kind = named("kinds", old)
        if kind and kind[0] == "headline" and not left_over(any_of(*words()["kinds"]["headline"]).sub(" ", old)):
            return Effect(operation="show", kind="headline", value=new, pages=slugs or ("index",))
        sure = bool(quoted) or re.match(r"(?:rename|relabel|renomm|renombr|benenn|call|nenn)", plain, re.IGNORECASE)
        sure = (
            sure
            or re.search(r"called|named|hei(?:ß|ss)|改名", plain) is not None
            or re.match(r"replace|ersetz|remplac", plain, re.I)
        )
        if not sure or (_wanted(new) and not quoted) or group("pronouns").fullmatch(old):
            return None
        if re.search(r"\b(?:photo|picture|image|foto|bild|video)\b|图片|照片", f"{old} {new}", re.IGNORECASE):
            return None
        return Effect(operation="rename", words=old, value=new, pages=slugs)
    return None


def _bare(text: str) -> str:
    quoted = quotes(text)
    text = quoted[0] if quoted else text
    text = re.sub(r"\s+(?:everywhere|throughout|überall|partout|um)$", "", text.strip(" .,!。，"), flags=re.IGNORECASE)
    return _ARTICLE.sub("", text).strip(" \"“”„«»「」'’.,")


def _menu(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    kind = any_of(*words()["kinds"]["menu"])
    if not (verb("add").search(rest) and any_of(*words()["kinds"]["link"]).search(rest) and kind.search(rest)):
        return None
    address = _ADDRESS.search(clause)
    bare = without(_ADDRESS.sub(" ", rest), [kind, any_of(*words()["kinds"]["link"]), verb("add")])
    name = (quotes(bare) or [left_over(bare)])[0]
    if not name or len(name.split()) > 4:
        return None
    known = f"https://{re.sub(r'[^a-z0-9]', '', name.lower())}.com/"
    return Effect(operation="menu", kind="menu item", words=name, value=address[0] if address else known, pages=slugs)


_SAYING = re.compile(
    r"^(?P<text>.+?),?\s+(?:say so|say that|mention (?:it|that)|show (?:it|that|this)|"
    r"write (?:it|that)|put (?:it|that)|sag das|zeig das|"
    r"schreib das|dis-le|dilo)\b(?P<where>.*)$",
    re.IGNORECASE,
)


def _show(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """A text that is to be seen: a sentence, a number, a command, what stands in quotes or behind a colon."""
    said = _SAYING.match(clause)
    if said is not None and slugs:
        text = said["text"].strip()
        return Effect(operation="show", kind="text", value=text[:1].upper() + text[1:].rstrip(".") + ".", pages=slugs)
    if not (verb("add").search(rest) or verb("say").search(rest)):
        return None
    code = re.search(r"`([^`]+)`", clause)
    place, anchor, short = place_of(rest)
    if code:
        under = "after_headline" if anchor.kind in ("headline", "heading") else place
        return Effect(operation="show", kind="code", value=code[1], place=under or "", pages=slugs or ("index",))
    number = _NUMBER.search(rest)
    if number and group("phone").search(rest):
        label = _label(short[: short.find(number[0])]) if number[0] in short else ""
        text = f"{label[:1].upper()}{label[1:]}: {number[0].strip()}" if label else number[0].strip()
        return Effect(
            operation="show", kind="phone", value=text, place="top" if place == "top" else "", pages=slugs or ("index",)
        )
    quoted = quotes(rest)
    colon = re.search(r"[:：]\s*(?P<text>[^:：]{3,300})$", _ADDRESS.sub(" ", rest))
    text = quoted[0] if quoted else colon["text"].strip() if colon else ""
    if not text or (named("kinds", without(short.replace(text, " "), [group("pronouns")])) is not None and not colon):
        return None
    if place in ("below", "above"):
        return None
    return Effect(
        operation="show", kind="text", value=text, place="top" if place == "top" else "", pages=slugs or ("index",)
    )


def _label(text: str) -> str:
    """What a number is called: the words right before it, without verb and article."""
    bare = " ".join(without(text, [verb("add")]).split())
    return re.sub(r"^(?:(?:the|our|my|an?|die|unsere?|der|le|notre|el|nuestro)\s+)+", "", bare, flags=re.IGNORECASE)


def _move(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    place, anchor, short = place_of(rest)
    if not place or (place in ("below", "above") and not anchor):
        return None
    should = re.search(r"\b(?:should|must) (?:be|stand|go)\b|soll(?:te|en)?\b|doit|debe", short)
    if not (verb("move").search(short) or should):
        return None
    is_pronoun = group("pronouns").search(short) is not None
    meant = target(without(short, [verb("move"), re.compile(r"\b(?:stehen|stand|go)\b", re.I)]))
    if not meant:
        if last is None or not is_pronoun:
            return None
        meant, slugs = Named(last.kind, last.words, last.nth), slugs or last.pages
    if place == "top" and re.search(r"[:：]|\d{3}", short):
        return None
    return Effect(
        operation="move", kind=meant.kind, words=meant.words, nth=meant.nth, place=place, anchor=anchor.words,
        anchor_kind=anchor.kind, anchor_nth=anchor.nth, pages=slugs,
    )  # fmt: skip


def _remove(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    if not verb("remove").search(rest):
        return None
    meant = part_or_whole(without(rest, [verb("remove")]))
    if not meant or (meant.kind == "page" and not meant.words):
        return None
    kind = "" if meant.kind == "page" else meant.kind
    nth = meant.nth if kind else 0
    return Effect(operation="remove", kind=kind, inside=meant.inside, words=meant.words, nth=nth, pages=slugs)


def _style(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    way, colour, align = relation(rest), colour_in(rest), named("align", rest)
    if align is not None:
        found = Effect(operation="style", property="align", relation="set", value=align[0], pages=slugs)
        rest = rest.replace(align[1][0], " ")
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
    meant = part_or_whole(rest)
    if not meant and last is not None and group("pronouns").search(rest):
        meant = Named(last.kind, last.words, last.nth)
    amount: Literal["small", "much", ""] = "small" if group("small").search(rest) else ""
    amount = "much" if group("much").search(rest) else amount
    return of_kind(found.model_copy(update={"amount": amount}) if found.relation != "set" else found, meant)


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


_READERS: Sequence[Reader] = (
    _unhide, _search, *ORDERING, _switch, _currency, _columns, _brand, _rename, _menu, _show, _move, _remove, _style
)  # fmt: skip
