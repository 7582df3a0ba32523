"""Requests about words, parts and places, carried out in the pages' source."""

import html as entities
import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

from loopwright.agents.pages.account.effects import Effect, anchors, targets
from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits, scan
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.editing.source_map import BadSelector, SourceElement, SourceMap
from loopwright.agents.pages.requests.app import App, NotDone, with_page_rule, with_shared_rule
from loopwright.agents.pages.requests.styling import selector_of
from loopwright.agents.pages.requests.vocabulary import HAN

# --------------------------------------------------------------------------------------------------------------------
# Words in all that a person reads: texts, titles, names of controls, data and the texts of scripts.
# --------------------------------------------------------------------------------------------------------------------

NAMES = ("aria-label", "alt", "title", "placeholder", "content", "data-text", "data-label")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_TEXT_KEYS = (
    "name",
    "title",
    "label",
    "text",
    "meta",
    "badge",
    "description",
    "note",
    "heading",
    "subtitle",
    "currency",
)

Rewrite = Callable[[str], str]


def in_words(html: str, rewrite: Rewrite) -> str:
    """The page with its words rewritten; tags, addresses, ids, keys and the code of scripts stay."""
    edits: list[Edit] = []
    for token in scan(html):
        if token.kind == "start":
            edits += [_in_attribute(token, name, rewrite) for name in NAMES if token.value(name)]
            kind = token.value("type") or ""
            if token.name == "input" and kind in ("submit", "button") and token.value("value"):
                edits.append(_in_attribute(token, "value", rewrite))
        elif token.kind == "text":
            text = html[token.start : token.end]
            if token.name in ("", "title", "textarea"):
                new = entities.escape(rewrite(entities.unescape(text)), quote=False)
                edits.append(Edit(token.start, token.end, new if rewrite(text) != text else text))
            elif token.name == "script":
                edits.append(Edit(token.start, token.end, _in_script(text, rewrite)))
    return apply_edits(html, [each for each in edits if html[each.start : each.end] != each.text])


def _in_attribute(token: Token, name: str, rewrite: Rewrite) -> Edit:
    attribute = token.attribute(name)
    if attribute is None:
        raise AssertionError(name)
    new = rewrite(attribute.value)
    same = new == attribute.value
    if same:
        return Edit(attribute.value_start, attribute.value_start, "")
    return Edit(attribute.value_start, attribute.value_end, entities.escape(new, quote=True))


