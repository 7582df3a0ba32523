"""Pages of an app: templates of its product type, filled with that type's content.

A template is looked for as `data/pages/{product_type}/{slug}.html.j2`, then by archetype in the product type's folder,
then in `data/pages/common`; `common/section.html.j2` is the last resort.

`data/products/{product_type}.json` holds the content of a product type.  It is laid over `app.json` (dictionaries
deeply, lists as a whole), so every key of `app.json` is always there.  Templates reach it as `data`.
Where the brief names a subject, `data/topics/{product_type}/{topic}.json` is laid over that in turn.  Known keys:

- `look`: what the style sheet is made of, see design_system.py
- `tagline`; `currency` (default `$`)
- `hero`: `{eyebrow, title, text, action, motif, hue, tone}`
- `vocabulary`: `{item, items, add, cart, cart_icon}`: what things are called here
- `items`: `[{id, name, text, price?, category, tags: [], meta?, badge?, rating?, motif, hue, tone, …}]`; `motif` names
  one of `runtime/data/art`, `tone` one of day, vivid, night, dusk, clay; embedded in each page as `App.items`
- `categories`: `[{id, name, icon}]`; icons are names in `data/components/icons.json`
- `archetypes`: `{archetype: regular expression}` for page names of this product type, tried before the common ones
- `icons`: `{archetype: icon}` for the navigation
- `templates`: a folder of `data/pages` whose templates come before the product type's (albums are not films)
- `records`: `{entity: [record, …]}` of the data model, with which the app starts; `App.records` keeps them
- `details`, `named_by_brief`: see topics.py and details.py
- what the common pages show: `faq`, `hours`, `address`, `people`, `reviews`, `user`, `stats`, `events`, `messages`, …
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import segno
from markupsafe import Markup

from loopwright.agents.pages.brief.knowledge import GENERAL
from loopwright.agents.pages.domain.app_model import HOME as HOME_SLUG
from loopwright.agents.pages.domain.app_model import AppModel, AppPage, Block
from loopwright.agents.pages.domain.app_reader import read_app
from loopwright.agents.pages.domain.arranging import page_of_title
from loopwright.agents.pages.domain.grammar import language_code
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.ready import is_built_from_brief, model_of
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.archetypes import FALLBACK, HOME, infer_archetype
from loopwright.agents.pages.offline.studio.contracts import PageRequest
from loopwright.agents.pages.offline.studio.neutral import neutral_content, neutral_context
from loopwright.agents.pages.offline.studio.theme import colors_in
from loopwright.agents.pages.offline.studio.topics import content_for, spoken_language, translator
from loopwright.agents.pages.runtime import spoken_labels
from loopwright.agents.pages.runtime.drawing import name_of


def draw(motif: str, seed: str, hue: float = 40, tone: str = "day", ratio: str = "square") -> Markup:
    """The picture of a motif, varied by `seed`; `ratio` (`square`, `wide`, `hero` or `tall`) changes the crop."""
    return Markup('<img class="art" src="../runtime/art/{}" alt="" width="200" height="200">').format(
        name_of(motif, seed, hue, tone, ratio)
    )


# QR codes as inline SVG, drawn without a network: byte mode, error correction level M, by segno (ISO/IEC 18004).

QUIET_ZONE = 4
"""Modules of light margin that readers need (ISO/IEC 18004, 5.3.8)."""
MOST_BYTES = 213
"""What version 10 holds: larger codes are hard to scan on a phone's page."""


class TooLong(ValueError):
    """The text does not fit the largest code that is drawn here."""


def draw_qr_code(text: str, label: str) -> Markup:
    """An `<svg>` of the code with its quiet zone; `label` is its accessible name.

    Raises:
        TooLong: more than 213 bytes.
    """
    matrix = encode(text.encode())
    size = len(matrix) + 2 * QUIET_ZONE
    path = "".join(
        f"M{column + QUIET_ZONE} {row + QUIET_ZONE}h{run}v1h-{run}z"
        for row, modules in enumerate(matrix)
        for column, run in _dark_runs(modules)
    )
    return Markup(
        '<svg class="qr-code" viewBox="0 0 {0} {0}" role="img" aria-label="{1}" shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path d="{2}" fill="#000"/></svg>'
    ).format(size, label, path)


def _dark_runs(modules: list[int]) -> list[tuple[int, int]]:
    runs, column = [], 0
    for dark, group in groupby(modules):
        length = len(list(group))
        if dark:
            runs.append((column, length))
        column += length
    return runs


def encode(data: bytes) -> list[list[int]]:
    """The modules of the smallest code that holds the bytes, 1 for dark, without quiet zone.

    Raises:
        TooLong: more than 213 bytes.
    """
    if len(data) > MOST_BYTES:
        raise TooLong(f"{len(data)} bytes do not fit into a code of {MOST_BYTES}.")
    code = segno.make_qr(data, error="m", mode="byte", boost_error=False)
    return [[int(module) for module in row] for row in code.matrix]


