"""Checks and verdicts in words: what the user, the model and the report read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.compliance.cascade.shorthand import expand
from loopwright.agents.pages.compliance.cascade.tokens import UnresolvedVariableError, substitute
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.promises.app_pages import AppPages, find
from loopwright.agents.pages.promises.checks import (
    BehaviourCheck,
    Check,
    ElementCheck,
    Expectation,
    GivenUp,
    LinkCheck,
    Statement,
    Step,
    StyleCheck,
    TextCheck,
)
from loopwright.agents.pages.promises.promise import Promise, PromiseDraft, PromiseVerdict, State, Verdict
from loopwright.agents.pages.promises.scripts import footprint, page_statements

MAX_REQUEST = 160
"""Characters of a request where it is quoted in a sentence."""


SUPERSEDED = "In the place of older requests, as the user's own words ask: "
"""How the line begins that tells which promises the newest words have superseded."""


def plural(count: int, name: str) -> str:
    """A count with what is counted: `1 link`, `3 × .card`."""
    if not name.isalpha():
        return f"{count} × {name}"
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def quoted(request: str) -> str:
    """A request in quotation marks, shortened."""
    text = " ".join(request.split())
    return f"“{text if len(text) <= MAX_REQUEST else text[: MAX_REQUEST - 1].rstrip() + '…'}”"


def expectation_of(check: Check) -> str:
    """What a check expects, in a few words."""
    match check:
        case ElementCheck():
            return _element(check)
        case TextCheck():
            return f"the words {check.text!r} {'on' if check.present else 'no longer on'} {check.slug}"
        case LinkCheck():
            called = f" called {check.label!r}" if check.label else ""
            return f"a link{called} from {check.slug} to {check.target}"
        case StyleCheck():
            return f"{check.property}: {check.value} on {_counted(check.selector, check.min_count)} of {check.slug}"
        case BehaviourCheck():
            return _behaviour(check)


def _element(check: ElementCheck) -> str:
    if check.max_count == 0:
        what = f"no {check.selector}"
    elif check.max_count == check.min_count:
        what = f"exactly {plural(check.min_count, check.selector)}"
    elif check.max_count is not None:
        what = f"{check.min_count} to {check.max_count} × {check.selector}"
    else:
        what = _counted(check.selector, check.min_count)
    if check.attribute is not None:
        what += f" with {check.attribute}" + (f' = "{check.value}"' if check.value is not None else "")
    if check.text is not None:
        what += f" with the words {check.text!r}"
    return f"{what}{' to be seen' if check.visible else ''} on {check.slug}"


def _counted(selector: str, count: int) -> str:
    return selector if count == 1 else f"at least {count} × {selector}"


def _behaviour(check: BehaviourCheck) -> str:
    steps = ", ".join(_step(step) for step in check.steps if step.action != "load") or "opening the page"
    outcome = "; ".join(_outcome(each) for each in check.expectations) or "what its script does"
    return f"{steps} on {check.slug} → {outcome}"


def _step(step: Step) -> str:
    if step.action == "fill":
        return f"typing {step.value!r} into {step.selector}"
    return f"choosing {step.value!r} in {step.selector}" if step.action == "select" else f"tapping {step.selector}"


def _outcome(expectation: Expectation) -> str:
    match expectation.kind:
        case "appears" | "disappears":
            return f"{expectation.selector} {expectation.kind}"
        case "text":
            return f"{expectation.selector} says {expectation.value!r}"
        case "attribute":
            value = f" = {expectation.value!r}" if expectation.value is not None else ""
            return f"{expectation.selector} has {expectation.name}{value}"
        case "class":
            return f"{expectation.selector} has the class {expectation.name}"
        case "storage":
            value = f" = {expectation.value!r}" if expectation.value is not None else ""
            return f"{expectation.name}{value} is stored"
        case "navigation":
            return f"the page {expectation.value} opens"


def describe(promise: Promise | PromiseDraft) -> list[str]:
    """The expectations of a promise, one line each."""
    return [expectation_of(check) for check in promise.checks]


def describe_given_up(each: GivenUp) -> str:
    """A check that does not count any more, and what became of it."""
    by = f" by P{each.superseded_by}" if each.superseded_by else ""
    why = f" {quoted(each.reason)}" if each.reason else ""
    return f"{expectation_of(each.check)} ({each.state}{by}{why})"


def refusal(broken: Sequence[PromiseVerdict], what: str) -> str:
    """Why a change is refused: the promises that it would break, in the user's words."""
    named = "; ".join(f"{each.promise.id} {quoted(each.promise.request)}" for each in broken)
    plural_s = "" if len(broken) == 1 else "s"
    return f"{what} breaks the promise{plural_s} {named}. Nothing was saved."


