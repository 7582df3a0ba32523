"""Requests about words, parts and places, carried out in the pages' source."""

import html as entities
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect, anchors, targets
from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits, scan
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.editing.source_map import BadSelector, SourceElement, SourceMap
from loopwright.agents.pages.requests.app import App, NotDone, with_page_rule, with_shared_rule
from loopwright.agents.pages.requests.data_changes import without_record
from loopwright.agents.pages.requests.styling import selector_of
from loopwright.agents.pages.requests.vocabulary import HAN

# Words in all that a person reads: texts, titles, names of controls, data and the texts of scripts.

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
                said = entities.unescape(text)
                new = rewrite(said)
                edits.append(Edit(token.start, token.end, entities.escape(new, quote=False) if new != said else text))
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


# Parts: gone, shown, moved.


def _outermost(element: Element, look: Look) -> Element:
    """The largest element around this one that shows nothing else."""
    at = element
    for around in look.around(element):
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
    for at in look.around(element):
        if {"section", "card", "row", "form"} & set(at.kinds):
            heads = [e for e in look.elements if e.inside >= 0 and _is_in(e, at, look) and "heading" in e.kinds]
            if "heading" in element.kinds and (not heads or heads[0] is element):
                return at
            break
        if at.tag in ("main", "body") or {"menu", "header"} & set(at.kinds):
            break
    return _outermost(element, look)


def _is_in(element: Element, around: Element, look: Look) -> bool:
    return any(each is around for each in look.around(element))


def remove(effect: Effect, app: App, looks: Looks) -> App:
    """The app without what is meant: taken out of the source where nothing else needs it, else not shown.

    Raises:
        NotDone: it is on none of the pages.
    """
    if effect.words and effect.kind in ("", "row") and (shorter := without_record(effect.words, app)) is not None:
        return shorter
    found = 0
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        for each in targets(effect, look):
            found += 1
            alone = bool(effect.words or effect.nth or effect.looking or (effect.kind == "image" and effect.pages))
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
    element = _with_frames(html, element)
    edits = [Edit(element.start, element.end, "")]
    source = SourceMap(html)
    for name in names:
        edits += [
            Edit(link.start, link.end, "")
            for link in source.select(f'a[href="#{name}"]')
            if not element.start <= link.start < element.end
        ]
    return app.with_page(slug, apply_edits(html, edits))


def _with_frames(html: str, element: SourceElement) -> SourceElement:
    """The element with what only stands around it: a frame from which it goes would stay as a hole."""
    around = element.parent
    while around is not None and around.whole and around.name in ("div", "figure", "p", "picture", "span"):
        beside = html[around.tag.end : element.start] + html[element.end : around.content_end]
        if beside.strip() or re.search(r"\s(?:id|data-[\w-]+)=", html[around.start : around.tag.end]):
            break
        element, around = around, around.parent
    return element


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
        if effect.place == "at":
            app, done = _counted(app, slug, look, meant[0], effect), True
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


def _counted(app: App, slug: str, look: Look, part: Element, effect: Effect) -> App:
    """The page with a part as the first, second … or last of its like, the others in their order."""
    like = sorted(targets(effect.model_copy(update={"words": ""}), look), key=lambda e: (round(e.y / 8), e.x))
    if len(like) < effect.anchor_nth:
        raise NotDone("absent", what=f"{effect.kind} {effect.anchor_nth}")
    there = like[effect.anchor_nth - 1 if effect.anchor_nth > 0 else -1]
    if there is part:
        return app
    way = "below" if like.index(there) > like.index(part) else "above"
    return _moved(app, slug, part, there, effect.model_copy(update={"place": way}))


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


# Other words for one thing, and another name for a page.


