"""Controls that are added, and what was hidden shown again, carried out in the pages' source and the style sheet."""

import html as entities
import re
from importlib import resources

from loopwright.agents.pages.account.effects import Effect, plain, targets
from loopwright.agents.pages.account.looks import Look, Looks
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.kept import kept_on, part_of
from loopwright.agents.pages.requests.static_look import read_looks

SEARCH = {
    "en": ("Search", "Nothing found"),
    "de": ("Suche", "Nichts gefunden"),
    "fr": ("Rechercher", "Aucun résultat"),
    "es": ("Buscar", "Sin resultados"),
    "zh": ("搜索", "没有结果"),
}
"""The field's name, and what it says where nothing fits, in the language of the page."""


def add_search(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a field above the rows of each page meant, which leaves those that say what is typed.

    Raises:
        NotDone: none of the pages has several rows under such a heading.
    """
    meant = [slug for slug, look in looks.items() if (not effect.pages or slug in effect.pages) and _has_rows(look)]
    if effect.words:  # a page of that name is meant rather than one that only has such a heading
        own = [slug for slug in meant if plain(effect.words) in plain(f"{slug} {looks[slug].title}")]
        meant = own or [slug for slug in meant if _is_named(effect.words, looks[slug])]
    if not meant:
        raise NotDone("no_list")
    script = resources.files("loopwright.agents.pages.requests").joinpath("search_rows.js").read_text(encoding="utf-8")
    for slug in meant:
        page = app.pages[slug]
        source = SourceMap(page)
        main, body = source.first("main") or source.first("body"), source.first("body")
        if main is None or body is None:
            raise NotDone("unreadable", page=slug)
        name, none = SEARCH.get(looks[slug].lang[:2].lower(), SEARCH["en"])
        field = (
            f'\n<div class="section"><label class="field">{name}<input class="input" type="search" autocomplete="off" '
            f'data-row-search></label><p role="status" data-row-search-said data-none="{entities.escape(none)}"></p>'
            "</div>\n"
        )
        end = Edit(body.content_end, body.content_end, f"<script>\n{script}</script>\n")
        app = app.with_page(slug, apply_edits(page, [Edit(main.tag.end, main.tag.end, field), end]))
    return app


EVERY = {"en": "All", "de": "Alle", "fr": "Tout", "es": "Todo", "zh": "全部"}
"""What is chosen above a list so that all of its rows are seen."""


def add_filter(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a choice above a list that leaves the rows with one value of a field.

    Raises:
        NotDone: the list is not in the source.
    """
    slug, html = effect.anchor_page, app.pages.get(effect.anchor_page, "")
    kept = next((each for each in kept_on(slug, html) if effect.anchor in each.names and each.entity), None)
    source = SourceMap(html)
    part, body = (part_of(html, kept) if kept else None), source.first("body")
    rows = [each for each in source.select("[data-list]") if part and part.start <= each.start < part.end]
    if not rows or body is None:
        raise NotDone("absent", what=effect.anchor)
    every = EVERY.get(looks[slug].lang[:2].lower(), EVERY["en"])
    label = entities.escape(effect.words, quote=True)
    field = (
        f'<label class="field">{label}<select class="input" autocomplete="off" data-row-filter="{label}">'
        f'<option value="">{every}</option></select></label>\n'
    )
    edits = [Edit(rows[0].start, rows[0].start, field)]
    if "select[data-row-filter]" not in html:
        script = (
            resources.files("loopwright.agents.pages.requests").joinpath("filter_rows.js").read_text(encoding="utf-8")
        )
        edits.append(Edit(body.content_end, body.content_end, f"<script>\n{script}</script>\n"))
    return app.with_page(slug, apply_edits(html, edits))


def _has_rows(look: Look) -> bool:
    return sum("row" in each.kinds or each.tag == "article" for each in look.elements) > 2


def _is_named(words: str, look: Look) -> bool:
    names = [plain(each.text) for each in look.of_kind("heading")]
    return any(plain(words) in each for each in [*names, plain(look.title), plain(look.slug)])


_HIDING = re.compile(r"^(?P<selector>[^{}\n]+?) \{ display: none(?: !important)? \}\n", re.MULTILINE)


def unhide(effect: Effect, app: App, looks: Looks) -> App:
    """The app without those rules of earlier requests that hide what is meant; what a rule hides the source tells.

    Raises:
        NotDone: no such rule hides it.
    """
    changed = app
    for rule in _HIDING.finditer(app.css):
        changed = _shown(effect, changed, changed.with_css(changed.css.replace(rule[0], "", 1)))
    for slug in [each for each in app.pages if not effect.pages or each in effect.pages]:
        for rule in _HIDING.finditer(app.pages[slug]):
            changed = _shown(effect, changed, changed.with_page(slug, changed.pages[slug].replace(rule[0], "", 1)))
    if changed == app:
        raise NotDone("not_hidden", what=effect.words or effect.kind)
    return changed


def _shown(effect: Effect, before: App, after: App) -> App:
    """The app without a rule, where more of what is meant is seen so."""
    counts = [sum(len(targets(effect, look)) for look in read_looks(each).values()) for each in (before, after)]
    return after if counts[1] > counts[0] else before
