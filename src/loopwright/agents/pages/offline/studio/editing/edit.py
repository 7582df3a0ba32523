"""The edit itself: a wish is cut into its parts, and the first rule that understands a part carries it out."""

import html as entities
import re
from collections.abc import Callable

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.colour import fill_and_ink
from loopwright.agents.pages.offline.studio.contracts import EditOutcome
from loopwright.agents.pages.offline.studio.editing.source import (
    Element,
    Part,
    Source,
    named_part,
    section_named,
    to_english,
)
from loopwright.agents.pages.offline.studio.editing.wish import Change
from loopwright.agents.pages.offline.studio.theme import colors_in

# --------------------------------------------------------------------------------------------------------------------
# The page's own rules for edits: one `<style>` element, one line a rule, a later wish replaces an earlier one.
# --------------------------------------------------------------------------------------------------------------------

OPENING = '<style data-edits="">'
_BLOCK = re.compile(re.escape(OPENING) + r"\n(?P<rules>.*?)</style>\n", re.DOTALL)
_RULE = re.compile(r"^(?P<selector>[^{}\n]+?) \{ (?P<body>[^{}\n]*) \}$", re.MULTILINE)


def with_rule(html: str, selector: str, declarations: dict[str, str]) -> str:
    """The page with these declarations for the selector; other declarations of an earlier edit stay."""
    block = _BLOCK.search(html)
    rules: dict[str, dict[str, str]] = {}
    if block is not None:
        for rule in _RULE.finditer(block["rules"]):
            rules[rule["selector"]] = _declarations(rule["body"])
    rules.setdefault(selector, {}).update(declarations)
    lines = [f"{name} {{ {'; '.join(f'{k}: {v}' for k, v in body.items())} }}" for name, body in rules.items()]
    text = OPENING + "\n" + "\n".join(lines) + "\n</style>\n"
    if block is not None:
        return html[: block.start()] + text + html[block.end() :]
    head = Source(html).first("head")
    at = head.content_end if head is not None else 0
    return html[:at] + text + html[at:]


def _declarations(body: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in body.split(";") if ":" in part)
    return {name.strip(): value.strip() for name, _, value in pairs}


# --------------------------------------------------------------------------------------------------------------------
# Edits of structure: something new on the page, something gone from it, a link, hearts to save favourites.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# Edits of words: the title, and anything that is quoted or named.
# --------------------------------------------------------------------------------------------------------------------

_QUOTES = "\"“”'‘’«»"
_NEW = rf"[{_QUOTES}]?(?P<new>[^{_QUOTES}\n]+?)[{_QUOTES}]?\s*[.!]?\s*$"
_TITLE = re.compile(
    rf"\b(?:app\s+)?(?P<what>titles?|headings?|headlines?|h1)\b(?:\s+text)?(?P<old>.*?)\b(?:to|into|say|says|read|reads|as)\b\s*:?\s*{_NEW}",
    re.IGNORECASE | re.DOTALL,
)
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
    """The wish for other words, carried out; None when the text is no such wish."""
    for pattern in (_RENAME, _RENAME_BARE):
        match = pattern.search(text)
        if match is not None:
            return _replace(html, match["old"].strip(), match["new"].strip())
    title = _TITLE.search(text)
    if title is None:
        return None
    named = _replace(html, title["old"].strip(" ,:"), title["new"].strip()) if title["old"].strip(" ,:") else None
    return named if named is not None and named.html != html else _retitle(html, title["new"].strip())


def _retitle(html: str, new: str) -> Change:
    source = Source(html)
    heading = source.first("h1")
    if heading is None:
        return Change(html, "this page has no main heading")
    written = entities.escape(new, quote=False)
    edits = [(heading.tag.end, heading.content_end, written)]
    name = source.first("title")
    if name is not None:
        edits.append((name.tag.end, name.content_end, written))
    return Change(source.replaced(*edits), f"the title is “{new}” now")


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


# --------------------------------------------------------------------------------------------------------------------
# Edits of colour: a part gets a colour, with ink that can be read on it.
# --------------------------------------------------------------------------------------------------------------------

