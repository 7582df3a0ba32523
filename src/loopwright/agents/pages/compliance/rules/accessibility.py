"""Rules that are W3C ACT rules at the same time: what those find failed is reported here."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from loopwright.agents.pages.compliance.act.autocomplete import check_autocomplete
from loopwright.agents.pages.compliance.act.frames import check_tab_order
from loopwright.agents.pages.compliance.act.language import check_element_language, check_page_language_fits
from loopwright.agents.pages.compliance.act.meta import check_refresh_strictly, check_zoom
from loopwright.agents.pages.compliance.act.names import check_frame, check_heading
from loopwright.agents.pages.compliance.act.orientation import check_orientation
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

_Check = Callable[[Page], Iterable[Issue]]


def _reports(
    rule: str, check: Callable[[Subject], Iterable[Finding]], severity: Literal["error", "warning"], message: str
) -> _Check:
    """A check that turns what an ACT rule finds failed into issues."""

    def report(page: Page) -> Iterator[Issue]:
        for finding in check(page.once(Subject)):
            if finding.outcome == "failed" and finding.node is not None:
                yield Issue(
                    rule=rule,
                    severity=severity,
                    message=message,
                    selector=page.selector_of(finding.node),
                    measured=finding.reason,
                )

    return report


ACCESSIBILITY_RULES = (
    Rule(
        "heading-name",
        "Every heading has words.",
        _reports(
            "heading-name",
            check_heading,
            "warning",
            "The heading is empty. Give it words, or hide it until a script fills it.",
        ),
    ),
    Rule(
        "frame-name",
        "Every frame has a name.",
        _reports("frame-name", check_frame, "error", "The frame has no name. Give the iframe a title."),
    ),
    Rule(
        "frame-tab-order",
        "Frames with something to operate are in the tab order.",
        _reports(
            "frame-tab-order",
            check_tab_order,
            "error",
            "The frame holds links or fields that the keyboard cannot reach. Remove its tabindex.",
        ),
    ),
    Rule(
        "element-lang",
        "The language of every part is one.",
        _reports(
            "element-lang",
            check_element_language,
            "error",
            'The lang attribute names no language. Write a code such as "en", "de" or "zh".',
        ),
    ),
    Rule(
        "page-language",
        "The page is in the language it says.",
        _reports(
            "page-language",
            check_page_language_fits,
            "warning",
            "The words of the page are in another language than its lang attribute says. Correct <html lang>.",
        ),
    ),
    Rule(
        "autocomplete",
        "What autocomplete says is understood.",
        _reports(
            "autocomplete",
            check_autocomplete,
            "warning",
            'The value of autocomplete is none that browsers know. Write one such as "email", "name" or "tel".',
        ),
    ),
    Rule(
        "meta-refresh",
        "The page does not reload by itself after a while.",
        _reports(
            "meta-refresh",
            check_refresh_strictly,
            "error",
            "The page reloads by itself while somebody reads it. Remove the meta refresh.",
        ),
    ),
    Rule(
        "viewport-zoom",
        "People can enlarge the page.",
        _reports(
            "viewport-zoom",
            check_zoom,
            "warning",
            "The viewport keeps people from enlarging the page. Remove user-scalable and maximum-scale.",
        ),
    ),
    Rule(
        "orientation-lock",
        "The page does not turn itself when the phone is turned.",
        _reports(
            "orientation-lock",
            check_orientation,
            "error",
            "The element is turned back when the phone is turned. Remove the rotation under the orientation query.",
        ),
    ),
)
