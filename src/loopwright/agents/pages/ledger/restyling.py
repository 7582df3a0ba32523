"""What changed about things that stayed: styles, classes and attributes, as checks with the words that name them."""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.sheet import StyleSheet
from loopwright.agents.pages.compliance.cascade.tokens import parse_declarations
from loopwright.agents.pages.ledger.app_pages import AppPages, find, seen_text
from loopwright.agents.pages.ledger.checks import MAX_SELECTOR, Check, ElementCheck, StyleCheck, usable_selector
from loopwright.agents.pages.ledger.identity import class_names_of, lasting_selector

TOLD_ATTRIBUTES = frozenset({
    "alt", "checked", "disabled", "href", "max", "maxlength", "min", "open", "placeholder", "readonly", "required",
    "src", "step", "title", "type", "value", "aria-label", "aria-current", "aria-pressed", "aria-expanded", "role",
    "lang", "dir", "rows", "cols",
})  # fmt: skip
"""Attributes whose change a person notices; classes and styles are looked at by what they do."""

MAX_ELEMENTS = 400
"""Elements that are compared one by one."""


def restyled(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Checks of changed details, each with the words that speak of it."""
    yield from _rules(slug, before, after)
    yield from _attributes(slug, before, after)


def _rules(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Declarations that the page's own style sheets have now, on elements that were there before."""
    old, new = _own_rules(before, slug), _own_rules(after, slug)
    page = after.page(slug)
    for (selector, name), value in new.items():
        if old.get((selector, name)) == value or not _askable(selector) or len(value) > 500:
            continue
        if not before.page(slug).find(selector):
            continue  # the look of something new is a detail of it, no wish of its own
        count = len(page.find(selector))
        if count:
            style = StyleCheck(slug=slug, selector=selector, property=name, value=value, min_count=(count + 1) // 2)
            texts = " ".join(seen_text(node)[:60] for node in page.find(selector)[:2])
            yield style, f"{selector} {name} {value} {texts}"


def _askable(selector: str) -> bool:
    """Whether a rule's selector can stand in a check."""
    try:
        return len(selector) <= MAX_SELECTOR and bool(usable_selector(selector))
    except ValueError:
        return False


def _own_rules(app: AppPages, slug: str) -> Mapping[tuple[str, str], str]:
    """Selector and property to value, of the page's own style sheets; the last one counts."""
    sheet = StyleSheet()
    for node in app.document(slug).css("style"):
        sheet.add(node.text())
    return {
        (rule.selector.text, declaration.name): declaration.value.strip()
        for rule in sheet.rules
        if rule.selector.reach == "at-rest" and not rule.selector.pseudo_element and rule.certain
        for declaration in rule.declarations
        if declaration.value.strip()
    }


def _attributes(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Attributes, classes and inline styles of elements that both versions have under the same name."""
    old, new = _by_selector(before, slug), _by_selector(after, slug)
    for selector, node in new.items():
        was = old.get(selector)
        if was is None:
            continue
        words = f"{selector} {seen_text(node)[:80]}"
        for name, value in node.attributes.items():
            if name in TOLD_ATTRIBUTES and (name not in was.attributes or was.attributes[name] != value):
                told = {"attribute": name} | ({"value": value} if value is not None and len(value) <= 2_000 else {})
                yield ElementCheck(slug=slug, selector=selector, **told), f"{words} {name} {value or ''}"
        for added in class_names_of(node):
            if added not in class_names_of(was) and len(selector) + len(added) < MAX_SELECTOR:
                yield ElementCheck(slug=slug, selector=f"{selector}.{added}"), f"{words} {added}"
        yield from _inline(slug, selector, was, node, words)


def _inline(slug: str, selector: str, was: LexborNode, node: LexborNode, words: str) -> Iterator[tuple[Check, str]]:
    old = {each.name: each.value for each in parse_declarations(was.attributes.get("style") or "")}
    for each in parse_declarations(node.attributes.get("style") or ""):
        value = each.value.strip()
        if old.get(each.name) != each.value and 0 < len(value) <= 500:
            style = StyleCheck(slug=slug, selector=selector, property=each.name, value=value)
            yield style, f"{words} {each.name} {value}"


def _by_selector(app: AppPages, slug: str) -> dict[str, LexborNode]:
    """The elements that a lasting selector leads to, the first one where it leads to several."""
    document = app.document(slug)
    found: dict[str, LexborNode] = {}
    for node in find(document, "body, body *")[:MAX_ELEMENTS]:
        selector = lasting_selector(node, document)
        if selector is not None:
            found.setdefault(selector, node)
    return found
