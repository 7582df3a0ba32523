"""The edit itself: a request is cut into its parts, and the first rule that understands a part carries it out."""

import html as entities
import re
from collections.abc import Callable

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import EditOutcome
from loopwright.agents.pages.offline.studio.editing.change import Change
from loopwright.agents.pages.offline.studio.editing.source import Source, to_english

# Edits of structure: something new on the page, a link, hearts to save favourites.

_ADD = re.compile(r"\b(?:add|insert|include|append|put|place|show|want|need|give)\b", re.I)
_LINK = re.compile(r"\blink\s+to\s+(?:the\s+)?(?:page\s+)?(?P<title>[^()\n]+?)\s*\((?P<slug>[a-z0-9-]{1,40})\)", re.I)
_FAVOURITES = re.compile(r"\b(?:favou?rites?|hearts?|like button|wish\s?list|bookmarks?|save button)\b", re.I)


def add_link(html: str, text: str) -> Change | None:
    """The request for a link to a page, carried out; None when the text is no such request."""
    link = _LINK.search(text)
    return _add_link(html, link["title"].strip(), link["slug"]) if link else None


def restructure(html: str, text: str) -> Change | None:
    """The request for another structure, carried out; None when the text is no such request."""
    if _FAVOURITES.search(text):
        return _add_hearts(html)
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
        return Change(html, "each element with an item on this page has a heart in its HTML")
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
        return Change(html, f"the HTML of this page has an element #{anchor}")
    section = resources.environment().get_template(template).render(id=anchor).strip() + "\n"
    at = _start_of_content(source) if top else _end_of_content(source)
    lead = "\n" if top else ""
    return Change(html[:at] + lead + section + html[at:], f"{name} {'at the top' if top else 'at the end'} of the page")


# Edits of words: anything that is quoted or named.

_QUOTES = "\"“”'‘’«»"
_NEW = rf"[{_QUOTES}]?(?P<new>[^{_QUOTES}\n]+?)[{_QUOTES}]?\s*[.!]?\s*$"
_RENAME = re.compile(
    rf"\b(?:rename|change|replace|turn|relabel)\b.*?[{_QUOTES}](?P<old>[^{_QUOTES}\n]+)[{_QUOTES}].*?"
    rf"\b(?:to|into|with|by|as|say)\b\s*:?\s*{_NEW}",
    re.IGNORECASE | re.DOTALL,
)
_RENAME_BARE = re.compile(
    r"\b(?:rename|replace|relabel)\s+(?:the\s+)?(?P<old>[^\n]+?)(?:\s+(?:button|link|tab|label|heading|section))?\s+"
    rf"(?:to|into|with|by|as)\s+{_NEW}",
    re.IGNORECASE,
)


def reword(html: str, text: str) -> Change | None:
    """The request for other words, carried out; None when the text is no such request."""
    for pattern in (_RENAME, _RENAME_BARE):
        match = pattern.search(text)
        if match is not None:
            return _replace(html, match["old"].strip(), match["new"].strip())
    return None


def _labels(source: Source, old: str, new: str) -> list[tuple[int, int, str]]:
    """Names that stand in attributes: what a button without words is called, what an empty field shows."""
    found = (element.tag.attribute(name) for element in source.elements for name in ("aria-label", "placeholder"))
    quoted = new.replace('"', "&quot;")
    return [(a.value_start, a.value_end, quoted) for a in found if a and a.value.strip().lower() == old.lower()]


def _replace(html: str, old: str, new: str) -> Change:
    """Exact texts first, then texts that contain the old words; markup, scripts and styles are never touched."""
    source = Source(html)
    wanted, written = entities.escape(old, quote=False), entities.escape(new, quote=False)
    texts = [t for t in source.tokens if t.kind == "text" and t.name in ("", "title")]
    for exact in (True, False):
        edits = []
        for token in texts:
            piece = html[token.start : token.end]
            bare = piece.strip()
            if exact and bare.lower() == wanted.lower():
                at = token.start + piece.index(bare)
                edits.append((at, at + len(bare), written))
            elif not exact and (found := re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", piece, re.IGNORECASE)):
                edits.append((token.start + found.start(), token.start + found.end(), written))
        edits += _labels(source, wanted, written) if exact else []
        if edits:
            times = "" if len(edits) == 1 else f" ({len(edits)} times)"
            return Change(source.replaced(*edits), f"“{old}” reads “{new}” now{times}")
    return Change(html, f"“{old}” does not stand on this page")


Rule = Callable[[str, str], Change | None]

RULES: tuple[Rule, ...] = (reword, add_link, restructure)

MAX_REQUESTS = 8

_NEXT = re.compile(
    r"(?:[.;\n。；]+\s*|,?\s+(?:and|then|also)\s+(?=(?:add|rename|replace|put)\b))",
    re.IGNORECASE,
)


def edit_page(html: str, instructions: str) -> EditOutcome:
    """Change the page as the instructions say, as far as rules understand them; every other byte stays.

    Args:
        html: the whole page.
        instructions: one or more requests in English, or the commonest ones in Chinese.
    """
    page = html
    done: list[str] = []
    refused: list[str] = []
    for said in _intents(instructions):
        intent = to_english(said) or said
        change = next((change for rule in RULES if (change := rule(page, intent)) is not None), None)
        if change is None:
            continue
        (refused if change.html == page else done).append(change.told)
        page = change.html
    if done:
        summary = "Changed: " + "; ".join([*done, *(f"not done: {why}" for why in refused)]) + "."
    elif refused:
        summary = "Nothing was changed: " + "; ".join(refused) + "."
    else:
        summary = resources.read_text("abilities.txt").strip()
    return EditOutcome(page, summary, page != html, bool(done or refused), tuple(done))


def _intents(instructions: str) -> list[str]:
    if re.search(r"[\"“”]", instructions):  # a quotation may hold anything: it is not cut
        pieces = re.split(r"\n+", instructions)
    else:
        pieces = _NEXT.split(re.sub(r"(?<=\w)\.(?=\w)", "․", instructions))
    return [piece.replace("․", ".").strip() for piece in pieces if piece and piece.strip()][:MAX_REQUESTS]
