"""Requests for something new: a text, a number, a link or a button that leads somewhere, an entry of the menu."""

import re
from collections.abc import Sequence

from loopwright.agents.pages.account.effects import Effect, Place
from loopwright.agents.pages.requests.meaning import (
    Page,
    is_own,
    is_style,
    own_words,
    pages_named,
    place_of,
    quotes,
)
from loopwright.agents.pages.requests.phrases import ADDRESS
from loopwright.agents.pages.requests.vocabulary import any_of, group, left_over, named, verb, without, words

_NUMBER = re.compile(r"\+?\d[\d \-/]{4,}\d(?!\w)")


def read_menu_entry(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """One more entry of the menu, with a name and an address; the value is empty where none is given or known."""
    kind = any_of(*words()["kinds"]["menu"])
    if not (verb("add").search(rest) and any_of(*words()["kinds"]["link"]).search(rest) and kind.search(rest)):
        return None
    address = ADDRESS.search(clause)
    bare = without(ADDRESS.sub(" ", rest), [kind, any_of(*words()["kinds"]["link"]), verb("add")])
    name = (quotes(bare) or [left_over(bare)])[0]
    if not name or len(name.split()) > 4:
        return None
    leads = address[0] if address else words()["sites"].get(name.lower(), "")
    return Effect(operation="menu", kind="menu item", words=name, value=leads, pages=slugs)


_LEADS = re.compile(
    r"\s+(?:(?:that|which)\s+)?(?:goes|leads|links|linking|leading|going|pointing|points|opens|opening|to go|to open"
    r"|takes (?:you|me|us|people|visitors|users|customers))\s+(?:(?:to|on)\s+)?(?P<to>.+)$",
    re.IGNORECASE,
)
_LINK_TO = re.compile(
    r"\b(?:links?|buttons?|kn[oö]pf\w*|liens?|boutons?|enlaces?|bot[oó]n(?:es)?)\s+"
    r"(?:to|for|zur?|zum|vers|à|aux?|a|al|hacia)\s+(?P<to>.+?)"
    r"(?=\s+(?:on|in|at|below|above|under|next|unter|über|auf|oben|unten|sous|sur|dans|en|debajo|encima)\b|\s*[.!]?$)",
    re.IGNORECASE,
)


_ADDS = re.compile(
    rf"(?:{verb('add').pattern})|(?:a\s+)?(?:link|button)\s+(?:to|for)\b"
    r"|(?:mach\w*|fais|faites|crée[rz]?|haz|crea|erstell\w*)\s+(?:(?:mir|uns|nous|moi)\s+)?(?:eine[nr]?|ein|une?|una?)\b",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\b(?:an?|another|our|my|new|some|eine[nr]?|ein|une?|una?)\b(?:\s+[\w'’-]+){0,3}\s+"
    r"(?:links?|buttons?|kn[oö]pf\w*|liens?|boutons?|enlaces?|bot[oó]n(?:es)?)\b|\blinks? to\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\s+(?:called|named|labell?ed|saying|that says|with the (?:text|name|label|words?))\s+(?P<name>.+?)"
    r"(?=\s+(?:on|in|at|to|below|above|under|that|which)\s|[.!]?$)",
    re.IGNORECASE,
)


def read_link(clause: str, pages: Sequence[Page]) -> Effect | None:
    """A new link or button, and where it leads: to a page, an address or a number; without one `leads` is empty."""
    kind = named("kinds", clause)
    menu = any_of(*words()["kinds"]["menu"]).search(clause)
    if kind is None or kind[0] not in ("link", "button") or menu or not _ADDS.match(clause.strip()):
        return None
    leads, head, to = "", clause, ""
    address, number = ADDRESS.search(clause), _NUMBER.search(clause)
    found = _LEADS.search(clause) or _LINK_TO.search(clause)
    if address or number:
        given = address or number
        leads = _as_address(given[0]) if given else ""
        head = clause.replace(given[0], " ") if given else clause
        head = re.sub(r"\(\s*\)|\s(?:goes|leads|links?|pointing|linking) to\s*$", " ", head)
    elif found is not None:
        to = found["to"]
        slug = _page_meant(to, pages)
        leads = f"{slug}.html" if slug else ""
        head = f"{clause[: found.start('to')]} {clause[found.end('to') :]}" if slug else clause
        head = _LEADS.sub(" ", head) if slug and _LEADS.search(clause) else head
    slugs, rest = pages_named(head, pages)
    place, anchor, short = place_of(rest)
    name = next((page.title for page in pages if leads == f"{page.slug}.html"), "")
    label = _name_of_link(clause, short, name)
    if not leads and (group("again").search(clause) or not _NEW.search(clause)):
        return None
    if not label or (is_style(short) and not is_own(clause)):
        return None
    return Effect(
        operation="show", kind=kind[0], value=label, leads=leads, place=_as_place(place), anchor=anchor.words,
        anchor_kind=anchor.kind, anchor_nth=anchor.nth, pages=_where(clause, slugs),
    )  # fmt: skip


def _as_address(text: str) -> str:
    if "@" in text and "/" not in text:
        return f"mailto:{text.rstrip('.')}"
    if re.match(r"[+\d]", text):
        return "tel:" + re.sub(r"[^\d+]", "", text)
    return text.rstrip(".") if text.startswith("http") else f"https://{text.rstrip('.')}"


def _page_meant(text: str, pages: Sequence[Page]) -> str:
    """The page that a place where something leads is called by: its title, or its title and the word page."""
    slugs, _ = pages_named(f"to {text}", pages)
    if slugs:
        return slugs[0]
    bare = re.sub(
        r"^(?:the|our|my|der|die|das|la|le|el)\s+|^(?:seite|page|página)\s+|\s+(?:page|screen|seite)$|[‹›\"“”'.!]",
        "",
        text.strip(),
        flags=re.IGNORECASE,
    ).lower()
    return next((page.slug for page in pages if bare in (page.title.lower(), page.slug.replace("-", " "))), "")


def _name_of_link(clause: str, short: str, page: str) -> str:
    """What a link says: what is quoted, the words beside its kind, or the page to which it leads."""
    called = _CALLED.search(clause)
    if is_own(clause) or called:
        return own_words(clause) if is_own(clause) or called is None else called["name"].strip("‹› ")
    kinds = [any_of(*words()["kinds"][kind]) for kind in ("link", "button")]
    verbs = [verb(each) for each in ("add", "change", "say")]
    said = without(short, [*kinds, *verbs, group("pronouns"), re.compile(r"[:()]|\b(?:new|which|that)\b")])
    left = left_over(said)
    left = left if len(left.split()) <= 4 else ""
    return f"{left[:1].upper()}{left[1:]}" or page


def _as_place(place: str) -> Place:
    for each in ("top", "bottom", "below", "above"):
        if each == place:
            return each
    return ""


def _where(clause: str, slugs: tuple[str, ...]) -> tuple[str, ...]:
    """The pages on which something new is to be seen: those that are named, all where it says so, else the first."""
    return slugs or (() if group("everywhere").search(clause) else ("index",))


_SAYING = re.compile(
    r"^(?P<text>.+?),?\s+(?:say so|say that|mention (?:it|that)|show (?:it|that|this)|"
    r"write (?:it|that)|put (?:it|that)|sag das|zeig das|"
    r"schreib das|dis-le|dilo)\b(?P<where>.*)$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"[\s,:]+(?:saying|that says|which says|that reads|reading|with the (?:text|words?|message|sentence))\s*:?\s+"
    r"(?P<text>\S.+)$",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:notices?|banners?|announcements?|messages?|notes?|lines?|sentences?|paragraphs?|texts?|info(?:rmation)?"
    r"|reminders?|warnings?|footers?|words?|new|small|short|little|s[aä]tze?|hinweise?|mitteilung|zeilen?|absatz"
    r"|phrases?|lignes?|avis|annonces?|frases?|avisos?|mensajes?|líneas?)\b"
    r"|一?[句段行条个]?(?:话|文字|通知|公告|提示|说明|信息)",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"\b(?:our|the|my)\s+(?P<label>(?:postal |street )?address|e-?mail(?: address)?|opening (?:hours|times)|hours"
    r"|slogan|motto|tagline)\s+(?:is\s+)?(?P<value>\S.{4,})$",
    re.IGNORECASE,
)


def read_show(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """A text that is to be seen: a sentence, a number, a command, what stands in quotes or behind a colon."""
    said = _SAYING.match(clause)
    if said is not None and slugs:
        text = said["text"].strip()
        return Effect(operation="show", kind="text", value=text[:1].upper() + text[1:].rstrip(".") + ".", pages=slugs)
    if not (verb("add").search(rest) or verb("say").search(rest)):
        return None
    code = re.search(r"`([^`]+)`", clause)
    where = _where(clause, slugs)
    if code:
        place, anchor, _ = place_of(rest)
        under = "after_headline" if anchor.kind in ("headline", "heading") else place
        return Effect(operation="show", kind="code", value=code[1], place=under or "", pages=where)
    number = _NUMBER.search(rest)
    if number and group("phone").search(rest):
        return _phone(rest, number, where)
    text, bare = _content(rest)
    place, anchor, short = place_of(bare)
    moves = place in ("below", "above") and bool(anchor.words) and verb("move").match(rest.strip())
    if not text or place == "at" or moves or _leaves_out(short):
        return None
    footer = any_of(*words()["kinds"]["footer"]).search(short) is not None
    if footer and not slugs:
        where = ()
    place = "bottom" if footer and not place else place
    return Effect(
        operation="show", kind="footer" if footer else "text", value=text, place=_as_place(place), anchor=anchor.words,
        anchor_kind=anchor.kind, anchor_nth=anchor.nth, pages=where,
    )  # fmt: skip


def _phone(rest: str, number: re.Match[str], where: tuple[str, ...]) -> Effect:
    place, anchor, short = place_of(rest.replace(number[0], " \ue0ff "))
    label = _label(short[: short.find("\ue0ff")]) if "\ue0ff" in short else ""
    text = f"{label[:1].upper()}{label[1:]}: {number[0].strip()}" if label else number[0].strip()
    return Effect(
        operation="show", kind="phone", value=text, place=_as_place(place), anchor=anchor.words,
        anchor_kind=anchor.kind, anchor_nth=anchor.nth, pages=where,
    )  # fmt: skip


_A_THING = re.compile(
    r"\b(?:an?|the|our|my|your|another|some|more|eine?n?|der|die|das|den|unsere?n?|une?|les?|la|nos|notre|una?|el|los|las"
    r"|nuestr[oa]s?)\s+‹",
    re.IGNORECASE,
)
"""A heading that is there, said as a thing ("a code sample", "the opening hours"): its words alone are not meant."""


def _content(rest: str) -> tuple[str, str]:
    """The text that is to be shown, and the clause without it; what a text is called stands before it."""
    if is_own(rest):
        text = own_words(rest)
        return text, rest.replace(f"‹{text}›", " ", 1)
    told = _TOLD.search(rest)
    if told is not None:
        return _sentence(told["text"]), rest[: told.start()]
    colon = re.search(r"[:：]\s*(?P<text>[^:：].{2,300})$", ADDRESS.sub(" ", rest))
    if colon is not None:
        before = rest[: colon.start()]
        called = left_over(_GENERIC.sub(" ", without(place_of(before)[2], [verb("add"), verb("say")])))
        text = _sentence(colon["text"])
        if called and len(called.split()) <= 3 and named("kinds", called) is None:
            text = f"{called[:1].upper()}{called[1:]}: {text}"
        return text, before
    fact = _FACT.search(rest)
    if fact is not None:
        label = fact["label"]
        return f"{label[:1].upper()}{label[1:]}: {_sentence(fact['value'])}", rest[: fact.start()]
    shown = quotes(rest)  # words that are there already may be said once more elsewhere
    if len(shown) != 1 or _A_THING.search(rest):
        return "", rest
    return shown[0], rest.replace(f"‹{shown[0]}›", " ", 1)


def _sentence(text: str) -> str:
    return re.sub(r"[‹›\"“”]", "", text).strip()


def _leaves_out(short: str) -> bool:
    """Whether the words around a new text ask for more than that it is shown: for a style, or for another kind."""
    rest = any_of(*words()["kinds"]["footer"]).sub(" ", _GENERIC.sub(" ", without(short, [group("pronouns")])))
    kind = named("kinds", rest)
    return is_style(rest) or (kind is not None and kind[0] not in ("text", "page"))


def _label(text: str) -> str:
    """What a number is called: the words right before it, without verb and article."""
    bare = " ".join(without(text, [verb("add")]).split())
    return re.sub(r"^(?:(?:the|our|my|an?|die|unsere?|der|le|notre|el|nuestro)\s+)+", "", bare, flags=re.IGNORECASE)
