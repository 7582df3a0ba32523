"""Checks of the answer: a complaint is repaired or the run fails; and agents that ask the user."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from loopwright import Agent, Budget, Context, Done, Failed, LoopwrightError, Waiting, resume, tool
from loopwright.kernel.crash import arm, disarm
from loopwright.testing import ScriptedModel, call, say


class Report(BaseModel):
    total: int


class Books:
    def __init__(self) -> None:
        self.sent: list[str] = []


@tool
def send(to: str, ctx: Context[Books]) -> str:
    """Send an invoice."""
    ctx.deps.sent.append(to)
    return f"sent to {to}"


def is_short(answer: str) -> str | None:
    return "It has more than 10 characters." if len(answer) > 10 else None


async def adds_up(report: Report) -> str | None:
    await asyncio.sleep(0)
    return None if report.total == 3 else f"The total is 3, not {report.total}."


def invoice_sent(report: Report, ctx: Context[Books]) -> str | None:
    if not ctx.deps.sent:
        return "No invoice was sent."
    assert [(made.name, made.arguments["to"]) for made in ctx.calls] == [("send", to) for to in ctx.deps.sent]
    return None


async def test_a_complaint_is_repaired(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Answer.", checks=[is_short])
    model = ScriptedModel(say("This is far too long."), say("Short."))
    result = await clerk.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done), result
    assert result.text == "Short."
    assert model.prompts[1][-1].content.endswith(
        "Your answer is not accepted yet:\n- is_short: It has more than 10 characters.\nRepair this, then answer again."
    )


async def test_checks_see_the_form_the_dependencies_and_the_calls(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Invoice.", tools=[send], deps=Books, output=Report, checks=[adds_up, invoice_sent])
    model = ScriptedModel(say(Report(total=4)), call("send", to="Ada"), say('{"total": "?"}'), say(Report(total=3)))
    result = await clerk.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done), result
    assert result.output == Report(total=3)
    complaint = model.prompts[1][-1].content
    assert "- adds_up: The total is 3, not 4.\n- invoice_sent: No invoice was sent." in complaint


@pytest.mark.parametrize("repairs", [0, 1, 4])
async def test_what_is_not_repaired_has_failed_and_is_never_done(tmp_path: Path, repairs: int) -> None:
    clerk = Agent("clerk", "Answer.", checks=[is_short], repairs=repairs)
    model = ScriptedModel(*[say("This is far too long.")] * (repairs + 1))
    result = await clerk.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Failed), result
    assert result.code == "check_failed"
    assert f"after {repairs} repairs:\n- is_short: It has more than 10 characters." in result.error
    with pytest.raises(LoopwrightError, match="has no output"):
        _ = result.output
    again = await resume(result.run_id, home=tmp_path)
    assert isinstance(again, Failed)


async def test_a_crash_between_answer_and_complaint_costs_no_repair(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Answer.", checks=[is_short], repairs=1)

    def die() -> None:
        raise KeyboardInterrupt

    arm("records.absorbed", die, 2)
    try:
        with pytest.raises(KeyboardInterrupt):
            await clerk.run(
                "Go.", model=ScriptedModel(say("This is far too long."), say("Too long again.")), home=tmp_path
            )
    finally:
        disarm()
    from loopwright.api.driving import opened

    async with opened(None, tmp_path, None) as driver:
        (record,) = await driver.app.stores.runs.find()
    result = await clerk.resume(record.run_id, model=ScriptedModel(say("Short.")), home=tmp_path)
    assert isinstance(result, Done), result


@pytest.mark.parametrize(
    ("verdict", "told"), [(ValueError("oh"), "raised ValueError: oh"), (False, "gave False"), (True, "gave True")]
)
async def test_a_broken_check_is_told_and_the_answer_is_not_done(tmp_path: Path, verdict: Any, told: str) -> None:
    def broken(answer: str) -> Any:
        if isinstance(verdict, Exception):
            raise verdict
        return verdict

    result = await Agent("clerk", "Answer.", checks=[broken]).run("Go.", model=ScriptedModel(say("Hi")), home=tmp_path)
    assert isinstance(result, Failed), result
    assert result.code == "check_broken"
    assert f"The check 'broken' of agent 'clerk' {told}" in result.error


async def test_the_checks_of_a_sub_agent_hold_there_too(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Answer.", checks=[is_short], repairs=0, description="Answers.")
    boss = Agent("boss", "Ask.", tools=[clerk.as_tool(budget=Budget(steps=5))])
    model = ScriptedModel(call("clerk", message="?"), say("This is far too long."), say("It did not work."))
    result = await boss.run("Go.", model=model, home=tmp_path)
    assert result.calls[0].text.startswith("Error: clerk did not succeed: The answer of agent 'clerk'")


async def test_an_agent_that_asks_waits_for_the_answers(tmp_path: Path) -> None:
    barista = Agent("barista", "Take orders.", asks=True)
    questions = [{"question": "Which size?", "options": ["small", "large"]}, {"question": "Your name?"}]
    model = ScriptedModel(call("ask_user", questions=questions), say("A large tea for Ada."))
    waiting = await barista.run("A tea.", model=model, home=tmp_path)
    assert isinstance(waiting, Waiting), waiting
    assert (waiting.gate.kind, waiting.gate.title) == ("questions", "2 questions")
    assert [(item.type, item.options) for item in waiting.gate.questions] == [
        ("radio", ["small", "large"]),
        ("text", None),
    ]
    result = await resume(waiting, answers={"Which size?": "large", "1": "Ada"}, model=model)
    assert isinstance(result, Done), result
    assert result.calls[0].value == {"Which size?": "large", "Your name?": "Ada"}


async def test_what_an_asked_agent_asks_reaches_the_user(tmp_path: Path) -> None:
    barista = Agent("barista", "Take orders.", asks=True, description="Takes orders.")
    boss = Agent("boss", "Ask the barista.", tools=[barista.as_tool()])
    model = ScriptedModel(
        call("barista", message="A tea."),
        call("ask_user", questions=[{"question": "Which size?"}]),
        say("A small tea."),
        say("It comes."),
    )
    waiting = await boss.run("A tea.", model=model, home=tmp_path)
    assert isinstance(waiting, Waiting), waiting
    assert waiting.gate.title == "barista: Which size?"
    result = await resume(waiting, answers={"Which size?": ""}, model=model)
    assert result.text == "It comes."
    assert "The user gave no answer." in model.prompts[2][-1].content


def test_a_tool_of_that_name_and_asking_exclude_each_other() -> None:
    @tool(effect="pure", name="ask_user")
    def own(question: str) -> str:
        """Ask."""
        return ""

    with pytest.raises(LoopwrightError, match="'barista' asks, and has a tool named 'ask_user'"):
        Agent("barista", "…", tools=[own], asks=True).spec()


async def test_a_script_calls_the_functions_and_gets_what_they_return(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_monty")

    @tool(effect="pure")
    def price(item: str) -> int:
        """Look up a price."""
        return {"tea": 2, "cake": 4}[item]

    @tool(approve=True)
    def pay(euros: int) -> str:
        """Pay."""
        return f"paid {euros}"

    buyer = Agent("buyer", "Buy.", tools=[price, pay], code=True)
    script = 'prices = [await price(each) for each in ("tea", "cake")]\nprint(await pay(sum(prices)))'
    model = ScriptedModel(call("run_code", code=script), say("It is paid."))
    waiting = await buyer.run("Buy tea and cake.", model=model, home=tmp_path)
    assert isinstance(waiting, Waiting), waiting
    assert waiting.gate.details["arguments"] == {"euros": 6}
    assert "async def price(item: str) -> int" in model.requests[0].tools.schemas[0]["function"]["description"]
    result = await resume(waiting, approve=True, model=model)
    assert isinstance(result, Done), result
    assert [made.text for made in result.calls if made.name == "run_code"] == ["paid 6"]
