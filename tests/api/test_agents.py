"""Agents through the public API: answers, typed output, approval, stages, conversations, streams."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from loopwright import (
    Agent,
    Budget,
    Done,
    Event,
    Failed,
    LoopwrightError,
    Prompt,
    Stage,
    Waiting,
    resume,
    run,
    tool,
)
from loopwright.api.driving import opened
from loopwright.testing import ScriptedModel, call, say


class Report(BaseModel):
    title: str
    pages: int = Field(ge=1)


sent: list[str] = []


@tool(approve=True)
def send(to: str) -> str:
    """Send the letter."""
    sent.append(to)
    return f"sent to {to}"


@tool(effect="pure")
def search(query: str) -> list[str]:
    """Search."""
    return [query]


@pytest.fixture(autouse=True)
def nothing_sent() -> None:
    sent.clear()


async def test_a_typed_answer_is_an_object(tmp_path: Path) -> None:
    agent = Agent("reporter", "Report.", output=Report)
    model = ScriptedModel(say(Report(title="Tides", pages=3)))
    result = await agent.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done)
    assert result.output == Report(title="Tides", pages=3)
    (request,) = model.requests
    assert request.response_format is not None
    assert request.response_format["json_schema"]["name"] == "Report"


async def test_an_answer_that_does_not_fit_is_sent_back_once_with_what_is_wrong(tmp_path: Path) -> None:
    agent = Agent("reporter", "Report.", output=Report)
    model = ScriptedModel(say('{"title": "Tides", "pages": 0}'), say('{"title": "Tides", "pages": 1}'))
    result = await agent.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done)
    assert result.output.pages == 1
    assert "- pages: Input should be greater than or equal to 1" in model.prompts[1][-1].content


async def test_a_second_misfit_fails_the_run(tmp_path: Path) -> None:
    agent = Agent("reporter", "Report.", output=Report)
    result = await agent.run("Go.", model=ScriptedModel(say("no"), say("no")), home=tmp_path)
    assert isinstance(result, Failed)
    assert result.code == "no_usable_answer"


async def test_approval_comes_before_the_effect_and_is_asked_once(tmp_path: Path) -> None:
    agent = Agent("clerk", "Send letters.", tools=[send])
    model = ScriptedModel(call("send", to="Ada"), say("Sent."))
    waiting = await agent.run("Write to Ada.", model=model, home=tmp_path)
    assert isinstance(waiting, Waiting)
    assert sent == []
    assert waiting.gate.details["arguments"] == {"to": "Ada"}
    assert f"loopwright runs answer {waiting.run_id} --approve" in waiting.text
    assert isinstance(await resume(waiting, model=model), Waiting), "without an answer it goes on waiting"
    result = await resume(waiting, approve=True, model=model)
    assert isinstance(result, Done)
    assert (sent, result.text) == (["Ada"], "Sent.")
    with pytest.raises(LoopwrightError, match="waits for no answer"):
        await resume(waiting, approve=True)


def test_a_script_that_takes_the_answer_for_granted_is_told_why_there_is_none(tmp_path: Path) -> None:
    reporter = Agent("reporter", "Report.", tools=[send], output=Report)
    model = ScriptedModel(say(Report(title="Tides", pages=1)))
    assert run(reporter, "Go.", model=model, home=tmp_path).output.title == "Tides"
    waiting = run(reporter, "Go.", model=ScriptedModel(call("send", to="Ada")), home=tmp_path)
    with pytest.raises(LoopwrightError, match=f"Run {waiting.run_id} has no output. The run waits: Allow send"):
        waiting.output  # noqa: B018


async def test_a_no_is_told_to_the_model_with_its_reason(tmp_path: Path) -> None:
    agent = Agent("clerk", "Send letters.", tools=[send])
    model = ScriptedModel(call("send", to="Ada"), say("Then not."))
    waiting = await agent.run("Write to Ada.", model=model, home=tmp_path)
    result = await agent.resume(waiting.run_id, approve=False, comment="she moved", model=model, home=tmp_path)
    assert (sent, result.text) == ([], "Then not.")
    assert 'They said: "she moved"' in result.calls[0].text


async def test_a_run_that_is_over_gives_its_result_again(tmp_path: Path) -> None:
    agent = Agent("reporter", "Report.", output=Report)
    done = await agent.run("Go.", model=ScriptedModel(say(Report(title="T", pages=1))), home=tmp_path)
    assert await resume(done.run_id, home=tmp_path) == done


async def test_stages_offer_their_own_tools_and_tell_their_own_instructions(tmp_path: Path) -> None:
    agent = Agent(
        "writer",
        "You write letters.",
        tools=[search],
        stages=[
            Stage("collect", tools=["search"], then="write", instructions="Collect facts."),
            Stage("write", tools=[send]),
        ],
        output=Report,
    )
    model = ScriptedModel(
        call("send", to="Ada"), call("search", query="Ada"), say("All found."), say(Report(title="T", pages=2))
    )
    result = await agent.run("Go.", model=model, home=tmp_path)
    assert isinstance(result, Done), result
    assert result.output.pages == 2
    refused, found = result.calls
    assert refused.text.startswith("Error: send is not available in stage 'collect'")
    assert (found.value, sent) == (["Ada"], [])
    assert any("Collect facts." in message.content for message in model.prompts[0])
    assert 'the stage "write"' in model.prompts[3][-1].content
    assert model.requests[2].response_format is None
    assert model.requests[3].response_format is not None


async def test_a_conversation_goes_on_in_its_session(tmp_path: Path) -> None:
    agent = Agent("talker", "Talk.")
    first = await agent.run("I am Ada.", model=ScriptedModel(say("Hello Ada.")), home=tmp_path)
    model = ScriptedModel(say("Ada."))
    second = await agent.run("Who am I?", session=first.session_id, model=model, home=tmp_path)
    assert second.session_id == first.session_id
    assert [message.content for message in model.prompts[0][-3:]] == ["I am Ada.", "Hello Ada.", "Who am I?"]


async def test_a_stream_gives_the_journal_the_words_and_the_result(tmp_path: Path) -> None:
    agent = Agent("talker", "Talk.", tools=[search])
    items = [
        item
        async for item in agent.stream(
            "Hi.", model=ScriptedModel(call("search", query="x"), say("Hello.")), home=tmp_path
        )
    ]
    result = items.pop()
    events = [item for item in items if isinstance(item, Event)]
    assert isinstance(result, Done)
    assert len(events) == len(items)
    assert "".join(event.text for event in events if event.type == "delta") == "Hello."
    stored = [event.seq for event in events if event.seq is not None]
    assert stored == list(range(1, len(stored) + 1))
    assert events[-1].type == "run_completed"


class Hanging(ScriptedModel):
    """A model that plays its script, and then never answers."""

    async def complete(self, request: Any, on_delta: Any = None) -> Any:
        if len(self.requests) == len(self.script):
            await asyncio.Event().wait()
        return await super().complete(request, on_delta)


async def test_who_stops_listening_stops_the_run_and_it_can_be_resumed(tmp_path: Path) -> None:
    agent = Agent("talker", "Talk.", tools=[search])
    stream = agent.stream("Hi.", model=Hanging(call("search", query="x")), home=tmp_path)
    async for item in stream:
        if isinstance(item, Event) and item.type == "tool_result":
            break
    await stream.aclose()
    async with opened(None, tmp_path, None) as driver:
        (record,) = await driver.app.stores.runs.find()
    assert (record.status, record.owner_alive) == ("running", False)
    result = await agent.resume(record.run_id, model=ScriptedModel(say("Hello.")), home=tmp_path)
    assert isinstance(result, Done)
    assert len(result.calls) == 1


async def test_agents_of_one_name_run_side_by_side_each_with_its_own_tools(tmp_path: Path) -> None:
    """A program that makes its agents as requests come must not mix them up."""

    async def one(number: int) -> Any:
        @tool(effect="pure")
        def mine() -> int:
            """Give the number."""
            return number

        agent = Agent("assistant", f"You are number {number}.", tools=[mine])
        result = await agent.run("Go.", model=model, home=tmp_path)
        return number, result.calls[0].value

    class Looping(ScriptedModel):
        async def complete(self, request: Any, on_delta: Any = None) -> Any:
            asked = request.messages[-1].role == "user"
            return await ScriptedModel(call("mine") if asked else say("Done.")).complete(request, on_delta)

    model = Looping()
    pairs = await asyncio.gather(*(one(number) for number in range(8)))
    assert all(number == value for number, value in pairs)


async def test_money_and_tokens_are_capped(tmp_path: Path) -> None:
    agent = Agent("talker", "Talk.", budget=Budget(tokens=5))
    result = await agent.run("Hi.", model=ScriptedModel(), home=tmp_path)
    assert isinstance(result, Failed)
    assert result.code == "budget_exceeded"


def test_instructions_in_a_file_are_strict_about_their_variables(tmp_path: Path) -> None:
    file = tmp_path / "clerk.md"
    file.write_text("You serve {{port}}.")
    model = ScriptedModel(say("Yes."))
    run(Agent("clerk", Prompt(file, port=lambda: "Cork")), "Hi.", model=model, home=tmp_path / "home")
    assert model.prompts[0][0].content.endswith("You serve Cork.")
    with pytest.raises(LoopwrightError, match="missing port, unused ports"):
        Prompt(file, ports="Cork").render()
    with pytest.raises(LoopwrightError, match="cannot be read"):
        Prompt(tmp_path / "gone.md").render()


def test_a_scripted_model_fails_on_what_is_left_over_and_on_what_is_missing(tmp_path: Path) -> None:
    agent = Agent("talker", "Talk.", tools=[search])
    with pytest.raises(AssertionError, match="1 scripted replies were never asked for"):
        run(agent, "Hi.", model=ScriptedModel(say("Hello."), say("Again.")), home=tmp_path)
    with pytest.raises(AssertionError, match="unexpected model request 2"):
        run(agent, "Hi.", model=ScriptedModel(call("search", query="x")), home=tmp_path)


async def test_run_is_refused_where_an_event_loop_runs(tmp_path: Path) -> None:
    with pytest.raises(LoopwrightError, match="called while an event loop runs") as caught:
        run(Agent("talker", "Talk."), "Hi.", home=tmp_path)
    assert "await agent.run" in caught.value.hint


class NotPydantic:
    pass


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Agent("Tide Clerk", "…"), "An agent is named 'Tide Clerk'."),
        (lambda: Agent("a", "…", output=NotPydantic), "Agent 'a' has the output"),
        (lambda: Agent("a", "…", tools=[send, tool(name="send")(lambda: "")]), "Agent 'a' has two tools named 'send'."),
        (lambda: Agent("a", "…", tools=[3]), "Agent 'a' has the tool 3."),  # type: ignore[list-item]
        (lambda: Agent("a", "…", stages=[Stage("x", tools=["gone"])]), "Stage 'x' of agent 'a' names the tool 'gone'"),
        (lambda: Agent("a", "…", stages=[Stage("x", then="y")]), "Stage 'x' of agent 'a' goes on with 'y'"),
        (lambda: Agent("a", "…", stages=[Stage("x"), Stage("x")]), "Agent 'a' has two stages named 'x'."),
        (lambda: Agent("a", "…", stages=[Stage("x", then="x")]), "The stages of agent 'a' never end"),
        (lambda: Stage("complete"), "A stage is named 'complete'."),
        (lambda: Budget(usd=0), "A budget has usd=0."),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(declare: Any, message: str) -> None:
    with pytest.raises(LoopwrightError) as caught:
        declare()
    assert message in caught.value.message
    assert caught.value.hint


async def test_an_agent_does_not_take_the_name_of_an_installed_one(tmp_path: Path) -> None:
    with pytest.raises(LoopwrightError, match="There is an installed agent named 'pages'"):
        await Agent("pages", "…").run("Hi.", model=ScriptedModel(), home=tmp_path)
