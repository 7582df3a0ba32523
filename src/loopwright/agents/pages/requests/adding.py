"""Requests for something new on the pages, carried out in their source: texts, links, a switch, a menu entry."""

import html as entities
import re
from importlib import resources

from loopwright.agents.pages.account.effects import Effect, anchors
from loopwright.agents.pages.account.looks import Look, Looks
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.rewriting import in_source, part_of


def show(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a text where it was asked for.

    Raises:
        NotDone: the page has no place for it, or what it is to stand beside is not there.
    """
    for slug in effect.pages or app.pages:
        if slug not in app.pages:
            raise NotDone("no_page", what=slug)
        html = app.pages[slug]
        source = SourceMap(html)
        if effect.kind == "headline":
            app = app.with_page(slug, _retitled(html, source, effect.value))
            continue
        at = _place(effect, source, looks[slug], html)
        app = app.with_page(slug, f"{html[:at]}\n{_markup(effect)}{html[at:]}")
    return app


def _place(effect: Effect, source: SourceMap, look: Look, html: str) -> int:
    """Where in the source something new goes: at the beginning of the content where no place is named."""
    main = source.first("main") or source.first("body")
    if main is None:
        raise NotDone("unreadable", page=look.slug)
    if effect.place == "bottom":
        return main.content_end
    if effect.place in ("below", "above"):
        beside = anchors(effect, look)
        if not beside:
            raise NotDone("absent", what=effect.anchor or effect.anchor_kind)
        # Under a heading means right under it; beside what is named otherwise means beside all that it stands for.
        part = beside[0] if "heading" in effect.anchor_kind or effect.anchor_kind else part_of(beside[0], look)
        found = in_source(html, part)
        if found is None:
            raise NotDone("made_by_script", what=effect.anchor or effect.anchor_kind)
        if not main.start <= found.start < main.end:  # a heading in the header: what follows it is the content
            return main.tag.end
        return found.end if effect.place == "below" else found.start
    head = source.first("h1")
    if effect.place == "after_headline" and head is not None and head.start > main.start:
        return head.end
    return main.tag.end


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
    leads = effect.leads
    if effect.kind == "phone":
        number = re.search(r"\+?\d[\d \-/]{4,}\d", effect.value)
        leads = "tel:" + re.sub(r"[^\d+]", "", number[0] if number else "")
    if leads:
        shape = ' class="btn btn-soft btn-block"' if effect.kind in ("phone", "button") else ""
        away = ' rel="noopener"' if leads.startswith("http") else ""
        return f'<p class="section"><a{shape} href="{entities.escape(leads, quote=True)}"{away}>{text}</a></p>\n'
    if effect.kind == "footer":
        return f'<footer class="section"><p class="muted">{text}</p></footer>\n'
    return f'<p class="section">{text}</p>\n'


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
