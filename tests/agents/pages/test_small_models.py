"""What a small local model does, shortened from its own answers, and what comes of it."""

import json
from typing import Any

import pytest

from loopwright.agents.pages.by_plan import BY_PLAN
from loopwright.agents.pages.design.check import mobile_errors, standard_sheet
from loopwright.agents.pages.guard import NOTHING_BUILT
from loopwright.agents.pages.progress import asks_for_app
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.run import AgentRun
from tests.agents.pages.studio import CSS, Studio, events_of, fenced, material_of, nested, page

BRIEF = "One page: opening hours of a small library"
TALK = "Sure! I can help you to create a page for your library. What should be on it?"
CARD = """```html
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Ana Lima | Card · Bean There</title>
<link rel="stylesheet" href="../design-system.css">
</head>
<body>
<div id="app" class="page">
<header class="app-header"><h1>Ana Lima | Card</h1></header>
<main>
<div class="card">
<img src="card-image.svg" alt="Ana Lima Card">
<h2>Florist</h2>
<p>Beautiful flowers and home decor</p>
<a href="cart.html" class="btn">Add to Cart</a>
<a href="#favourites" class="btn-secondary">Favourites</a>
</div>
</main>
<nav class="bottom-nav" aria-label="Main"><a href="index.html">Home</a><a href="menu.html" aria-current="page">Menu</a>\
<a href="contact.html" aria-label="Contact">Contact</a></nav>
</div>
</body>
</html>
```"""


def cut(text: str) -> ModelResponse:
    """An answer that reached its length limit."""
    return ModelResponse(text=text, finish_reason="length")


def result_of(run: AgentRun) -> dict[str, Any]:
    result: dict[str, Any] = events_of(run, "run_completed")[0].payload["result"]
    return result


def stages(run: AgentRun) -> list[str]:
    return [event.payload["to"] for event in events_of(run, "stage_changed")]


async def test_a_model_that_only_talks_is_asked_for_the_pages_of_the_plan(studio: Studio) -> None:
    """It was told once that nothing is built; then the controller takes the steps, and the model writes the page."""
    run = studio.start([TALK, "I am ready to begin whenever you are!", nested, nested], BRIEF)
    outcome = await studio.play(run)
    assert isinstance(outcome, Finished)
    assert "worked off page by page" in outcome.text
    assert stages(run) == ["new-project", BY_PLAN, "complete"]
    assert [event.payload["text"].startswith(NOTHING_BUILT) for event in events_of(run, "controller_message")] == [True]
    assert (result_of(run)["pages"], result_of(run)["valid"]) == (["index"], True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BRIEF, True),
        ("A business card page for Ana Lima, florist", True),
        ("Can you make me a shop?", True),
        ("做一个咖啡店应用", True),
        ("what can you do?", False),
        ("How many pages can an app have?", False),
        ("hello", False),
        ("你会做页面吗？", False),
    ],
)
def test_a_question_is_never_taken_for_an_app(text: str, expected: bool) -> None:
    assert asks_for_app(text) is expected


async def test_a_model_that_repeats_its_call_is_led_on(studio: Studio) -> None:
    """The analysis again and again, in other words: the plan is there, so it is worked off."""
    again = [[("analyze_brief", {"user_request": f"{BRIEF}{mark}"})] for mark in ("", ".", "!")]
    run = studio.start([*again, nested, nested], BRIEF)
    assert isinstance(await studio.play(run), Finished)
    assert stages(run) == ["new-project", BY_PLAN, "complete"]
    assert result_of(run)["valid"] is True


async def test_a_model_that_goes_in_circles_after_its_work_is_done_ends(studio: Studio) -> None:
    """Every page is there and valid: it need not find the closing words."""
    look: list[tuple[str, dict[str, Any]]] = [("list_pages", {})]
    made = [
        [("analyze_brief", {"user_request": BRIEF})],
        [("create_design_system", {"product_type": "app"})],
        nested,
        [("generate_page", {"slug": "index", "title": "Hours", "description": "Opening hours"})],
        nested,
    ]
    run = studio.start([*made, look, look, look], BRIEF)
    outcome = await studio.play(run)
    assert outcome == Finished("The pages: Hours (index).")
    assert result_of(run)["valid"] is True


async def test_without_a_usable_sheet_pages_have_the_standard_one_and_without_a_page_the_run_fails(
    studio: Studio,
) -> None:
    """Both are told: whose sheet it is, and why there is no page."""
    run = studio.start([TALK, TALK, "No.", "No.", "No.", "No."], BRIEF)
    outcome = await studio.play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "aborted"
    assert "index is missing: No usable page came" in outcome.message
    assert "plain standard one" in outcome.message
    assert (studio.folder / "design-system.css").read_text() == standard_sheet().css


class Killed(BaseException):
    """The end of a process."""


@pytest.mark.parametrize("answers", [1, 2])
async def test_the_plan_goes_on_after_a_crash_without_asking_again(studio: Studio, answers: int) -> None:
    """What was paid for, the sheet or the page, is not asked for again; what was made stays."""

    def die() -> None:
        raise Killed

    run = studio.start([TALK, TALK, *[nested] * answers], BRIEF)
    arm("tool.model_answered", die, hits=answers)
    with pytest.raises(Killed):
        await studio.play(run)
    disarm()
    resumed = studio.again(run, [nested] * (2 - answers))
    assert isinstance(await studio.play(resumed), Finished)
    assert result_of(resumed)["valid"] is True


