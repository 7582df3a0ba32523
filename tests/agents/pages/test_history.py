"""Ways back: undo, redo, older versions, single elements; nothing is lost, and no promise is broken silently."""

import pytest

from loopwright.agents.pages.history import Act, plan_restore, plan_step
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Conflict, InvalidInput
from tests.agents.pages.studio import SESSION, Studio, page

BAR = '<header class="app-bar"><h1>Menu</h1></header>'
FIRST = page("menu", body=f'{BAR}\n<p id="a">Coffee</p>\n<p id="b">Tea</p>')


async def save(studio: Studio, slug: str, html: str, run: str, call: str = "c", source: str = "edit") -> None:
    await studio.stores.pages.save(SESSION, slug, html, source=source, run_id=run, call_id=f"{call}{len(html)}")
    Workspace(studio.folder).write_page(slug, html)


async def step(studio: Studio, kind: str, slug: str | None = None) -> dict[str, int]:
    workspace = Workspace(studio.folder)
    returns = await plan_step(studio.stores, SESSION, workspace, kind, slug, Act())
    done = await carry_out(studio.stores, SESSION, workspace, returns, Act())
    return {name: version.version for name, version in done.versions.items()}


async def test_undo_and_redo_walk_along_the_changes(studio: Studio) -> None:
    pages = [FIRST.replace("Coffee", f"Coffee {n}") for n in range(4)]
    for number, html in enumerate(pages):
        await save(studio, "menu", html, f"run{number}")
    for expected in (2, 1, 0):
        await step(studio, "undo")
        assert studio.file("menu") == pages[expected] == await studio.stores.pages.html(SESSION, "menu")
    with pytest.raises(Conflict, match="nothing to undo"):
        await step(studio, "undo")
    await step(studio, "redo")
    await step(studio, "redo")
    assert studio.file("menu") == pages[2]
    await save(studio, "menu", FIRST.replace("Tea", "Mate"), "run9")
    with pytest.raises(Conflict, match="nothing to redo"):
        await step(studio, "redo")
    await step(studio, "undo")
    assert studio.file("menu") == pages[2]


async def test_one_message_is_one_change_of_all_its_pages(studio: Studio) -> None:
    for slug in ("index", "menu", "cart"):
        await save(studio, slug, page(slug), "first", source="generate")
    for slug in ("index", "menu"):
        await save(studio, slug, page(slug, body="<p>Green</p>"), "second")
        await save(studio, slug, page(slug, body="<p>Green and mended</p>"), "second")
    assert set(await step(studio, "undo")) == {"index", "menu"}
    assert studio.file("index") == page("index")
    assert set(await step(studio, "redo")) == {"index", "menu"}
    assert set(await step(studio, "undo", "menu")) == {"menu"}
    assert "mended" in studio.file("index")
    with pytest.raises(Conflict, match="nothing before it"):
        await step(studio, "undo", "cart")


