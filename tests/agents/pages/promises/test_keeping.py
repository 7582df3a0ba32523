"""The ledger through the tools and through whole runs: what is accepted is kept, what would break it is refused."""

import json
from typing import Any

import pytest

from loopwright.agents.pages.events import PromiseBroken, PromisesRecorded
from loopwright.agents.pages.guard import BROKEN_PROMISES
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.gates import Finished
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.tools import ToolResult
from tests.agents.pages.promises.pages import CART, CSS, SHOP
from tests.agents.pages.studio import SESSION, Studio, events_of, fenced, material_of

NEWSLETTER = '<section id="newsletter"><h2>News</h2><p>Once a month.</p></section>'
FOOTER = "<footer><p>Open from nine to five.</p></footer>"


def block(old: str, new: str, said: str = "Done.") -> str:
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n{said}"


ADD = block("</main>", f"{NEWSLETTER}\n</main>")
REMOVE = block(NEWSLETTER, "")
GENERATE = {"slug": "index", "title": "Corner Shop", "description": "The shop"}


def editing(wish: str, slug: str = "index") -> dict[str, str]:
    return {"slug": slug, "edit_instructions": wish}


@pytest.fixture
async def shop(studio: Studio) -> Studio:
    """A session with the shop's home page and its cart, which nobody has asked for in words."""
    (studio.folder / "design-system.css").write_text(CSS, encoding="utf-8")
    for slug, html in (("index", SHOP), ("cart", CART)):
        await studio.stores.pages.save(SESSION, slug, html, source="generate", title=slug)
        (studio.folder / "pages").mkdir(exist_ok=True)
        (studio.folder / "pages" / f"{slug}.html").write_text(html, encoding="utf-8")
    return studio


async def add_newsletter(shop: Studio, **more: Any) -> ToolResult:
    return await shop.call("edit_page", editing("Add a newsletter"), ADD, user_message="add a newsletter", **more)


async def versions(shop: Studio, slug: str = "index") -> int:
    return len(await shop.stores.pages.versions(SESSION, slug))


async def test_an_accepted_request_is_promised(shop: Studio) -> None:
    result = await add_newsletter(shop)
    assert result.success, result.output
    assert "Promised from now on: P1 “add a newsletter”" in result.output
    assert result.artifacts is not None
    assert [each["id"] for each in result.artifacts["promises"]["recorded"]] == ["P1"]
    (promise,) = await shop.stores.promises.of_session(SESSION)
    assert (promise.request, promise.author, promise.slug) == ("add a newsletter", "controller", "index")
    assert any(isinstance(each, PromisesRecorded) for each in shop.emitter.recorded)
    (row,) = json.loads((shop.folder / "promises.json").read_text(encoding="utf-8"))
    assert (row["id"], row["request"], row["pages"]) == ("P1", "add a newsletter", ["index"])


async def test_an_edit_that_breaks_a_promise_is_stopped(shop: Studio) -> None:
    await add_newsletter(shop)
    before, count = shop.file("index"), await versions(shop)
    result = await shop.call("edit_page", editing("Add a footer"), REMOVE, user_message="add a footer")
    assert not result.success
    assert "breaks the promise P1 “add a newsletter”. Nothing was saved." in result.output
    assert "expected #newsletter to be seen on index; found no #newsletter" in result.output
    assert (shop.file("index"), await versions(shop)) == (before, count)
    (told,) = [each for each in shop.emitter.recorded if isinstance(each, PromiseBroken)]
    assert (told.promise_id, told.refused) == ("P1", True)
    assert material_of(shop.requests[0])["promises"] == ["P1 “add a newsletter”: #newsletter to be seen on index"]
    kept = await shop.call("edit_page", editing("Add a footer"), block("</main>", f"</main>{FOOTER}"))
    assert kept.success, kept.output


