"""Rules about the document as a whole: doctype, language, character set, title, viewport, unique ids."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.agents.pages.compliance.accessibility.languages import has_known_language
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule
from loopwright.agents.pages.compliance.shell import viewport_is_mobile


def check_doctype(page: Page) -> Iterator[Issue]:
    """Without a doctype browsers fall into quirks mode, where sizes are computed differently."""
    if page.skeleton.doctype is None:
        message = "The page has no doctype. Begin it with <!doctype html>."
        yield Issue(rule="doctype", severity="error", message=message, auto_fixable=True)


def check_language(page: Page) -> Iterator[Issue]:
    """A screen reader picks its voice by the page's language (WCAG 3.1.1)."""
    language = (page.skeleton.html.value("lang") or "").strip() if page.skeleton.html else ""
    if has_known_language(language):
        return
    problem = f"'{language}' names no language" if language else "The page does not say its language"
    yield Issue(
        rule="html-lang",
        severity="error",
        message=f'{problem}. Write <html lang="en"> or the language of the text.',
        selector="html",
        measured=language or None,
        auto_fixable=not language,
    )


def check_charset(page: Page) -> Iterator[Issue]:
    """Pages are stored as UTF-8, and a browser that is not told guesses."""
    metas = [token for token in page.skeleton.head_tags if token.name == "meta"]
    declared = [token.value("charset") or "" for token in metas if token.attribute("charset")]
    declared += [token.value("content") or "" for token in metas if token.attribute("http-equiv")]
    if not any(re.search(r"utf-?8", text, re.IGNORECASE) for text in declared):
        message = 'The page does not declare UTF-8. Add <meta charset="utf-8"> first in the head.'
        yield Issue(rule="charset", severity="warning", message=message, auto_fixable=True)


def check_title(page: Page) -> Iterator[Issue]:
    """A page needs a title that says what it is (WCAG 2.4.2)."""
    if not page.skeleton.title_text.strip():
        message = "The page has no title. Put <title> with the name of the screen into the head."
        yield Issue(rule="title", severity="error", message=message, selector="title", auto_fixable=True)


def check_viewport(page: Page) -> Iterator[Issue]:
    """Without the viewport meta a phone lays the page out 980 pixels wide and shrinks it."""
    meta = page.skeleton.meta("viewport")
    content = "" if meta is None else meta.value("content") or ""
    required = "width=device-width, initial-scale=1"
    if not viewport_is_mobile(content):
        problem = "The viewport is wrong for phones" if content else "The page has no viewport"
        yield Issue(
            rule="viewport",
            severity="error",
            message=f'{problem}. Put <meta name="viewport" content="{required}"> into the head.',
            selector='meta[name="viewport"]' if meta else None,
            measured=content or None,
            required=required,
            auto_fixable=True,
        )


def check_unique_ids(page: Page) -> Iterator[Issue]:
    """An id names one element: labels, links and scripts find only the first of several."""
    counts = Counter(node.attributes.get("id") or "" for node in page.find("[id]"))
    for identifier, count in counts.items():
        if count > 1 and identifier:
            yield Issue(
                rule="duplicate-id",
                severity="error",
                message=f"The id '{identifier}' is used more than once. Give each element an id of its own.",
                selector=f'[id="{identifier}"]',
                measured=f"{count} elements",
                required="1 element",
            )


DOCUMENT_RULES = (
    Rule("doctype", "The page begins with <!doctype html>.", check_doctype),
    Rule("html-lang", "The html element says the language of the page.", check_language),
    Rule("charset", "The page declares UTF-8.", check_charset),
    Rule("title", "The page has a title.", check_title),
    Rule("viewport", "The viewport is as wide as the device, at scale 1.", check_viewport),
    Rule("duplicate-id", "No two elements share an id.", check_unique_ids),
)
