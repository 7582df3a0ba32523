"""Deleting a page: it goes with the ways to it and with what was promised of it, and an undo brings everything back."""

import pytest

from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.deletion import delete_page
from loopwright.agents.pages.events import PageDeleted
from loopwright.agents.pages.history import Act, plan_step
from loopwright.agents.pages.promises.checks import ElementCheck, LinkCheck
from loopwright.agents.pages.promises.promise import Promise, PromiseDraft
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.tools.pages import DeletePage, DeletePageParameters
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound, Refused
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from tests.agents.pages.studio import SESSION, Studio, events_of, page

PAGES = ("index", "menu", "cart")
CARD = '<a class="card" href="cart.html">Your order</a>'


async def furnish(studio: Studio) -> None:
    """Three pages that lead to each other, and promises on them."""
    for slug in PAGES:
        html = page(slug, PAGES, body=CARD if slug == "menu" else '<p id="sum">Sum</p>')
        await studio.stores.pages.save(SESSION, slug, html, source="generate", run_id="made", call_id=slug)
        Workspace(studio.folder).write_page(slug, html)
    planned = [{"slug": slug, "title": slug.title()} for slug in (*PAGES, "about")]
    await studio.stores.sessions.update(SESSION, metadata={"planned_pages": planned, "brief": "a café"})


async def promise(studio: Studio, call: str, *checks: ElementCheck | LinkCheck, request: str = "") -> None:
    draft = PromiseDraft(request=request or f"what {call} is to have", author="controller", checks=checks)
    await studio.stores.promises.record(SESSION, call, [draft], run_id="made", call_id=call)


async def delete(studio: Studio, slug: str = "cart") -> list[str]:
    done = await delete_page(studio.stores, SESSION, Workspace(studio.folder), slug, Act.by_user())
    return [*done.deletion.lines(), *done.promise_lines()]


async def step(studio: Studio, kind: str, slug: str | None = None) -> set[str]:
    workspace, act = Workspace(studio.folder), Act.by_user()
    returns = await plan_step(studio.stores, SESSION, workspace, kind, slug, act)
    return set((await carry_out(studio.stores, SESSION, workspace, returns, act)).versions)


def files(studio: Studio) -> dict[str, str]:
    return {file.slug: studio.file(file.slug) for file in Workspace(studio.folder).page_files()}


async def test_the_page_goes_with_the_ways_to_it_and_comes_back_with_them(studio: Studio) -> None:
    await furnish(studio)
    before = files(studio)
    lines = await delete(studio)
    assert lines == [
        "index: taken out: “cart”.",
        "menu: taken out: “cart”.",
        "menu: stays, and leads nowhere now: “Your order”.",
    ]
    assert set(files(studio)) == {"index", "menu"}
    assert "cart.html" not in "".join(files(studio).values())
    project = await load_project(studio.stores, SESSION, Workspace(studio.folder))
    assert [entry.slug for entry in project.sitemap()] == ["index", "menu", "about"]
    assert await studio.stores.pages.html(SESSION, "cart", 1) == before["cart"]
    after = files(studio)
    assert await step(studio, "undo") == {"cart", "index", "menu"}
    assert files(studio) == before
    project = await load_project(studio.stores, SESSION, Workspace(studio.folder))
    assert [entry.slug for entry in project.sitemap()] == ["index", "menu", "cart", "about"]
    assert await step(studio, "redo") == {"cart", "index", "menu"}
    assert files(studio) == after


async def test_what_was_promised_of_it_is_given_up_and_counts_again_after_an_undo(studio: Studio) -> None:
    await furnish(studio)
    await promise(studio, "cart", ElementCheck(slug="cart", selector="#sum"))
    await promise(studio, "index", LinkCheck(slug="index", target="menu"), LinkCheck(slug="index", target="cart"))
    await promise(studio, "menu", ElementCheck(slug="menu", selector="h1"))

    async def counting() -> list[int]:
        return [len(Promise.of(row).checks) for row in await studio.stores.promises.of_session(SESSION)]

    assert await counting() == [1, 2, 1]
    told = await studio.call("delete_page", {"slug": "cart", "reason": "no cart"})
    assert told.success, told.output
    assert "Withdrawn with it: P1" in told.output
    assert "No longer kept of P2" in told.output
    assert await counting() == [1, 1]
    await step(studio, "undo")
    assert await counting() == [1, 2, 1]


async def test_a_promise_about_other_pages_stands_in_the_way(studio: Studio) -> None:
    await furnish(studio)
    await promise(studio, "menu", ElementCheck(slug="menu", selector="a.card[href]", text="order"))
    before = files(studio)
    with pytest.raises(Refused, match="what menu is to have"):
        await delete(studio)
    assert files(studio) == before
    assert len(await studio.stores.pages.versions(SESSION, "cart")) == 1