MAX_NAV = 5
"""Entries of the bottom navigation; more do not fit 430 pixels at 44 pixels each with a readable label."""

NOT_IN_NAV = frozenset({"detail", "checkout", "login", "onboarding", "form", "settings", "faq", "about", "contact"})
"""Pages that are reached from other pages; they are in the navigation only where there is space."""

ONLY_FROM_OTHERS = frozenset({"detail", "checkout", "login", "onboarding"})
"""Pages that make no sense in a menu: what they show depends on where one comes from."""


EMPTY: dict[str, Any] = {"string": "", "number": 0, "boolean": False, "array": [], "object": {}}
"""What a required field of each type of the data model holds before anybody fills it in."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page of the app as navigation and links need it."""

    slug: str
    title: str
    archetype: str
    href: str
    icon: str
    current: bool


def render_page(request: PageRequest) -> str:
    """The complete HTML document of a page.

    Raises:
        jinja2.UndefinedError: a template asks for content that its product type does not have.
    """
    if is_built_from_brief(request.brief):
        return _render_neutral(request)
    known = product_type_of(request.product_type)
    content = content_for(known, request.brief or request.notes, request.app_name)
    archetype = request.archetype or infer_archetype(request.slug, request.title, request.description, known)
    shown = shown_as(archetype, request.title, known, content)
    template = find_template(known, request.slug, shown, content.get("templates"))
    context = _context(request, known, content, shown)
    html = resources.environment().get_template(template).render(context)
    return re.sub(r"\n\s*\n+", "\n", html).strip() + "\n"


def _render_neutral(request: PageRequest) -> str:
    """A page of an app that is built from the brief's own words."""
    sitemap = [(entry.slug, entry.title) for entry in request.sitemap]
    if request.slug not in dict(sitemap):
        sitemap.append((request.slug, request.title))
    return render_of_model(model_of(request.brief, request.app_name, sitemap), request)


def render_of_model(model: AppModel, request: PageRequest) -> str:
    """A page of an app of which it is known what it consists of, in neutral blocks."""
    page = _page_of(request, model)
    usual = resources.read_json(f"products/{GENERAL}.json")
    content = neutral_content(usual, model, page, request.brief)
    entities = {entity: {"key": "id", "empty": {}} for entity in content["records"]}
    values = _context(request, GENERAL, content, HOME if page.slug == HOME_SLUG else "section", listed=True)
    values["app"]["language"] = language_code(own_words(request.brief)) if request.brief else model.language
    values |= {"entities": entities, **neutral_context(model, page)}
    values["words"] = {} if model.language == "en" else {label: values["t"](label) for label in spoken_labels()}
    html = resources.environment().get_template("pages/neutral/page.html.j2").render(values)
    return re.sub(r"\n\s*\n+", "\n", html).strip() + "\n"


_ASKED_END = re.compile(r"\s+(?:hinzu|an|dazu)\s*[.!]?$", re.IGNORECASE)


def _told(request: PageRequest, model: AppModel) -> Sequence[Block]:
    """What the description of a page was read as; the words before its title ask for a page, and none is on it."""
    asked = request.description or ""
    at = asked.lower().find(request.title.lower())
    if at >= 0:
        asked = f"App: {_ASKED_END.sub('', asked[at:])}"
    return read_app(asked, model.name, filled=False).blocks() if asked else ()


def _page_of(request: PageRequest, model: AppModel) -> AppPage:
    """The page as the brief says it; one of which the brief knows nothing as its title and its description say."""
    page = model.page(request.slug)
    if page is not None and (request.slug == HOME_SLUG or request.title.lower() in request.brief.lower()):
        return page
    told = _told(request, model)
    says = any(each.fields or each.numbers for each in told)
    if page is not None and not says:
        return page
    return page_of_title(request.slug, request.title, model.language, told)


def shown_as(archetype: str, title: str, product_type: str, content: dict[str, Any]) -> str:
    """The kind of page to draw: a home page that is called "Board" shows the board.

    The content says under `homes` which kinds may stand in for a home page of its own.
    """
    if archetype != HOME:
        return archetype
    named = infer_archetype("", title, "", product_type)
    return named if named in content.get("homes", ()) else archetype


def product_type_of(name: str) -> str:
    """The product type if it has content of its own, else the general one."""
    safe = bool(re.fullmatch(r"[a-z_]+", name))
    return name if safe and resources.exists(f"products/{name}.json") else GENERAL


def find_template(product_type: str, slug: str, archetype: str, folder: str | None = None) -> str:
    """The path of the most fitting template; `folder` is the one that the content asks for."""
    candidates = (
        f"pages/{folder}/{archetype}.html.j2",
        f"pages/{product_type}/{slug}.html.j2",
        f"pages/{product_type}/{archetype}.html.j2",
        f"pages/common/{archetype}.html.j2",
    )
    last_resort = f"pages/common/{FALLBACK}.html.j2"
    return next((path for path in candidates if resources.exists(path)), last_resort)


