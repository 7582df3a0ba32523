"""Taking promises back: only after the user's yes, whole or a single check of one."""

from loopwright.agents.pages.events import PromiseWithdrawn
from loopwright.agents.pages.promises.promise import Promise
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from tests.agents.pages.promises.test_keeping import NEWSLETTER, REMOVE, add_newsletter, block, editing, shop
from tests.agents.pages.studio import SESSION, Studio, events_of

__all__ = ["shop"]


async def test_only_the_user_withdraws(shop: Studio) -> None:
    await add_newsletter(shop)
    wish = "remove the newsletter"
    edit = [("edit_page", editing("Remove the newsletter section"))]
    withdrawal = [("withdraw_promise", {"promise_id": "p1", "reason": wish})]
    run = shop.start([edit, REMOVE, withdrawal], wish)
    waiting = await run_agentic_loop(run)
    assert isinstance(waiting, Waiting)
    assert waiting.gate.kind == "patch"
    shown = "\n".join(waiting.gate.details["preview"]["changes"])
    assert "P1 (index) You asked: “add a newsletter”" in shown
    assert "#newsletter to be seen on index" in shown
    assert "NEWSLETTER" not in shop.file("index")
    said = GateAnswered(gate_id=waiting.gate.gate_id, answer={"decision": "approve"})
    run = shop.again(run, [edit, REMOVE, "It is gone."], said)
    assert await shop.play(run) == Finished("It is gone.")
    assert "newsletter" not in shop.file("index")
    active = await shop.stores.promises.of_session(SESSION)
    assert [each.request for each in active] == ["remove the newsletter"]  # which is a promise of its own now
    assert [event.payload["promise_id"] for event in events_of(run, PromiseWithdrawn.type)] == ["P1"]


async def test_one_check_of_a_promise_is_withdrawn(shop: Studio) -> None:
    two = block("</main>", f'{NEWSLETTER}<p id="join">Join us</p>\n</main>')
    await shop.call("edit_page", editing("Add a newsletter"), two, user_message="add a newsletter")
    (promise,) = [Promise.of(row) for row in await shop.stores.promises.of_session(SESSION)]
    number = next(n for n, each in enumerate(promise.checks, 1) if "#join" in str(each))
    wrong = {"promise_id": "P1", "reason": "no joining", "check": 9}
    run = shop.start(
        [[("withdraw_promise", wrong)], [("withdraw_promise", {**wrong, "check": number})]], "no joining after all"
    )
    waiting = await run_agentic_loop(run)
    assert isinstance(waiting, Waiting)
    assert "Promise P1 has no check 9" in run.model.requests[1].messages[-1].content
    shown = [line for line in waiting.gate.details["preview"]["changes"] if "no longer kept" in line]
    assert shown == ["  no longer kept: #join to be seen on index"]
    said = GateAnswered(gate_id=waiting.gate.gate_id, answer={"decision": "approve"})
    run = shop.again(run, ["Done."], said)
    assert await shop.play(run) == Finished("Done.")
    (withdrawn,) = events_of(run, PromiseWithdrawn.type)
    assert withdrawn.payload["check"] == number
    spoil = block('<p id="join">Join us</p>', "")
    assert (await shop.call("edit_page", editing("Remove it"), spoil, user_message="shorten the page")).success
    assert not (await shop.call("edit_page", editing("x"), REMOVE, user_message="tidy up")).success
    several = await shop.call("withdraw_promise", {"promise_id": "P1, P2", "reason": "x", "check": 1})
    assert "one promise at a time" in (several.error or "")


async def test_a_no_keeps_it(shop: Studio) -> None:
    await add_newsletter(shop)
    run = shop.start([[("withdraw_promise", {"promise_id": "P1", "reason": "it is in the way"})]], "add a footer")
    waiting = await run_agentic_loop(run)
    assert isinstance(waiting, Waiting)
    said = GateAnswered(gate_id=waiting.gate.gate_id, answer={"decision": "reject", "comment": "keep it"})
    run = shop.again(run, ["I keep it."], said)
    assert await shop.play(run) == Finished("I keep it.")
    assert len(await shop.stores.promises.of_session(SESSION)) == 1


async def test_nobody_is_asked_about_a_promise_that_is_not_there(shop: Studio) -> None:
    run = shop.start([[("withdraw_promise", {"promise_id": "P9", "reason": "x"})], "There is none."], "hello")
    assert await shop.play(run) == Finished("There is none.")
    assert "There is no promise P9." in run.model.requests[1].messages[-1].content
