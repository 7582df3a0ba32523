"""When a run may end, and how often it is sent back before."""

from typing import Any

import pytest

from loopwright.agents.pages.guard import BROKEN_LINKS, NO_PRODUCT_DOC, NOTHING_BUILT, broken_links
from loopwright.agents.pages.spec import SENDING_BACK_AT_MOST
from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.run import AgentRun
from tests.agents.pages.studio import CSS, SESSION, Studio, events_of, fenced, nested, page

DOC = '```product-doc\n{"sections": [{"name": "overview", "title": "Overview", "content": "A coffee shop."}]}\n```'


def reasons(run: AgentRun) -> list[str]:
    return [event.payload["text"] for event in events_of(run, "controller_message")]


def result_of(run: AgentRun) -> dict[str, Any]:
    return events_of(run, "run_completed")[0].payload["result"]


async def with_page(studio: Studio, slug: str, html: str) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.stores.pages.save(SESSION, slug, html, source="generate")


async def test_a_mere_question_is_sent_back_once_then_ends(studio: Studio) -> None:
    run = studio.start(["I build apps.", "I build mobile app prototypes."], "what can you do?")
    outcome = await studio.play(run)
    assert outcome == Finished("I build mobile app prototypes.")
    assert [text.startswith(NOTHING_BUILT) for text in reasons(run)] == [True]
    assert result_of(run) == {
        "pages": [],
        "valid": False,
        "session_dir": str(studio.folder),
        "affected_pages": [],
        "deleted_pages": [],
        "active_page_slug": None,
        "preview_url": None,
        "product_doc_updated": False,
        "promises": {"kept": 0, "broken": [], "static": 0, "unclear": 0, "superseded": []},
        "self_check": {"rounds": 0, "pages": [], "findings_left": [], "note": None},
        "issues": [],
    }


async def test_chat_mode_is_never_sent_back(studio: Studio) -> None:
    run = studio.start(["I build apps."], "what can you do?", {"mode": "chat"})
    assert await studio.play(run) == Finished("I build apps.")


async def test_broken_links_are_sent_back_twice(studio: Studio) -> None:
    await with_page(studio, "index", page("index", ["menu", "cart", "menu"]))
    run = studio.start(["Done.", "Really.", "I cannot."], "make it nicer")
    assert await studio.play(run) == Finished("I cannot.")
    assert len(reasons(run)) == 2
    assert reasons(run)[0].startswith(f"{BROKEN_LINKS} index → menu, cart.")
    assert result_of(run)["valid"] is False
    assert {issue["rule"] for issue in result_of(run)["issues"]} == {"broken-link"}


async def test_a_mended_link_ends_it(studio: Studio) -> None:
    await with_page(studio, "index", page("index", ["menu"]))
    make = [("generate_page", {"slug": "menu", "title": "Menu", "description": "Drinks"})]
    run = studio.start(["Done.", make, fenced("html", page("menu", ["index"])), "Made the menu."], "add a menu")
    assert await studio.play(run) == Finished("Made the menu.")
    assert result_of(run)["valid"] is True
    assert result_of(run)["affected_pages"] == ["menu"]
    assert result_of(run)["preview_url"] == f"/api/sessions/{SESSION}/pages/menu/preview"


def first_generation(*ending: Any) -> list[Any]:
    return [
        [("create_design_system", {"product_type": "app"})],
        nested,
        [("generate_page", {"slug": "index", "title": "Home", "description": "Start"})],
        nested,
        *ending,
    ]


async def test_a_first_generation_without_a_product_doc_is_asked_for_one(studio: Studio) -> None:
    run = studio.start(first_generation("Your app is ready.", f"Your app is ready, noted.\n{DOC}"))
    assert await studio.play(run) == Finished("Your app is ready, noted.")
    assert [text.startswith(NO_PRODUCT_DOC) for text in reasons(run)] == [True]
    assert result_of(run)["product_doc_updated"] is True


async def test_it_is_asked_once(studio: Studio) -> None:
    run = studio.start(first_generation("Ready.", "I said ready."))
    assert await studio.play(run) == Finished("I said ready.")


async def test_a_refinement_needs_no_product_doc(studio: Studio) -> None:
    await with_page(studio, "index", page("index"))
    run = studio.start(["It is fine as it is."], "is it fine?")
    assert isinstance(await studio.play(run), Finished)


async def test_all_reasons_together_do_not_fail_the_run(studio: Studio) -> None:
    """Nothing built (1), broken links (2), no product doc (1): the run ends all the same."""
    broken = page("index", ["gone"])
    make = [("generate_page", {"slug": "index", "title": "Home", "description": "Start; leads to gone"})]
    run = studio.start(["Hi.", make, fenced("html", broken), "Ready.", "Ready!", "Ready!!", "Ready!!!"])
    assert await studio.play(run) == Finished("Ready!!!")
    assert len(reasons(run)) == 4


@pytest.mark.parametrize("answers", [[""] * (SENDING_BACK_AT_MOST + 1)])
async def test_a_model_that_says_nothing_fails_the_run(studio: Studio, answers: list[str]) -> None:
    outcome = await studio.play(studio.start(answers))
    assert isinstance(outcome, Failed)
    assert outcome.code == "no_usable_answer"


def test_broken_links_are_those_to_other_pages_only() -> None:
    html = (
        '<a href="menu.html#x">M</a><a href="#top">T</a><a href="https://example.org/a">E</a><a href="mailto:a@b">A</a>'
    )
    assert broken_links({"index": html, "menu": page("menu", ["gone", "index"])}) == {"menu": ["gone"]}
