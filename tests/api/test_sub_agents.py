"""An agent as a tool of another one: a run of its own, found again after a crash, whose gates the caller asks."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from loopwright import Agent, Budget, Done, Failed, LoopwrightError, Waiting, resume, tool
from loopwright.api.driving import opened
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.testing import as_response, check_journal
from loopwright.testing import ScriptedModel, call, say

paid: list[int] = []


class Verdict(BaseModel):
    right: bool


@tool(approve=True)
def pay(euros: int) -> str:
    """Pay."""
    paid.append(euros)
    return f"paid {euros}"


@tool(effect="pure")
def look(page: int) -> int:
    """Look at a page."""
    return page


payer = Agent("payer", "Pay what you are told.", tools=[pay], description="Pays bills.")
auditor = Agent("auditor", "Check.", tools=[look], output=Verdict, description="Checks bills.")


@pytest.fixture(autouse=True)
def nothing_paid() -> Iterator[None]:
    paid.clear()
    yield
    disarm()


async def runs_in(home: Path) -> dict[str, Any]:
    """The newest run of each agent, with its journal whole."""
    async with opened(None, home, None) as driver:
        stores = driver.app.stores
        found = {record.agent: record for record in reversed(await stores.runs.find())}
        for record in found.values():
            check_journal(await stores.journal.read(record.run_id), over=record.status != "waiting_input")
        return found


async def test_the_call_is_a_run_of_its_own_with_a_checked_answer(tmp_path: Path) -> None:
    boss = Agent("boss", "Ask the auditor.", tools=[auditor.as_tool()])
    model = ScriptedModel(
        call("auditor", message="Is it right?"), call("look", page=1), say(Verdict(right=True)), say("It is right.")
    )
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done), result
    (made,) = result.calls
    assert made.value == {"right": True}
    assert [prompt[-1].content for prompt in model.prompts[1:2]] == ["Is it right?"]
    found = await runs_in(tmp_path)
    child = await resume(found["auditor"].run_id, home=tmp_path)
    assert isinstance(child, Done)
    assert child.output == Verdict(right=True)
    assert child.session_id != result.session_id


async def test_its_budget_is_its_own_and_its_failure_is_a_result(tmp_path: Path) -> None:
    boss = Agent("boss", "Ask.", tools=[auditor.as_tool(name="check", budget=Budget(steps=1))])
    model = ScriptedModel(call("check", message="?"), call("look", page=1), say("It cannot be checked."))
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert result.text == "It cannot be checked."
    assert result.calls[0].text.startswith("Error: auditor did not succeed: The run used all of its 1 steps.")


async def test_what_it_asks_the_caller_asks_and_the_answer_reaches_it(tmp_path: Path) -> None:
    boss = Agent("boss", "Have it paid.", tools=[payer.as_tool()])
    model = ScriptedModel(
        call("payer", message="Pay 3, then 4."), call("pay", euros=3), call("pay", euros=4), say("Both?"), say("Done.")
    )
    first = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(first, Waiting)
    assert (first.gate.kind, first.gate.title) == ("permission", "payer: Allow pay?")
    assert first.gate.details["arguments"] == {"euros": 3}
    assert paid == []
    second = await resume(first, approve=True, model=model)
    assert isinstance(second, Waiting)
    assert second.gate.details["arguments"] == {"euros": 4}
    assert paid == [3]
    result = await resume(second, approve=False, comment="too much", model=model)
    assert isinstance(result, Done), result
    assert (paid, result.text) == ([3], "Done.")
    assert 'They said: "too much"' in model.prompts[3][-1].content
    assert {record.status for record in (await runs_in(tmp_path)).values()} == {"completed"}


async def test_a_gate_before_the_call_and_one_in_its_middle_are_told_apart(tmp_path: Path) -> None:
    boss = Agent("boss", "Have it paid.", tools=[payer.as_tool(approve=True)])
    model = ScriptedModel(call("payer", message="Pay 3."), call("pay", euros=3), say("Paid."), say("Done."))
    before = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(before, Waiting)
    assert before.gate.title == "Allow payer?"
    within = await resume(before, approve=True, model=model)
    assert isinstance(within, Waiting), within
    assert within.gate.title == "payer: Allow pay?"
    assert paid == []
    result = await resume(within, approve=True, model=model)
    assert (paid, result.text) == ([3], "Done.")
    await runs_in(tmp_path)


async def test_two_that_ask_at_once_are_answered_one_after_the_other(tmp_path: Path) -> None:
    boss = Agent("boss", "Have it paid.", tools=[payer.as_tool()])

    def plays(request: Any) -> Any:
        """Each child is told its sum; who has a result says so."""
        last = request.messages[-1]
        if last.role == "tool":
            return "Paid."
        return [("pay", {"euros": int(last.content)})]

    model = ScriptedModel([call("payer", message="3"), call("payer", message="4")])
    model.script = [*model.script, plays, plays, plays, plays, "All is paid."]
    first = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(first, Waiting)
    second = await resume(first, approve=True, model=model)
    assert isinstance(second, Waiting)
    assert first.gate.details["arguments"] != second.gate.details["arguments"]
    result = await resume(second, approve=True, model=model)
    assert (sorted(paid), result.text) == ([3, 4], "All is paid.")
    await runs_in(tmp_path)


class Died(BaseException):
    """The process is gone."""


def dying() -> None:
    """Die here."""
    raise Died


@pytest.mark.parametrize(("point", "hits"), [("run.created", 2), ("model.answered", 2), ("tool.executed", 1)])
async def test_after_a_crash_the_same_child_run_goes_on(tmp_path: Path, point: str, hits: int) -> None:
    """Whatever the moment, there is one child run, and what it has done it does not do again."""
    bill = Agent("bill", "Book.", tools=[_booking()], description="Books.")
    boss = Agent("boss", "Have it booked.", tools=[bill.as_tool()])
    model = _Playing()
    arm(point, dying, hits)
    with pytest.raises(Died):
        await boss.run("Go.", model=model, home=tmp_path)
    disarm()
    async with opened(None, tmp_path, None) as driver:
        records = await driver.app.stores.runs.find()
    parent = next(record for record in records if record.agent == "boss")
    result = await boss.resume(parent.run_id, model=model, home=tmp_path)
    assert isinstance(result, Done), result
    async with opened(None, tmp_path, None) as driver:
        records = await driver.app.stores.runs.find()
        for record in records:
            check_journal(await driver.app.stores.journal.read(record.run_id))
    assert sorted(record.agent for record in records) == ["bill", "boss"]
    assert len(paid) == 1


def _booking() -> Any:
    @tool
    def book() -> str:
        """Book it."""
        paid.append(1)
        return "booked"

    return book


class _Playing(ScriptedModel):
    """A model that does the next sensible thing, however often the script is begun anew."""

    async def complete(self, request: Any, on_delta: Any = None) -> Any:
        offered = request.tools.wire.decode()
        last = request.messages[-1]
        name = "book" if '"book"' in offered else "bill"
        line = say("Done.") if last.role == "tool" else call(name, **({} if name == "book" else {"message": "Book."}))
        return await ScriptedModel(line).complete(request, on_delta)


async def test_cancelling_the_caller_cancels_it(tmp_path: Path) -> None:
    begun = asyncio.Event()

    @tool(effect="pure")
    async def dawdle() -> str:
        """Take long."""
        begun.set()
        await asyncio.Event().wait()
        return ""

    slow = Agent("slow", "…", tools=[dawdle], description="Slow.")
    boss = Agent("boss", "…", tools=[slow.as_tool()])
    model = ScriptedModel(call("slow", message="?"), call("dawdle"))
    async with opened(model, tmp_path, None) as driver:
        running = asyncio.ensure_future(boss.run("Go.", model=model, home=tmp_path))
        await begun.wait()
        from loopwright.app.answering import cancel_run

        (record,) = await driver.app.stores.runs.find(agent="boss")
        await cancel_run(driver.app, record.run_id)
        ended = await running
        assert isinstance(ended, Failed)
        assert ended.code == "cancelled"
    assert {record.status for record in (await runs_in(tmp_path)).values()} == {"cancelled"}


def test_an_agent_without_a_description_is_no_tool() -> None:
    with pytest.raises(LoopwrightError, match="Agent 'mute' as a tool has no description"):
        Agent("mute", "…").as_tool()


def priced(*lines: Any, usd: float = 1.0) -> ScriptedModel:
    """A model whose every call costs as much, and is known to before it is made."""
    model = ScriptedModel(*lines)
    model.script = [
        as_response(line, number).model_copy(update={"cost_usd": usd}) for number, line in enumerate(model.script)
    ]
    model.estimate_cost = lambda request: usd  # type: ignore[method-assign]
    return model


LOOKS = (call("look", page=1), say(Verdict(right=True)))


async def test_what_it_spends_counts_in_its_callers_budget(tmp_path: Path) -> None:
    boss = Agent("boss", "Ask.", tools=[auditor.as_tool()], budget=Budget(usd=4))
    model = priced(call("auditor", message="?"), *LOOKS, say("It is right."))
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done), result
    assert (result.steps, result.cost_usd) == (4, 4.0)
    found = await runs_in(tmp_path)
    assert (found["boss"].cost_usd, found["boss"].steps) == (4.0, 4)
    assert (found["auditor"].cost_usd, found["auditor"].steps) == (2.0, 2)


@pytest.mark.parametrize(
    ("budget", "code"),
    [(Budget(usd=2), "budget_exceeded"), (Budget(tokens=40), "budget_exceeded"), (Budget(steps=2), "max_steps")],
    ids=["usd", "tokens", "steps"],
)
async def test_it_makes_no_call_beyond_its_callers_budget(tmp_path: Path, budget: Budget, code: str) -> None:
    """Though its own budget is larger; and the caller, which has nothing left, ends as well."""
    boss = Agent("boss", "Ask.", tools=[auditor.as_tool(budget=Budget(usd=50, steps=50))], budget=budget)
    model = priced(call("auditor", message="?"), call("look", page=1))
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Failed), result
    assert result.code == code
    assert "the calling run" in result.calls[0].text.lower()
    if code == "max_steps":
        assert result.error == "The run used all of its 2 steps (1 of them in the agents that it has asked)."


async def test_two_side_by_side_cannot_pass_their_callers_budget_together(tmp_path: Path) -> None:
    boss = Agent("boss", "Ask.", tools=[auditor.as_tool()], budget=Budget(usd=2))
    model = priced([call("auditor", message="1"), call("auditor", message="2")], say(Verdict(right=True)))
    model.latency = 0.05
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Failed), result
    assert (result.code, result.cost_usd) == ("budget_exceeded", 2.0)
    assert sorted(each.success for each in result.calls) == [False, True]


async def test_an_agent_asked_by_an_asked_one_counts_all_the_way_up(tmp_path: Path) -> None:
    middle = Agent("middle", "Ask.", tools=[auditor.as_tool()], description="Asks.")
    boss = Agent("boss", "Ask.", tools=[middle.as_tool()], budget=Budget(usd=3))
    model = priced(call("middle", message="?"), call("auditor", message="?"), call("look", page=1))
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Failed), result
    assert (result.code, result.cost_usd) == ("budget_exceeded", 3.0)


async def test_a_gate_in_its_middle_does_not_count_it_twice(tmp_path: Path) -> None:
    boss = Agent("boss", "Have it paid.", tools=[payer.as_tool()], budget=Budget(usd=4))
    model = priced(call("payer", message="Pay 3."), call("pay", euros=3), say("Paid."), say("Done."))
    waiting = await boss.run("Go.", model=model, home=tmp_path)
    assert isinstance(waiting, Waiting), waiting
    assert waiting.cost_usd == 2.0
    result = await resume(waiting, approve=True, model=model)
    assert isinstance(result, Done), result
    assert (result.steps, result.cost_usd) == (4, 4.0)


@pytest.mark.parametrize(
    ("point", "hits"), [("model.answered", 2), ("tool.executed", 1), ("run.finished", 1), ("tool.executed", 2)]
)
async def test_after_a_crash_it_counts_once(tmp_path: Path, point: str, hits: int) -> None:
    """Whatever the moment, and though the first process never told what the child had spent."""
    boss = Agent("boss", "Ask.", tools=[auditor.as_tool()], budget=Budget(usd=5))
    arm(point, dying, hits)
    with pytest.raises(Died):
        await boss.run("Go.", model=_Auditing(), home=tmp_path)
    disarm()
    parent = (await _records(tmp_path))["boss"]
    result = await boss.resume(parent.run_id, model=_Auditing(), home=tmp_path)
    assert isinstance(result, Done), result
    records = await _records(tmp_path)
    assert result.cost_usd == records["boss"].cost_usd == 2.0 + records["auditor"].cost_usd
    assert records["auditor"].cost_usd == 2.0
    await runs_in(tmp_path)


async def _records(home: Path) -> dict[str, Any]:
    async with opened(None, home, None) as driver:
        return {record.agent: record for record in await driver.app.stores.runs.find()}


class _Auditing(ScriptedModel):
    """Plays both, however often it is begun anew; each call costs a dollar."""

    def estimate_cost(self, request: Any) -> float:
        """A dollar."""
        return 1.0

    async def complete(self, request: Any, on_delta: Any = None) -> Any:
        """The next sensible thing."""
        child = '"look"' in request.tools.wire.decode()
        if request.messages[-1].role == "tool":
            line: Any = say(Verdict(right=True)) if child else say("It is right.")
        else:
            line = call("look", page=1) if child else call("auditor", message="?")
        return (await ScriptedModel(line).complete(request, on_delta)).model_copy(update={"cost_usd": 1.0})
