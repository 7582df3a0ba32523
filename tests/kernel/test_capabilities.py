"""What cannot happen whatever a model writes: a tool without a permit, a request that is not as the user wants it."""

from dataclasses import replace

import pytest

from loopwright.kernel.errors import InvariantBroken
from loopwright.kernel.events import ControllerMessage
from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.policy import COMPLETE, Permit, Transition, decision_for
from loopwright.kernel.requests import check_request, stage_request
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Parsed, Stage
from loopwright.kernel.testing import ScriptedModel, start_run
from loopwright.kernel.think import change_stage
from loopwright.kernel.tools import ToolRegistry
from tests.kernel.toys import World, stored, toy_spec

MARK = "[think first]"


def test_a_permit_cannot_be_made_up() -> None:
    with pytest.raises(PermissionError, match="made up"):
        Permit("look", object())
    assert decision_for("look").permit("send") is None


async def test_a_permit_is_for_its_tool_alone() -> None:
    registry = ToolRegistry(toy_spec().tools)
    permit = decision_for("look").permit("look")
    tool = registry.get("send")
    assert permit is not None
    assert tool is not None
    with pytest.raises(PermissionError, match="was used for"):
        await registry.run(permit, tool, tool.parameters_model.model_construct(), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "told"),
    [({"mode": "chat"}, "mode"), ({"reasoning": True}, "reasoning"), ({"tool_count": 0}, "tools")],
)
async def test_a_request_that_is_not_as_the_user_wants_it_is_not_sent(change: dict, told: str) -> None:
    run = start_run(toy_spec(), ScriptedModel([]), services=World())
    await change_stage(run, await run.spec.entry(run), "test")
    request = stage_request(run, run.state.context.build_messages())
    check_request(run, request)
    with pytest.raises(InvariantBroken, match=told):
        check_request(run, replace(request, labels=replace(request.labels, **change)))


def reasoned(text: str) -> Parsed:
    """A parser that demands reasoning."""
    return Parsed(text, text, complaint=None if "because" in text else "say why")


def thinking_spec(prompt: str) -> AgentSpec:
    """A toy whose only stage wants reasoning, and whose prompt is this."""
    base = toy_spec()
    stage = base.stages[0]

    async def system_prompt(run: AgentRun) -> str:
        return prompt if run.decision.reasoning != "none" else "Plain."

    stages = (replace(stage, policy=replace(stage.policy, reasoning="micro"), reasoning_parser=reasoned),)
    return replace(base, stages=stages, system_prompt=system_prompt, reasoning_marks={"micro": MARK, "macro": "[long]"})


async def test_reasoning_is_demanded_where_the_user_wants_it_and_nowhere_else() -> None:
    spec = thinking_spec(f"Work. {MARK}")
    model = ScriptedModel(["Done.", "Done, because it is."])
    run = start_run(spec, model, services=World(), options={"reasoning": True})
    assert isinstance(await run_agentic_loop(run), Finished)
    assert [event["text"] for event in stored(run, ControllerMessage.type)] == ["say why"]
    plain = ScriptedModel(["Done."])
    assert isinstance(await run_agentic_loop(start_run(spec, plain, services=World())), Finished)
    assert MARK not in plain.requests[0].messages[0].content


async def test_a_prompt_without_the_demand_stops_the_run_before_anything_is_sent() -> None:
    model = ScriptedModel([])
    run = start_run(thinking_spec("Work."), model, services=World(), options={"reasoning": True})
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "invariant_broken"
    assert not model.requests


async def test_a_review_hears_of_calls_once_and_may_move_the_run() -> None:
    heard: list[int] = []

    async def review(run: AgentRun) -> str | None:
        heard.append(run.state.steps)
        run.defer(ControllerMessage(text=f"heard {run.state.steps}", reason="review"))
        return "second" if run.state.steps == 2 else None

    base = toy_spec()
    first = replace(base.stages[0], review=review)
    second = Stage("second", first.policy)
    spec = replace(
        base,
        stages=(first, second),
        transitions=(
            *base.transitions,
            Transition(first.name, "second", "second"),
            Transition("second", "text", COMPLETE),
        ),
    )
    look = [("look", {"thing": "cup"})]
    model = ScriptedModel([look, look, look, "Done."])
    run = start_run(spec, model, services=World())
    assert isinstance(await run_agentic_loop(run), Finished)
    assert heard == [1, 2], "the second stage has no review"
    words = [m.content for m in model.requests[-1].messages if m.role == "user"]
    assert words.count("heard 1") == 1
