"""Looking at styles: the value that the cascade computes, compared as people would compare it."""

from collections.abc import Mapping

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.compliance.cascade.shorthand import expand
from loopwright.agents.pages.compliance.cascade.variables import UnresolvedVariableError, substitute
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.ledger.app_pages import AppPages
from loopwright.agents.pages.ledger.checks import StyleCheck
from loopwright.agents.pages.ledger.verdict import State, Verdict
from loopwright.agents.pages.ledger.wording import expectation_of, plural

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
