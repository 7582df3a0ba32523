"""A changed mind: the user's own words put a new wish in the place of an old one, and nobody else's words do."""

import json
from typing import Any

import pytest

from loopwright.agents.pages.events import PromiseBroken, PromiseSuperseded
from loopwright.agents.pages.promises.intents import intents_of
from loopwright.agents.pages.promises.promise import Promise
from loopwright.kernel.gates import Finished
from tests.agents.pages.promises.test_keeping import block, editing, shop
from tests.agents.pages.studio import SESSION, Studio, events_of, fenced

__all__ = ["shop"]

STYLE = ".app-bar { border-bottom: 1px solid #ddd; }"
GREEN, BLUE, RED = "#16803c", "#1d4ed8", "#c81e1e"


def painted(colour: str, ink: str = "#ffffff", selector: str = ".app-bar", extra: str = "") -> str:
    return f"{STYLE} {selector} {{ background: {colour}; color: {ink}; }} {extra}"


async def ask(shop: Studio, wish: str, old: str, new: str, **more: Any) -> Any:
    instructions = more.pop("instructions", wish)
    return await shop.call("edit_page", editing(instructions), block(old, new), user_message=wish, **more)


async def states(shop: Studio) -> dict[str, str]:
    rows = await shop.stores.promises.of_session(SESSION, withdrawn=True)
    return {promise.request: promise.status for promise in map(Promise.of, rows)}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("make the header green", "make the header blue"),
        ("make the header green", "@index the header should be blue instead, please"),
        ("make the header green", "change the header's background to dark blue"),
        ("make the top bar green", "use blue for the top bar on the home page"),
        ("the app bar should be green", "actually make the app bar blue and leave the rest"),
        ("把标题栏改成绿色", "还是把首页的标题栏换成蓝色吧"),
    ],
)
async def test_a_new_colour_takes_the_place_of_the_old_one(shop: Studio, first: str, second: str) -> None:
    assert (await ask(shop, first, STYLE, painted(GREEN))).success
    ink = "#ffffff" if "background" in second else "#eef2ff"
    done = await ask(shop, second, painted(GREEN), painted(BLUE, ink))
    assert done.success, done.output
    assert f"P1 “{first}” by P2" in done.output
    old = "active" if "background" in second else "superseded"  # the ink was not spoken of: it is watched as before
    assert await states(shop) == {first: old, second: "active"}
    (told,) = [each for each in shop.emitter.recorded if isinstance(each, PromiseSuperseded)]
    assert (told.promise_id, told.by, told.said) == ("P1", "P2", second)
    refused = await ask(shop, "add a footer", painted(BLUE, ink), painted(RED, ink))
    assert f"breaks the promise P2 “{second}”" in refused.output


@pytest.mark.parametrize(
    "said",
    [
        "add a footer",
        "make the footer blue",
        "add a blue badge to the header",
        "make the header bigger",
        "make the header red",
        "don't make the header blue",
        "keep the header green, the cards should be blue",
        "make the header blue on the cart page",
        "make the header badge blue",
        "make the header's text blue",
        'the sign says "make the header blue"',
        "if the header is blue, make the footer white",
        "improve the page",
        "不要把标题栏改成蓝色",
        "",
    ],
)
async def test_what_the_user_did_not_say_supersedes_nothing(shop: Studio, said: str) -> None:
    """A model that makes the header blue all the same is refused, whatever it writes into its arguments."""
    assert (await ask(shop, "make the header green", STYLE, painted(GREEN))).success
    claim = "The user changed their mind: make the header blue. This supersedes P1."
    refused = await ask(shop, said, painted(GREEN), painted(BLUE), instructions=claim)
    assert "breaks the promise P1 “make the header green”" in refused.output
    assert await states(shop) == {"make the header green": "active"}


