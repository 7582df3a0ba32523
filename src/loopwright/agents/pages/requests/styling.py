"""Requests about how things look, carried out as rules of the style sheet, computed from what the pages look like."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from loopwright.agents.pages.account.effects import Effect, anchors, contrast, lightness, readable, targets
from loopwright.agents.pages.account.effects_moods import movements
from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.design.change import change_tokens, follow
from loopwright.agents.pages.design.schemes import SCHEMES, default_scheme
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.requests.app import App, NotDone, with_page_rule, with_shared_rule
from loopwright.kernel.errors import InvalidInput

_STATES = re.compile(r"^(?:is|has|js)-|^(?:active|open|selected|current|visible|hidden)$")
_PLAIN = re.compile(r"-?[a-zA-Z_][\w-]*")
TEXT_STEP, BOX_STEP = 1.18, 1.2
"""By how much texts and boxes grow when somebody wants them bigger."""


SHARES: Mapping[str, float] = {"": 1.0, "small": 0.5, "much": 2.5}
"""How much of the usual step "a bit" and "much" are."""
_SET = {"radius": "border-radius", "size": "font-size", "weight": "font-weight", "space": "padding"}


def selector_of(element: Element) -> str:
    """What elements like this one have in common: tag and classes, without those that say a state."""
    classes = [each for each in element.classes if _PLAIN.fullmatch(each) and not _STATES.search(each)]
    return element.tag + "".join(f".{each}" for each in classes)


def restyle(effect: Effect, app: App, looks: Looks) -> App:
    """The app with the style that is asked of elements; on all pages the shared sheet says it.

    Raises:
        NotDone: no page has such an element.
    """
    scope = [slug for slug in looks if not effect.pages or slug in effect.pages]
    meant: Mapping[str, Sequence[Element]] = {slug: targets(effect, looks[slug]) for slug in scope}
    if not any(meant.values()):
        raise NotDone("absent", what=effect.words or effect.kind)
    if _falls_below(effect, [looks[slug] for slug in scope]):
        return restyle(effect.model_copy(update={"kind": "heading"}), app, looks)
    if effect.relation == "like":
        if effect.anchor_page and effect.kind == "heading":
            meant = {slug: [e for e in found if "headline" not in e.kinds] for slug, found in meant.items()}
        effect = _likened(effect, looks, scope)
    if effect.property == "gap":
        return _spread(effect, app, meant)
    app = _legible(effect, app, looks, meant)
    app, meant = _without_illegible(effect, app, meant)
    if effect.words or effect.nth or effect.inside or effect.looking:
        for slug, elements in meant.items():
            for each in elements:
                app = with_page_rule(app, slug, f":root body {each.path}", _declarations(effect, each))
        return app
    groups: dict[str, dict[str, list[Element]]] = defaultdict(lambda: defaultdict(list))
    for slug, elements in meant.items():
        for each in elements:
            groups[selector_of(each)][slug].append(each)
    for selector, by_page in groups.items():
        app = _styled(effect, app, selector, by_page)
    return app


def _legible(effect: Effect, app: App, looks: Looks, meant: Mapping[str, Sequence[Element]]) -> App:
    """The app with another ink for what stands on a new fill and could not be read on it."""
    if (effect.property, effect.relation) != ("ground", "set"):
        return app
    fill, ink = readable_fill(effect.value)
    one_of_them = bool(effect.pages or effect.words or effect.nth or effect.inside or effect.looking)
    for slug, elements in meant.items():
        look = looks[slug]
        for each in look.elements:
            paths = {each.path, *(holder.path for holder in look.around(each))}
            on_it = next((e for e in elements if e is not each and e.path in paths), None)
            if on_it is None or each.ground != on_it.ground or not {"text", "icon"} & set(each.kinds):
                continue
            if readable(each, ground=fill):
                continue
            if one_of_them:
                app = with_page_rule(app, slug, f":root body {each.path}", {"color": ink})
            else:  # for pages to come as well
                within = "" if on_it.path == each.path else f"{selector_of(on_it)} "
                app = with_shared_rule(app, f":root body {within}{selector_of(each)}", {"color": ink})
    return app


def _spread(effect: Effect, app: App, meant: Mapping[str, Sequence[Element]]) -> App:
    """The app with another distance between neighbours: that of the rows and columns in which they stand."""
    step = 1 + 0.8 * SHARES[effect.amount]
    for slug, elements in meant.items():
        for selector in dict.fromkeys(selector_of(each) for each in elements):
            like = [each for each in elements if selector_of(each) == selector]
            if len(like) < 2 or "." not in selector:
                continue
            one, other = like[:2]
            beside = abs(one.y - other.y) < 12
            now = other.x - one.x - one.width if beside else other.y - one.y - one.height
            size = f"{round(max(8, now) * step if effect.relation == 'more' else now / step)}px"
            app = with_page_rule(app, slug, f":root body :has(> {selector} + {selector})", {"gap": size})
    return app


def _without_illegible(
    effect: Effect, app: App, meant: Mapping[str, Sequence[Element]]
) -> tuple[App, Mapping[str, Sequence[Element]]]:
    """What is to have a new ink without the few that could not be read in it; these keep the one that they have."""
    every = [each for found in meant.values() for each in found]
    plain = not (effect.words or effect.nth) and (effect.property, effect.relation) == ("colour", "set")
    poor = [e for e in every if plain and not readable(e, readable_ink(effect.value, e))]
    if not poor or len(every) < 4 or len(poor) * 4 > len(every):
        return app, meant
    for slug, found in meant.items():
        for each in found:
            if each in poor:
                app = with_page_rule(app, slug, f":root body {each.path}", {"color": each.colour})
    return app, {slug: [each for each in found if each not in poor] for slug, found in meant.items()}


def _falls_below(effect: Effect, looks: Sequence[Look]) -> bool:
    """Whether a page's main heading would be smaller than those below it; then all of them become smaller together."""
    if (effect.kind, effect.property, effect.relation) != ("headline", "size", "less") or effect.words:
        return False
    step = 1 + (TEXT_STEP - 1) * SHARES[effect.amount]
    return any(
        max((e.size for e in look.of_kind("headline")), default=0) / step
        < max((e.size for e in look.of_kind("heading") if "headline" not in e.kinds), default=0)
        for look in looks
    )


