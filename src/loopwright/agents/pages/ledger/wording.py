"""Checks and verdicts in words: what the user, the model and the report read."""

from collections.abc import Sequence

from loopwright.agents.pages.ledger.checks import (
    BehaviourCheck,
    Check,
    ElementCheck,
    Expectation,
    LinkCheck,
    Step,
    StyleCheck,
    TextCheck,
)
from loopwright.agents.pages.ledger.entries import GivenUp
from loopwright.agents.pages.ledger.promise import Promise, PromiseDraft
from loopwright.agents.pages.ledger.verdict import PromiseVerdict

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