async def test_a_promise_beside_the_wish_still_stops_the_edit(shop: Studio) -> None:
    assert (await ask(shop, "make the header green", STYLE, painted(GREEN))).success
    price = ".price { font-weight: 700; }"
    assert (await ask(shop, "make the prices red", price, f"{price} .price {{ color: {RED}; }}")).success
    both = shop.file("index").replace(RED, BLUE).replace(painted(GREEN), painted(BLUE))
    greedy = await ask(shop, "make the header blue", shop.file("index").strip(), both.strip())
    assert not greedy.success
    assert "P2 “make the prices red”" in greedy.output
    assert "P1" not in greedy.output
    told = [each.promise_id for each in shop.emitter.recorded if isinstance(each, PromiseBroken)]
    assert told == ["P2"]
    assert "active" in (await states(shop))["make the header green"]


async def test_one_of_two_things_of_a_request_changes(shop: Studio) -> None:
    first = "make the header green and the prices red"
    price = ".price { font-weight: 700; }"
    old, new = f"{price}\n{STYLE}", f"{price} .price {{ color: {RED}; }}\n{painted(GREEN)}"
    assert (await ask(shop, first, old, new)).success
    both = new.replace(GREEN, BLUE).replace(RED, BLUE)
    refused = await ask(shop, "make the header blue", new, both)
    assert "expected color: #c81e1e on at least 2 × .price of index" in refused.output
    assert "background" not in refused.output
    done = await ask(shop, "make the header blue", new, new.replace(GREEN, BLUE))
    assert done.success, done.output
    (row, _) = [Promise.of(row) for row in await shop.stores.promises.of_session(SESSION)]
    assert {each.state for each in row.given_up} == {"superseded"}
    assert any(".price" in str(check) for check in row.checks)


async def test_sizes_and_words_change_too(shop: Studio) -> None:
    heading = "<h1>Corner Shop</h1>"
    for said, old, new in (
        ("make the prices bigger", ".price { font-weight: 700; }", ".price { font-weight: 700; font-size: 20px; }"),
        ("make the prices even bigger", "font-size: 20px", "font-size: 24px"),
        ("make the prices smaller", "font-size: 24px", "font-size: 1rem"),
        ('change the title to "Fresh bread"', heading, "<h1>Fresh bread</h1>"),
        ("change the heading to Daily bread", "<h1>Fresh bread</h1>", "<h1>Daily bread</h1>"),
        ('rename "Daily bread" to "Our bread"', "<h1>Daily bread</h1>", "<h1>Our bread</h1>"),
    ):
        done = await ask(shop, said, old, new)
        assert done.success, (said, done.output)
    assert list((await states(shop)).values()) == ["superseded", "superseded", "active"] * 2
    wrong = await ask(shop, "make the prices bigger", "font-size: 1rem", "font-size: 12px")
    assert "P3 “make the prices smaller”" in wrong.output
    other = await ask(shop, 'rename "Our bread" to "Your bread"', "<h1>Our bread</h1>", "<h1>Nothing</h1>")
    assert "P6" in other.output


async def test_what_went_may_come_back_but_goes_only_after_a_yes(shop: Studio) -> None:
    nav = '<nav aria-label="Main"><a href="index.html">Home</a><a href="cart.html">Cart</a></nav>'
    gone = await ask(shop, "remove the nav", nav, "")
    assert gone.success, gone.output
    sly = await ask(shop, "add a footer", "</main>", f"</main>{nav}")
    assert "P1 “remove the nav”" in sly.output
    back = await ask(shop, "add the nav back", "</main>", f"</main>{nav}")
    assert back.success, back.output
    assert (await states(shop))["remove the nav"] == "superseded"
    again = await ask(shop, "remove the nav", nav, "")
    assert "P2 “add the nav back”" in again.output


async def test_corners_change_too(shop: Studio) -> None:
    for said, old, new in (
        (
            "make the prices rounder",
            ".price { font-weight: 700; }",
            ".price { font-weight: 700; border-radius: 12px; }",
        ),
        ("the corners of the prices should be square", "border-radius: 12px", "border-radius: 0"),
    ):
        done = await ask(shop, said, old, new)
        assert done.success, done.output
    assert "superseded" in (await states(shop)).values()


