"""Pages of an app that is built from its brief: neutral blocks with the brief's own nouns, fields and examples.

A ready line of business is drawn only where it says everything that the brief asks for; all else comes through here.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from loopwright.agents.pages.domain.app_model import HOME, RECORD_KINDS, AppModel, AppPage, Block
from loopwright.agents.pages.domain.grammar import before_preposition, lexicon, table
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.sample_names import names_of
from loopwright.agents.pages.offline.studio import details as resources

SINGLE_KINDS = frozenset({"phone", "address", "qr", "points", "links", "about", "claim"})

_ICONS = {
    "list": "list", "form": "edit", "map": "map", "calendar": "calendar", "week": "calendar", "checklist": "check",
    "chart": "chart", "limits": "wallet", "split": "users", "favourites": "heart", "shop": "bag", "cart": "cart",
    "people": "users", "news": "file", "poll": "chart", "player": "play", "swipe": "heart", "seating": "grid",
    "qr": "card", "code": "file", "chat": "chat", "calculator": "plus", "timer": "clock", "switches": "bell",
    "phone": "phone", "address": "pin", "signature": "edit", "quiz": "help", "game": "trophy", "points": "star",
    "gallery": "image", "board": "board", "progress": "trend", "links": "link", "about": "info", "figure": "trend",
}  # fmt: skip
_LOOKS = (
    ("#2F6F62", "#D98E4A"), ("#3B5BDB", "#F08C00"), ("#8A3F5C", "#4F8A8B"), ("#7A4B9A", "#E0A030"),
    ("#1F6E94", "#E07A5F"), ("#A2502F", "#3D7068"), ("#3F5E3A", "#C9822B"), ("#364A7D", "#D1606B"),
)  # fmt: skip
_TONES = (
    (re.compile(r"\bwarm\w*|\bchaud\w*|\bchaleur\w*|\bcálid\w*|暖|温馨", re.I), (_LOOKS[5], ("#B4552D", "#E0A030"))),
    (
        re.compile(r"\b(?:cool|cold) (?:colou?rs|tones|palette)|\bkühl\w*|\bfroid\w*|\bfrí[oa]s?\b|冷", re.I),
        (_LOOKS[1], _LOOKS[4]),
    ),
)
_MOTIFS = ("aurora", "bauhaus", "dunes", "orbs", "tiles", "strata", "arches", "stones")
_CURRENCY = {"en": "$", "de": "€", "fr": "€", "es": "€", "zh": "¥"}


def neutral_look(usual: dict[str, Any], brief: str) -> dict[str, Any]:
    """The usual look in one of eight pairs of colours, warm or cool ones if asked; the same for the same brief."""
    tones = [looks for words, looks in _TONES if words.search(own_words(brief))]
    fitting = tones[0] if len(tones) == 1 else _LOOKS
    brand, accent = fitting[_seed(own_words(brief)) % len(fitting)]
    return {**usual, "brand": brand, "accent": accent}


def _seed(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0]


def neutral_content(usual: Mapping[str, Any], model: AppModel, page: AppPage, brief: str) -> dict[str, Any]:
    """What the frame of a page needs, without anything that belongs to another app."""
    shown = model.blocks() if page.slug == HOME else page.blocks  # the home page tells what is new on the others
    blocks = [*shown, *(block for block in model.blocks() if block.kind == "shop")]
    counted = {block.measure.entity for block in blocks if block.measure is not None}
    blocks += [block for block in model.blocks() if block.entity in counted]
    records = {block.entity: list(block.records) for block in blocks if block.kind in RECORD_KINDS}
    sign = next((each for each in "€£¥" if each in brief), _CURRENCY[model.language])
    icons = {each.slug: _tile(each)["icon"] for each in model.pages if each.blocks}
    seed = _seed(model.name)
    labels = table("labels")[model.language]
    return {
        "look": neutral_look(usual["look"], brief),
        "tagline": model.subject or model.name,
        "currency": sign,
        "hero": {"motif": _MOTIFS[seed % len(_MOTIFS)], "hue": (seed * 7) % 360},
        "icons": {**usual["icons"], **icons, "home": "home"},
        "items": [],
        "records": records or {"Note": []},
        "vocabulary": {
            "item": labels["Entry"],
            "items": labels["Entry"],
            "add": labels["Add"],
            "cart": labels["Cart"],
            "cart_icon": "cart",
        },
    }


def neutral_context(model: AppModel, page: AppPage) -> dict[str, Any]:
    """What the template of a page is filled with beside the frame's own values."""
    labels = table("labels")[model.language]
    shown = [_with_shared(block, model) for block in page.blocks]
    here = AppPage(page.slug, page.title, tuple(shown))
    named = [str(each["name"]) for block in model.blocks() if block.kind in ("list", "shop") for each in block.records]
    return {
        "here": here,
        "subject": _shown_subject(model),
        "more_of_subject": _rest_of_subject(model),
        "figures": [
            block
            for each in model.pages
            for block in each.blocks
            if page.slug == HOME != each.slug and block.measure is not None and not block.measure.by
        ][:4],
        "tiles": [_tile(each) for each in model.pages if each.slug != HOME] if page.slug == HOME else [],
        "kinds": list(
            dict.fromkeys(template_of(block.kind) if block.kind in SINGLE_KINDS else block.kind for block in shown)
        ),
        "template_of": template_of,
        "fields_of": _fields_of,
        "measure_of": lambda block: asdict(block.measure),
        "record_kinds": RECORD_KINDS,
        "installs": lambda title: re.search(r"instal|安装", title, re.I) is not None,
        "people": lexicon(model.language).words["names"],
        "names": named[:3],
        "plan": _planned(named, page, model),
        "apart": next((line for line in _apart(model)), labels["Conflict"]),
        "t": lambda label, meaning="": labels.get(label, label),
    }


