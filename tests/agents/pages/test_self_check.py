"""The look in the browser before a run may end: what only a browser sees goes back to the model, a few times."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from loopwright.agents.pages.account.looks import look_at
from loopwright.agents.pages.browser import Browser, BrowserFailed, BrowserPage, PageMeasurement
from loopwright.agents.pages.self_check import OPENING
from loopwright.kernel.gates import Finished
from loopwright.kernel.run import AgentRun
from tests.agents.pages.studio import CSS, SESSION, Studio, events_of, fenced, page
from tests.support.shared_browser import shared_browser

GROW = "<script>document.querySelector('p').style.width = 2 * 300 + 'px'</script>"
"""Wider than the phone, which no reading of CSS tells."""
FAIL = "<script>const shop = { items: null }; shop.items.forEach(String)</script>"
"""Compiles, and fails when it runs."""
MAKE = [("generate_page", {"slug": "index", "title": "Home", "description": "Start"})]
EDIT = [("edit_page", {"slug": "index", "edit_instructions": "Take the script out that makes the page too wide."})]


def without(script: str) -> str:
    return f"<<<<<<< SEARCH\n{script}\n=======\n>>>>>>> REPLACE\nThe script is gone."


def reasons(run: AgentRun) -> list[str]:
    return [event.payload["text"] for event in events_of(run, "controller_message")]


def checked(run: AgentRun) -> dict[str, Any]:
    result = events_of(run, "run_completed")[0].payload["result"]
    return cast(dict[str, Any], result["self_check"])


class NoBrowser:
    """Fails the test when it is asked for anything, or fails as a browser does."""

    def __init__(self, error: BrowserFailed | None = None) -> None:
        self.error = error

    def why_not(self) -> str | None:
        return None

    async def measure(self, files: Mapping[str, str | bytes], start: str) -> PageMeasurement:
        raise self.error or AssertionError("nobody should look")

    @asynccontextmanager
    async def page(self, files: Mapping[str, str | bytes], start: str, **options: Any) -> AsyncIterator[BrowserPage]:
        raise self.error or AssertionError("nobody should look")
        yield


@pytest.fixture
async def atelier(studio: Studio) -> Studio:
    """A session with a design system, and no page yet."""
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.stores.pages.save(SESSION, "about", page("about"), source="generate")
    return studio


def look_with(studio: Studio, browser: object) -> None:
    studio.stores = replace(studio.stores, browser=cast(Browser, browser))


@pytest.mark.browser
async def test_what_only_the_browser_sees_is_sent_back_and_mended(atelier: Studio) -> None:
    look_with(atelier, shared_browser())
    html = page("index", ["about"], body=GROW)
    run = atelier.start([MAKE, fenced("html", html), "Done.", EDIT, without(GROW), "Mended."], "a home page")
    assert await atelier.play(run) == Finished("Mended.")
    assert len(reasons(run)) == 1
    assert reasons(run)[0].startswith(f"{OPENING}\n- index at ")
    assert "scrolls sideways" in reasons(run)[0]
    assert "required 430px" in reasons(run)[0]
    assert checked(run) == {"rounds": 1, "pages": ["index"], "findings_left": [], "note": None}
    looks = [event.payload["pages"] for event in events_of(run, "pages_measured")]
    assert [list(pages) for pages in looks] == [["index"], ["index"]]
    assert looks[0] != looks[1]


@pytest.mark.browser
@pytest.mark.parametrize(("option", "rounds"), [({}, 2), ({"self_check": 1}, 1)])
async def test_it_is_sent_back_a_few_times_only(atelier: Studio, option: dict[str, Any], rounds: int) -> None:
    look_with(atelier, shared_browser())
    html = page("index", ["about"], body=FAIL)
    answers = ["Done."] * (rounds + 1)
    run = atelier.start([MAKE, fenced("html", html), *answers], "a home page", option)
    assert await atelier.play(run) == Finished("Done.")
    assert len(reasons(run)) == rounds
    left = checked(run)
    assert (left["rounds"], left["pages"]) == (rounds, ["index"])
    assert [(finding["slug"], finding["rule"]) for finding in left["findings_left"]] == [("index", "rendered-script")]
    assert len(events_of(run, "pages_measured")) == 1, "the same page is looked at once"


@pytest.mark.browser
async def test_validate_html_tells_the_model_and_the_look_is_not_repeated(atelier: Studio) -> None:
    look_with(atelier, shared_browser())
    html = page("index", ["about"], body=FAIL)
    check = [("validate_html", {"slug": "index"})]
    run = atelier.start([MAKE, fenced("html", html), check, EDIT, without(FAIL), check, "Done."], "a home page")
    assert await atelier.play(run) == Finished("Done.")
    first, second = [e.payload for e in events_of(run, "tool_result") if e.payload["name"] == "validate_html"]
    assert "In Chromium, 430 px wide, 'index' is not valid: 1 errors." in first["output"]
    assert "A script fails when the page opens" in first["output"]
    assert first["artifacts"]["browser"]["findings"][0]["measured"].startswith("Cannot read properties of null")
    assert second["artifacts"]["browser"] == {"rendered": True, "findings": []}
    assert reasons(run) == []
    assert len(events_of(run, "pages_measured")) == 2


@pytest.mark.browser
async def test_who_carries_the_run_on_needs_no_browser_to_know(atelier: Studio) -> None:
    look_with(atelier, shared_browser())
    html = page("index", ["about"], body=FAIL)
    run = atelier.start([MAKE, fenced("html", html), "Done.", "Done!", "Done!!"], "a home page")
    await atelier.play(run)
    events = run.journal.events[run.state.run_id]  # type: ignore[attr-defined]
    told = next(number for number, event in enumerate(events) if event.type == "controller_message")
    del events[told + 1 :]  # the process died when the model had been told, before it answered
    look_with(atelier, NoBrowser())
    resumed = atelier.again(run, ["Done!", "Done!!"])
    resumed.services = atelier.stores
    assert await atelier.play(resumed) == Finished("Done!!")
    assert len([text for text in reasons(resumed) if text.startswith(OPENING)]) == 2


async def test_without_a_browser_the_result_says_so(atelier: Studio) -> None:
    run = atelier.start([MAKE, fenced("html", page("index", ["about"], body=GROW)), "Done."], "a home page")
    assert await atelier.play(run) == Finished("Done.")
    assert checked(run) == {"rounds": 0, "pages": [], "findings_left": [], "note": "not rendered: no browser"}


@pytest.mark.browser
async def test_switched_off_nobody_looks(atelier: Studio) -> None:
    # How the app was before the run, the account sees in any case, once for all runs: here it has seen it already.
    await look_at(shared_browser(), {"pages/about.html": page("about"), "design-system.css": CSS}, ["about"])
    look_with(atelier, NoBrowser())
    script = [MAKE, fenced("html", page("index", ["about"])), [("validate_html", {"slug": "index"})], "Done."]
    run = atelier.start(script, "a home page", {"self_check": 0})
    assert await atelier.play(run) == Finished("Done.")
    assert checked(run)["note"] == "not rendered: switched off"
    assert events_of(run, "pages_measured") == []


async def test_a_crash_of_the_browser_is_told_and_fails_nothing(atelier: Studio) -> None:
    look_with(atelier, NoBrowser(BrowserFailed("The browser went away.")))
    run = atelier.start([MAKE, fenced("html", page("index", ["about"])), "Done."], "a home page")
    assert await atelier.play(run) == Finished("Done.")
    assert checked(run)["note"] == "not rendered: The browser went away."
    assert checked(run)["pages"] == []


async def test_pages_of_earlier_runs_are_left_alone(atelier: Studio) -> None:
    look_with(atelier, NoBrowser())
    run = atelier.start(["It is about us."], "what is the page about?")
    assert await atelier.play(run) == Finished("It is about us.")
    assert checked(run)["note"] is None
