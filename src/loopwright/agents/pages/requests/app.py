"""The files of an app in change: pages by slug, and the style sheet that they share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from loopwright.agents.pages.browser.page import project_files
from loopwright.agents.pages.editing.source_map import SourceMap


@dataclass(frozen=True)
class App:
    """The files as they are, or as they would become."""

    pages: Mapping[str, str]
    css: str
    insists: bool = False
    """Whether new rules count even against those that are more particular; the second attempt does."""

    def with_page(self, slug: str, html: str) -> "App":
        """The app with another text for a page."""
        return replace(self, pages={**self.pages, slug: html})

    def with_css(self, css: str) -> "App":
        """The app with another style sheet."""
        return replace(self, css=css)

    @property
    def files(self) -> dict[str, str]:
        """By path, as a browser asks for them."""
        return project_files(self.pages, self.css)


class NotDone(Exception):
    """Raised where a request cannot be carried out; `why` is the name of a sentence in `replies.json`."""

    def __init__(self, why: str, **values: str) -> None:
        """Keep the reason, and what its sentence names."""
        super().__init__(why)
        self.why = why
        self.values = values


HEADING = "/* Changes that were asked for */"
_BLOCK = re.compile(rf"\n{re.escape(HEADING)}\n(?P<rules>.*?)\Z", re.DOTALL)
_STYLE = re.compile(r'<style data-edits="">\n(?P<rules>.*?)</style>\n', re.DOTALL)
_RULE = re.compile(r"^(?P<selector>[^{}\n]+?) \{ (?P<body>[^{}\n]*) \}$", re.MULTILINE)


def with_shared_rule(app: App, selector: str, declarations: Mapping[str, str]) -> App:
    """The app with a rule at the end of its style sheet, which later pages obey too."""
    block = _BLOCK.search(app.css)
    rules = _rules(block["rules"] if block else "", selector, _insisting(app, declarations))
    css = app.css[: block.start()] if block else app.css.rstrip("\n")
    return app.with_css(f"{css}\n{HEADING}\n{rules}")


def with_page_rule(app: App, slug: str, selector: str, declarations: Mapping[str, str]) -> App:
    """The app with a rule that holds for one page."""
    html = app.pages[slug]
    block = _STYLE.search(html)
    rules = _rules(block["rules"] if block else "", selector, _insisting(app, declarations))
    text = f'<style data-edits="">\n{rules}</style>\n'
    if block is not None:
        return app.with_page(slug, html[: block.start()] + text + html[block.end() :])
    head = SourceMap(html).first("head")
    if head is None:
        raise NotDone("unreadable", page=slug)
    return app.with_page(slug, html[: head.content_end] + text + html[head.content_end :])


def _insisting(app: App, declarations: Mapping[str, str]) -> dict[str, str]:
    return {name: f"{value} !important" if app.insists else value for name, value in declarations.items()}


def _rules(text: str, selector: str, declarations: Mapping[str, str]) -> str:
    rules: dict[str, dict[str, str]] = {}
    for rule in _RULE.finditer(text):
        pairs = (part.partition(":") for part in rule["body"].split(";") if ":" in part)
        rules[rule["selector"]] = {name.strip(): value.strip() for name, _, value in pairs}
    rules.setdefault(selector, {}).update(declarations)
    lines = [f"{name} {{ {'; '.join(f'{k}: {v}' for k, v in body.items())} }}" for name, body in rules.items()]
    return "\n".join(lines) + "\n"
