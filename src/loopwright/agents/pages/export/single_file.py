"""The whole app in one HTML file."""

import html as html_entities
import json
import re
from collections.abc import Collection
from importlib import resources

from loopwright.agents.pages.compliance import inline_css
from loopwright.agents.pages.compliance.links import collect_links
from loopwright.agents.pages.compliance.markup import Edit, apply_edits, scan
from loopwright.agents.pages.export.app import ExportedApp
from loopwright.agents.pages.export.policy import policy_tag

MARK = "/*@design-system@*/"
"""Stands in every page where the design system belongs, so that the file holds it once."""


def single_file(app: ExportedApp) -> str:
    """One file that opens from disk: `?page=SLUG` chooses the page, links lead from one to the other."""
    pages = {slug: page_of(html, app.pages) for slug, html in app.pages.items()}
    data = {"start": app.start, "mark": MARK, "css": app.css.replace("</", "<\\/"), "pages": pages}
    # `<` never stands in the JSON, so that nothing in a page can end the script that holds it.
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    script = resources.files("loopwright.agents.pages.export").joinpath("data/single-file.js").read_text("utf-8")
    name = html_entities.escape(app.name)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{policy_tag()}\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{name}</title>\n</head>\n'
        f"<body>\n<noscript><p>This prototype needs JavaScript.</p></noscript>\n"
        f'<script type="application/json" id="app">{text}</script>\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def page_of(html: str, slugs: Collection[str]) -> str:
    """A page for the single file: the design system marked, links and the addresses in scripts leading inside.

    The policy of the file itself stays in force for the pages that are written into it.
    """
    marked = inline_css(html, MARK)
    edits = [
        Edit(link.start, link.end, _quoted(_inside(link.slug, link.suffix), link.quote))
        for link in collect_links(marked)
        if link.slug in slugs and link.slug is not None
    ]
    linked = apply_edits(marked, edits)
    addresses = re.compile(rf"""(?<=["'`])(?:\./)?({"|".join(map(re.escape, slugs))})\.html(\?)?""")
    scripts = [
        Edit(t.start, t.end, addresses.sub(lambda found: _inside(found[1], found[2] or ""), linked[t.start : t.end]))
        for t in scan(linked)
        if t.kind == "text" and t.name == "script"
    ]
    return apply_edits(linked, scripts)


def _inside(slug: str, suffix: str) -> str:
    """The address of a page inside the file; a query goes on behind the page's name."""
    return f"?page={slug}" + (f"&{suffix[1:]}" if suffix.startswith("?") else suffix)


def _quoted(address: str, quote: str) -> str:
    text = html_entities.escape(address, quote=True)
    return text if quote else f'"{text}"'
