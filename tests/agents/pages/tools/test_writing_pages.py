"""`create_design_system` and `generate_page`: what the model writes becomes files and versions."""

from typing import Any

import pytest

from loopwright.agents.pages.events import DesignSystemCreated, PageCreated, PageVersionCreated
from loopwright.kernel.events import ModelResponse
from tests.agents.pages.studio import CSS, SESSION, Studio, fenced, material_of, nested, page, task_of

MENU = {"slug": "menu", "title": "Menu", "description": "All drinks with prices"}


async def planned(studio: Studio) -> None:
    await studio.call("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu, Cart"})
    await studio.call("create_design_system", {"product_type": "food_and_drink"}, nested)


async def test_the_style_sheet_is_saved(studio: Studio) -> None:
    await studio.call("analyze_brief", {"user_request": "a coffee shop app"})
    result = await studio.call(
        "create_design_system", {"product_type": "food_and_drink", "brand_colors": ["#AA5500"]}, nested
    )
    assert result.success
    assert result.artifacts is not None
    css = result.artifacts["css"]
    assert css.startswith(CSS.partition("--brand")[0])
    assert "--brand: #aa5500;" in css  # the model had another one; the user's is used as asked
    assert (studio.folder / "design-system.css").read_text() == css
    assert "--brand: #aa5500" in result.output
    assert ".btn" in result.output
    assert isinstance(studio.emitter.recorded[-1], DesignSystemCreated)
    material = material_of(studio.requests[0])
    assert task_of(studio.requests[0]) == "pages/design-system"
    assert set(material) == {"product_type", "style_tokens", "brand_colors", "app_name", "brief", "project_card"}
    assert (material["brand_colors"], material["app_name"]) == (["#AA5500"], "Coffee Shop")


async def test_a_style_sheet_that_no_phone_page_can_stand_on_gets_the_base(studio: Studio) -> None:
    weak = ":root { --brand: #a50; }\n.btn { color: red; }\n.card { padding: 8px; }\n.page { color: #111; }"
    result = await studio.call("create_design_system", {"product_type": "app"}, fenced("css", weak))
    assert result.success
    saved = (studio.folder / "design-system.css").read_text()
    assert saved.endswith(weak + "\n")
    assert "max-width: 430px" in saved
    assert "mobile base" in result.output


async def test_a_useless_answer_is_sent_back_once_then_fails(studio: Studio) -> None:
    result = await studio.call("create_design_system", {"product_type": "app"}, "I like blue.", "Very much.")
    assert not result.success
    assert "no whole style sheet" in (result.error or "")
    assert not (studio.folder / "design-system.css").exists()
    retry = studio.requests[1].messages
    assert [message.role for message in retry] == ["system", "user", "assistant", "user"]
    assert retry[2].content == "I like blue."


async def test_a_page_is_saved_as_file_and_version(studio: Studio) -> None:
    await planned(studio)
    result = await studio.call("generate_page", MENU, nested)
    assert result.success, result.output
    assert result.artifacts is not None
    assert (result.artifacts["slug"], result.artifacts["version"], result.artifacts["valid"]) == ("menu", 1, True)
    assert studio.file("menu") == result.artifacts["html"] == await studio.stores.pages.html(SESSION, "menu")
    told = [type(payload) for payload in studio.emitter.recorded]
    assert told[-3:-1] == [PageCreated, PageVersionCreated] or told[-2:] == [PageCreated, PageVersionCreated]
    again = await studio.call("generate_page", MENU, nested)
    assert again.artifacts is not None
    assert again.artifacts["version"] == 2
    assert isinstance(studio.emitter.recorded[-1], PageVersionCreated)
    assert not isinstance(studio.emitter.recorded[-2], PageCreated)


async def test_the_model_is_told_what_it_needs(studio: Studio) -> None:
    await planned(studio)
    await studio.call("generate_page", MENU, nested)
    material = material_of(studio.requests[0])
    assert task_of(studio.requests[0]) == "pages/generate-page"
    assert set(material) == {
        "slug", "title", "description", "product_type", "app_name", "brief", "sitemap", "data_model", "project_card",
        "sections", "design_system", "promises", "frame",
    }  # fmt: skip
    assert [entry["slug"] for entry in material["sitemap"]] == ["index", "menu", "cart"]
    assert "MenuItem" in material["data_model"]["entities"]
    assert "Classes: .page" in material["design_system"]
    assert "{" not in material["design_system"]


async def test_the_request_stays_the_same_while_other_pages_appear(studio: Studio) -> None:
    """Otherwise a paid answer would not be found in the journal when the call is made again after a crash."""
    await planned(studio)
    await studio.call("generate_page", MENU, nested)
    before = material_of(studio.requests[0])
    await studio.call("generate_page", {**MENU, "slug": "cart", "title": "Cart"}, nested)
    await studio.call("generate_page", MENU, nested)
    again = material_of(studio.requests[0])
    # The page is there by now, and what it promises with it; a call that dies has promised nothing yet.
    assert (before.pop("promises"), len(again.pop("promises"))) == ([], 1)
    assert again == before