async def test_hiding_is_breaking(shop: Studio) -> None:
    await add_newsletter(shop)
    hide = block(".price { font-weight: 700; }", ".price { font-weight: 700; } #newsletter { display: none; }")
    result = await shop.call("edit_page", editing("Bold prices"), hide, user_message="bold prices")
    assert not result.success
    assert "1 of them hidden" in result.output


async def test_a_page_written_anew_has_to_keep_them_too(shop: Studio) -> None:
    await add_newsletter(shop)
    words = {"user_message": "rewrite the home page from scratch"}
    result = await shop.call("generate_page", GENERATE, fenced("html", SHOP), **words)
    assert not result.success
    assert "P1 “add a newsletter”" in result.output
    with_it = SHOP.replace("</main>", f"{NEWSLETTER}</main>")
    result = await shop.call("generate_page", GENERATE, fenced("html", with_it), **words)
    assert result.success, result.output


async def test_a_new_look_has_to_keep_them_too(shop: Studio) -> None:
    wish = "make the prices green"
    green = block(".price { font-weight: 700; }", ".price { font-weight: 700; color: #0a7d32; }")
    assert (await shop.call("edit_page", editing(wish), green, user_message=wish)).success
    look = fenced("css", CSS.replace(".btn {", ".price { color: red !important; }\n.btn {") + ":root{}\n" * 3)
    result = await shop.call("create_design_system", {"product_type": "ecommerce"}, look, user_message="bolder")
    assert not result.success
    assert "This design system breaks the promise P1 “make the prices green”" in result.output
    assert (shop.folder / "design-system.css").read_text(encoding="utf-8") == CSS


async def test_what_people_broke_by_hand_is_told_and_stops_nobody(shop: Studio) -> None:
    await add_newsletter(shop)
    (shop.folder / "pages" / "index.html").write_text(SHOP, encoding="utf-8")
    result = await shop.call("edit_page", editing("Add a footer"), block("</main>", f"</main>{FOOTER}"))
    assert result.success, result.output
    assert "Broken before this change already: P1 “add a newsletter”." in result.output
    told = [each for each in shop.emitter.recorded if isinstance(each, PromiseBroken)]
    assert [each.refused for each in told] == [False]


async def test_only_what_was_broken_before_is_excused(shop: Studio) -> None:
    two = block("</main>", f'{NEWSLETTER}<form id="join"><input name="mail" aria-label="Email"></form>\n</main>')
    await shop.call("edit_page", editing("Add a newsletter"), two, user_message="add a newsletter")
    by_hand = shop.file("index").replace('id="newsletter"', "")
    (shop.folder / "pages" / "index.html").write_text(by_hand, encoding="utf-8")
    spoil = block('<form id="join"><input name="mail" aria-label="Email"></form>', "")
    result = await shop.call("edit_page", editing("Tidy up"), spoil, user_message="tidy up")
    assert not result.success
    assert "found no #join" in result.output
    assert "#newsletter" not in result.output


async def test_the_models_own_checks_are_tried(shop: Studio) -> None:
    checks = [{"kind": "text", "text": "Once a month."}, {"kind": "element", "selector": "#nowhere"}]
    answer = f"{ADD}\n{fenced('promises', json.dumps(checks))}"
    result = await shop.call("edit_page", editing("Add a newsletter"), answer, user_message="add a newsletter")
    assert result.success, result.output
    assert "Not taken into the promises: check 2 (#nowhere on index): it does not hold on the page" in result.output
    assert [each.author for each in await shop.stores.promises.of_session(SESSION)] == ["controller", "model"]
    assert "promises" not in shop.file("index")
    reworded = block("Once a month.", "Every week.")
    refused = await shop.call("edit_page", editing("Shorten"), reworded, user_message="shorten the texts")
    assert "P2 “add a newsletter”" in refused.output