_SHIFT = re.compile(r"shift|rota|duty|helps?\b|schicht|dienst|einsatz|permanence|garde|turno|guardia|排班|值班", re.I)


_MEALS = re.compile(r"menus?\b|meals?|speise|essen|menü|repas|comida|cena|菜|餐", re.I)
_MEAL = {"en": "meal", "de": "Gericht", "fr": "plat", "es": "plato", "zh": "菜品"}


def _planned(named: list[str], page: AppPage, model: AppModel) -> list[str]:
    """What stands on the days of a plan: people where it is one of shifts, else things of the app."""
    shifts = any(block.kind == "week" and _SHIFT.search(f"{block.title} {block.noun}") for block in page.blocks)
    meals = any(block.kind == "week" and _MEALS.search(f"{block.title} {block.noun}") for block in page.blocks)
    if meals:
        return [*names_of(_MEAL[model.language], model.language), *named][:5]
    people = [str(each) for each in lexicon(model.language).words["names"]]
    return people[:5] if shifts or not named else named[:5]


MOST_OF_SUBJECT = 6
"""Words above the name on the home page; the rest of a longer one stands below."""


def _rest_of_subject(model: AppModel) -> str:
    """What a long subject says after its first noun."""
    head, rest = before_preposition(model.subject, lexicon(model.language))
    return rest[:1].upper() + rest[1:] if head and len(model.subject.split()) > MOST_OF_SUBJECT else ""


def _shown_subject(model: AppModel) -> str:
    """What stands above the name: what the app is, or whom it is for where the name says what it is."""
    head, rest = before_preposition(model.subject, lexicon(model.language))
    words = lexicon(model.language)
    start = words.starts("prepositions", rest) if rest else None
    shown = rest[start.end() :] if start and head.lower() in model.name.lower() else model.subject
    if len(shown.split()) > MOST_OF_SUBJECT:  # a sentence of the user's is not the app's
        shown = head
    return shown[:1].upper() + shown[1:] if shown.lower() != model.name.lower() else ""


def _apart(model: AppModel) -> list[str]:
    """What the brief says of people who must not be together."""
    labels = [field.label for block in model.blocks() for field in block.fields]
    return [text for text in labels if re.search(r"\b(?:not|nicht|pas|no)\b|不", text, re.I)]


def _with_shared(block: Block, model: AppModel) -> Block:
    """Favourites are chosen among the things that the app has."""
    if block.kind != "favourites":
        return block
    source = next(
        (each for each in model.blocks() if each.kind in ("list", "shop", "player", "people", "gallery")), None
    )
    if source is None:
        return block
    return replace(block, noun=source.noun, fields=source.fields, records=source.records)


def _tile(page: AppPage) -> dict[str, Any]:
    text = " · ".join(block.title for block in page.blocks if block.title != page.title and block.measure is None)
    lead = next((block for block in page.blocks if block.measure is None), None)
    icon = _ICONS.get(lead.kind, "list") if lead else "file"
    kept = next((block.entity for block in page.blocks if block.kind in RECORD_KINDS), "")
    return {"kept": kept, "href": f"{page.slug}.html", "title": page.title, "text": text, "icon": icon}


def template_of(kind: str) -> str:
    """The template that draws a kind of block."""
    if kind in SINGLE_KINDS:
        return "single"
    if resources.exists(f"pages/neutral/{kind}.html.j2"):
        return kind
    return "list"


def _fields_of(block: Block) -> list[dict[str, Any]]:
    return [
        {"key": each.key, "label": each.label, "kind": each.kind, "unit": each.unit}
        | ({"choices": each.choices} if each.key == block.state else {})
        for each in block.fields
    ]