async def test_shell_and_links_are_repaired(studio: Studio) -> None:
    await planned(studio)
    body = "<h1>Menu</h1><p>Our drinks are good.</p><a class='btn' href='/cart'>Cart</a>"
    bare = f"<html><head></head><body>{body}</body></html>"
    result = await studio.call("generate_page", MENU, f"Sure!\n{fenced('html', bare)}\nEnjoy.")
    assert result.success
    html = studio.file("menu")
    for piece in (
        "<!doctype html>",
        "viewport",
        "<title>Menu</title>",
        "../design-system.css",
        'class="page"',
        "'cart.html'",
    ):
        assert piece in html
    assert "Repaired:" in result.output


async def test_issues_are_reported_for_the_model_to_mend(studio: Studio) -> None:
    await planned(studio)
    broken = page("menu", ["favorites"], body='<input type="text"><h1>Again</h1>')
    wanted = {**MENU, "description": "Drinks; a heart leads to favorites, which is made next"}
    result = await studio.call("generate_page", wanted, fenced("html", broken))
    assert result.success
    assert result.artifacts is not None
    assert result.artifacts["valid"] is False
    assert {"broken-link", "field-label", "main-heading"} <= {issue["rule"] for issue in result.artifacts["issues"]}
    assert "favorites" in result.output
    assert "edit_page" in result.output


async def test_a_page_without_a_design_system_says_so(studio: Studio) -> None:
    result = await studio.call("generate_page", MENU, nested)
    assert result.success
    assert "call create_design_system" in result.output


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("No.", "no HTML document"),
        ("```html\n<!doctype html><html><body><p>A long beginning", "cut off"),
        (fenced("html", "<!doctype html><html><body><p>x</p></body></html>"), "empty"),
        (ModelResponse(text="<p>half of", finish_reason="length", cost_usd=0.0), "cut off"),
    ],
)
async def test_no_page_comes(studio: Studio, answer: Any, said: str) -> None:
    result = await studio.call("generate_page", MENU, answer, answer)
    assert not result.success
    assert said in (result.error or "")
    assert await studio.stores.pages.of_session(SESSION) == []
    assert not (studio.folder / "pages").exists()


async def test_the_second_answer_may_be_the_good_one(studio: Studio) -> None:
    result = await studio.call("generate_page", MENU, "Let me think.", fenced("html", page("menu")))
    assert result.success
    assert "no HTML document" in studio.requests[1].messages[-1].content


@pytest.mark.parametrize("slug", ["../../etc/passwd", "a/b", "", "Menu", "menu.html", "x" * 41, "menu\n", ".."])
@pytest.mark.parametrize("tool", ["generate_page", "edit_page", "read_page", "validate_html"])
async def test_no_slug_leads_out_of_the_folder(studio: Studio, tool: str, slug: str) -> None:
    more = {"title": "T", "description": "D"} if tool == "generate_page" else {}
    more |= {"edit_instructions": "Do it"} if tool == "edit_page" else {}
    result = await studio.call(tool, {"slug": slug, **more})
    assert not result.success
    assert "slug" in (result.error or "")
    assert list(studio.folder.iterdir()) == []


async def test_home_means_index(studio: Studio) -> None:
    await planned(studio)
    result = await studio.call("generate_page", {**MENU, "slug": "home"}, nested)
    assert result.success
    assert studio.file("index")


async def test_a_repeated_call_stores_once_and_asks_nobody(studio: Studio) -> None:
    await planned(studio)
    await studio.call("generate_page", MENU, nested, call_id="same")
    (studio.folder / "pages" / "menu.html").unlink()
    result = await studio.call("generate_page", MENU, call_id="same")
    assert result.success
    assert [version.version for version in await studio.stores.pages.versions(SESSION, "menu")] == [1]
    assert studio.file("menu") == await studio.stores.pages.html(SESSION, "menu")


async def test_the_number_of_pages_is_bounded(studio: Studio) -> None:
    for number in range(20):
        await studio.stores.pages.save(SESSION, f"p{number}", page(f"p{number}"), source="generate")
    result = await studio.call("generate_page", MENU)
    assert "20 pages already" in (result.error or "")


async def test_only_other_pages_run_beside_a_page(studio: Studio) -> None:
    from loopwright.agents.pages.tools.design import CreateDesignSystem, CreateDesignSystemParameters
    from loopwright.agents.pages.tools.writing import GeneratePage, GeneratePageParameters

    assert GeneratePage().touches(GeneratePageParameters(**MENU)) == {"page:menu"}
    assert CreateDesignSystem().touches(CreateDesignSystemParameters(product_type="app")) is None
