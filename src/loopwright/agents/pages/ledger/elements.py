"""Looking at elements, words and links: what a page's markup alone can tell."""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.links import Link, collect_links
from loopwright.agents.pages.ledger.app_pages import AppPages, certainly_hidden, find, normalised, seen_text
from loopwright.agents.pages.ledger.checks import ElementCheck, LinkCheck, TextCheck
from loopwright.agents.pages.ledger.verdict import Verdict
from loopwright.agents.pages.ledger.wording import expectation_of, plural

EXCERPT = 60
"""Characters of what was found that a verdict quotes."""


def look_at_element(check: ElementCheck, app: AppPages) -> Verdict:
    """Count the elements that the check means."""
    matching = find(app.document(check.slug), check.selector)
    meant = [node for node in matching if _has_attribute(node, check) and _has_text(node, check)]
    shown = meant
    if check.visible and meant:
        page = app.page(check.slug)
        shown = [node for node in find(page.document, check.selector) if _has_attribute(node, check)]
        shown = [node for node in shown if _has_text(node, check) and not certainly_hidden(page, node)]
    count = len(shown)
    kept = check.min_count <= count and (check.max_count is None or count <= check.max_count)
    return Verdict(
        check, "kept" if kept else "broken", expectation_of(check), _found(check, matching, len(meant), count)
    )


def _has_attribute(node: LexborNode, check: ElementCheck) -> bool:
    if check.attribute is None:
        return True
    attributes = node.attributes
    name = check.attribute.lower()
    if name not in attributes:
        return False
    return check.value is None or " ".join((attributes[name] or "").split()) == " ".join(check.value.split())


def _has_text(node: LexborNode, check: ElementCheck) -> bool:
    return check.text is None or normalised(check.text) in normalised(seen_text(node))


def _found(check: ElementCheck, matching: list[LexborNode], meant: int, shown: int) -> str:
    """What is there, from the most particular thing that can be said."""
    if not matching:
        return f"no {check.selector}"
    if meant == 0 and check.text is not None:
        texts = [text[:EXCERPT] for node in matching[:3] if (text := seen_text(node))]
        return f"{plural(len(matching), check.selector)} with other words: {'; '.join(texts) or 'none'}"
    if meant == 0 and check.attribute is not None:
        values = [node.attributes.get(check.attribute.lower()) for node in matching[:3]]
        return f"{plural(len(matching), check.selector)}, {check.attribute} = {', '.join(map(repr, values))[:EXCERPT]}"
    if shown < meant:
        return f"{plural(meant, check.selector)}, {meant - shown} of them hidden"
    return plural(shown, check.selector)


def look_at_text(check: TextCheck, app: AppPages) -> Verdict:
    """Look for the words among those that the page shows, its title included."""
    document = app.document(check.slug)
    title = document.css_first("title")
    words = " ".join(
        [seen_text(document.body) if document.body is not None else "", title.text() if title is not None else ""]
    )
    there = normalised(check.text) in normalised(words)
    found = "the words are there" if there else "the words are nowhere on the page"
    return Verdict(check, "kept" if there is check.present else "broken", expectation_of(check), found)


def look_at_link(check: LinkCheck, app: AppPages) -> Verdict:
    """Look for a link to the other page, which has to exist or be planned."""
    source = app.sources[check.slug]
    links = [link for link in collect_links(source) if link.kind == "page" and link.slug == check.target]
    expected = expectation_of(check)
    if check.target not in app.known:
        return Verdict(check, "broken", expected, f"there is no page {check.target}")
    if not links:
        others = sorted({link.slug for link in collect_links(source) if link.kind == "page" and link.slug})
        return Verdict(check, "broken", expected, f"links to {', '.join(others[:12]) or 'no page'}")
    if check.label is not None and not (named := _labels(check, app, links)):
        return Verdict(check, "broken", expected, "links to it that are called otherwise")
    if check.label is not None:
        return Verdict(check, "kept", expected, f"a link called {named[0][:EXCERPT]!r}")
    return Verdict(check, "kept", expected, plural(len(links), "link"))


def _labels(check: LinkCheck, app: AppPages, links: list[Link]) -> list[str]:
    """The names of those links to the target that contain the label."""
    addresses = {link.href for link in links}
    wanted = normalised(check.label or "")
    names = []
    for node in find(app.document(check.slug), "a[href], area[href]"):
        if (node.attributes.get("href") or "").strip(" \t\n\f\r") in addresses:
            name = " ".join([seen_text(node), node.attributes.get("aria-label") or ""]).strip()
            names += [name] if wanted in normalised(name) else []
    return names
