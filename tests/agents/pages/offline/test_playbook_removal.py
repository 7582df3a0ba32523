"""The offline model removes pages when the user says so, and asks for each."""

import pytest

from loopwright.agents.pages.offline.intents import understand
from loopwright.agents.pages.offline.playbook import refine
from loopwright.kernel.offline import OfflineReply
from tests.agents.pages.offline.test_playbook_kernel import Project, project
from tests.agents.pages.offline.test_playbook_promises import reading as read

__all__ = ["project"]

BRIEF = "A coffee shop app called Bean There with 3 pages: home, menu and cart"


async def test_a_page_goes_with_its_links_and_an_undo_brings_it_back(project: Project) -> None:
    made = await project.run(BRIEF, generate_now=True)
    assert {"menu", "cart"} <= set(made["pages"])
    result = await project.run("remove the cart page", generate_now=True)
    assert project.tools.count("delete_page") == 1
    assert result["deleted_pages"] == ["cart"]
    assert "Taken away: `cart`." in result["text"]
    assert "taken out" in result["text"]
    assert (result["valid"], result["promises"]["broken"]) == (True, [])
    result = await project.run("undo that", generate_now=True)
    assert set(result["pages"]) == set(made["pages"])
    assert result["promises"]["broken"] == []


def reply_to(request: str, *calls: tuple[str, dict[str, str], str]) -> OfflineReply:
    pages = [("index", "首页"), ("cart", "购物车"), ("about-us", "About us"), ("menu", "Menu")]
    found = read(request, *calls, pages=pages)
    return refine(found, understand(found.message, has_pages=True, targeted=bool(found.targets)))


@pytest.mark.parametrize(
    ("request_text", "slugs"),
    [
        ("删掉购物车页面", ["cart"]),
        ("remove the about us page", ["about-us"]),
        ("remove the menu and cart pages", ["menu", "cart"]),
        ("delete @menu", ["menu"]),
        ("get rid of the about us", ["about-us"]),
        ("删除购物车", ["cart"]),
        ("quita la página del menu", ["menu"]),
        ("remove the menu page, guests use the cart instead", ["menu"]),
    ],
)
def test_pages_are_known_by_their_names(request_text: str, slugs: list[str]) -> None:
    calls = reply_to(request_text).tool_calls
    assert [(name, arguments["slug"]) for name, arguments in calls] == [("delete_page", slug) for slug in slugs]


def test_a_page_that_nobody_knows_is_not_guessed_at() -> None:
    reply = reply_to("remove the loyalty page")
    assert reply.tool_calls == ()
    assert "There is no page “loyalty”; nothing was changed." in reply.text


def test_a_no_is_respected() -> None:
    asked = ("delete_page", {"slug": "cart"}, "Error: The user did not allow it.")
    reply = reply_to("remove the cart page", asked)
    assert reply.tool_calls == ()
    assert "`cart` stays: The user did not allow it." in reply.text
