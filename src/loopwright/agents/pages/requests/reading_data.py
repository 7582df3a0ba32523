"""Requests about what an app keeps, read from a clause: records, values, fields, what is needed or asked first."""

import re
from collections.abc import Callable, Sequence

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.domain.sample_data import field_kind
from loopwright.agents.pages.requests.kept import Kept, likeness, meant, roots
from loopwright.agents.pages.requests.meaning import Page, colour_in, is_own, relation
from loopwright.agents.pages.requests.reading_records import (
    Lists,
    add_described,
    add_record,
    all_said,
    quoted_parts,
    remove_record,
    set_value,
    shape,
    shapes,
    unquoted,
)
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, named, verb, without, words
from loopwright.kernel.account.reading import language_of


def read_data(clause: str, rest: str, slugs: Sequence[str], pages: Sequence[Page]) -> Effect | None:
    """The effect on what is kept that a clause asks for, where all of its words are understood; None else."""
    lists = [each for page in pages for each in page.lists]
    here = [each for each in lists if each.slug in slugs] or lists
    for read in _READERS:
        effect = read(clause, rest, here)
        if effect is not None:
            return effect
    return None


# What is asked before something is deleted; what an empty list says; what has to be filled in.


def _ask_first(clause: str, rest: str, lists: Lists) -> Effect | None:
    if not (group("asking").search(clause) and group("deleting").search(clause)) or quoted_parts(clause):
        return None
    left = without(clause, [group("asking"), group("deleting"), verb("change"), verb("add"), group("wanting")])
    left = re.sub(r"先|要|之?前|都|时|一?条|记录|的", " ", left) if HAN.search(left) else left
    if not roots(left):
        return Effect(operation="ask_first", kind="button")
    kept = meant(left, lists)
    return Effect(operation="ask_first", kind="button", pages=(kept.slug,)) if kept else None


def _when_empty(clause: str, rest: str, lists: Lists) -> Effect | None:
    said, bare = quoted_parts(clause), unquoted(clause)
    states = len(group("emptiness").findall(bare)) > 1 or re.search(r"empty|leer|vide|vací|空", bare)
    if len(said) != 1 or not states:
        return None
    left = without(bare, [group("emptiness"), group("telling"), verb("add"), verb("change"), group("wanting")])
    kept = meant(left, [each for each in lists if each.entity])
    if kept is None:
        return None
    return Effect(operation="when_empty", value=said[0], anchor=kept.names[0], anchor_page=kept.slug)


def _require(clause: str, rest: str, lists: Lists) -> Effect | None:
    pair = next((each for each in words()["required_pairs"] if all(any_of(one).search(clause) for one in each)), ())
    if not (group("required").search(clause) or pair):
        return None
    known = [group("required"), group("field_words"), verb("change"), group("trailing"), *map(any_of, pair)]
    left = without(clause, known)
    found = [(kept, str(each["label"])) for kept in lists for each in kept.fields if all_said(left, each, kept)]
    if _different(found) > 1:
        found = [(kept, label) for kept, label in found if kept.is_form]
    if _different(found) != 1:
        return None
    kept, label = found[0]
    return Effect(operation="require", kind="field", words=label, anchor=kept.names[0], anchor_page=kept.slug)


def _filter(clause: str, rest: str, lists: Lists) -> Effect | None:
    if not group("filtering").search(clause) or is_own(clause):
        return None
    left = without(clause, [group("filtering"), group("wanting"), group("allowing"), verb("add"), group("lists")])
    keeping = [each for each in lists if each.entity and len(each.records) > 1]
    found = [(kept, str(each["label"])) for kept in keeping for each in kept.fields if all_said(left, each, kept)]
    if _different(found) != 1:
        return None
    kept, label = found[0]
    return Effect(operation="filter", kind="field", words=label, anchor=kept.names[0], anchor_page=kept.slug)


