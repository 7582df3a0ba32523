"""Looking at behaviours without a browser: their elements are there, and the script statements that mention them."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.ledger.app_pages import AppPages, find
from loopwright.agents.pages.ledger.checks import BehaviourCheck, ElementCheck, Statement
from loopwright.agents.pages.ledger.scripts import footprint, page_statements
from loopwright.agents.pages.ledger.verdict import Verdict
from loopwright.agents.pages.ledger.wording import expectation_of

MAX_STATEMENTS = 40
"""Statements of one footprint; the first ones, where there are more."""

_PARTS = re.compile(
    r"#(?P<id>[\w-]+)|\.(?P<class_>[\w-]+)|\[\s*(?P<attribute>[\w-]+)(?:\s*[~^$*|]?=\s*[\"']?(?P<value>[^\"'\]]*))?"
)


class BehaviourRunner(Protocol):
    """Acts behaviours out in a browser."""

    async def act_out(self, app: AppPages, checks: Iterable[BehaviourCheck]) -> list[Verdict | None]:
        """One verdict each, in order; None where the browser failed, so that the source has to do."""
        ...

    async def unseen(self, app: AppPages, slug: str, checks: Sequence[ElementCheck]) -> set[int]:
        """The places of those checks whose elements are not there once the page's scripts have run."""
        ...


def look_at_behaviour(check: BehaviourCheck, app: AppPages) -> Verdict:
    """Look for the footprint of a behaviour in the source."""
    document = app.document(check.slug)
    expected = expectation_of(check)
    for step in check.steps:
        if step.selector is not None and not find(document, step.selector):
            return Verdict(check, "broken", expected, f"no {step.selector}")
    there = {statement.digest for statement in page_statements(app.sources[check.slug])}
    missing = [statement for statement in check.statements if statement.digest not in there]
    if missing:
        gone = "; ".join(statement.excerpt for statement in missing[:3])
        return Verdict(check, "broken", expected, f"{len(missing)} of its script statements gone: {gone}")
    return Verdict(check, "kept", expected, f"its elements and {len(check.statements)} script statements")


def with_footprint(check: BehaviourCheck, app: AppPages) -> BehaviourCheck:
    """The check with the statements that carry it on the page as it is now."""
    selectors = [step.selector for step in check.steps if step.selector]
    terms: list[str] = []
    for selector in selectors:
        terms += terms_of_selector(selector)
        for node in find(app.document(check.slug), selector)[:1]:
            terms += terms_of_element(node)
    for expectation in check.expectations:
        terms += terms_of_selector(expectation.selector or "")
        terms += [expectation.name] if expectation.kind == "storage" else []
    found = footprint(app.sources[check.slug], terms)[:MAX_STATEMENTS]
    statements = tuple(Statement(digest=each.digest, excerpt=each.text[:120]) for each in found)
    return check.model_copy(update={"statements": statements})


def terms_of_selector(selector: str) -> list[str]:
    """The names in a selector by which a script may know the element."""
    terms: list[str] = []
    for part in _PARTS.finditer(selector):
        terms += [part["id"] or part["class_"] or ""]
        if part["attribute"]:
            terms += _attribute_terms(part["attribute"], part["value"] or "")
    return [term for term in terms if term]


def terms_of_element(node: LexborNode) -> list[str]:
    """The names by which a script may know this element: its id, its data attributes, its handlers' functions."""
    terms: list[str] = []
    for name, value in node.attributes.items():
        if name == "id" and value:
            terms.append(value)
        elif name.startswith("data-"):
            terms += _attribute_terms(name, "")
        elif name.startswith("on") and value:
            terms += re.findall(r"([\w$]+)\s*\(", value)[:3]
    return terms


def _attribute_terms(name: str, value: str) -> list[str]:
    """`data-cart-count` is also `dataset.cartCount`; a plain attribute is known by its value."""
    name = name.lower()
    if name.startswith("data-"):
        head, *rest = name.removeprefix("data-").split("-")
        return [name, f"dataset . {head}{''.join(word.capitalize() for word in rest)}"]
    return [value] if value and name in ("id", "name", "class", "for", "aria-controls") else []