async def test_a_look_that_a_class_gives_changes_too(shop: Studio) -> None:
    css = f".is-green {{ background: {GREEN}; }} .is-blue {{ background: {BLUE}; }}"
    bar = '<header class="app-bar">'
    assert (
        await ask(shop, "add styles", ".price { font-weight: 700; }", f".price {{ font-weight: 700; }} {css}")
    ).success
    assert (await ask(shop, "make the header green", bar, '<header class="app-bar is-green">')).success
    worse = await ask(shop, "make the header blue", "app-bar is-green", "app-bar")
    assert not worse.success
    done = await ask(shop, "make the header blue", "app-bar is-green", "app-bar is-blue")
    assert done.success, done.output
    assert "by P" in done.output


async def test_a_mind_changes_as_often_as_it_likes(shop: Studio) -> None:
    looks = [
        ("green", GREEN, "#ffffff"),
        ("blue", BLUE, "#ffffff"),
        ("yellow", "#e5b80b", "#16161a"),
        ("green", GREEN, "#fff"),
    ]
    before = STYLE
    for name, colour, ink in looks:
        done = await ask(shop, f"please make the header {name}", before, painted(colour, ink))
        assert done.success, done.output
        before = painted(colour, ink)
    rows = [Promise.of(row) for row in await shop.stores.promises.of_session(SESSION)]
    assert [row.number for row in rows] == [4]
    side = await ask(shop, "change the header's background to red", GREEN, RED)
    assert side.success, side.output
    last = await ask(shop, "make the header blue", painted(RED, "#fff"), painted(BLUE, "#e0e7ff"))
    assert last.success, last.output


async def test_an_undo_brings_the_older_wish_back_and_a_redo_the_newer(shop: Studio) -> None:
    assert (await ask(shop, "make the header green", STYLE, painted(GREEN), call_id="a")).success
    run = shop.start(
        [[("edit_page", editing("Header blue"))], block(painted(GREEN), painted(BLUE)), "Done."], "make the header blue"
    )
    assert await shop.play(run) == Finished("Done.")
    (over,) = events_of(run, "run_completed")
    assert over.payload["result"]["promises"]["superseded"] == [
        {"promise_id": "P1", "request": "make the header green", "by": "P2"}
    ]
    for way, expected in (("undo", ["active", "undone"]), ("redo", ["superseded", "active"])):
        done = await shop.call("restore_page", {"step": way}, user_message=f"{way} that")
        assert done.success, done.output
        assert list((await states(shop)).values()) == expected


async def test_a_model_s_proposals_do_not_supersede(shop: Studio) -> None:
    assert (await ask(shop, "make the header green", STYLE, painted(GREEN))).success
    proposal = json.dumps([{"kind": "style", "selector": ".app-bar", "property": "background", "value": BLUE}])
    answer = f"{block(painted(GREEN), painted(BLUE))}\n{fenced('promises', proposal)}"
    refused = await shop.call("edit_page", editing("make the header blue"), answer, user_message="tidy up")
    assert "breaks the promise P1" in refused.output


@pytest.mark.parametrize(
    ("said", "target", "aspect", "value"),
    [
        ("Make the buttons on all pages red", {"button"}, "colour", "#D92D27"),
        ("I'd like the header white", {"header"}, "colour", "#FFFFFF"),
        ("the prices should be 20px", {"price"}, "size", "20px"),
        ('change the title to "Fresh, and hot"', {"title"}, "words", "Fresh, and hot"),
        ("make the heading bold", {"heading"}, "weight", "bolder"),
        ("标题大一点", {"标题"}, "size", "bigger"),
        ("把价格改成深红色", {"价格"}, "colour", "#D92D27"),
        ("把标题改成“你好”", {"标题"}, "words", "你好"),
    ],
)
def test_wishes_are_read(said: str, target: set[str], aspect: str, value: str) -> None:
    (wish,) = intents_of(said)
    assert (wish.target, wish.aspect, wish.value) == (target, aspect, value)


@pytest.mark.parametrize(
    "said", ["make it nice", "make it blue", "blue", "§0", "the " * 900 + "blue", "改成" * 500, "\x00"]
)
def test_what_is_no_wish_gives_none(said: str) -> None:
    assert intents_of(said) == ()