def say(effect: Effect, app: App, looks: Looks) -> App:
    """The app with other words in the one thing that is meant, where it stands.

    Raises:
        NotDone: it is not there, several are meant, or its words come from elsewhere.
    """
    meant = {slug: found for slug, look in looks.items() if (found := _in_scope(effect, slug, look))}
    texts = dict.fromkeys(each.text for found in meant.values() for each in found)
    if len(texts) != 1:
        what = ", ".join(f"“{each[:40]}”" for each in texts) or effect.words or effect.kind
        raise NotDone("several" if texts else "absent", what=what)
    (old,) = texts

    def rewrite(text: str) -> str:
        return text.replace(text.strip(), effect.value) if " ".join(text.split()) == old else text

    changed = app
    for slug, found in meant.items():
        places = [in_source(app.pages[slug], each) for each in found]
        page = app.pages[slug]
        if all(places):  # the words may stand elsewhere on the page, where they are to stay
            spans = [(each.tag.end, each.content_end) for each in places if each is not None]
            edits = _in_spans(page, spans, lambda text: entities.escape(rewrite(entities.unescape(text)), quote=False))
            changed = changed.with_page(slug, apply_edits(page, edits))
        else:
            changed = changed.with_page(slug, in_words(page, rewrite))
    if changed.pages == app.pages:
        raise NotDone("made_by_script", what=old)
    return changed


def _in_spans(page: str, spans: Sequence[tuple[int, int]], rewrite: Rewrite) -> list[Edit]:
    """The edits that rewrite the texts inside of elements, whose contents the spans are."""
    texts = [token for token in scan(page) if token.kind == "text" and token.name == ""]
    meant = [token for token in texts if any(start <= token.start < end for start, end in spans)]
    return [Edit(token.start, token.end, rewrite(page[token.start : token.end])) for token in meant]


def _in_scope(effect: Effect, slug: str, look: Look) -> list[Element]:
    return targets(effect, look) if not effect.pages or slug in effect.pages else []


def retitle(effect: Effect, app: App, looks: Looks) -> App:
    """The app with another name for a page: in its heading and title, and in each link to it that says the old one."""
    if not effect.anchor_page:
        return _with_name(effect, app)
    old, own = effect.words.casefold(), effect.anchor_page
    for slug, page in app.pages.items():
        source = SourceMap(page)
        named = source.select(f'a[href="{own}.html"]') + (source.select("h1") if slug == own else [])
        spans = [(each.tag.end, each.content_end) for each in named]
        edits = [
            Edit(token.start, token.end, page[token.start : token.end].replace(text, entities.escape(effect.value)))
            for token in scan(page)
            if token.kind == "text" and (text := page[token.start : token.end].strip())
            if entities.unescape(text).casefold() == old
            if any(start <= token.start < end for start, end in spans)
        ]
        changed = apply_edits(page, sorted(edits, key=lambda each: each.start))
        title = SourceMap(changed).first("title") if slug == own else None
        if title is not None:
            text = changed[title.tag.end : title.content_end]
            new = re.sub(
                rf"(?i)(?<!\w){re.escape(effect.words)}(?!\w)", lambda _: effect.value, entities.unescape(text)
            )
            edit = Edit(title.tag.end, title.content_end, entities.escape(new, quote=False))
            changed = apply_edits(changed, [edit])
        app = app.with_page(slug, changed)
    return app


def _replacing(pattern: re.Pattern[str], new: str) -> Rewrite:
    return lambda text: pattern.sub(lambda _: new, text)


def _with_name(effect: Effect, app: App) -> App:
    """The app called otherwise in all that is read of it, and with the new name's first letter as its mark."""
    old, new = effect.words, effect.value
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    called = re.escape(entities.escape(new, quote=False))
    mark = re.compile(rf"(aria-hidden=[\"']true[\"'][^>]*>){re.escape(old[:1])}(</\w+>\s*{called})")
    for slug, page in app.pages.items():
        changed = in_words(page, _replacing(pattern, new))
        app = app.with_page(slug, mark.sub(rf"\g<1>{re.escape(new[:1].upper())}\g<2>", changed))
    return app