def page_links(request: PageRequest, product_type: str, icons: dict[str, str]) -> list[PageLink]:
    """The pages of the sitemap; the page itself is among them even if the sitemap lacks it."""
    entries = {entry.slug: entry.title for entry in request.sitemap}
    entries.setdefault(request.slug, request.title)
    links = []
    for slug, title in entries.items():
        archetype = infer_archetype(slug, title, "", product_type)
        if slug == request.slug and request.archetype:
            archetype = request.archetype
        named = infer_archetype("", title, "", product_type) if archetype == HOME else archetype
        kind = named if named != FALLBACK else archetype  # a home page that is called "Board" gets the board's icon
        icon = icons.get(slug) or icons.get(kind) or icons.get(archetype) or icons[FALLBACK]
        links.append(PageLink(slug, title, archetype, f"{slug}.html", icon, slug == request.slug))
    return links


def navigation(links: list[PageLink]) -> list[PageLink]:
    """The entries of the bottom navigation, in the order of the sitemap."""
    candidates = [link for link in links if link.archetype not in ONLY_FROM_OTHERS]
    if len(candidates) > MAX_NAV:
        first = [link for link in candidates if link.archetype not in NOT_IN_NAV]
        chosen = [*first, *(link for link in candidates if link not in first)][:MAX_NAV]
        profile = next((link for link in candidates if link.archetype == "profile"), None)
        if profile is not None and profile not in chosen:
            chosen[-1] = profile
        candidates = [link for link in candidates if link in chosen]
    return candidates if len(candidates) > 1 else []


def _back(links: list[PageLink], archetype: str, nav: list[PageLink]) -> PageLink | None:
    """Where the back arrow of a page leads: to the list for a detail, to the cart for the checkout, else home."""
    current = next(link for link in links if link.current)
    if archetype == HOME or current in nav:
        return None
    wanted = {"detail": ("list", "search", HOME), "checkout": ("cart", HOME)}.get(archetype, (HOME,))
    found = (link for kind in wanted for link in links if link.archetype == kind and not link.current)
    return next(found, None)


def _context(
    request: PageRequest, product_type: str, content: dict[str, Any], archetype: str, *, listed: bool = False
) -> dict[str, Any]:
    links = page_links(request, product_type, content["icons"])
    if listed:  # of pages that are called by the brief's own nouns none is only a detail of another
        links = [replace(each, archetype=FALLBACK) if each.archetype in ONLY_FROM_OTHERS else each for each in links]
    nav = navigation(links)

    def link(wanted: str) -> str | None:
        """The address of the page with this slug or, else, of this archetype."""
        by_slug = next((each.href for each in links if each.slug == wanted), None)
        return by_slug or next((each.href for each in links if each.archetype == wanted), None)

    language = spoken_language(product_type, request.brief or request.notes)
    say = translator(language)
    return {
        "page": {
            "slug": request.slug,
            "title": request.title,
            "description": request.description,
            "archetype": archetype,
        },
        "app": {
            "name": request.app_name or request.title,
            "tagline": content["tagline"],
            "key": storage_prefix(request.app_name),
            "product_type": product_type,
            "language": language,
        },
        "t": say,
        "words": {} if language == "en" else {label: say(label) for label in spoken_labels()},
        "sitemap": links,
        "nav": nav,
        "more": [each for each in links if each not in nav and each.archetype not in ONLY_FROM_OTHERS],
        "back": _back(links, archetype, nav),
        "link": link,
        "data": content,
        "items": content["items"],
        "vocabulary": content["vocabulary"],
        "theme_color": next(iter(colors_in(request.brief)), content["look"]["brand"]),
        "art": draw,
        "icon_shape": icon_shape,
        "money": lambda amount: f"{content['currency']}{amount:.2f}",
        "notes": request.notes,
        "model": request.data_model or {},
        "entities": entities(request, content),
        "qr_code": draw_qr_code,
    }


def storage_prefix(app_name: str) -> str:
    """What an app's keys in localStorage begin with; a name without Latin letters keeps apart by its code points."""
    latin = re.sub(r"[^a-z0-9]+", "-", app_name.lower()).strip("-")
    return latin or "-".join(f"{ord(character):x}" for character in app_name.strip()[:8]) or "app"


def entities(request: PageRequest, content: dict[str, Any]) -> dict[str, Any]:
    """Entities that the app keeps records of: their primary key, and what required fields hold at first."""
    known = (request.data_model or {}).get("entities") or {}
    made = {}
    for name in content.get("records", {}):
        entity = known.get(name) or {}
        required = (field for field in entity.get("fields", ()) if field.get("required"))
        empty = {field["name"]: EMPTY.get(field.get("type"), "") for field in required}
        made[name] = {"key": entity.get("primaryKey", "id"), "empty": empty}
    return made


def icon_shape(name: str) -> Markup:
    """The inside of a 24 by 24 icon.

    Raises:
        KeyError: there is no icon of this name.
    """
    return Markup(resources.read_json("components/icons.json")[name])  # noqa: S704 - our own data file