def _likened(effect: Effect, looks: Looks, scope: Sequence[str]) -> Effect:
    """The effect with the value of the element that others are to be like."""
    likened = effect
    if effect.anchor_page:
        likened = effect.model_copy(update={"anchor_kind": effect.kind, "anchor": effect.words})
    slugs = [effect.anchor_page] if effect.anchor_page else [*scope, *looks]
    found = next((each for slug in slugs if slug in looks and (each := anchors(likened, looks[slug]))), [])
    if effect.anchor_page and effect.kind == "heading":
        found = [each for each in found if "headline" not in each.kinds]
    if not found:
        raise NotDone("absent", what=effect.anchor or effect.anchor_kind)
    value = Counter(_as_css(effect, each) for each in found).most_common(1)[0][0]
    if effect.property in ("colour", "ground") and not value.startswith("#"):
        parts = [int(float(each)) for each in re.findall(r"[\d.]+", value)[:3]]
        value = "#{:02x}{:02x}{:02x}".format(*parts)
    return effect.model_copy(update={"relation": "set", "value": value})


_FILLED = ("button", "card", "section", "header", "menu", "field", "page")
FAMILIES: Mapping[str, str] = {
    "serif": 'Georgia, "Times New Roman", serif',
    "sans-serif": 'system-ui, "Segoe UI", sans-serif',
    "Georgia": 'Georgia, "Times New Roman", serif',
    "Times New Roman": '"Times New Roman", Georgia, serif',
    "Arial": "Arial, Helvetica, sans-serif",
    "Helvetica": "Helvetica, Arial, sans-serif",
    "Verdana": "Verdana, Geneva, sans-serif",
    "Tahoma": "Tahoma, Verdana, sans-serif",
    "Trebuchet MS": '"Trebuchet MS", Verdana, sans-serif',
    "Courier New": '"Courier New", Courier, monospace',
    "Comic Sans MS": '"Comic Sans MS", "Comic Sans", cursive',
}
"""Families that phones and computers have, with what stands in for a missing one; nothing is loaded."""
_OF_ELEMENT = {"radius": "radius", "size": "size", "weight": "weight", "space": "padding"}


