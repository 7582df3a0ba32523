"""Both verdicts on one page: ours without a browser, and Chromium's."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loopwright.agents.pages.browser import Browser, PageMeasurement, project_files
from loopwright.agents.pages.browser.browser import assemble, phone_figures, window_figures
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.validate import report_on
from tests.agents.pages.compliance.agreement.pages import SLUGS, Case
from tests.agents.pages.compliance.sample_pages import design_css

Verdicts = dict[str, frozenset[str]]
"""By rule, what breaks it: ids of elements, or `page`."""

MENU = "<!doctype html><html lang=en><title>Menu</title><h1 id=y>Menu</h1><p>Nothing is sold out today.</p></html>"
PROBE = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")
WHOLE_PAGE = frozenset(
    {
        *("viewport", "overflow", "max-width", "scrollbar", "title", "doctype", "duplicate-id", "main-heading"),
        *("script-error", "request"),
    }
)
"""Rules that judge the page, whichever element is named."""
MERGED = {
    **dict.fromkeys(("script-syntax", "script-id"), "script-error"),
    **dict.fromkeys(("external-host", "missing-file"), "request"),
}
"""Rules of ours that a browser does not tell apart."""
RULES = (
    *("viewport", "overflow", "max-width", "scrollbar", "touch-target", "text-size", "field-text-size"),
    *("body-text-size", "visibility", "contrast", "script-error", "request", "broken-link", "duplicate-id"),
    *("main-heading", "title", "doctype"),
)


def our_verdicts(case: Case) -> Verdicts:
    """What `validate_html` says without a browser; warnings count too."""
    page = Page.read(case.html, css=design_css(), slug="index", known_slugs=SLUGS)
    found: dict[str, set[str]] = {rule: set() for rule in RULES}
    for issue in report_on(page).issues:
        rule = MERGED.get(issue.rule, issue.rule)
        if rule in found:
            found[rule].add("page" if rule in WHOLE_PAGE else _id_of(page, issue.selector))
    elements = page.find("body [id]")
    found["visibility"] = {node.id or "" for node in elements if not page.is_rendered(node)}
    return {rule: frozenset(names) for rule, names in found.items()}


def _id_of(page: Page, selector: str | None) -> str:
    node = next(iter(page.find(selector)), None) if selector else None
    return "page" if node is None else node.id or "page"


async def chromium_verdicts(browser: Browser, cases: Sequence[Case]) -> list[Verdicts]:
    """What Chromium says of each page: the product's own measuring, and a probe for what that leaves out.

    The pages are opened one after the other on one phone, and then in one window: a phone for each would take minutes.
    """
    names = [f"pages/case{number}.html" for number in range(len(cases))]
    files = project_files({"index": MENU, "menu": MENU}, design_css())
    files |= {name: case.html for name, case in zip(names, cases, strict=True)}
    seen: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
    async with browser.page(files, "pages/index.html") as page:
        for name in names:
            page.forget_messages()
            await page.open(name)
            seen.append((await phone_figures(page), await page.evaluate(PROBE)))
    async with browser.page(files, "pages/index.html", phone=False) as page:
        windows = []
        for name in names:
            await page.open(name)
            windows.append(await window_figures(page))
    return [
        _verdicts(assemble(phone, window), probed, files) for (phone, probed), window in zip(seen, windows, strict=True)
    ]


def _verdicts(measured: PageMeasurement, probed: Mapping[str, Any], files: Mapping[str, str]) -> Verdicts:
    small = [(text.selector.removeprefix("#"), text.required) for text in measured.small_text]
    found: dict[str, set[str]] = {
        **_whole_page(measured, probed),
        "touch-target": {target.selector.removeprefix("#") for target in measured.small_targets},
        "text-size": {name for name, required in small if required == 12},
        "field-text-size": {name for name, required in small if required > 12},
        "body-text-size": {"body"} if probed["bodySize"] < 15.95 else set(),
        "visibility": set(probed["hidden"]),
        "contrast": set(probed["contrast"]),
        "broken-link": {name for name, path in probed["files"] if path.lstrip("/") not in files}
        | set(probed["fragments"]),
    }
    return {rule: frozenset(names) for rule, names in found.items()}


def _whole_page(measured: PageMeasurement, probed: Mapping[str, Any]) -> dict[str, set[str]]:
    broken = {
        # A page that is too wide pushes the layout viewport out as well; that is the other rule's matter.
        "viewport": measured.inner_width != 430 and measured.overflow <= 1,
        "overflow": measured.overflow > 1,
        "max-width": measured.content_width > 431,
        "scrollbar": measured.scrollbar_width > 0,
        "script-error": bool(_script_errors(measured)) or bool(probed["handlers"]),
        "request": bool(measured.failed_requests),
        "duplicate-id": probed["duplicates"],
        "main-heading": probed["headings"] != 1,
        "title": not probed["title"],
        "doctype": probed["quirks"],
    }
    return {rule: {"page"} if is_broken else set() for rule, is_broken in broken.items()}


def _script_errors(measured: PageMeasurement) -> list[str]:
    """Errors of scripts; what the network answers, or does not, is told by the requests."""
    network = ("Failed to load", "Access to", "WebSocket", "net::", "blocked by")
    return [text for text in measured.console_errors if not any(sign in text for sign in network)]
