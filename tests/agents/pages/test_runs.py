"""Whole runs with a scripted model: what a user sees of spec 000's scenarios."""

import json
from typing import Any

import pytest

from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.events import GateAnswered, ModelResponse
from loopwright.kernel.gates import Failed, Finished, Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import as_response
from tests.agents.pages.studio import SESSION, Studio, events_of, fenced, nested, page, task_of

QUESTIONS = [
    {"question": "Who is it for?", "type": "radio", "options": ["Commuters", "Students"]},
    {"question": "Which pages?", "type": "checkbox", "options": ["Menu", "Cart", "Rewards"]},
    {"question": "What is it called?", "type": "text"},
]
SLUGS = ["index", "menu", "cart"]


def doc(*sections: tuple[str, str], op: str = "set") -> str:
    body = {"sections": [{"name": name, "title": name.title(), "op": op, "content": text} for name, text in sections]}
    return f"```product-doc\n{json.dumps(body)}\n```"


def saying(text: str, *calls: tuple[str, dict[str, Any]]) -> ModelResponse:
    """An answer with both text and tool calls."""
    return as_response(list(calls)).model_copy(update={"text": text})


def generation(slugs: list[str]) -> list[Any]:
    calls = [("generate_page", {"slug": s, "title": s.capitalize(), "description": f"The page {s}"}) for s in slugs]
    return [[("create_design_system", {"product_type": "food_and_drink"})], nested, calls, *[nested] * len(slugs)]


def result_of(run: AgentRun) -> dict[str, Any]:
    return events_of(run, "run_completed")[0].payload["result"]


async def new_project(studio: Studio) -> AgentRun:
    run = studio.start(
        [
            [("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu, Cart"})],
            *generation(SLUGS),
            f"Your app is ready.\n\n{doc(('overview', 'A coffee shop.'))}",
        ]
    )
    assert await studio.play(run) == Finished("Your app is ready.")
    return run


async def test_a_detailed_brief_becomes_a_linked_valid_app(studio: Studio) -> None:
    run = await new_project(studio)
    assert result_of(run) == {
        "pages": SLUGS,
        "valid": True,
        "session_dir": str(studio.folder),
        "affected_pages": SLUGS,
        "deleted_pages": [],
        "active_page_slug": "index",
        "preview_url": f"/api/sessions/{SESSION}/pages/index/preview",
        "product_doc_updated": True,
        "promises": {"kept": 4, "unclear": 0, "broken": [], "static": 0, "superseded": []},
        "self_check": {"rounds": 0, "pages": [], "findings_left": [], "note": "not rendered: no browser"},
        "issues": [],
    }
    assert [task_of(r) for r in run.model.requests[1:3]] == ["pages/new-project", "pages/design-system"]
    for slug in SLUGS:
        assert [f'href="{other}.html"' in studio.file(slug) for other in SLUGS] == [True] * 3
    card = (await studio.stores.product_docs.get(SESSION)).project_card  # type: ignore[union-attr]
    assert "Project: Coffee Shop | Type: food_and_drink | Pages: 3 (index, menu, cart)" in card
    assert "Status: 3/3 pages generated" in card


async def test_pages_are_written_side_by_side_and_alone_with_the_design_system(studio: Studio) -> None:
    run = await new_project(studio)
    journal = [(e.type, e.payload.get("name")) for e in run.journal.events[run.state.run_id]]  # type: ignore[attr-defined]
    calls = [entry for entry in journal if entry[0] in ("tool_call", "tool_result")]
    pages = [entry[0] for entry in calls if entry[1] == "generate_page"]
    assert pages == ["tool_call"] * 3 + ["tool_result"] * 3
    assert calls[2:4] == [("tool_call", "create_design_system"), ("tool_result", "create_design_system")]