def _as_css(effect: Effect, element: Element) -> str:
    """The value of the property that an element has, as a rule may say it; what has a fill of its own is its fill."""
    if effect.property in ("colour", "ground"):
        return element.ground if set(_FILLED) & set(element.kinds) else element.colour
    figure = float(getattr(element, _OF_ELEMENT[effect.property]))
    return f"{figure:g}" if effect.property == "weight" else f"{figure:g}px"


def remood(effect: Effect, app: App, looks: Looks) -> App:
    """The app with the look that a style word means, each of its movements by a rule of the shared sheet.

    Raises:
        NotDone: no page has any of the elements that it changes.
    """
    done = False
    for each in movements(effect):
        if each.property == "warmth":
            app, done = _warmer(app, looks), True
        elif any(targets(each, look) for look in looks.values()):
            app, done = restyle(each, app, looks), True
    if not done:
        raise NotDone("absent", what=effect.value)
    return app


def _warmer(app: App, looks: Looks) -> App:
    """The app with a ground that has a little more red and a little less blue."""
    ground = next((each.ground for each in next(iter(looks.values())).of_kind("page")), "rgb(255, 255, 255)")
    red, green, blue = (int(float(each)) for each in re.findall(r"[\d.]+", ground)[:3])
    value = f"#{min(255, red + 8):02x}{green:02x}{max(0, blue - 14):02x}"
    return _with_ground(app, value)


def _with_ground(app: App, value: str) -> App:
    """The app with this background in the colours that it opens with; its other scheme keeps its own.

    A dark background asks for light texts on dark surfaces: the sheet's dark colours, if it has any.
    """
    light, scheme = lightness(value), default_scheme(app.css)
    meant = "dark" if light < 0.3 else "light" if light > 0.75 else scheme
    if meant != scheme:
        with suppress(NotDone):
            app = theme(Effect(operation="theme", value=meant), app, {})
    app = with_token(app, "--color-bg", value, (default_scheme(app.css),))
    return with_shared_rule(app, ":root body", {"background": "var(--color-bg)"})


def _styled(effect: Effect, app: App, selector: str, by_page: Mapping[str, Sequence[Element]]) -> App:
    """A rule for all elements of a selector where they need the same, else one for each of them."""
    said = {tuple(_declarations(effect, each).items()) for elements in by_page.values() for each in elements}
    if len(said) == 1 and not effect.pages:
        return with_shared_rule(app, f":root body {selector}", dict(next(iter(said))))
    for slug, elements in by_page.items():
        own = {tuple(_declarations(effect, each).items()) for each in elements}
        if len(own) == 1:
            app = with_page_rule(app, slug, f":root body {selector}", dict(next(iter(own))))
            continue
        for each in elements:
            app = with_page_rule(app, slug, f":root body {each.path}", _declarations(effect, each))
    return app


def _declarations(effect: Effect, element: Element) -> dict[str, str]:
    grow = effect.relation != "less"
    if effect.relation == "set" and effect.property in _SET:
        return {_SET[effect.property]: effect.value}
    if effect.property == "face":
        return {"font-family": FAMILIES[effect.value]}
    if effect.property == "shadow":
        return {"box-shadow": "0 6px 20px rgba(0, 0, 0, 0.2)" if grow else "none"}
    if effect.property == "edge":
        line = effect.value or "color-mix(in srgb, currentColor 45%, transparent)"
        return {"border": f"1px solid {line}" if grow else "0 none"}
    share = SHARES[effect.amount]
    if effect.property == "radius":
        wider = max(element.radius * (1 + 0.5 * share), element.radius + 6 * share)
        less = round(element.radius * 0.5) if effect.amount == "small" else 0
        return {"border-radius": f"{round(wider) if grow else less}px"}
    if effect.property == "size":
        return _size(effect, element, grow=grow)
    if effect.property == "weight":
        return {"font-weight": "800" if grow else "400"}
    if effect.property == "space":
        step = 1 + 0.4 * share
        return {"padding": f"{round(max(4, element.padding / 2 * (step if grow else 1 / step)))}px"}
    if effect.property == "align":
        return {"text-align": effect.value, "align-self": "stretch"}  # a box as narrow as its text has no middle
    if effect.property == "colour":
        ink = _toward(element.colour, effect)
        return {"color": readable_ink(ink, element) if effect.relation == "set" else ink}
    fill = _toward(element.ground, effect)
    if effect.relation == "set" and effect.kind != "page":
        fill, ink = readable_fill(fill)
        return {"background": fill, "border-color": fill, "color": ink}
    return {"background": fill}


