"""Edits of structure: something new on the page, something gone from it, a link, hearts to save favourites."""

import html as entities
import re

from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.editing.parts import named_part, section_named
from loopwright.agents.pages.offline.studio.editing.source import Element, Source
from loopwright.agents.pages.offline.studio.editing.stylesheet import with_rule
from loopwright.agents.pages.offline.studio.editing.wish import Change

_ADD = re.compile(r"\b(?:add|insert|include|append|put|place|show|want|need|give)\b", re.I)
_REMOVE = re.compile(r"\b(?:remove|delete|drop|get rid of|take (?:out|away)|without)\b", re.I)
_HIDE = re.compile(r"\bhide\b", re.I)
_SHOW = re.compile(r"\b(?:show|unhide|bring back)\b.*\b(?:again|back)\b|\bunhide\b", re.I)
_LINK = re.compile(r"\blink\s+to\s+(?:the\s+)?(?:page\s+)?(?P<title>[^()\n]+?)\s*\((?P<slug>[a-z0-9-]{1,40})\)", re.I)
_FAVOURITES = re.compile(r"\b(?:favou?rites?|hearts?|like button|wish\s?list|bookmarks?|save button)\b", re.I)


def add_link(html: str, text: str) -> Change | None:
    """The wish for a link to a page, carried out; None when the text is no such wish."""
    link = _LINK.search(text)
    return _add_link(html, link["title"].strip(), link["slug"]) if link else None


def restructure(html: str, text: str) -> Change | None:
    """The wish for another structure, carried out; None when the text is no such wish."""
    if _REMOVE.search(text) or _HIDE.search(text):
        return _take_away(html, text, hide=_REMOVE.search(text) is None)
    if _FAVOURITES.search(text):
        return _add_hearts(html)
    if _SHOW.search(text) and (part := named_part(text)) and (selector := part.selector_on(Source(html))):
        return Change(with_rule(html, selector, {"display": "revert-layer"}), f"the {part.name} shows again")
    return _add_section(html, text) if _ADD.search(text) else None


def _end_of_content(source: Source) -> int:
    main = source.first("main", ".content", "body")
    return main.content_end if main is not None else len(source.html)


def _start_of_content(source: Source) -> int:
    main = source.first("main", ".content", "body")
    return main.tag.end if main is not None else 0


def _add_link(html: str, title: str, slug: str) -> Change:
    source = Source(html)
    if f'href="{slug}.html"' in html:
        return Change(html, f"there is a link to {slug} already")
    words = entities.escape(title)
    line = f'<p class="section"><a class="btn btn-soft btn-block" href="{slug}.html">{words}</a></p>\n'
    at = _end_of_content(source)
    return Change(html[:at] + line + html[at:], f"a link to {title}")


def _take_away(html: str, text: str, *, hide: bool) -> Change:
    source = Source(html)
    named = re.sub(r"^.*?\b(?:remove|delete|drop|hide|get rid of|take out|take away|without)\b", "", text, flags=re.I)
    element = section_named(source, named)
    part = named_part(named)
    if element is None and part is not None and part.kind != "token":
        element = source.first(*part.selectors)
    if element is None:
        return Change(html, "I do not find that on this page")
    what = named.strip(" .!") or "it"
    if hide:
        selector = _selector_of(element)
        if selector is None:
            return Change(html, f"{what} has no name by which I could hide it")
        return Change(with_rule(html, selector, {"display": "none !important"}), f"{what}: hidden")
    if element.matches("h1") or element.tag.name in ("main", "body", "html", "head"):
        return Change(html, "a page keeps its main heading and its main part")
    start, end = _whole_lines(html, element)
    return Change(html[:start] + html[end:], f"{what}: removed")


def _selector_of(element: Element) -> str | None:
    if name := element.tag.value("id"):
        return f"#{name}"
    classes = sorted(element.classes)
    return "." + ".".join(classes) if classes else element.tag.name


def _whole_lines(html: str, element: Element) -> tuple[int, int]:
    """The element's span, with the line break and indentation that would stay behind as an empty line."""
    start, end = element.tag.start, element.end
    line = html.rfind("\n", 0, start) + 1
    if html[line:start].strip() == "" and html[end : end + 1] == "\n":
        return line, end + 1
    return start, end


def _add_hearts(html: str) -> Change:
    """A heart beside every add button that has none; the page's own script remembers and shows them."""
    source = Source(html)
    saved = {e.tag.value("data-favorite") for e in source.elements if e.tag.value("data-favorite")}
    heart = resources.environment().get_template("additions/heart.html.j2")
    edits = []
    for element in source.elements:
        item = element.tag.value("data-add") or element.tag.value("data-item")
        if item and item not in saved:
            saved.add(item)
            inside = element.tag.value("data-item") is not None
            at = element.content_end if inside else element.tag.start
            edits.append((at, at, heart.render(id=item, name=item.replace("-", " ")).strip() + "\n"))
    if edits:
        return Change(source.replaced(*edits), f"hearts that remember favourites ({len(edits)})")
    if saved:
        return Change(html, "this page has hearts for favourites already")
    return _insert(html, "favourites", "additions/favourites.html.j2", top=False)


def _add_section(html: str, text: str) -> Change | None:
    for known in resources.read_json("additions.json"):
        if re.search(known["pattern"], text, re.IGNORECASE):
            return _insert(html, known["name"], f"additions/{known['template']}.html.j2", top=known["top"])
    return None


def _insert(html: str, name: str, template: str, *, top: bool) -> Change:
    source = Source(html)
    anchor = f"added-{re.sub(r'[^a-z]+', '-', name.lower())}"
    if source.find(f"#{anchor}"):
        return Change(html, f"{name} is on this page already")
    section = resources.environment().get_template(template).render(id=anchor).strip() + "\n"
    at = _start_of_content(source) if top else _end_of_content(source)
    lead = "\n" if top else ""
    return Change(html[:at] + lead + section + html[at:], f"{name} {'at the top' if top else 'at the end'} of the page")