async def test_a_vague_brief_is_asked_about_and_resumed(studio: Studio) -> None:
    run = studio.start([[("ask_user", {"questions": QUESTIONS})]])
    outcome = await studio.play(run)
    assert isinstance(outcome, Waiting)
    assert [question.type for question in outcome.gate.questions] == ["radio", "checkbox", "text"]
    assert events_of(run, "run_waiting_input")
    given = {"0": "Commuters", "Which pages?": ["Menu", "Cart"], "2": "Bean There"}
    answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=read_answer(outcome.gate, {"answers": given}))
    notes = doc(("audience", "Commuters"), ("overview", "Bean There, a coffee shop."))
    analyse = ("analyze_brief", {"user_request": "a coffee shop app called Bean There. Pages: Home, Menu, Cart"})
    resumed = studio.again(run, [saying(notes, analyse), *generation(SLUGS), "Bean There is ready."], answered)
    assert await studio.play(resumed) == Finished("Bean There is ready.")
    told = json.loads(resumed.model.requests[0].messages[-1].content)
    assert told == {"Who is it for?": "Commuters", "Which pages?": ["Menu", "Cart"], "What is it called?": "Bean There"}
    stored = await studio.stores.product_docs.get(SESSION)
    assert stored is not None
    assert stored.sections["audience"].content == "Commuters"
    assert "Audience: Commuters" in stored.project_card
    assert result_of(resumed)["product_doc_updated"] is True


async def test_a_refinement_preserves_the_rest(studio: Studio) -> None:
    await new_project(studio)
    before = {slug: studio.file(slug) for slug in SLUGS}
    block = "<<<<<<< SEARCH\n<h1>Menu</h1>\n=======\n<h1>Our menu</h1>\n>>>>>>> REPLACE\nRenamed the heading."
    run = studio.start(
        [
            [("read_page", {"slug": "menu"})],
            [("edit_page", {"slug": "menu", "edit_instructions": "Heading: Our menu. Nothing else."})],
            block,
            "The heading says Our menu now.",
        ],
        "@menu should say Our menu",
    )
    assert await studio.play(run) == Finished("The heading says Our menu now.")
    assert task_of(run.model.requests[0]) == "pages/multi-page"
    assert run.model.requests[1].messages[-1].content == before["menu"]
    assert studio.file("menu") == before["menu"].replace("<h1>Menu</h1>", "<h1>Our menu</h1>")
    assert [studio.file(slug) for slug in ("index", "cart")] == [before["index"], before["cart"]]
    assert result_of(run)["affected_pages"] == ["menu"]
    assert result_of(run)["active_page_slug"] == "menu"


async def test_a_vague_feature_is_asked_about_before_editing(studio: Studio) -> None:
    await new_project(studio)
    question = {"question": "Where?", "type": "radio", "options": ["Menu", "Home"]}
    run = studio.start([[("ask_user", {"questions": [question]})]], "add a favorites feature")
    assert isinstance(await studio.play(run), Waiting)


async def test_what_stands_beside_a_question_is_not_run(studio: Studio) -> None:
    both = [("ask_user", {"questions": QUESTIONS}), ("create_design_system", {"product_type": "app"})]
    run = studio.start([both])
    assert isinstance(await studio.play(run), Waiting)
    assert [e.payload["name"] for e in events_of(run, "tool_result")] == ["create_design_system"]
    assert not (studio.folder / "design-system.css").exists()


async def test_a_malformed_block_beside_tool_calls_is_told_after_the_results(studio: Studio) -> None:
    await new_project(studio)
    wrong = saying("Noted.\n```product-doc\n{oops}\n```", ("list_pages", {}))
    run = studio.start([wrong, f"Done.\n{doc(('style', 'Warm'))}"], "remember that it is warm")
    assert await studio.play(run) == Finished("Done.")
    roles = [message.role for message in run.model.requests[1].messages[-3:]]
    assert roles == ["assistant", "tool", "user"]
    assert "was not stored" in run.model.requests[1].messages[-1].content
    assert events_of(run, "model_response")[0].payload["visible"] == "Noted."


async def test_a_malformed_block_in_the_last_answer_is_sent_back(studio: Studio) -> None:
    await new_project(studio)
    run = studio.start(["Done.\n```product-doc\n{oops}\n```", f"Done.\n{doc(('style', 'Warm'))}"], "it is warm")
    assert await studio.play(run) == Finished("Done.")


class Killed(BaseException):
    """The process is gone."""


def _die() -> None:
    raise Killed


@pytest.fixture(autouse=True)
def no_crash_left() -> Any:
    yield
    disarm()