def _in_script(text: str, rewrite: Rewrite) -> str:
    """Data is rewritten where it says something to people, code only in strings that read like a sentence or a name."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            data = json.loads(text)
        except ValueError:
            return text
        new = _in_data(data, "", rewrite)
        if new == data:
            return text
        return (
            json.dumps(new, ensure_ascii=True).replace("<", "\\u003c").replace("'", "\\u0027").replace("&", "\\u0026")
        )

    def string(found: re.Match[str]) -> str:
        inner = found[0][1:-1]
        speaks = " " in inner.strip() or inner[:1].isupper() or HAN.search(inner) is not None
        if not speaks or re.search(r"[<>{}=#]|^\w+\.\w+$", inner):
            return found[0]
        new = rewrite(inner)
        return found[0] if new == inner else found[0][0] + new.replace(found[0][0], "\\" + found[0][0]) + found[0][0]

    return _STRING.sub(string, text)


def _in_data(value: Any, key: str, rewrite: Rewrite) -> Any:
    if isinstance(value, dict):
        return {name: _in_data(each, name, rewrite) for name, each in value.items()}
    if isinstance(value, list):
        return [_in_data(each, key, rewrite) for each in value]
    if not isinstance(value, str) or key in ("id", "key", "motif", "tone", "language", "category", "slug"):
        return value
    speaks = key in _TEXT_KEYS or " " in value or value[:1].isupper() or HAN.search(value) is not None
    return rewrite(value) if speaks else value


def rename(effect: Effect, app: App, looks: Looks) -> App:
    """The app with other words for words, in any case as it is written there ("cart", "Cart", "CART")."""
    old, new = effect.words, effect.value
    edge = "" if HAN.search(old) else r"(?<!\w){}(?!\w)"
    pattern = re.compile((edge or "{}").format(re.escape(old)), re.IGNORECASE)

    def as_there(found: re.Match[str]) -> str:
        if found[0] == old:
            return new
        if found[0].isupper() and len(old) > 1 and not HAN.search(old):
            return new.upper()
        return new[:1].lower() + new[1:] if found[0].islower() and not old.islower() else new[:1].upper() + new[1:]

    for slug, html in app.pages.items():
        if not effect.pages or slug in effect.pages:
            app = app.with_page(slug, in_words(html, lambda text: pattern.sub(as_there, text)))
    return app


_SIGN = r"(?:[$€£¥₹]|CHF|EUR|USD|GBP|元|Fr\.)"
_AMOUNT = re.compile(rf"{_SIGN}\s?(?P<a>\d[\d.,]*)|(?P<b>\d[\d.,]*)\s?{_SIGN}")


def currency(effect: Effect, app: App, looks: Looks) -> App:
    """The app with another currency at each amount; the figures stay."""
    sign = effect.value if effect.value in "$€£¥" else f"{effect.value}\u00a0"

    def rewrite(text: str) -> str:
        if re.fullmatch(rf"\s*{_SIGN}\s*", text):
            return sign
        return _AMOUNT.sub(lambda found: f"{sign}{(found['a'] or found['b'])}", text)

    for slug, html in app.pages.items():
        new = in_words(html, rewrite)
        new = re.sub(rf"([\"']){_SIGN}\1(?=\s*\+)", lambda found: f"{found[1]}{sign}{found[1]}", new)
        app = app.with_page(slug, new)
    return app


# --------------------------------------------------------------------------------------------------------------------
# Parts: gone, shown, moved.
# --------------------------------------------------------------------------------------------------------------------


def _outermost(element: Element, look: Look) -> Element:
    """The largest element around this one that shows nothing else."""
    at = element
    while at.inside >= 0:
        around = look.elements[at.inside]
        if (
            around.text != element.text
            or {"page", "menu", "header", "footer"} & set(around.kinds)
            or around.tag == "main"
        ):
            return at
        at = around
    return at


def part_of(element: Element, look: Look) -> Element:
    """What a heading or a name stands for: the section, row or card that it heads; else what shows nothing else."""
    at = element
    while at.inside >= 0:
        at = look.elements[at.inside]
        if {"section", "card", "row", "form"} & set(at.kinds):
            heads = [e for e in look.elements if e.inside >= 0 and _is_in(e, at, look) and "heading" in e.kinds]
            if "heading" in element.kinds and (not heads or heads[0] is element):
                return at
            break
        if at.tag in ("main", "body") or {"menu", "header"} & set(at.kinds):
            break
    return _outermost(element, look)


def _is_in(element: Element, around: Element, look: Look) -> bool:
    at = element
    while at.inside >= 0:
        at = look.elements[at.inside]
        if at is around:
            return True
    return False


def remove(effect: Effect, app: App, looks: Looks) -> App:
    """The app without what is meant: taken out of the source where nothing else needs it, else not shown.

    Raises:
        NotDone: it is on none of the pages.
    """
    found = 0
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        for each in targets(effect, look):
            found += 1
            alone = bool(effect.words or effect.nth)
            part = part_of(each, look) if effect.words else _outermost(each, look)
            if {"headline", "page", "menu", "header"} & set(part.kinds):
                raise NotDone("kept_part", what=effect.words or effect.kind)
            app = _without(app, slug, part) if alone else _hidden(app, slug, part, effect)
    if not found:
        raise NotDone("absent", what=effect.words or effect.kind)
    return app


def _hidden(app: App, slug: str, part: Element, effect: Effect) -> App:
    selector = selector_of(part)
    if "." not in selector or effect.inside:
        return with_page_rule(app, slug, f":root body {part.path}", {"display": "none"})
    if effect.pages:
        return with_page_rule(app, slug, f":root body {selector}", {"display": "none"})
    return with_shared_rule(app, f":root body {selector}", {"display": "none"})


def _without(app: App, slug: str, part: Element) -> App:
    """The page without an element and the links to it; one that a script works with is only not shown."""
    html = app.pages[slug]
    element = in_source(html, part)
    names = [] if element is None else re.findall(r"\bid=[\"']([\w-]+)", html[element.start : element.end])
    needed = any(re.search(rf"[\"'#]{re.escape(name)}[\"']", _scripts(html)) for name in names)
    if element is None or needed or re.search(r"\bdata-[a-z]", html[element.start : element.tag.end]):
        return with_page_rule(app, slug, f":root body {part.path}", {"display": "none"})
    edits = [Edit(element.start, element.end, "")]
    source = SourceMap(html)
    for name in names:
        edits += [
            Edit(link.start, link.end, "")
            for link in source.select(f'a[href="#{name}"]')
            if not element.start <= link.start < element.end
        ]
    return app.with_page(slug, apply_edits(html, edits))


def _scripts(html: str) -> str:
    return "\n".join(
        html[token.start : token.end] for token in scan(html) if token.kind == "text" and token.name == "script"
    )


def in_source(html: str, element: Element) -> SourceElement | None:
    """The element in the source, where it is the source's and not a script's."""
    try:
        found = SourceMap(html).select(element.path)
    except (BadSelector, Unmappable):
        return None
    return found[0] if len(found) == 1 and found[0].whole and found[0].name == element.tag else None


def show(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a text where it was asked for.

    Raises:
        NotDone: the page has no place for it.
    """
    for slug in effect.pages or ("index",):
        if slug not in app.pages:
            raise NotDone("no_page", what=slug)
        html = app.pages[slug]
        source = SourceMap(html)
        if effect.kind == "headline":
            app = app.with_page(slug, _retitled(html, source, effect.value))
            continue
        main = source.first("main") or source.first("body")
        if main is None:
            raise NotDone("unreadable", page=slug)
        at = main.tag.end
        head = source.first("h1")
        if effect.place == "after_headline" and head is not None and head.start > main.start:
            at = head.end
        app = app.with_page(slug, f"{html[:at]}\n{_markup(effect)}{html[at:]}")
    return app


