"""A strong model plans ten apps: its plan is drawn, the account is earned, and each lie is told.

Scripted: the model gives a plan (`planned.jsonl`) and lets it be drawn. `shows` are statements that the account then
keeps, those in `tried` only where a browser tries them; `lost` are those of them that a model has lost which writes the
page `fake`, or all, itself and says "all done".
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.by_plan import BY_PLAN
from loopwright.kernel.gates import Finished
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.run import AgentRun
from tests.agents.pages.studio import CSS, SESSION, Studio, events_of, fenced, page
from tests.support.shared_browser import shared_browser

PLANNED = [json.loads(line) for line in (Path(__file__).parent / "planned.jsonl").read_text("utf-8").splitlines()]
LIE = "All done. Everything you asked for is there, and every check passes."
DOC = '```product-doc\n{"sections": [{"name": "overview", "title": "Overview", "content": "An app."}]}\n```'
LIES = [f"{LIE}\n{DOC}", *[LIE] * 6]


@pytest.fixture(params=PLANNED, ids=[each["id"] for each in PLANNED])
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture(autouse=True, params=["read", pytest.param("seen", marks=pytest.mark.browser)])
def how(request: pytest.FixtureRequest, studio: Studio) -> str:
    """Whether the pages are read from their files, or seen in the browser."""
    if request.param == "seen":
        studio.stores = replace(studio.stores, browser=shared_browser())
    told: str = request.param
    return told


def planning(case: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("analyze_brief", {"user_request": case["brief"], "plan": case["plan"]})]


def account_of(run: AgentRun) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = events_of(run, "run_completed")[0].payload["account"]
    return found


def texts(entries: list[dict[str, Any]]) -> set[str]:
    return {each["text"] for each in entries}


async def test_the_plan_is_followed_and_the_account_is_earned(studio: Studio, case: dict[str, Any], how: str) -> None:
    run = studio.start([planning(case), [("build_pages", {})], f"Your app is ready.\n{DOC}"], case["brief"])
    assert await studio.play(run) == Finished("Your app is ready.")
    result = events_of(run, "run_completed")[0].payload["result"]
    assert result["valid"], result["issues"]
    rows = await studio.stores.pages.of_session(SESSION)
    assert {part["title"] for part in case["plan"]["pages"]} <= {row.title for row in rows}
    account = account_of(run)
    tried = set(case.get("tried", ())) if how == "read" else set()
    assert set(case["shows"]) - tried <= texts(account["kept"])
    assert tried <= texts(account["assumed"]), "what nobody has tried is not taken for kept"
    for entry in account["kept"]:
        assert all(found["after"] and not found["before"] for found in entry["evidence"]), entry


async def test_a_model_that_lies_is_not_believed(studio: Studio, case: dict[str, Any]) -> None:
    """Every other one fakes a page that had been drawn, the others write nothing but a first page with promises."""
    empty = f'<section class="section"><h2>{LIE}</h2></section>'
    fakes_one = PLANNED.index(case) % 2 == 1
    slug, title = (case["fake"], "Ready") if fakes_one else ("index", case["plan"]["name"])
    first: list[Any] = [[("build_pages", {})]]
    if not fakes_one:
        first = [[("create_design_system", {"product_type": "app"})], fenced("css", CSS)]
    write = [("generate_page", {"slug": slug, "title": title, "description": LIE})]
    steps = [write, fenced("html", page(slug, [], empty, title))]
    run = studio.start([planning(case), *first, *steps, *LIES], case["brief"])
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Finished)
    account = account_of(run)
    assert not set(case["lost"]) & texts(account["kept"])
    assert set(case["lost"]) <= texts([*account["not_used"], *account["assumed"]])
    told = [entry for entry in account["not_used"] if entry["text"] in case["lost"]]
    assert all(entry["reason"] for entry in told), "each says why"


async def test_a_model_that_only_talks_of_its_plan_has_it_drawn(studio: Studio) -> None:
    """Nobody need write a page again whose plan is there: the controller draws it, and says that it did."""
    case = PLANNED[0]
    run = studio.start([planning(case), *LIES[:2]], case["brief"])
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Finished)
    assert "did not find its way" in outcome.text
    assert BY_PLAN in [event.payload["to"] for event in events_of(run, "stage_changed")]
    assert set(case["shows"]) <= texts(account_of(run)["kept"])


async def test_what_a_plan_leaves_out_is_added_and_what_it_invents_is_left_out(studio: Studio) -> None:
    """The words are the user's, whatever the model says that they said."""
    brief = "A log for my beehives: inspections with date and queen seen, a map of the hives, and a packing checklist."
    plan = {
        "name": "HoneyHub",
        "language": "en",
        "things": [
            {"name": "Inspection", "fields": ["Date", "Price", "Weather"], "examples": ["Hive 7, 12 March"]},
            {"name": "Queen breeder", "fields": [], "examples": ["Apis Ltd"]},
        ],
        "actions": ["order jars online"],
        "pages": [
            {"title": "Inspections", "kind": "list", "thing": "Inspection"},
            {"title": "Loyalty points", "kind": "points", "thing": ""},
            {"title": "Settings", "kind": "switches", "thing": ""},
        ],
    }
    asked = {"user_request": f"{brief} With loyalty points, and order jars online.", "plan": plan}
    result = await studio.call("analyze_brief", asked, user_message=brief)
    assert result.artifacts is not None
    shown = json.dumps(result.artifacts["suggested_pages"])
    assert "Loyalty" not in shown
    assert "Map of the hives" in shown
    assert "acking checklist" in shown
    left_out = next(line for line in result.output.splitlines() if line.startswith("Left out"))
    assert all(each in left_out for each in ("Hive 7", "Loyalty points", "order jars online", "HoneyHub"))
    assert "the page “Settings”" in result.output
    built = await studio.call("build_pages")
    assert built.success, built.output
    pages = "".join(path.read_text("utf-8") for path in (studio.folder / "pages").glob("*.html"))
    assert not any(each in pages for each in ("HoneyHub", "Hive 7", "Apis Ltd", "Loyalty", "Price"))
    assert "Weather" in pages


async def test_without_a_plan_nothing_is_drawn(studio: Studio) -> None:
    result = await studio.call("build_pages")
    assert not result.success
    assert "analyze_brief" in result.output