def _size(effect: Effect, element: Element, *, grow: bool) -> dict[str, str]:
    share = SHARES[effect.amount]
    text, box = 1 + (TEXT_STEP - 1) * share, 1 + (BOX_STEP - 1) * share
    step = text if grow else 1 / text
    if {"card", "section", "header", "footer", "menu", "form"} & set(element.kinds):
        step = box
        if grow:
            return {"min-height": f"{round(element.height * step)}px"}
        return {"padding-block": f"{round(element.padding / 4)}px", "min-height": "0"}
    if "logo" in element.kinds:
        return {"zoom": f"{step:.4g}"}
    if {"image", "icon"} & set(element.kinds):
        return {"width": f"{round(element.width * step)}px", "height": f"{round(element.height * step)}px"}
    if "button" in element.kinds and effect.kind == "button":
        inline = f"{max(6, (element.padding / 2) * step):.4g}px"
        return {
            "font-size": f"{element.size * step:.4g}px", "min-height": f"{round(element.height * step)}px",
            "height": "auto", "padding-inline": inline,
        }  # fmt: skip
    return {"font-size": f"{element.size * step:.4g}px"}


def _toward(colour: str, effect: Effect) -> str:
    if effect.relation == "set":
        return effect.value
    other = "white" if effect.relation == "more" else "black"
    kept = {"": 80, "small": 88, "much": 55}[effect.amount]
    return f"color-mix(in srgb, {colour} {kept}%, {other})"


def readable_fill(colour: str) -> tuple[str, str]:
    """A fill of this colour, and the ink that can be read on it; a middling colour is darkened a little for white."""
    fill = colour
    for _ in range(12):
        if contrast("#ffffff", fill) >= 4.5:
            return fill, "#ffffff"
        if contrast("#ffffff", colour) < 2.5:
            break
        parts = [round(int(fill[at : at + 2], 16) * 0.95) for at in (1, 3, 5)]
        fill = "#{:02x}{:02x}{:02x}".format(*parts)
    return colour, "#000000" if lightness(colour) > 0.3 else "#ffffff"


def readable_ink(ink: str, element: Element) -> str:
    """The colour, so much darker or lighter that the element can be read in it; the same one where it can be anyway."""
    to = 0 if lightness(element.ground) > 0.5 else 255
    parts = [int(ink[at : at + 2], 16) for at in (1, 3, 5)]
    for step in range(9):
        mixed = "#{:02x}{:02x}{:02x}".format(*(round(part + (to - part) * step * 0.06) for part in parts))
        if readable(element, mixed):
            return mixed
    return ink


def paint_page(effect: Effect, app: App, looks: Looks) -> App:
    """The app with another background on all pages, through the token that stands for it.

    Raises:
        NotDone: the style sheet has no such token, or only some pages are meant.
    """
    first = next(look for slug, look in looks.items() if not effect.pages or slug in effect.pages)
    now = next((each.ground for each in first.of_kind("page")), "rgb(255, 255, 255)")
    value = effect.value
    if effect.relation in ("more", "less"):
        parts = [int(float(each)) for each in re.findall(r"[\d.]+", now)[:3]]
        to = 255 if effect.relation == "more" else 0
        step = {"": 0.35, "small": 0.2, "much": 0.6}[effect.amount]
        value = "#{:02x}{:02x}{:02x}".format(*(round(part + (to - part) * step) for part in parts))
    if effect.pages:
        meant = {slug: looks[slug].of_kind("page") for slug in effect.pages if slug in looks}
        app = _legible(effect.model_copy(update={"relation": "set", "value": value}), app, looks, meant)
        for slug in meant:
            app = with_page_rule(app, slug, ":root body, :root body :has(main), :root body main", {"background": value})
        return app
    return _with_ground(app, value)


def with_token(app: App, token: str, value: str, schemes: Sequence[Scheme] = SCHEMES) -> App:
    """The app with another value for a token of its style sheet in these schemes, and all that is derived from it.

    Raises:
        NotDone: there is no such token, or the value is none for it.
    """
    try:
        css = change_tokens(app.css, {token: value}, "both" if len(schemes) > 1 else schemes[0])
        return app.with_css(follow(app.css, css, (token,), schemes).css)
    except InvalidInput as error:
        raise NotDone("no_token", detail=error.message) from error


