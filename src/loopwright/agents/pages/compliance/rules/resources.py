"""Rules about what a page loads: the design system has to be linked, and no other host is needed."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.javascript import Script, ScriptFacts, facts_of
from loopwright.agents.pages.compliance.javascript.facts import is_external
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.page import DESIGN_SYSTEM_FILE, Issue, Page, is_design_system, slug_of
from loopwright.agents.pages.compliance.rules.markup_rules import Rule
from loopwright.agents.pages.runtime import runtime_file, runtime_path

# Rules about scripts: they compile, and what they look up or lead to exists. Nothing is run.


def check_syntax(page: Page) -> Iterator[Issue]:
    """A script that does not compile is left out as a whole, with everything it was to do."""
    for script in page.scripts:
        facts = facts_of(script.text, script.kind)
        selector = page.selector_of(script.node)
        if facts.not_judged:
            message = f"The script could not be checked: {facts.not_judged}. Make it shorter and flatter."
            yield Issue(rule="script-syntax", severity="warning", message=message, selector=selector)
        elif facts.problem is not None and script.kind not in ("json", "import map"):
            where = f"line {facts.problem.line}" if script.name == "script" else script.name
            yield Issue(
                rule="script-syntax",
                severity="error",
                message=f"The script does not compile, so nothing of it runs. {_said(script)}",
                selector=selector,
                measured=f"{where}: {facts.problem.message[:200]}",
            )


def _said(script: Script) -> str:
    if script.name != "script":
        return f"Correct the {script.name} attribute, or attach the behaviour in a <script>."
    if script.node.text(deep=True).count("<!--"):
        return "Mind that <!-- begins a comment in a script."
    return "Correct the line; inside a string, write <\\/script> for the end tag."


def check_data(page: Page) -> Iterator[Issue]:
    """Data for scripts has to be JSON, or whoever reads it fails."""
    for script in page.scripts:
        problem = facts_of(script.text, script.kind).problem if script.kind in ("json", "import map") else None
        if problem is not None:
            yield Issue(
                rule="script-data",
                severity="error",
                message="The data in the script element is no JSON. Quote names with double quotes, leave out comments "
                "and trailing commas.",
                selector=page.selector_of(script.node),
                measured=f"line {problem.line}: {problem.message}",
            )


def check_ids(page: Page) -> Iterator[Issue]:
    """An element that a script takes for granted has to be there: otherwise the script stops in the middle."""
    present = {node.attributes.get("id") or "" for node in page.find("[id]")}
    made = [name for script in page.scripts for name in facts_of(script.text, script.kind).made_ids]
    beginnings = tuple(name.removesuffix(UNKNOWN) for name in made if name.endswith(UNKNOWN))
    present.update(made)
    for script in page.scripts:
        for identifier in facts_of(script.text, script.kind).looked_up:
            if identifier not in present and not identifier.startswith(beginnings or (UNKNOWN,)):
                yield Issue(
                    rule="script-id",
                    severity="warning",
                    message=f"A script uses the element with the id '{identifier}', and there is none. Give the "
                    "element that id, or test for it.",
                    selector=page.selector_of(script.node),
                    measured=identifier,
                )


def check_links(page: Page) -> Iterator[Issue]:
    """A script leads only to pages that exist."""
    if page.known_slugs is None:
        return
    pages = ", ".join(f"{slug}.html" for slug in sorted(page.known_slugs))
    for script in page.scripts:
        for way in facts_of(script.text, script.kind).navigations:
            slug = slug_of(way.address)
            if slug is not None and slug not in page.known_slugs:
                yield Issue(
                    rule="script-link",
                    severity="error",
                    message=f"A script leads to the page '{slug}', which does not exist. Pages are: {pages}.",
                    selector=page.selector_of(script.node),
                    measured=way.address[:200],
                )


SCRIPT_RULES = (
    Rule("script-syntax", "Every script, handler and javascript: address compiles.", check_syntax),
    Rule("script-data", "Data in script elements is JSON.", check_data),
    Rule("script-id", "Elements that scripts take for granted exist.", check_ids),
    Rule("script-link", "Scripts lead to pages that exist.", check_links),
)


_LOADING_ATTRIBUTES = {
    "script[src]": "src",
    "link[href]": "href",
    "img[src]": "src",
    "source[src]": "src",
    "video[src]": "src",
    "audio[src]": "src",
    "iframe[src]": "src",
    "embed[src]": "src",
    "object[data]": "data",
    "video[poster]": "poster",
    "track[src]": "src",
    "input[type=image][src]": "src",
}
_CODE = frozenset({"script", "iframe", "embed", "object"})
"""What runs on the page, or shows another one in it."""
_LOADING_RELATIONS = frozenset(
    {"stylesheet", "icon", "shortcut", "apple-touch-icon", "manifest", "preload", "modulepreload", "mask-icon"}
)
_CANDIDATE = re.compile(r"[^\s,][^\s]*[^\s,](?=\s|,|$)")
"""An address in a `srcset`: it ends at a blank, and a comma at its end is none of it (HTML standard, 4.8.4.2.1)."""
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")


def check_design_system(page: Page) -> Iterator[Issue]:
    """All pages of an app share one stylesheet; a preview may carry its text in a `<style data-href>` instead."""
    linked = [link.value("href") or "" for link in page.skeleton.stylesheets()]
    inlined = [node.attributes.get("data-href") or "" for node in page.find("style[data-href]")]
    if not any(is_design_system(href) for href in (*linked, *inlined)):
        yield Issue(
            rule="design-system",
            severity="error",
            message=f"The page does not link {DESIGN_SYSTEM_FILE}, which holds the app's colours and components.",
            required=f'<link rel="stylesheet" href="../{DESIGN_SYSTEM_FILE}">',
            auto_fixable=True,
        )


def check_known_styles(page: Page) -> Iterator[Issue]:
    """Says so when a stylesheet was not given, as the rules about sizes then have nothing to go by."""
    if not page.css_is_complete:
        message = "A stylesheet of the page could not be read, so sizes, fonts and layout were not checked."
        yield Issue(rule="styles-known", severity="warning", message=message)


def check_hosts(page: Page) -> Iterator[Issue]:
    """A prototype should open without the network, and send nothing to anyone.

    What is loaded from elsewhere is missing without a network: a warning. Code from there, and what sends something
    there or goes there by itself, is an error.
    """
    for address, node in _loaded(page):
        if is_external(address):
            yield _loads_from_elsewhere(page, address, node)
    for node in page.find("form[action], [formaction]"):
        address = node.attributes.get("formaction") or node.attributes.get("action") or ""
        if is_external(address):
            yield _calls_out("The form sends what is typed to another host", address, page.selector_of(node))
    for node in page.find("meta[http-equiv][content]"):
        target = _REFRESH.match(node.attributes.get("content") or "")
        if (node.attributes.get("http-equiv") or "").lower() == "refresh" and target and is_external(target[1]):
            yield _calls_out("The page leaves for another host by itself", target[1], page.selector_of(node))
    yield from _check_scripts(page)


def _check_scripts(page: Page) -> Iterator[Issue]:
    for script in page.scripts:
        facts, selector = facts_of(script.text, script.kind), page.selector_of(script.node)
        for call in facts.calls_out:
            if call.address is None:
                message = f"A script uses {call.way} with an address that only running it would tell. Keep data in it."
                yield Issue(rule="external-host", severity="warning", message=message, selector=selector)
            elif is_external(call.address):
                yield _calls_out(f"A script calls another host ({call.way})", call.address, selector)
        for way in facts.navigations:
            if way.at_once and is_external(way.address):
                yield _calls_out("A script leaves for another host by itself", way.address, selector)


def check_files(page: Page) -> Iterator[Issue]:
    """What the page loads is in it or lies beside it: a prototype has pages, one stylesheet and uploads."""
    asked = [(call.address, script.node) for script in page.scripts for call in _facts(script).calls_out]
    requested = [(address, node) for address, node in asked if address]
    for address, node in (*_loaded(page, with_stylesheets=False), *requested):
        if not _is_there(page, address):
            yield Issue(
                rule="missing-file",
                severity="error",
                message="There is no such file beside the page. Use inline SVG, a data: address or CSS instead.",
                selector=None if node is None else page.selector_of(node),
                measured=address[:200],
            )


def _facts(script: Script) -> ScriptFacts:
    return facts_of(script.text, script.kind)


def _loaded(page: Page, *, with_stylesheets: bool = True) -> Iterator[tuple[str, LexborNode | None]]:
    """The addresses that the page loads by itself, each with the element that does so."""
    for selector, attribute in _LOADING_ATTRIBUTES.items():
        for node in page.find(selector):
            rel = (node.attributes.get("rel") or "").lower().split()
            is_sheet = "stylesheet" in rel
            if node.tag == "link" and (not _LOADING_RELATIONS.intersection(rel) or (is_sheet and not with_stylesheets)):
                continue
            yield (node.attributes.get(attribute) or "").strip(), node
    for node in page.find("img[srcset], source[srcset]"):
        for candidate in _CANDIDATE.findall(node.attributes.get("srcset") or ""):
            yield candidate, node
    for address in page.cascade.sheet.addresses:
        yield address.strip(), None


def _is_there(page: Page, address: str) -> bool:
    """Whether an address can be answered without a host; what the user has uploaded is taken to be there."""
    if not address or address.startswith("#") or is_external(address) or is_design_system(address):
        return True
    if _SCHEME.match(address) or "uploads/" in address:
        return True
    path = runtime_path(address)
    if path is not None:
        return runtime_file(path) is not None
    slug = slug_of(address)
    is_page = address.partition("?")[0].partition("#")[0].lower().endswith((".html", ".htm"))
    return is_page and (page.known_slugs is None or slug in page.known_slugs)


def _loads_from_elsewhere(page: Page, address: str, node: LexborNode | None) -> Issue:
    if node is not None and node.tag in _CODE:
        return _calls_out("The page runs what another host sends", address, page.selector_of(node))
    selector = None if node is None else page.selector_of(node)
    message = "The page loads from another host. Use inline SVG, CSS or system fonts, so it works without a network."
    return Issue(rule="external-host", severity="warning", message=message, selector=selector, measured=address[:200])


def _calls_out(what: str, address: str, selector: str | None) -> Issue:
    message = f"{what}. A prototype sends nothing to anyone: keep its data in the page and in localStorage."
    return Issue(rule="external-host", severity="error", message=message, selector=selector, measured=address[:200])


RESOURCE_RULES = (
    Rule("design-system", "The page links the design system.", check_design_system),
    Rule("styles-known", "All stylesheets of the page are known to the check.", check_known_styles),
    Rule("external-host", "The page needs no other host, and sends nothing to one.", check_hosts),
    Rule("missing-file", "What the page loads exists.", check_files),
)