def _retitled(html: str, source: SourceMap, new: str) -> str:
    head = source.first("h1")
    if head is None:
        raise NotDone("absent", what="headline")
    return apply_edits(html, [Edit(head.tag.end, head.content_end, entities.escape(new, quote=False))])


def _markup(effect: Effect) -> str:
    text = entities.escape(effect.value, quote=False)
    if effect.kind == "code":
        box = "overflow-x:auto;max-width:100%;padding:12px 16px;border-radius:12px;white-space:pre"
        code = f'<code style="font-family:ui-monospace,Consolas,monospace">{text}</code>'
        return f'<pre class="card" tabindex="0" style="{box}">{code}</pre>\n'
    if effect.kind == "phone":
        number = re.sub(r"[^\d+]", "", re.search(r"\+?\d[\d \-/]{4,}\d", effect.value)[0])  # type: ignore[index]
        return f'<p class="section"><a class="btn btn-soft btn-block" href="tel:{number}">{text}</a></p>\n'
    return f'<p class="section">{text}</p>\n'


def move(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a part at another place of its page.

    Raises:
        NotDone: the part or the place is not there, or a script makes it.
    """
    done = False
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        meant = targets(effect, look)
        if not meant:
            continue
        part = meant[0] if effect.kind in ("button", "menu", "image", "card") else part_of(meant[0], look)
        anchor = None
        if effect.place in ("below", "above"):
            beside = [each for each in anchors(effect, look) if each is not meant[0]]
            if not beside:
                continue
            anchor = part_of(beside[0], look) if not effect.anchor_kind else beside[0]
        app, done = _moved(app, slug, part, anchor, effect), True
    if not done:
        raise NotDone("absent", what=" / ".join(filter(None, [effect.words or effect.kind, effect.anchor])))
    return app


def _moved(app: App, slug: str, part: Element, anchor: Element | None, effect: Effect) -> App:
    html = app.pages[slug]
    source = SourceMap(html)
    element, main = in_source(html, part), source.first("main") or source.first("body")
    if element is None or main is None:
        raise NotDone("made_by_script", what=effect.words or effect.kind)
    if anchor is not None:
        beside = in_source(html, anchor)
        if beside is None or beside.start <= element.start < beside.end or element.start <= beside.start < element.end:
            raise NotDone("made_by_script", what=effect.anchor or effect.anchor_kind)
        at = beside.end if effect.place == "below" else beside.start
    else:
        at = main.tag.end if effect.place == "top" else main.content_end
    text = html[element.start : element.end]
    return app.with_page(
        slug,
        apply_edits(
            html, sorted([Edit(element.start, element.end, ""), Edit(at, at, f"\n{text}\n")], key=lambda e: e.start)
        ),
    )


# --------------------------------------------------------------------------------------------------------------------
# Controls: a switch between light and dark, another entry of the menu.
# --------------------------------------------------------------------------------------------------------------------

SWITCH_LABEL = {"en": "Dark mode", "de": "Dunkler Modus", "fr": "Mode sombre", "es": "Modo oscuro", "zh": "深色模式"}


def add_switch(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a switch between its light and its dark colours on each page; the choice holds on the next page.

    Raises:
        NotDone: the style sheet has only one set of colours.
    """
    if not re.search(r"\[data-mode=[\"']?dark", app.css) or not re.search(r"\[data-mode=[\"']?light", app.css):
        raise NotDone("one_scheme")
    script = (
        resources.files("loopwright.agents.pages.requests").joinpath("scheme_switch.js").read_text(encoding="utf-8")
    )
    for slug, html in app.pages.items():
        if effect.pages and slug not in effect.pages:
            continue
        source = SourceMap(html)
        header, main, body = source.first("header"), source.first("main") or source.first("body"), source.first("body")
        if main is None or body is None:
            raise NotDone("unreadable", page=slug)
        at = header.content_end if header is not None else main.tag.end
        label = SWITCH_LABEL.get(looks[slug].lang[:2].lower(), SWITCH_LABEL["en"])
        button = (
            f'<button class="btn btn-soft" type="button" data-scheme-switch aria-pressed="false" '
            f'style="flex:none;margin-inline-start:auto">{label}</button>\n'
        )
        edits = [Edit(at, at, button), Edit(body.content_end, body.content_end, f"<script>\n{script}</script>\n")]
        app = app.with_page(slug, apply_edits(html, edits))
    return app


def add_menu_item(effect: Effect, app: App, looks: Looks) -> App:
    """The app with one more entry in the menu of each page, made like the last one.

    Raises:
        NotDone: a page has no menu in its source.
    """
    for slug, html in app.pages.items():
        if effect.pages and slug not in effect.pages:
            continue
        items = [each for each in SourceMap(html).select("nav a[href]") if each.whole]
        if not items:
            raise NotDone("no_menu", page=slug)
        last = items[-1]
        text = html[last.start : last.end]
        text = re.sub(
            r"\shref=(\"[^\"]*\"|'[^']*'|\S+)", f' href="{entities.escape(effect.value, quote=True)}"', text, count=1
        )
        text = re.sub(r"\s(?:aria-current|id|data-[\w-]+)=(?:\"[^\"]*\"|'[^']*')", "", text)
        words = list(re.finditer(r">([^<>]*[^<>\s][^<>]*)<", text))
        if not words:
            raise NotDone("no_menu", page=slug)
        label = words[-1]
        text = f"{text[: label.start(1)]}{entities.escape(effect.words)}{text[label.end(1) :]}"
        app = app.with_page(slug, f"{html[: last.end]}\n{text}{html[last.end :]}")
    return app