def findings(broken: Sequence[PromiseVerdict]) -> list[str]:
    """A line for each check that does not hold: what was expected, what was found."""
    return [
        f"{each.promise.id}: expected {verdict.expected}; found {verdict.found}"
        + (" (by the source alone)" if verdict.check.kind == "behaviour" and verdict.method == "static" else "")
        for each in broken
        for verdict in each.broken
    ]


def as_text(promises: Sequence[Promise]) -> list[str]:
    """The promises for a prompt, one line each."""
    return [f"{each.id} {quoted(each.request)}: {'; '.join(describe(each))}" for each in promises]


# Looking at behaviours without a browser: their elements are there, and the script statements that mention them.

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


# Looking at styles: the value that the cascade computes, compared as people would compare it.

EXCERPT = 80


def look_at_style(check: StyleCheck, app: AppPages) -> Verdict:
    """Count the elements whose computed value is the one that was asked for."""
    page = app.page(check.slug)
    nodes = page.find(check.selector)
    answers = [has_value(page, node, check.property, check.value) for node in nodes]
    kept = sum(answer is True for answer in answers)
    open_ = sum(answer is None for answer in answers)
    state: State = "unclear" if kept + open_ >= check.min_count else "broken"
    state = "kept" if kept >= check.min_count else state
    other = next((node for node, answer in zip(nodes, answers, strict=True) if answer is False), None)
    if not nodes:
        found = f"no {check.selector}"
    elif state == "kept" or other is None:
        found = f"{plural(kept, check.selector)} with that value"
    else:
        found = f"{check.property}: {shown_value(page, other, check.property)[:EXCERPT]}"
    return Verdict(check, state, expectation_of(check), found)


def has_value(page: Page, node: LexborNode, name: str, value: str) -> bool | None:
    """Whether an element's property computes to this value; None where the page leaves it open."""
    custom = page.cascade.custom_properties(node)
    if name.startswith("--"):
        return same_value(custom.get(name, ""), value)
    try:
        wanted = expand(name, substitute(value, custom.get).strip())
    except UnresolvedVariableError:
        return False  # the token is gone, and with it the value that was asked for
    actual = {longhand: page.cascade.value(node, longhand) for longhand in wanted}
    if not wanted:
        return None
    if any(found is not None and not same_value(found, wanted[longhand]) for longhand, found in actual.items()):
        return False
    return None if None in actual.values() else True


def shown_value(page: Page, node: LexborNode, name: str) -> str:
    """A property's value on an element, for people."""
    if name.startswith("--"):
        return page.cascade.custom_properties(node).get(name, "not set")
    values: Mapping[str, str | None] = {
        longhand: page.cascade.value(node, longhand) for longhand in expand(name, "initial")
    }
    return ", ".join(dict.fromkeys(value or "not set" for value in values.values()))


def same_value(one: str, other: str) -> bool:
    """Whether two values mean the same: equal as colours where both are colours, else as words."""
    first, second = _colour(one), _colour(other)
    if first is not None and second is not None:
        return first == second
    return _plain(one) == _plain(other)


def _plain(value: str) -> str:
    """A value with its blanks and letters in one form: `0 .5PX` and `0 0.5px` are the same."""
    text = " ".join(value.lower().replace(",", ", ").split())
    words = [f"0{word}" if word[:1] == "." else word for word in text.split(" ")]
    return " ".join("0" if word in ("0px", "0em", "0rem") else word for word in words)


def _colour(value: str) -> tuple[int, ...] | None:
    """A colour as 8-bit red, green and blue and alpha in percent; None for what is no colour, or not known as one."""
    colour = parse_colour(value)
    if colour is None:
        return None
    return (*(round(255 * part) for part in (colour.red, colour.green, colour.blue)), round(100 * colour.alpha))