_WISH = re.compile(r"\b(?:make|change|turn|set|paint|colou?r|use|give|switch|want|should be|be)\b|#[0-9a-f]{3,6}", re.I)
_SHADE = re.compile(r"\b(?P<way>darker|lighter|dark|light)\b", re.I)


def recolour(html: str, text: str) -> Change | None:
    """The wish for a colour, carried out; None when the text is no such wish."""
    colours = colors_in(text)
    part = named_part(text)
    if not colours:
        return _shade(html, text, part)
    if part is None:
        if not _WISH.search(text):
            return None
        part = Part("accent", (), (":root",), "token")
    colour = colours[0]
    if part.kind == "token":
        fill, ink = fill_and_ink(colour)
        declarations = {f"--color-{name}": fill for name in ("brand", "primary")}
        declarations |= {f"--color-on-{name}": ink for name in ("brand", "primary")}
        return Change(with_rule(html, ":root", declarations), f"the accent colour is {fill} now")
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    if part.kind == "text":
        return Change(with_rule(html, selector, {"color": colour}), f"{part.name}: text in {colour}")
    fill, ink = (colour, _ink(colour)) if part.kind == "page" else fill_and_ink(colour)
    new = with_rule(html, selector, {"background": fill, "color": ink})
    if part.kind == "ground":
        new = _inherit_ink(new, selector)
    return Change(new, f"the {part.name} {'are' if part.name.endswith('s') else 'is'} {fill} now, with {ink} on it")


def _ink(ground: str) -> str:
    return fill_and_ink(ground)[1]


def _inherit_ink(html: str, selector: str) -> str:
    """Text inside takes the new ink too, unless it stands on a ground of its own."""
    inner = f"{selector} :is(h1, h2, h3, p, a, span, small):not([class*=btn])"
    return (
        with_rule(html, inner, {"color": "inherit"}) if selector in (".app-bar", ".hero", "header", "footer") else html
    )


def _shade(html: str, text: str, part: Part | None) -> Change | None:
    match = _SHADE.search(text)
    if match is None or part is None or part.kind not in ("page", "ground"):
        return None
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    dark = match["way"].lower().startswith("dark")
    ground, ink = ("#16181D", "#F4F5F7") if dark else ("#FBFBFC", "#1A1C20")
    tokens = {
        "--color-bg": ground,
        "--color-text": ink,
        "--color-surface": "#20232A" if dark else "#FFFFFF",
        "--color-surface-2": "#2A2E36" if dark else "#F1F2F4",
        "--color-muted": "#B4BAC4" if dark else "#575D68",
        "--color-border": "#383D47" if dark else "#DDE0E5",
    }
    declarations = {**tokens, "background": ground, "color": ink}
    return Change(with_rule(html, selector, declarations), f"the {part.name} is {'dark' if dark else 'light'} now")


# --------------------------------------------------------------------------------------------------------------------
# Edits of size and shape: bigger headings, rounder corners, more space.
# --------------------------------------------------------------------------------------------------------------------

_BIGGER = re.compile(r"\b(?:bigger|larger|increase|enlarge|taller|huge|big|large)\b", re.I)
_SMALLER = re.compile(r"\b(?:smaller|decrease|reduce|shrink|tiny|small)\b", re.I)
_ROUNDER = re.compile(
    r"\b(?:rounder|round(?:ed)?|pill|softer)\b.*\b(?:corners?|buttons?|cards?|edges?)\b|\bround(?:er|ed)\b", re.I
)
_SHARPER = re.compile(r"\b(?:sharp(?:er)?|square[dr]?|no rounded|angular)\b", re.I)
_AIRIER = re.compile(r"\bmore\s+(?:white\s?space|space|spacing|padding|room|air)\b|\bairier\b", re.I)
_TIGHTER = re.compile(r"\b(?:less\s+(?:white\s?space|space|spacing|padding)|tighter|denser|more compact)\b", re.I)
_BOLD = re.compile(r"\b(?:bold(?:er)?|heavier|stronger)\b", re.I)

