"""Controls that are watched in Chromium: what they do twice is what they promise to do."""

import pytest

from loopwright.agents.pages.browser import Browser, open_browser
from loopwright.agents.pages.promises.checks import BehaviourCheck, Expectation
from loopwright.agents.pages.promises.keeping import observe
from tests.agents.pages.promises.pages import SHOP, app, check, replaced
from tests.support.browser import find_chromium

pytestmark = pytest.mark.browser

SPIN = replaced(
    "greet();",
    """document.getElementById('saved-list').onclick = null;
document.querySelector('h1').onclick = function () {
  localStorage.setItem('when', String(Date.now()) + Math.random());
  document.getElementById('saved-list').textContent = String(Math.random());
};""",
)


def tap(selector: str) -> BehaviourCheck:
    made = check("behaviour", steps=[{"action": "load"}, {"action": "click", "selector": selector}])
    assert isinstance(made, BehaviourCheck)
    return made


async def test_what_a_control_does_is_seen() -> None:
    async with open_browser(find_chromium()) as browser:
        heart = await observe(browser, tap("[data-favourite='tea']"), app())
        link = await observe(browser, tap("nav [href='cart.html']"), app())
        nothing = await observe(browser, tap("h2"), app())
        lucky = await observe(browser, tap("h1"), app(SPIN))
        absent = await observe(browser, tap("#nowhere"), app())
    tea = '[data-favourite="tea"]'
    assert heart.expectations == (
        Expectation(kind="storage", name="kept", value="tea"),
        Expectation(kind="attribute", selector=tea, name="aria-pressed", value="true"),
        Expectation(kind="appears", selector="#saved"),
    )
    assert link.expectations == (Expectation(kind="navigation", value="cart"),)
    assert (nothing.expectations, absent.expectations) == ((), ())
    assert lucky.expectations == (Expectation(kind="storage", name="when"),)


async def test_without_a_browser_nothing_is_added() -> None:
    heart = tap("[data-favourite='tea']")
    assert await observe(Browser("no-such-browser"), heart, app(SHOP)) == heart
