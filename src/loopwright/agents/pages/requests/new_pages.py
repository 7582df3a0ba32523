"""A new page whose words the user has said, in the frame of another one and reached from every menu with space."""

import html as entities
import re

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.account.looks import Looks
from loopwright.agents.pages.brief.sitemap import slugify
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.kept import edited

MOST_IN_MENU = 5
_PHONE = re.compile(r"\+?\d[\d \-/()]{5,}\d")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def new_page(effect: Effect, app: App, looks: Looks) -> App:
    """The app with one more page in the frame of another one; menus with space lead to it, else the home page does.

    Raises:
        NotDone: there is such a page, or no page from which a frame could be taken.
    """
    slug = _free_slug(effect.words, app)
    others = [each for each in app.pages if each != "index"] or list(app.pages)
    model = next((each for each in others if SourceMap(app.pages[each]).first("main")), None)
    if model is None:
        raise NotDone("unreadable", page=others[0])
    made = _framed(app.pages[model], effect)
    app = app.with_page(slug, made)
    for each in list(app.pages):
        app = app.with_page(each, _linked(app.pages[each], effect.words, slug, each))
    return app


def _free_slug(title: str, app: App) -> str:
    slug = slugify(title) or f"page-{len(app.pages) + 1}"
    if slug in app.pages:
        raise NotDone("page_there", what=title)
    return slug


def _framed(html: str, effect: Effect) -> str:
    """The page of another one with its own title and lines, without what only the other one needs."""
    source = SourceMap(html)
    main, head, title = source.first("main"), source.first("h1"), source.first("title")
    if main is None:
        raise NotDone("unreadable", page="")
    text = entities.escape(effect.words, quote=False)
    lines = [_line(value) for _, value in effect.values]
    body = f"<p>{lines[0]}</p>" if len(lines) == 1 else f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>"
    heading = "" if head and not main.start <= head.start < main.end else f"<h1>{text}</h1>\n"
    edits = [
        Edit(
            main.tag.end,
            main.content_end,
            f'\n{heading}<section class="section"><div class="card card-pad">{body}</div></section>\n',
        )
    ]
    if head and heading == "":
        edits.append(Edit(head.tag.end, head.content_end, text))
    if title is not None:
        old = html[title.tag.end : title.content_end]
        edits.append(
            Edit(title.tag.end, title.content_end, text + (f" · {old.rpartition(' · ')[2]}" if " · " in old else ""))
        )
    for each in source.elements:
        if (
            each.name == "script"
            and not each.tag.value("src")
            and each.tag.value("id") != "app-data"
            and each.start > main.end
        ):
            edits.append(Edit(each.start, each.end, ""))
        if each.name == "meta" and each.tag.value("name") == "description":
            edits.append(Edit(each.start, each.end, ""))
    made = edited(html, edits)
    return re.sub(r'\s+aria-current="page"', "", made)


def _line(text: str) -> str:
    shown = entities.escape(text, quote=False)
    if mail := _MAIL.search(shown):
        return shown.replace(mail[0], f'<a href="mailto:{mail[0]}">{mail[0]}</a>')
    if phone := _PHONE.search(shown):
        number = re.sub(r"[^\d+]", "", phone[0])
        return shown.replace(phone[0], f'<a href="tel:{number}">{phone[0]}</a>') if len(number) > 5 else shown
    return shown


def _linked(html: str, title: str, slug: str, here: str) -> str:
    """The page with an entry of its menu for another one where there is space; the home page has a way in any case."""
    items = [each for each in SourceMap(html).select("nav.bottom-nav a[href]") if each.whole]
    text = entities.escape(title, quote=False)
    if items and len(items) < MOST_IN_MENU:
        last = items[-1]
        entry = re.sub(r"\s(?:aria-current|id|data-[\w-]+)=(?:\"[^\"]*\"|'[^']*')", "", html[last.start : last.end])
        entry = re.sub(r"\shref=(?:\"[^\"]*\"|'[^']*')", f' href="{slug}.html"', entry, count=1)
        words = list(re.finditer(r">([^<>]*[^<>\s][^<>]*)<", entry))
        current = ' aria-current="page"' if here == slug else ""
        entry = f"{entry[: words[-1].start(1)]}{text}{entry[words[-1].end(1) :]}".replace("<a ", f"<a{current} ", 1)
        return f"{html[: last.end]}\n{entry}{html[last.end :]}"
    main = SourceMap(html).first("main")
    if here != "index" or main is None:
        return html
    link = f'<section class="section"><a class="btn btn-soft btn-block" href="{slug}.html">{text}</a></section>\n'
    return f"{html[: main.content_end]}{link}{html[main.content_end :]}"