def _remove_field(clause: str, rest: str, lists: Lists) -> Effect | None:
    if not verb("remove").search(clause):
        return None
    left = without(clause, [verb("remove"), group("pronouns")])
    bare = group("field_words").sub(" ", left)
    placed = bare != left or group("form_words").search(left) is not None
    found = [
        (kept, str(each["label"]))
        for kept in lists
        for each in kept.fields
        if all_said(bare, each, kept) and (placed or likeness(bare, [str(each["label"])]) < 1.0)
    ]
    if _different(found) > 1:
        found = [(kept, label) for kept, label in found if kept.is_form == bool(group("form_words").search(left))]
    if _different(found) != 1:
        return None
    kept, label = found[0]
    return Effect(operation="remove_field", kind="field", words=label, anchor=kept.names[0], anchor_page=kept.slug)


def _different(found: Sequence[tuple[Kept, str]]) -> int:
    return len({(kept.entity or (kept.slug, kept.number), label) for kept, label in found})


# A new field.

_EACH, _HAN_FIELD = shapes("each_shapes"), shapes("han_field_shapes")
_CHOICES, _OPENING, _ASKED = shape("choices"), shape("opening"), shape("asked_for")
MOST_LABEL = 5


def _add_field(clause: str, rest: str, lists: Lists) -> Effect | None:
    plain = " ".join(clause.strip(" .!。").split())
    if group("search").search(unquoted(plain)):
        return None  # a field for searching keeps nothing
    choices, plain = _choices(plain)
    for form in _EACH:
        found = form.fullmatch(re.sub(r"^(?:please |bitte |请)", "", plain, flags=re.IGNORECASE))
        if found and (kept := meant(found["thing"], lists)) is not None:
            return _field(found["label"], kept, choices)
    asked = _ASKED.match(plain)
    if asked is not None and (kept := meant(asked["thing"] or asked["de_thing"], lists, form=True)) is not None:
        return _field(asked["label"] or asked["de"], kept, choices)
    if not group("field_words").search(plain) or not (verb("add").search(plain) or group("wanting").search(plain)):
        return None
    if HAN.search(plain):
        for form in _HAN_FIELD:
            found = form.fullmatch(plain)
            if found and (kept := meant(found["thing"], lists, form=True)) is not None:
                return _field(found["label"], kept, choices)
        return None
    return _field_by_place(plain, lists, choices)


def _choices(text: str) -> tuple[list[str], str]:
    found = _CHOICES.search(text)
    if found is None:
        return [], text
    items = re.split(
        r"\s*[,、/]\s*(?:and |or |und |oder |et |ou |y |o )?|\s+(?:and|or|und|oder|et|ou|y|o)\s+", found["list"]
    )
    items = [each.strip(" \"“”«»„「」'") for each in items if each.strip()]
    return items, f"{text[: found.start()]} {text[found.end() :]}".strip()


def _field_by_place(text: str, lists: Lists, choices: Sequence[str]) -> Effect | None:
    """A field with the list or form that a preposition names; the longest name counts."""
    text = without(text, [verb("add"), group("wanting")])
    form = re.search(r"form|formul", text, re.IGNORECASE) is not None
    ways = list(any_of(*words()["prepositions"]).finditer(text))
    for way in ways:
        ends = sorted({each.end() for each in re.finditer(r"\S+", text) if each.start() >= way.end()}, reverse=True)
        for end in ends:
            thing = text[way.end() : end]
            if group("field_words").search(thing) or not (roots(thing) or group("form_words").search(thing)):
                continue
            kept = meant(thing, lists, form=form)
            if kept is not None and (made := _field(f"{text[: way.start()]} {text[end:]}", kept, choices)) is not None:
                return made
    kept = meant("", lists, form=form)
    return _field(text, kept, choices) if kept is not None else None


