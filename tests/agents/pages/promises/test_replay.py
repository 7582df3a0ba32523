"""Replaying a ledger: verdicts by promise, withdrawn ones left out, behaviours said to be static where they are."""

from datetime import UTC, datetime

from loopwright.agents.pages.promises.checks import BehaviourCheck, Check
from loopwright.agents.pages.promises.promise import Promise, promise_numbers
from loopwright.agents.pages.promises.replay import check_promises
from loopwright.agents.pages.promises.wording import findings, refusal
from tests.agents.pages.promises.pages import SHOP, app, check

HEART = check("behaviour", steps=[{"action": "load"}, {"action": "click", "selector": "[data-favourite]"}])


def promise(*checks: Check, number: int = 1, request: str = "hearts on every card") -> Promise:
    """A promise of these checks."""
    now = datetime.now(UTC)
    return Promise(
        session_id="s", number=number, request=request, author="controller", checks=checks, run_id="r", call_id="c",
        created_at=now,
    )  # fmt: skip


async def test_the_report_names_what_is_broken() -> None:
    offers, order = check("element", selector="#offers"), check("element", selector="#order")
    promises = [promise(HEART, offers), promise(order, number=2, request="let people order")]
    whole = await check_promises(promises, app())
    assert [each.state for each in whole.promises] == ["kept", "kept"]
    assert whole.summary() == {"kept": 2, "unclear": 0, "broken": [], "static": 1}
    part = await check_promises(promises, app(SHOP.replace('id="order"', "")))
    (broken,) = part.broken
    assert refusal([broken], "This edit") == "This edit breaks the promise P2 “let people order”. Nothing was saved."
    assert findings([broken]) == ["P2: expected #order on index; found no #order"]
    assert part.summary()["broken"][0]["checks"][0]["found"] == "no #order"


async def test_withdrawn_promises_are_not_looked_at() -> None:
    gone = promise(check("element", selector="#nowhere")).model_copy(update={"places": (0,)}).without([0])
    assert (await check_promises([gone], app())).promises == ()


async def test_a_broken_behaviour_says_that_only_the_source_was_asked() -> None:
    assert isinstance(HEART, BehaviourCheck)
    report = await check_promises([promise(HEART)], app(SHOP.replace("data-favourite", "data-x")))
    assert findings(report.broken)[0].endswith("(by the source alone)")


def test_names_of_promises() -> None:
    assert promise_numbers("P7") == (7,)
    assert promise_numbers("p7, P9 and 12;P7") == (7, 9, 12)
    assert promise_numbers("P7, offers") == ()
    assert promise_numbers("P0") == ()
