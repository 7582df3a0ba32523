"""All ACT rules, run over one page."""

from collections.abc import Sequence

from loopwright.agents.pages.compliance.act.outcome import ActResult, ActRule, combine
from loopwright.agents.pages.compliance.act.rules import ACT_RULES
from loopwright.agents.pages.compliance.act.shadow import write_out_shadows
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.page import is_too_large


def check_act(html: str, *, css: str = "", rules: Sequence[ActRule] = ACT_RULES) -> tuple[ActResult, ...]:
    """The outcome of every rule on a page, judged as its source stands: scripts are not run.

    Args:
        html: the page.
        css: its design system, as if linked first.
        rules: the rules to check.
    """
    if is_too_large(html):
        return tuple(ActResult(rule, "cantTell", reason="the page is too large to be checked") for rule in rules)
    subject = Subject.read(write_out_shadows(html), css)
    if subject.page.cascade.exhausted_by:
        return tuple(ActResult(rule, "cantTell", reason="the page asks for too much work") for rule in rules)
    return tuple(_result(rule, subject) for rule in rules)


def _result(rule: ActRule, subject: Subject) -> ActResult:
    if subject.scripts_change_it:
        return ActResult(rule, "cantTell", reason="a script changes the page while it loads")
    outcome, decisive = combine(rule.check(subject))
    if not subject.page.css_is_complete and rule.depends_on_css:
        return ActResult(rule, "cantTell", reason="a stylesheet of the page is not known")
    node = None if decisive is None else decisive.node
    selector = None if node is None else subject.page.selector_of(node)
    return ActResult(rule, outcome, selector, "" if decisive is None else decisive.reason)