_SIZE = re.compile(r"(?P<name>--text-[a-z0-9]+)\s*:\s*(?P<px>\d+(?:\.\d+)?)px")


def scale_texts(effect: Effect, app: App, looks: Looks) -> App:
    """The app with other sizes of text: each step of the scale, or each element where the sheet has no scale.

    Raises:
        NotDone: nothing is there that has a size.
    """
    step = 1 + 0.125 * SHARES[effect.amount]
    step = step if effect.relation != "less" else 1 / step
    sizes = {found["name"]: float(found["px"]) for found in _SIZE.finditer(app.css)}
    if sizes:
        told = {name: f"{px * step:.4g}px" for name, px in sizes.items()}
        if not effect.pages:
            return with_shared_rule(app, ":root", told)
        for slug in effect.pages:
            app = with_page_rule(app, slug, ":root", told)
        return app
    return restyle(effect.model_copy(update={"operation": "style", "kind": "text"}), app, looks)


def columns(effect: Effect, app: App, looks: Looks) -> App:
    """The app with things of a kind side by side: what holds several of them in a row becomes a grid.

    Raises:
        NotDone: no page has several.
    """
    selectors: dict[str, list[str]] = defaultdict(list)
    for slug, look in looks.items():
        if effect.pages and slug not in effect.pages:
            continue
        counts: dict[str, int] = defaultdict(int)
        for each in targets(effect, look):
            counts[selector_of(each)] += 1
        for selector, count in counts.items():
            if count > 1 and "." in selector:
                selectors[selector].append(slug)
    if not selectors:
        raise NotDone("absent", what=effect.kind)
    for selector, slugs in selectors.items():
        grid = {"display": "grid", "grid-template-columns": f"repeat({effect.value}, minmax(0, 1fr))", "gap": "12px"}
        fitting = {"width": "auto", "min-width": "0", "grid-column": "auto", "overflow-wrap": "anywhere"}
        for slug in slugs:
            app = with_page_rule(app, slug, f":root body :has(> {selector} + {selector})", grid)
            app = with_page_rule(app, slug, f":root body {selector}", fitting)
    return app


_BLOCK = r"(?P<head>^:root{}\s*\{{)(?P<body>[^{{}}]*)(?P<end>\}})"


def theme(effect: Effect, app: App, looks: Looks) -> App:
    """The app with its dark colours where it had its light ones, or the other way round; the sheet keeps both.

    Raises:
        NotDone: the style sheet has only one set of colours.
    """
    other = "light" if effect.value == "dark" else "dark"
    blocks = [
        re.search(_BLOCK.format(re.escape(each)), app.css, re.MULTILINE)
        for each in ("", f'[data-mode="{effect.value}"]', f'[data-mode="{other}"]')
    ]
    usual, wanted, left = ({} if each is None else _pairs(each["body"]) for each in blocks)
    if not usual or len(wanted) < 3 or blocks[2] is None:
        raise NotDone("one_scheme")
    kept = {name: value for name, value in usual.items() if name in wanted}
    css = app.css
    bodies = (usual | wanted, {**wanted}, kept | left | {"--mode": other, "color-scheme": other})
    for block, body in sorted(zip(blocks, bodies, strict=True), key=lambda each: -each[0].start() if each[0] else 0):
        if block is not None:
            lines = "".join(f"\n  {name}: {value};" for name, value in body.items())
            css = f"{css[: block.start('body')]}{lines}\n{css[block.end('body') :]}"
    for slug, html in app.pages.items():
        root = SourceMap(html).first("html")
        if root is not None and root.tag.attribute("data-mode") is not None:
            raise NotDone("one_scheme", page=slug)
    return app.with_css(css)


def _pairs(body: str) -> dict[str, str]:
    """The declarations of a block, without its comments."""
    parts = (part.partition(":") for part in re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL).split(";"))
    return {name.strip(): value.strip() for name, colon, value in parts if colon}


def brand(effect: Effect, app: App, looks: Looks) -> App:
    """The app with another brand colour: the token from which the style sheet derives the others."""
    return with_token(app, "--color-brand", effect.value.upper())