async def test_the_guard_sends_the_model_back(shop: Studio) -> None:
    """Two changes that are each fine can break a promise together, as when somebody changes the look meanwhile."""
    await add_newsletter(shop)
    edit = [("edit_page", editing("Add a footer"))]

    def spoil(request: Any) -> str:
        css = CSS + "#newsletter { display: none }"
        (shop.folder / "design-system.css").write_text(css, encoding="utf-8")
        return "Done."

    def mend(request: Any) -> str:
        assert request.messages[-1].content.startswith(BROKEN_PROMISES)
        (shop.folder / "design-system.css").write_text(CSS, encoding="utf-8")
        return "Done now."

    run = shop.start([edit, block("</main>", f"</main>{FOOTER}"), spoil, mend], "add a footer")
    assert await shop.play(run) == Finished("Done now.")
    (over,) = events_of(run, "run_completed")
    assert over.payload["result"]["promises"]["kept"] == 1


async def test_the_guard_gives_up_and_the_result_says_so(shop: Studio) -> None:
    await add_newsletter(shop)

    def spoil(request: Any) -> str:
        (shop.folder / "design-system.css").write_text(CSS + "#newsletter { display: none }", encoding="utf-8")
        return "Done."

    edit = [("edit_page", editing("Add a footer"))]
    run = shop.start([edit, block("</main>", f"</main>{FOOTER}"), spoil, "Done.", "Done."], "add a footer")
    assert await shop.play(run) == Finished("Done.")
    (over,) = events_of(run, "run_completed")
    (broken,) = over.payload["result"]["promises"]["broken"]
    assert (broken["promise_id"], broken["request"]) == ("P1", "add a newsletter")


@pytest.mark.parametrize("point", ["tool.model_answered", "tool.executed", "result.recorded"])
async def test_a_crash_in_the_middle_promises_once(shop: Studio, point: str) -> None:
    class Killed(BaseException):
        """The process is gone."""

    def kill() -> None:
        disarm()
        raise Killed

    edit = [("edit_page", editing("Add a newsletter"))]
    run = shop.start([edit, ADD, "Done."], "add a newsletter")
    arm(point, kill)
    try:
        with pytest.raises(Killed):
            await run_agentic_loop(run)
    finally:
        disarm()
    run = shop.again(run, ["Done."])
    assert await shop.play(run) == Finished("Done.")
    (promise,) = await shop.stores.promises.of_session(SESSION)
    assert (promise.number, promise.request) == (1, "add a newsletter")
    assert await versions(shop) == 2


async def test_a_call_that_dies_before_its_page_is_stored_has_promised_nothing(
    shop: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = type(shop.stores.pages)
    real = store.save

    async def dies(self: Any, *arguments: Any, **values: Any) -> Any:
        raise RuntimeError("power cut")

    monkeypatch.setattr(store, "save", dies)
    assert not (await add_newsletter(shop, call_id="once")).success
    assert await shop.stores.promises.of_session(SESSION) == []
    monkeypatch.setattr(store, "save", real)
    assert (await add_newsletter(shop, call_id="once")).success
    assert [each.number for each in await shop.stores.promises.of_session(SESSION)] == [1]


async def test_two_edits_side_by_side(shop: Studio) -> None:
    calls = [("edit_page", editing("Add a newsletter")), ("edit_page", editing("Add a newsletter", "cart"))]
    run = shop.start([calls, ADD, ADD, "Done."], "add a newsletter to both pages")
    assert await shop.play(run) == Finished("Done.")
    promises = await shop.stores.promises.of_session(SESSION)
    assert [(each.number, each.request) for each in promises] == [
        (1, "add a newsletter to both pages"),
        (2, "add a newsletter to both pages"),
    ]
    assert {each.slug for each in promises} == {"index", "cart"}


async def test_the_prompt_tells_of_promises(shop: Studio) -> None:
    await add_newsletter(shop)
    run = shop.start(["Hello."], "hello")
    await shop.play(run)
    told = "\n".join(str(message.content) for message in run.model.requests[0].messages)
    assert "- P1 (index) “add a newsletter”" in told