def _field(label: str, kept: Kept, choices: Sequence[str]) -> Effect | None:
    said = quoted_parts(label)
    bare = said[0] if said else without(label, [group("field_words"), group("called")])
    bare = " ".join(bare.split()).strip(" ,.:;")
    bare = re.sub(r"^(?:(?:for|für|pour|para|de|du|des)\s+)", "", bare, flags=re.IGNORECASE)
    while (shorter := _OPENING.sub("", bare)) != bare:
        bare = re.sub(r"^(?:(?:for|für|pour|para|de|du|des)\s+)", "", shorter, flags=re.IGNORECASE)
    bare = re.sub(r"\s+(?:to|in|on|for|zu|für|hinzu|de|pour|para|a)$", "", bare, flags=re.IGNORECASE)
    if not bare or len(bare.split()) > MOST_LABEL or not re.search(r"[^\W\d_]", bare) or _is_more(bare):
        return None
    if group("leading").match(bare):
        return None
    kind = "choice" if choices else field_kind(bare, language_of(bare) if HAN.search(bare) else _language(kept, bare))
    kind = kind if kind not in ("status", "colour") else "text"
    return Effect(
        operation="add_field", kind="field", words=bare[:1].upper() + bare[1:], value=kind, anchor=kept.names[0],
        anchor_page=kept.slug, values=tuple(("", each) for each in choices),
    )  # fmt: skip


def _is_more(label: str) -> bool:
    """Whether a label is none: it has another clause in it, or says how something is to look."""
    clause = re.search(r"[,;:，。；：]", label) is not None
    asks = len(label.split()) > 2 and any(verb(each).search(label) for each in ("remove", "change", "move", "rename"))
    looks = group("look_words").search(label) is not None or relation(label) is not None or colour_in(label) is not None
    kind = named("kinds", label)
    plain = kind is not None and kind[0] in ("page", "button", "icon", "header", "footer", "menu", "card", "section")
    return clause or asks or looks or plain or named("numbers", label) is not None


def _language(kept: Kept, label: str) -> str:
    """The language in which a field of this label has a kind: its own, else that of the app."""
    known = [each for each in ("en", "de", "fr", "es") if field_kind(label, each) not in ("text",)]
    own = language_of(f"{label} {' '.join(kept.names)}")
    return own if own in known or not known else known[0]


_READERS: Sequence[Callable[[str, str, Lists], Effect | None]] = (
    _ask_first, _when_empty, _filter, _require, _add_field, remove_record, _remove_field, set_value,
    add_described, add_record,
)  # fmt: skip


# A new page whose content is said.

_PAGES, _SAYS = shapes("page_shapes"), shape("page_says")
_STATED = re.compile(r"\s*(?:with|mit|avec|con)?\s*[:：]")
_PAGES_THERE = re.compile(
    r"\b(?:on|in|to|of|every|each|all|this|that|the|any|jede[rns]?|allen?|chaque|toutes?|cada|todas?)$", re.IGNORECASE
)
"""What stands before "page" where none is new: "a message on every page: …"."""


_ABOUT_US = re.compile(
    r"\babout (?:us|me)\b|\büber (?:uns|mich)\b|\bà propos de (?:nous|moi)\b|\bsobre (?:nosotros|mí)\b", re.IGNORECASE
)


def read_new_page(message: str) -> Effect | None:
    """A new page with a title and the words that are to stand there; None where a title or the words are lacking."""
    plain = " ".join(message.strip().split())
    for form in _PAGES:
        found = form.fullmatch(plain)
        if found is None:
            continue
        given = found.groupdict()
        title = next((given[key] for key in given if key != "rest" and given[key]), "").strip(' "“”„«»「」')
        rest = found["rest"]
        body = rest[_SAYS.match(rest).end() :].strip()  # type: ignore[union-attr]
        stated = _STATED.match(rest) or quoted_parts(body) or re.search(r"\d{3}|@", body) or HAN.search(body)
        if not title or not body or not stated or len(title.split()) > MOST_LABEL or _PAGES_THERE.search(title):
            return None
        if about := _ABOUT_US.search(plain):  # a pronoun alone is no title
            title = about[0] if plain.lower().find(title.lower()) >= about.start() and len(title) < 9 else title
        lines = quoted_parts(body) or [each.strip(" .。") for each in re.split(r"\s*[,;；、，\n]\s*", body)]
        return Effect(
            operation="new_page",
            words=title[:1].upper() + title[1:],
            values=tuple(("", each) for each in lines if each),
        )
    return None
