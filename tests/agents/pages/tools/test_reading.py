"""The tools that change no page: analyze_brief, read_page, list_pages, validate_html, ask_user."""

import json
from typing import Any

import pytest

from loopwright.agents.pages.spec import AGENT as PAGES
from loopwright.agents.pages.tools.interview import NO_ANSWERS, AskUser, AskUserParameters
from tests.agents.pages.studio import CSS, SESSION, Studio, page


async def test_analyze_brief_tells_and_stores(studio: Studio) -> None:
    result = await studio.call("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu"})
    assert result.success
    told, following = result.output.split("\n")
    artifacts, shown = dict(result.artifacts or {}), json.loads(told)
    assert shown.pop("data_model")["entities"]["MenuItem"][:3] == ["id", "name", "price"]
    assert artifacts.pop("data_model")["entities"]["MenuItem"]["fields"][0]["name"] == "id"
    assert artifacts == shown
    assert following.endswith("create_design_system, then generate_page for index, menu.")
    assert set(result.artifacts or {}) == {
        "alternatives",
        "language",
        "questions",
        "product_type", "scenario", "confidence", "app_name", "tagline", "suggested_pages", "data_model", "missing",
    }  # fmt: skip
    metadata = (await studio.stores.sessions.get(SESSION)).metadata
    assert metadata["planned_pages"] == [{"slug": "index", "title": "Home"}, {"slug": "menu", "title": "Menu"}]
    assert (metadata["product_type"], metadata["app_name"]) == ("food_and_drink", "Coffee Shop")
    assert metadata["brief"] == "a coffee shop app. Pages: Home, Menu"
    await studio.call("analyze_brief", {"user_request": "a kanban board", "conversation_summary": "called Flow"})
    metadata = (await studio.stores.sessions.get(SESSION)).metadata
    assert (metadata["product_type"], metadata["app_name"]) == ("kanban", "Flow")


@pytest.mark.parametrize("arguments", [{}, {"user_request": ""}, {"user_request": 7}])
async def test_analyze_brief_needs_a_request(studio: Studio, arguments: dict[str, Any]) -> None:
    result = await studio.call("analyze_brief", arguments)
    assert "Invalid arguments for analyze_brief" in (result.error or "")


async def test_read_page(studio: Studio) -> None:
    html = page("menu")
    await studio.stores.pages.save(SESSION, "menu", html, source="generate")
    result = await studio.call("read_page", {"slug": "menu"})
    assert (result.success, result.output) == (True, html)
    missing = await studio.call("read_page", {"slug": "cart"})
    assert not missing.success
    assert "The pages are: menu." in missing.output


async def test_list_pages(studio: Studio) -> None:
    assert (await studio.call("list_pages")).output == "[] (there are no pages yet)"
    pages = studio.folder / "pages"
    pages.mkdir()
    for slug in ("zebra", "index"):
        await studio.stores.pages.save(SESSION, slug, page(slug), source="generate", title=slug.upper())
        (pages / f"{slug}.html").write_text(page(slug))
    (pages / "Not a slug.html").write_text("x")
    (pages / "extra.html").write_text("ab")
    result = await studio.call("list_pages")
    found = json.loads(result.output)
    assert [(entry["slug"], entry["title"]) for entry in found] == [
        ("zebra", "ZEBRA"), ("index", "INDEX"), ("extra", "extra"),
    ]  # fmt: skip
    assert found[2]["size_bytes"] == 2
    assert found[0]["modified_at"].endswith("+00:00")
    assert result.artifacts == {"pages": found}


async def test_validate_html(studio: Studio) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.stores.pages.save(SESSION, "menu", page("menu", ["gone"]), source="generate")
    result = await studio.call("validate_html", {"slug": "menu"})
    assert result.success
    assert result.artifacts is not None
    assert result.artifacts["valid"] is False
    assert [issue["rule"] for issue in result.artifacts["issues"]] == ["broken-link"]
    assert "gone" in result.output
    draft = await studio.call("validate_html", {"slug": "menu", "html": page("menu")})
    assert draft.artifacts is not None
    assert draft.artifacts["valid"] is True
    assert not (await studio.call("validate_html", {"slug": "other"})).success


async def test_a_link_to_a_planned_page_is_no_error(studio: Studio) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.call("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu"})
    result = await studio.call("validate_html", {"slug": "index", "html": page("index", ["menu"])})
    assert result.artifacts is not None
    assert result.artifacts["valid"] is True


QUESTIONS = [
    {"question": "Which colours?", "type": "radio", "options": ["Dark", "Light"]},
    {"question": "What is it called?", "type": "text"},
    {"question": "Which pages?", "type": "checkbox", "options": ["Menu", "Cart"], "default": ["Menu"]},
]


def test_ask_user_opens_a_gate_of_questions() -> None:
    gate = AskUser().gate(AskUserParameters.model_validate({"questions": QUESTIONS}))
    assert (gate.kind, gate.title, len(gate.questions)) == ("questions", "3 questions about your app", 3)


async def test_answers_come_back_as_json(studio: Studio) -> None:
    answers = {"Which colours?": "Dark", "Which pages?": ["Menu", "Cart"], "What is it called?": "  "}
    result = await studio.call("ask_user", {"questions": QUESTIONS}, answer={"answers": answers})
    assert json.loads(result.output) == {"Which colours?": "Dark", "Which pages?": ["Menu", "Cart"]}


@pytest.mark.parametrize("answers", [{}, {"Which colours?": ""}, {"Which pages?": []}])
async def test_empty_answers_say_so(studio: Studio, answers: dict[str, Any]) -> None:
    result = await studio.call("ask_user", {"questions": QUESTIONS}, answer={"answers": answers})
    assert result.success
    assert result.output.splitlines()[0] == NO_ANSWERS
    assert result.output.endswith("- Which pages? → Menu")  # the default of the one question that has one


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"question": "Which?", "type": "radio"}, "needs options"),
        ({"question": "Which?", "type": "checkbox", "options": []}, "needs options"),
        ({"question": "Which?", "type": "single", "options": ["a"]}, "'radio', 'checkbox' or 'text'"),
        ({"question": "", "type": "text"}, "at least 1 character"),
        ({"question": "Which?", "type": "radio", "options": [{"id": "a"}]}, "valid string"),
    ],
)
async def test_questions_are_checked(studio: Studio, question: dict[str, Any], said: str) -> None:
    result = await studio.call("ask_user", {"questions": [question]})
    assert said in (result.error or "")


async def test_no_questions_are_refused(studio: Studio) -> None:
    assert not (await studio.call("ask_user", {"questions": []})).success


def test_effects() -> None:
    effects = {tool.name: tool.effect for tool in PAGES.tools}
    assert effects == {
        "analyze_brief": "idempotent",
        "ask_user": "idempotent",
        "extract_style": "idempotent",
        "build_pages": "idempotent",
        "create_design_system": "idempotent",
        "generate_page": "idempotent",
        "edit_page": "idempotent",
        "read_page": "pure",
        "list_pages": "pure",
        "validate_html": "pure",
        "withdraw_promise": "idempotent",
        "change_tokens": "idempotent",
        "restore_page": "idempotent",
        "delete_page": "idempotent",
        "change_app": "idempotent",
    }