_TYPE = {
    True: {"h1": "2.25rem", "h2": "1.6rem", "text": "1.125rem"},
    False: {"h1": "1.375rem", "h2": "1.125rem", "text": "0.9375rem"},
}
_RADII = ("--radius-s", "--radius-m", "--radius-l")


def resize(html: str, text: str) -> Change | None:
    """The wish for another size or shape, carried out; None when the text is no such wish."""
    if _SHARPER.search(text):
        return Change(with_rule(html, ":root", dict.fromkeys(_RADII, "0px")), "corners are square now")
    if _ROUNDER.search(text):
        radii = dict(zip(_RADII, ("12px", "20px", "28px"), strict=True))
        return Change(with_rule(html, ":root", radii), "corners are rounder now")
    if _AIRIER.search(text) or _TIGHTER.search(text):
        return _space(html, wide=_AIRIER.search(text) is not None)
    if _BIGGER.search(text) or _SMALLER.search(text):
        return _scale(html, text, bigger=_BIGGER.search(text) is not None)
    part = named_part(text)
    if _BOLD.search(text) and part is not None and (selector := part.selector_on(Source(html))):
        return Change(with_rule(html, selector, {"font-weight": "800"}), f"the {part.name} is bold now")
    return None


def _space(html: str, *, wide: bool) -> Change:
    spaces = ("20px", "26px", "34px", "44px") if wide else ("12px", "14px", "18px", "24px")
    tokens = dict(zip(("--space-4", "--space-5", "--space-6", "--space-7"), spaces, strict=True))
    return Change(with_rule(html, ":root", tokens), f"there is {'more' if wide else 'less'} space now")


def _scale(html: str, text: str, *, bigger: bool) -> Change | None:
    part = named_part(text)
    if part is None:
        return None
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    told = f"the {part.name} {'are' if part.name.endswith('s') else 'is'} {'bigger' if bigger else 'smaller'} now"
    if part.name == "buttons":
        rule = {"min-height": "56px" if bigger else "44px", "font-size": "1.125rem" if bigger else "0.9375rem"}
        return Change(with_rule(html, selector, rule), told)
    if part.name in ("hero", "cards"):
        return Change(with_rule(html, selector, {"padding": "32px" if bigger else "12px"}), told)
    if part.name in ("header", "bottom navigation"):
        return Change(with_rule(html, selector, {"min-height": "76px" if bigger else "52px"}), told)
    size = _TYPE[bigger][selector if selector in ("h1", "h2") else "text"]
    return Change(with_rule(html, selector, {"font-size": size}), told)


Rule = Callable[[str, str], Change | None]

RULES: tuple[Rule, ...] = (reword, add_link, recolour, resize, restructure)

MAX_WISHES = 8

_NEXT = re.compile(
    r"(?:[.;\n。；]+\s*|,?\s+(?:and|then|also)\s+(?=(?:make|change|set|turn|add|remove|hide|rename|replace|use|put|give)\b"
    r"|the\s+[a-z ]{3,20}\s(?:[a-z]+er|#[0-9a-f]{3,6}|[a-z]+)\s*$))",
    re.IGNORECASE,
)


def edit_page(html: str, instructions: str) -> EditOutcome:
    """Change the page as the instructions say, as far as rules understand them; every other byte stays.

    Args:
        html: the whole page.
        instructions: one or more wishes in English, or the commonest ones in Chinese.
    """
    page = html
    done: list[str] = []
    refused: list[str] = []
    for said in _wishes(instructions):
        wish = to_english(said) or said
        change = next((change for rule in RULES if (change := rule(page, wish)) is not None), None)
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


def _wishes(instructions: str) -> list[str]:
    if re.search(r"[\"“”]", instructions):  # a quotation may hold anything: it is not cut
        pieces = re.split(r"\n+", instructions)
    else:
        pieces = _NEXT.split(re.sub(r"(?<=\w)\.(?=\w)", "․", instructions))
    return [piece.replace("․", ".").strip() for piece in pieces if piece and piece.strip()][:MAX_WISHES]