async def test_a_promise_that_names_the_page_goes_where_the_deletion_breaks_it(studio: Studio) -> None:
    await furnish(studio)
    way = ElementCheck(slug="menu", selector="body a[href^='cart.html']")
    await promise(studio, "menu", way, ElementCheck(slug="menu", selector="h1"), request="a cart")
    lines = await delete(studio)
    assert lines[-1].startswith("No longer kept of P1 “a cart”: ")
    (row,) = await studio.stores.promises.of_session(SESSION)
    assert [check.selector for check in Promise.of(row).checks] == ["h1"]
    await step(studio, "undo")
    (row,) = await studio.stores.promises.of_session(SESSION)
    assert len(Promise.of(row).checks) == 2


async def test_what_an_app_cannot_do_without_stays(studio: Studio) -> None:
    await furnish(studio)
    with pytest.raises(InvalidInput, match="home page"):
        await delete(studio, "index")
    with pytest.raises(NotFound, match="no page 'nowhere'"):
        await delete(studio, "nowhere")
    await delete(studio, "menu")
    with pytest.raises(NotFound, match="no page 'menu'"):
        await delete(studio, "menu")
    await studio.stores.pages.save(SESSION, "index", None, source="undo")
    with pytest.raises(InvalidInput, match="only page"):
        await delete(studio, "cart")


async def test_work_by_hand_is_kept_and_the_page_can_be_made_again(studio: Studio) -> None:
    await furnish(studio)
    by_hand = page("cart", body="<p>By hand</p>")
    Workspace(studio.folder).write_page("cart", by_hand)
    await delete(studio)
    assert [v.source for v in await studio.stores.pages.versions(SESSION, "cart")] == ["delete", "manual", "generate"]
    again = page("cart", PAGES, body="<p>Again</p>")
    await studio.stores.pages.save(SESSION, "cart", again, source="generate", run_id="later", call_id="c")
    Workspace(studio.folder).write_page("cart", again)
    await step(studio, "undo")
    assert "cart" not in files(studio)
    await step(studio, "undo")
    assert files(studio)["cart"] == by_hand


async def test_a_call_that_is_run_again_after_a_crash_ends_as_the_first_would_have(studio: Studio) -> None:
    await furnish(studio)
    await promise(studio, "cart", ElementCheck(slug="cart", selector="#sum"))
    outputs = [
        (await studio.call("delete_page", {"slug": "cart", "reason": "no cart"}, call_id="one")).output
        for _ in range(2)
    ]
    assert outputs[0].splitlines()[:4] == outputs[1].splitlines()[:4]
    assert [v.version for v in await studio.stores.pages.versions(SESSION, "cart")] == [2, 1]
    assert [v.version for v in await studio.stores.pages.versions(SESSION, "menu")] == [2, 1]
    assert not await studio.stores.promises.of_session(SESSION)


async def test_an_undo_takes_away_the_page_that_the_last_message_made_but_never_the_app(studio: Studio) -> None:
    await furnish(studio)
    for slug, html in (("about", page("about", PAGES)), ("index", page("index", (*PAGES, "about")))):
        await studio.stores.pages.save(SESSION, slug, html, source="generate", run_id="later", call_id=slug)
        Workspace(studio.folder).write_page(slug, html)
    with pytest.raises(Conflict, match="nothing before it"):
        await step(studio, "undo", "about")
    assert await step(studio, "undo") == {"about", "index"}
    assert set(files(studio)) == set(PAGES)
    with pytest.raises(Conflict, match="nothing to undo"):
        await step(studio, "undo")
    assert await step(studio, "redo") == {"about", "index"}
    assert set(files(studio)) == {*PAGES, "about"}


async def test_a_model_asks_first_and_shows_what_goes(studio: Studio) -> None:
    await furnish(studio)
    shown = DeletePage().preview(DeletePageParameters(slug="cart", reason="no cart"), studio.folder, None)
    assert "menu: stays, and leads nowhere now: “Your order”." in shown["preview"]["changes"]
    with pytest.raises(InvalidInput, match="home page"):
        DeletePage().preview(DeletePageParameters(slug="home", reason="no home"), studio.folder, None)
    call = [("delete_page", {"slug": "cart", "reason": "remove the cart page"})]
    run = studio.start([call], "remove the cart page")
    waiting = await run_agentic_loop(run)
    assert isinstance(waiting, Waiting)
    assert (waiting.gate.kind, waiting.gate.title) == ("patch", "Delete the page cart?")
    assert "cart" in files(studio)
    said = GateAnswered(gate_id=waiting.gate.gate_id, answer={"decision": "approve"})
    run = studio.again(run, ["It went."], said)
    assert await studio.play(run) == Finished("It went.")
    assert "cart" not in files(studio)
    assert [event.payload["slug"] for event in events_of(run, PageDeleted.type)] == ["cart"]
    assert events_of(run, "run_completed")[0].payload["result"]["deleted_pages"] == ["cart"]
