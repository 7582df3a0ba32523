"""`edit_page`: the named change, and every other byte as it was."""

import pytest

from loopwright.agents.pages.events import PageVersionCreated
from tests.agents.pages.studio import CSS, SESSION, Studio, fenced, material_of, page, task_of

PAGE = page("menu", ["index"], body='<p id="a">Coffee</p>\n<p id="b">Tea</p>')


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


async def with_menu(studio: Studio, html: str = PAGE) -> None:
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.call("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu, Cart"})
    answer = fenced("html", html)
    made = await studio.call(
        "generate_page", {"slug": "menu", "title": "Menu", "description": "Drinks, and jobs"}, answer
    )
    assert made.success


def edit(**more: str) -> dict[str, str]:
    return {"slug": "menu", "edit_instructions": "Sell espresso instead of coffee.", **more}


async def test_the_rest_stays_byte_for_byte(studio: Studio) -> None:
    await with_menu(studio)
    before = studio.file("menu")
    answer = block('<p id="a">Coffee</p>', '<p id="a">Espresso</p>') + "Coffee is espresso now."
    result = await studio.call("edit_page", edit(), answer)
    assert result.success
    assert (
        studio.file("menu") == before.replace("Coffee", "Espresso") == await studio.stores.pages.html(SESSION, "menu")
    )
    assert "Changed: Coffee is espresso now." in result.output
    assert result.artifacts is not None
    assert result.artifacts["version"] == 2
    assert PageVersionCreated(slug="menu", version=2, source="edit") in studio.emitter.recorded
    newest = (await studio.stores.pages.versions(SESSION, "menu"))[0]
    assert (newest.source, newest.description) == ("edit", "Coffee is espresso now.")
    material = material_of(studio.requests[0])
    assert task_of(studio.requests[0]) == "pages/edit-page"
    assert set(material) == {"slug", "instructions", "html", "design_system", "sitemap", "project_card", "promises"}
    assert material["html"] == before


async def test_a_block_that_does_not_fit_is_sent_back(studio: Studio) -> None:
    await with_menu(studio)
    wrong, right = block('<p id="a">Cofee</p>', "x"), block('<p id="a">Coffee</p>', '<p id="a">Espresso</p>')
    result = await studio.call("edit_page", edit(), wrong, right)
    assert result.success
    assert 'close: <p id="a">Coffee</p>' in studio.requests[1].messages[-1].content
    assert "Espresso" in studio.file("menu")


async def test_two_bad_answers_change_nothing(studio: Studio) -> None:
    await with_menu(studio)
    before = studio.file("menu")
    twice = block("</p>", "</b>")
    result = await studio.call("edit_page", edit(), twice, twice)
    assert not result.success
    assert "occurs 3 times" in (result.error or "")
    assert "Nothing was changed" in (result.error or "")
    assert studio.file("menu") == before


async def test_an_edit_that_breaks_the_document_is_refused(studio: Studio) -> None:
    await with_menu(studio)
    cut = block("</body>\n</html>", "")
    result = await studio.call("edit_page", edit(), cut, cut)
    assert "whole HTML document" in (result.error or "")


@pytest.mark.parametrize(
    "answer", ["It is like that already.", block('<p id="b">Tea</p>', '<p id="b">Tea</p>') + "Same."]
)
async def test_nothing_to_do_makes_no_version(studio: Studio, answer: str) -> None:
    await with_menu(studio)
    result = await studio.call("edit_page", edit(), answer)
    assert result.success
    assert result.output.startswith("Nothing was changed:")
    assert len(await studio.stores.pages.versions(SESSION, "menu")) == 1


async def test_new_links_are_pointed_at_their_files_and_old_ones_stay(studio: Studio) -> None:
    odd = page("menu", body='<p><a class="btn" href="/jobs">Jobs</a></p>\n<p id="a">Coffee</p>')
    await with_menu(studio, odd)
    await studio.stores.pages.save(SESSION, "jobs", page("jobs"), source="generate")
    answer = block('<p id="a">Coffee</p>', '<p id="a"><a class="btn" href="/cart?x=1&amp;y=2">Cart</a></p>')
    await studio.call("edit_page", edit(), answer)
    html = studio.file("menu")
    assert 'href="cart.html?x=1&amp;y=2"' in html
    assert 'href="/jobs"' in html


async def test_the_file_on_disk_is_what_is_edited(studio: Studio) -> None:
    """People may change a page by hand; their work counts."""
    await with_menu(studio)
    by_hand = studio.file("menu").replace("Tea", "Mint tea")
    (studio.folder / "pages" / "menu.html").write_text(by_hand)
    await studio.call("edit_page", edit(), block("Coffee", "Espresso"))
    assert studio.file("menu") == by_hand.replace("Coffee", "Espresso")


async def test_a_lost_file_is_taken_from_the_store(studio: Studio) -> None:
    await with_menu(studio)
    (studio.folder / "pages" / "menu.html").unlink()
    result = await studio.call("edit_page", edit(), block("Coffee", "Espresso"))
    assert result.success
    assert "Espresso" in studio.file("menu")


async def test_a_given_page_is_edited_when_it_is_whole(studio: Studio) -> None:
    await with_menu(studio)
    given = studio.file("menu").replace("Tea", "Mint tea")
    result = await studio.call("edit_page", edit(current_html=given), block("Mint tea", "Ginger tea"))
    assert result.success
    assert studio.file("menu") == given.replace("Mint tea", "Ginger tea")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("<p>only a part</p>", "not a whole HTML document"),
        ("<!doctype html><html><body><p>short</p></body></html>", "most of it would be lost"),
    ],
)
async def test_an_abbreviated_page_is_not_taken(studio: Studio, given: str, said: str) -> None:
    await with_menu(studio)
    result = await studio.call("edit_page", edit(current_html=given))
    assert said in (result.error or "")


async def test_a_page_that_does_not_exist(studio: Studio) -> None:
    assert "no pages yet" in (await studio.call("edit_page", edit())).output
    await with_menu(studio)
    result = await studio.call("edit_page", {**edit(), "slug": "cart"})
    assert "There is no page 'cart'." in (result.error or "")
    assert "The pages are: menu." in result.output


async def test_a_repeated_call_edits_once(studio: Studio) -> None:
    await with_menu(studio)
    answer = block('<p id="a">Coffee</p>', '<p id="a">Coffee</p>\n<p>New</p>')
    await studio.call("edit_page", edit(), answer, call_id="same")
    after = studio.file("menu")
    result = await studio.call("edit_page", edit(), call_id="same")
    assert result.success
    assert studio.file("menu") == after
    assert len(await studio.stores.pages.versions(SESSION, "menu")) == 2


async def test_an_edit_that_calls_another_host_is_refused(studio: Studio) -> None:
    await with_menu(studio)
    before = studio.file("menu")
    answer = block('<p id="b">Tea</p>', "<p id=\"b\">Tea</p><script>fetch('https://collect.example')</script>")
    result = await studio.call("edit_page", edit(), answer, answer)
    assert not result.success
    assert "collect.example" in result.output
    assert studio.file("menu") == before
