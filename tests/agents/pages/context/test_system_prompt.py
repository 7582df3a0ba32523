"""What the model is told on entering a stage."""

import json
import re
from typing import Any

from loopwright.agents.pages.context.card import summarise_page
from tests.agents.pages.studio import CSS, SESSION, Studio, page


async def prompt(studio: Studio, message: str = "something with coffee", options: dict[str, Any] | None = None) -> str:
    run = studio.start(["Hello.", "Hello."], message, options)
    run.model.script = run.model.script[: 2 if not await studio.stores.pages.of_session(SESSION) else 1]
    await studio.play(run)
    (told,) = (message.content for message in run.model.requests[0].messages if message.content.startswith("<stage>"))
    return told


def state_of(system: str) -> dict[str, Any]:
    block = re.search(r"^```project-state\n(.*?)\n```", system, re.DOTALL | re.MULTILINE)
    assert block
    return json.loads(block[1])


async def two_pages(studio: Studio) -> None:
    for slug in ("index", "menu"):
        await studio.stores.pages.save(SESSION, slug, page(slug), source="generate", title=slug.capitalize())


async def test_the_state_of_a_new_project(studio: Studio) -> None:
    system = await prompt(studio, options={"generate_now": True, "interview": False})
    assert "The project is empty." in system
    assert state_of(system) == {
        "pages": [],
        "planned_pages": [],
        "product_type": None,
        "app_name": None,
        "design_system": False,
        "product_doc_sections": [],
        "generate_now": True,
        "interview": False,
        "target_pages": [],
    }


async def test_the_stage_follows_the_number_of_pages(studio: Studio) -> None:
    await studio.stores.pages.save(SESSION, "index", page("index"), source="generate")
    assert "The app has one page." in await prompt(studio)
    await studio.stores.pages.save(SESSION, "menu", page("menu"), source="generate")
    assert "The app has several pages." in await prompt(studio)


async def test_pages_and_targets(studio: Studio) -> None:
    await two_pages(studio)
    system = await prompt(studio, "make @menu green, not @nowhere", {"target_pages": ["index"]})
    assert "- menu (Menu): Menu" in system
    state = state_of(system)
    assert state["pages"] == [{"slug": "index", "title": "Index"}, {"slug": "menu", "title": "Menu"}]
    assert state["target_pages"] == ["index", "menu"]


async def test_of_the_style_sheet_the_tokens_are_told(studio: Studio) -> None:
    await two_pages(studio)
    (studio.folder / "design-system.css").write_text(CSS + ".extra { color: red; }\n" * 300)
    told = await prompt(studio)
    assert "--brand: #2563eb" in told
    assert "color: red" not in told


async def test_options_are_shown_and_others_are_not(studio: Studio) -> None:
    options = {"images": ["uploads/a.png"], "style_reference": {"mode": "style_only"}, "secret": "x"}
    system = await prompt(studio, options=options)
    assert '"images": ["uploads/a.png"]' in system
    assert "secret" not in system


async def test_no_upload_is_named_that_does_not_exist(studio: Studio) -> None:
    """Rule-based models take every `uploads/…` in the prompt for an image of the user."""
    assert "uploads/" not in await prompt(studio)


async def test_too_many_sections_are_to_be_merged(studio: Studio) -> None:
    from loopwright.agents.pages.contracts import SectionPatch

    await two_pages(studio)
    patches = [SectionPatch(name=f"part_{number}", content="x") for number in range(21)]
    await studio.stores.product_docs.apply(SESSION, patches, author="llm", idempotency_key="k")
    system = await prompt(studio)
    assert "There are 21 sections: merge" in system
    assert "Not shown here: part_0" in system


def test_page_summaries() -> None:
    html = page("menu", ["index"], body="<h2>Coffee</h2><h2>Tea</h2><form><input><button>Go</button></form>")
    assert summarise_page(html) == "Menu; Coffee; Tea · 1 form, 1 field, 1 button"
    assert summarise_page("") == "no headings"
    assert len(summarise_page(f"<h1>{'long ' * 100}</h1>")) == 200