def test_the_house_sheet_carries_pages_in_the_colours_that_were_asked_for() -> None:
    sheet = standard_sheet(["#d6336c"])
    assert mobile_errors(sheet.css) == []
    assert "--color-primary: #d6336c" in sheet.css
    assert 'data-mode="dark"' in sheet.css


async def test_links_to_pages_that_nobody_planned_and_missing_pictures_are_put_right(studio: Studio) -> None:
    """It copies the bar of an example, and names a picture that it cannot make."""
    (studio.folder / "design-system.css").write_text(standard_sheet().css)
    wanted = {"slug": "index", "title": "Card", "description": "The card of Ana Lima"}
    result = await studio.call("generate_page", wanted, CARD)
    assert result.artifacts is not None
    assert result.artifacts["valid"], result.output
    assert "took out links to menu" in result.output
    assert "in the place of card-image.svg" in result.output
    assert 'class="btn-secondary">Favourites</a>' in studio.file("index")
    assert "#favourites" not in studio.file("index")
    assert 'href="index.html"' in studio.file("index")
    frame = material_of(studio.requests[0])["frame"]
    assert "<title>Card</title>" in frame
    assert "bottom-nav" not in frame


async def test_a_page_that_is_cut_off_twice_keeps_what_is_whole(studio: Studio) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    whole = page("index", body="<ul>\n<li>Monday, nine to five</li>\n<li>Tuesday, ten to six</li>\n</ul>")
    half = fenced("html", whole[: whole.index("Tuesday") + 3]).removesuffix("```")
    wanted = {"slug": "index", "title": "Hours", "description": "Opening hours"}
    result = await studio.call("generate_page", wanted, cut(half), cut(half))
    assert result.artifacts is not None
    assert result.artifacts["valid"], result.output
    assert "Monday, nine to five</li>\n</ul>" in studio.file("index")
    assert "Tue" not in studio.file("index")
    assert "cut off at its length limit" in result.output


async def test_a_sheet_that_is_cut_off_is_completed_at_once(studio: Studio) -> None:
    half = fenced("css", CSS[: CSS.index(".check input")] + ".check input { width: 2").removesuffix("```")
    result = await studio.call("create_design_system", {"product_type": "app"}, cut(half))
    assert result.success
    assert result.artifacts is not None
    assert ".check {" in result.artifacts["css"]
    assert "cut off at its length limit" in result.output, "what is saved is never told as whole"
    assert mobile_errors(result.artifacts["css"]) == []


async def test_half_a_list_of_edits_is_no_edit(studio: Studio) -> None:
    """Two were meant, the second is cut: that the first reads like an edit of its own makes it none."""
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.call("generate_page", {"slug": "index", "title": "Card", "description": "The card"}, CARD)
    before = studio.file("index")
    half = "<<<<<<< SEARCH\n<h2>Florist</h2>\n=======\n<h2>Gardener</h2>\n>>>>>>> REPLACE\nand the second: <<<<<<< SEA"
    wanted = {"slug": "index", "edit_instructions": "make her a gardener who sells trees"}
    result = await studio.call("edit_page", wanted, cut(half), cut(half))
    assert not result.success
    assert "cut off" in result.output
    assert studio.file("index") == before


async def test_operations_without_a_fence_are_an_edit(studio: Studio) -> None:
    """So a model answers that a grammar holds: a JSON list and nothing else."""
    (studio.folder / "design-system.css").write_text(CSS)
    wanted = {"slug": "index", "title": "Card", "description": "The card of Ana Lima"}
    await studio.call("generate_page", wanted, CARD)
    listed = json.dumps([{"op": "insert_after", "selector": "h2", "html": "<p>Phone: 555 0134</p>"}])
    result = await studio.call("edit_page", {"slug": "index", "edit_instructions": "add a phone number"}, listed)
    assert result.success, result.error
    assert "<p>Phone: 555 0134</p>" in studio.file("index")


@pytest.mark.parametrize(
    ("wish", "first", "told", "second", "expected"),
    [
        (
            "make the title red",
            {"op": "set_text", "selector": "h1", "text": "Ana Lima | Card"},
            "the HTML of the page is the same as before",
            {"op": "set_style", "selector": "h1", "property": "color", "value": "#b00020"},
            "color: #b00020",
        ),
        (
            "add a phone number: 555 0134",
            {"op": "insert_after", "selector": "#card", "html": "<p>Phone number: 555 0134</p>"},
            "the page has div.card",
            {"op": "append", "selector": "div.card", "html": "<p>Phone number: 555 0134</p>"},
            "<p>Phone number: 555 0134</p>",
        ),
    ],
)
async def test_an_edit_that_misses_is_sent_back_with_what_there_is(
    studio: Studio, wish: str, first: dict[str, Any], told: str, second: dict[str, Any], expected: str
) -> None:
    """It writes the text that is there again, or takes a class for an id."""
    (studio.folder / "design-system.css").write_text(CSS)
    wanted = {"slug": "index", "title": "Card", "description": "The card of Ana Lima"}
    await studio.call("generate_page", wanted, CARD)
    asked = {"slug": "index", "edit_instructions": wish}
    result = await studio.call("edit_page", asked, json.dumps([first]), json.dumps([second]))
    assert result.success, result.error
    assert told in studio.requests[1].messages[-1].content
    assert expected in studio.file("index")
    refused = await studio.call("edit_page", asked, json.dumps([first]), json.dumps([first]))
    assert not refused.success
    assert "Nothing was changed" in (refused.error or "")
