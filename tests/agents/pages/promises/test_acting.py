"""Behaviours acted out in Chromium: kept when the page does it, broken when it does not, whatever its source says."""

import asyncio
from typing import Any

import pytest

from loopwright.agents.pages.browser import Browser, open_browser
from loopwright.agents.pages.promises.app_pages import AppPages
from loopwright.agents.pages.promises.checks import BehaviourCheck
from loopwright.agents.pages.promises.promise import Verdict
from loopwright.agents.pages.promises.replay import check_promises, look_at, newly_broken
from loopwright.agents.pages.promises.succession import BrowserRunner, runner_for
from loopwright.agents.pages.promises.wording import with_footprint
from tests.agents.pages.promises.pages import SHOP, app, check, replaced
from tests.agents.pages.promises.test_replay import promise
from tests.support.browser import find_chromium

pytestmark = pytest.mark.browser

HEART = {"action": "click", "selector": "[data-favourite='tea']"}
GREETING = replaced(
    "greet();",
    """document.getElementById('order').onsubmit = function (event) {
  event.preventDefault();
  var field = document.getElementById('name');
  document.getElementById('saved-list').textContent = 'Thanks, ' + field.value;
  document.getElementById('saved').hidden = false;
  field.classList.add('is-done');
};""",
)

CASES: list[tuple[list[dict[str, Any]], dict[str, Any], str, str]] = [
    ([HEART], {"kind": "storage", "name": "kept", "value": "tea"}, "setItem('kept', id)", "setItem('kept', 'x')"),
    ([HEART], {"kind": "appears", "selector": "#saved"}, "hidden = false;\n  });", "hidden = true;\n  });"),
    (
        [HEART],
        {"kind": "attribute", "selector": "[data-favourite='tea']", "name": "aria-pressed", "value": "true"},
        "'aria-pressed', 'true'",
        "'aria-pressed', 'false'",
    ),
    (
        [{"action": "fill", "selector": "#name", "value": "Ada"}, {"action": "click", "selector": "#order .btn"}],
        {"kind": "text", "selector": "#saved-list", "value": "thanks, ada"},
        "field.value;",
        "'you';",
    ),
    (
        [{"action": "click", "selector": "#order .btn"}],
        {"kind": "class", "selector": "#name", "name": "is-done"},
        "field.classList.add('is-done');",
        "",
    ),
    (
        [{"action": "click", "selector": "nav [href='cart.html']"}],
        {"kind": "navigation", "value": "cart"},
        '<a href="cart.html">Cart</a>',
        '<a href="cart.html" onclick="return false">Cart</a>',
    ),
    (
        [{"action": "click", "selector": "h1"}],
        {"kind": "disappears", "selector": "#saved"},
        'id="saved" hidden',
        'id="saved"',
    ),
]


async def acted(browser: Browser, behaviour: BehaviourCheck, pages: AppPages) -> Verdict:
    (verdict,) = await BrowserRunner(browser).act_out(pages, [behaviour])
    assert verdict is not None
    assert verdict.method == "browser"
    return verdict


def behaviour(steps: list[dict[str, Any]], *expectations: dict[str, Any]) -> BehaviourCheck:
    made = check("behaviour", steps=[{"action": "load"}, *steps], expectations=list(expectations))
    assert isinstance(made, BehaviourCheck)
    return made


async def test_every_expectation_holds_and_breaks() -> None:
    async with open_browser(find_chromium()) as browser:
        assert runner_for(browser) is not None
        made = [behaviour(steps, expectation) for steps, expectation, _, _ in CASES]
        spoiled = [app(replaced(old, new, GREETING)) for _, _, old, new in CASES]
        good = await BrowserRunner(browser).act_out(app(GREETING), made)
        bad = await asyncio.gather(*(acted(browser, *pair) for pair in zip(made, spoiled, strict=True)))
    assert [each and (each.state, each.method) for each in good] == [("kept", "browser")] * len(CASES), good
    assert [each.state for each in bad] == ["broken"] * len(CASES), bad
    assert all(each.found for each in bad)


async def test_a_rewritten_script_that_still_works_is_no_breach() -> None:
    """What the source alone would call broken is kept when a browser sees it work."""
    heart = with_footprint(behaviour([HEART], {"kind": "storage", "name": "kept"}), app())
    other = app(replaced("localStorage.setItem('kept', id);", "window.localStorage.kept = id;"))
    assert look_at(heart, other).state == "broken"
    async with open_browser(find_chromium()) as browser:
        report = await check_promises([promise(heart)], other, runner_for(browser))
    assert (report.broken, report.static) == ((), 0)


async def test_scripts_that_take_a_feature_away() -> None:
    """The source still has it, but nobody sees it: a change that brings such a script breaks the promise."""
    form = promise(check("element", selector="#order", visible=True), check("element", selector="h2", text="Saved"))
    removing = app(replaced("greet();", "document.getElementById('order').remove();"))
    async with open_browser(find_chromium()) as browser:
        newly, already = await newly_broken([form], app(), removing, runner_for(browser))
        later = app(replaced("</main>", "<p>More</p></main>", removing.sources["index"]))
        again, _ = await newly_broken([form], removing, later, runner_for(browser))
    assert already == []
    (broken,) = newly
    assert [verdict.method for verdict in broken.verdicts] == ["browser"]
    assert "once the page's scripts have run" in broken.verdicts[0].found
    assert again == []  # that change has brought no script


async def test_a_hostile_page_ends_in_a_verdict() -> None:
    stuck = app(SHOP.replace("greet();", "document.onclick = function () { while (true) {} };"))
    async with open_browser(find_chromium()) as browser, asyncio.timeout(60):
        verdict = await acted(browser, behaviour([HEART], {"kind": "storage", "name": "kept"}), stuck)
    assert verdict.state == "broken"


async def test_without_a_browser_the_source_has_to_do() -> None:
    assert runner_for(None) is None
    assert runner_for(Browser("no-such-browser")) is None
    assert await BrowserRunner(Browser("no-such-browser")).act_out(app(), [behaviour([HEART])]) == [None]