@pytest.mark.parametrize("point", ["model.answered", "records.absorbed", "run.finishing"])
async def test_patches_are_stored_once_across_a_crash(studio: Studio, point: str) -> None:
    await new_project(studio)
    notes = f"Noted.\n{doc(('overview', 'It has a garden.'), op='append')}"
    run = studio.start([notes], "it has a garden")
    arm(point, _die)
    with pytest.raises(Killed):
        await studio.play(run)
    disarm()
    lost = point == "model.answered"  # the answer was not stored yet, so it is asked for again
    resumed = studio.again(run, [notes] if lost else [])
    assert await studio.play(resumed) == Finished("Noted.")
    stored = await studio.stores.product_docs.get(SESSION)
    assert stored is not None
    assert stored.sections["overview"].content == "A coffee shop.\n\nIt has a garden."
    assert len(events_of(resumed, "product_doc_updated")) == 1


@pytest.mark.parametrize("point", ["calls.started", "tool.model_answered", "tool.executed", "result.recorded"])
async def test_a_page_is_written_once_across_a_crash(studio: Studio, point: str) -> None:
    await new_project(studio)
    make = [("generate_page", {"slug": "jobs", "title": "Jobs", "description": "Open positions"})]
    run = studio.start([make, nested], "add a jobs page")
    arm(point, _die)
    with pytest.raises(Killed):
        await studio.play(run)
    disarm()
    left = [nested, "Jobs are there."] if point == "calls.started" else ["Jobs are there."]
    resumed = studio.again(run, left)
    assert await studio.play(resumed) == Finished("Jobs are there.")
    assert [version.version for version in await studio.stores.pages.versions(SESSION, "jobs")] == [1]
    assert studio.file("jobs") == await studio.stores.pages.html(SESSION, "jobs")


async def test_thirty_steps_are_the_limit(studio: Studio) -> None:
    run = studio.start([_compactable] * 60)
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "max_steps"
    assert run.state.steps == 30


def _compactable(request: Any) -> Any:
    if task_of(request) == "kernel/compact":
        keys = ("goal", "progress", "decisions", "constraints", "style", "pages", "issues", "next_steps")
        return json.dumps(dict.fromkeys(keys, "x"))
    return [("list_pages", {})]


async def test_three_failing_steps_end_the_run(studio: Studio) -> None:
    run = studio.start([[("read_page", {"slug": "nowhere"})]] * 3)
    outcome = await studio.play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "max_errors"


async def test_a_tool_that_does_not_exist_is_answered(studio: Studio) -> None:
    await new_project(studio)
    run = studio.start([[("generate_pages", {})], "Sorry."], "more pages")
    assert await studio.play(run) == Finished("Sorry.")
    assert "Did you mean generate_page?" in run.model.requests[1].messages[-1].content


async def test_broken_arguments_are_answered(studio: Studio) -> None:
    await new_project(studio)
    broken = ModelResponse(text="", tool_calls=[ToolCall(id="1", name="read_page", arguments="{slug:")], cost_usd=0.0)
    run = studio.start([broken, "Sorry."], "read it")
    assert await studio.play(run) == Finished("Sorry.")
    assert "not valid JSON" in run.model.requests[1].messages[-1].content


async def test_an_edit_of_a_page_with_an_error_mends_it(studio: Studio) -> None:
    await new_project(studio)
    field = '<input id="q" type="text">'
    fix = f'<<<<<<< SEARCH\n{field}\n=======\n<label for="q">Search</label>{field}\n>>>>>>> REPLACE\nLabelled.'
    run = studio.start(
        [
            [("generate_page", {"slug": "menu", "title": "Menu", "description": "With search"})],
            fenced("html", page("menu", SLUGS, body=field)),
            [("edit_page", {"slug": "menu", "edit_instructions": "Give the search field a label."})],
            fix,
            "The menu has a search field.",
        ],
        "rewrite the menu page with a search field",
    )
    assert await studio.play(run) == Finished("The menu has a search field.")
    assert result_of(run)["valid"] is True
    assert "field-label" in run.model.requests[2].messages[-1].content


async def test_generate_now_switches_questions_off(studio: Studio) -> None:
    """The user's switch holds whatever the model writes: the tool is neither offered nor run."""
    question = {"questions": [{"question": "Which colour?", "type": "text"}]}
    run = studio.start([[("ask_user", question)], "Hello!", "Hello!"], options={"generate_now": True})
    await run_agentic_loop(run)
    assert "ask_user" not in run.model.requests[0].tools.names
    refused = next(e for e in await run.journal.read(run.state.run_id) if e.type == "tool_result")
    assert not refused.payload["success"]
    assert run.state.open_gate is None
