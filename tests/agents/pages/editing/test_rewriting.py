"""Whose words allow a page to be written anew."""

import pytest

from loopwright.agents.pages.editing.regions import Asker
from tests.agents.pages.studio import CSS, SESSION, Studio, fenced, page

TITLES = {"index": "Home", "menu": "Our drinks", "cart": "Cart"}

YES = [
    "rewrite the menu page",
    "Please redo our drinks from scratch",
    "start over with everything",
    "regenerate all pages",
    "keep the cart as it is, but rebuild the menu",
    "don't touch the cart. Rewrite menu",
    "make the menu page anew",
    "重写 menu 页面",
    "把所有页面重新生成",
    "全部推倒重来",
]
NO = [
    "make the header green",
    "don't rewrite the menu",
    "change the menu without rewriting it",
    "rewrite the cart page",
    "redo the cart, and leave the menu alone",
    "不要重写 menu",
    "重写 cart",
    "the title should say Rewriting History",
    "",
]


@pytest.mark.parametrize("message", YES)
def test_words_that_ask_for_a_rewrite(message: str) -> None:
    assert Asker(message, {}, TITLES).wants_rewrite("menu")


@pytest.mark.parametrize("message", NO)
def test_words_that_do_not(message: str) -> None:
    assert not Asker(message, {}, TITLES).wants_rewrite("menu")


def test_options_and_targets() -> None:
    assert Asker("", {"rewrite_pages": True}, TITLES).wants_rewrite("menu")
    assert Asker("", {"rewrite_pages": ["menu"]}, TITLES).wants_rewrite("menu")
    assert not Asker("", {"rewrite_pages": ["cart"]}, TITLES).wants_rewrite("menu")
    assert Asker("rewrite this page", {"target_pages": ["menu"]}, TITLES).wants_rewrite("menu")
    assert Asker("rewrite it", {}, {"menu": "Menu"}).wants_rewrite("menu")
    assert not Asker("", {}, TITLES, instructions="rewrite the menu page").wants_rewrite("menu")


async def generate(studio: Studio, message: str, *script: str):
    arguments = {"slug": "menu", "title": "Menu", "description": "Drinks"}
    return await studio.call("generate_page", arguments, *script, user_message=message)


async def test_a_page_of_an_earlier_run_is_not_written_anew(studio: Studio) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    for slug in ("index", "menu"):
        made = {"run_id": "first", "call_id": slug}
        await studio.stores.pages.save(SESSION, slug, page(slug), source="generate", title=slug, **made)
    refused = await generate(studio, "make the menu nicer")
    assert "exists since an earlier run" in (refused.error or "")
    assert "edit_page" in refused.output
    assert len(await studio.stores.pages.versions(SESSION, "menu")) == 1
    done = await generate(studio, "rewrite the menu page", fenced("html", page("menu", ["index"], body="<p>New</p>")))
    assert done.success, done.output


async def test_a_page_of_this_run_may_be_written_again(studio: Studio) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    for body in ("<p>One</p>", "<p>Two</p>"):
        done = await generate(studio, "a coffee shop app", fenced("html", page("menu", body=body)))
        assert done.success, done.output
    assert "<p>Two</p>" in studio.file("menu")