async def test_work_by_hand_is_kept_as_a_version(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    await save(studio, "menu", FIRST.replace("Tea", "Mate"), "second")
    by_hand = FIRST.replace("Coffee", "Espresso")
    Workspace(studio.folder).write_page("menu", by_hand)
    await step(studio, "undo")
    assert "Mate" in studio.file("menu")
    newest = await studio.stores.pages.versions(SESSION, "menu")
    assert [version.source for version in newest][:2] == ["undo", "manual"]
    await step(studio, "redo")
    assert studio.file("menu") == by_hand


async def restored(studio: Studio, version: int, element: str | None = None) -> str:
    workspace = Workspace(studio.folder)
    planned = await plan_restore(studio.stores, SESSION, workspace, "menu", version, element, Act())
    await carry_out(studio.stores, SESSION, workspace, [planned], Act())
    return studio.file("menu")


async def test_one_element_of_an_older_version_comes_back(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    style = "<style>\n.app-bar { background: green }\np { color: teal }\n</style>\n"
    changed = FIRST.replace("<h1>Menu</h1></header>", "<h1>Drinks</h1></header>").replace("Tea", "Mate")
    await save(studio, "menu", changed.replace("</head>", f"{style}</head>"), "second")
    now = await restored(studio, 1, ".app-bar")
    kept = style.replace(".app-bar { background: green }\n", "")
    assert now == FIRST.replace("Tea", "Mate").replace("</head>", f"{kept}</head>")


async def test_an_element_that_is_gone_comes_back_at_its_place(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    await save(studio, "menu", FIRST.replace('<p id="a">Coffee</p>\n', "").replace("Tea", "Mate"), "second")
    assert await restored(studio, 1, "#a") == FIRST.replace("Tea", "Mate")
    with pytest.raises(Conflict, match="already"):
        await restored(studio, 1, "#a")
    for selector, reason in (
        ("p", "elements of"),
        ("#nope", "no element"),
        ("body", "whole version"),
        ("p[", "selector"),
    ):
        with pytest.raises(InvalidInput, match=reason):
            await restored(studio, 1, selector)


async def test_a_promise_goes_with_its_change_and_holds_against_others(studio: Studio) -> None:
    """Undoing the change that made a promise withdraws it; an older version that lacks what was promised is refused."""
    await save(studio, "menu", FIRST, "first", source="generate")
    block = (
        '<<<<<<< SEARCH\n<p id="b">Tea</p>\n=======\n<p id="b">Tea</p>\n<p id="news">News</p>\n>>>>>>> REPLACE\nAdded.'
    )
    wish = {"slug": "menu", "edit_instructions": "add the news"}
    assert (await studio.call("edit_page", wish, block, user_message="add the news")).success
    assert await studio.stores.promises.of_session(SESSION)
    refused = await studio.call(
        "restore_page", {"step": "restore", "slug": "menu", "version": 1}, user_message="old one"
    )
    assert not refused.success
    assert "add the news" in (refused.error or "")
    assert 'id="news"' in studio.file("menu")
    done = await studio.call("restore_page", {"step": "undo"}, user_message="undo that", call_id="u")
    assert done.success, done.output
    assert "Withdrawn with it" in done.output
    assert studio.file("menu") == FIRST
    assert not await studio.stores.promises.of_session(SESSION)
    (gone,) = await studio.stores.promises.of_session(SESSION, withdrawn=True)
    assert Promise.of(gone).status == "undone"
    again = await studio.call("restore_page", {"step": "undo"}, user_message="undo that", call_id="u")
    assert again.success, again.output
    assert studio.file("menu") == FIRST
    assert len(await studio.stores.pages.versions(SESSION, "menu")) == 3
    redone = await studio.call("restore_page", {"step": "redo"}, user_message="redo that", call_id="v")
    assert "Counts again: P1 “add the news”." in redone.output
    assert [each.number for each in await studio.stores.promises.of_session(SESSION)] == [1]
    gone = '<<<<<<< SEARCH\n<p id="news">News</p>\n=======\n>>>>>>> REPLACE\nGone.'
    assert not (await studio.call("edit_page", wish, gone, user_message="shorten the page")).success


async def test_what_the_user_withdrew_stays_so_through_undo_and_redo(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    await renamed(studio, "Coffee", "Espresso", "e")
    await studio.stores.promises.withdraw(SESSION, 1, "no matter")
    for way in ("undo", "redo"):
        await step(studio, way)
        assert not await studio.stores.promises.of_session(SESSION)
    (row,) = await studio.stores.promises.of_session(SESSION, withdrawn=True)
    assert (Promise.of(row).status, Promise.of(row).reason) == ("withdrawn", "no matter")


async def test_an_older_version_and_its_undo_turn_the_promises_with_them(studio: Studio) -> None:
    """Version 2 promised Espresso, version 3 Mate; going back to 2 gives up Mate, undoing that renews it."""
    await save(studio, "menu", FIRST, "first", source="generate")
    await renamed(studio, "Coffee", "Espresso", "e")
    await renamed(studio, "Tea", "Mate", "f")
    assert await counted(studio) == ["call the coffee Espresso", "call the tea Mate"]
    assert "Tea" in await restored(studio, 2)
    assert await counted(studio) == ["call the coffee Espresso"]
    await step(studio, "undo")
    assert await counted(studio) == ["call the coffee Espresso", "call the tea Mate"]
    await step(studio, "redo")
    assert await counted(studio) == ["call the coffee Espresso"]
    assert "Coffee" in await restored(studio, 1)
    assert await counted(studio) == []
    assert "Espresso" in await restored(studio, 3)
    assert await counted(studio) == ["call the coffee Espresso", "call the tea Mate"]


async def counted(studio: Studio) -> list[str]:
    return [promise.request for promise in await studio.stores.promises.of_session(SESSION)]


async def renamed(studio: Studio, old: str, new: str, call_id: str) -> None:
    """A wish that is carried out and promised."""
    block = f"<<<<<<< SEARCH\n>{old}</p>\n=======\n>{new}</p>\n>>>>>>> REPLACE\nRenamed."
    wish = f"call the {old.lower()} {new}"
    arguments = {"slug": "menu", "edit_instructions": wish}
    done = await studio.call("edit_page", arguments, block, user_message=wish, call_id=call_id)
    assert done.success, done.output


async def test_an_element_that_comes_back_takes_only_the_promise_that_it_contradicts(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    await renamed(studio, "Coffee", "Espresso", "e")
    await renamed(studio, "Tea", "Mate", "f")
    promised = {promise.number: promise.request for promise in await studio.stores.promises.of_session(SESSION)}
    assert len(promised) == 2
    arguments = {"step": "restore", "slug": "menu", "version": 1, "element": "#a"}
    done = await studio.call("restore_page", arguments, user_message="bring back the old coffee")
    assert done.success, done.output
    assert studio.file("menu") == FIRST.replace("Tea", "Mate")
    left = await studio.stores.promises.of_session(SESSION)
    assert [promise.request for promise in left] == ["call the tea Mate"]


async def test_the_model_goes_back_only_when_the_user_says_so(studio: Studio) -> None:
    await save(studio, "menu", FIRST, "first", source="generate")
    await save(studio, "menu", FIRST.replace("Tea", "Mate"), "second")
    result = await studio.call("restore_page", {"step": "undo"}, user_message="make the header green")
    assert "did not ask" in (result.error or "")
    assert (await studio.call("restore_page", {"step": "undo"}, user_message="撤销")).success
