"""The system prompt keeps its bytes, a stage is told as a message, and what holds now is told last and not kept."""

from typing import Any

import pytest

from loopwright.kernel.compaction import CompactionResult
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import Fleeting, Message, block, split_blocks
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.replay import past_requests
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run
from tests.kernel.toys import World, journal_of, play, stored, toy_spec, types


async def one_prompt(run: AgentRun) -> str:
    return f"[task: toys/base]\nYou are a toy, first in {run.state.stage}."


async def told(run: AgentRun) -> str:
    stage = run.state.stage
    return f"[task: toys/{stage}]\nNow {stage}." if run.state.stage_entries[stage] == 1 else ""


async def steps_done(run: AgentRun) -> str:
    return f"{run.state.steps} steps are done."


def spec(**more: Any) -> AgentSpec:
    look, put = StagePolicy(frozenset({"look", "move"})), StagePolicy(frozenset({"put"}))
    stages = [Stage("look", look), Stage("put", put), Stage("tell")]
    moves = [Transition("look", "go", "put"), Transition("put", "text", "tell"), Transition("tell", "text", COMPLETE)]
    return toy_spec(stages=stages, transitions=moves, system_prompt=one_prompt, stage_prompt=told, **more)


SCRIPT: list[Any] = [
    [("look", {"thing": "a"})],
    [("move", {"thing": "go"})],
    [("put", {"thing": "a", "value": "1"})],
    "It is put.",
    "All done.",
]


async def played(**more: Any) -> tuple[AgentRun, ScriptedModel]:
    model = ScriptedModel(SCRIPT)
    run = start_run(spec(**more), model, services=World())
    assert isinstance(await play(run), Finished)
    return run, model


async def test_a_stage_is_told_behind_what_was_said_and_the_system_prompt_stays():
    run, model = await played()
    systems = {request.messages[0].content for request in model.requests}
    assert systems == {"[task: toys/base]\nYou are a toy, first in look."}
    assert types(run).count("prompt_set") == 1
    assert [(each["stage"], each["text"], each["task"]) for each in stored(run, "stage_told")] == [
        ("look", "Now look.", "toys/look"),
        ("put", "Now put.", "toys/put"),
        ("tell", "Now tell.", "toys/tell"),
    ]
    assert [message.role for message in model.requests[2].messages[-2:]] == ["tool", "user"]
    assert model.requests[2].messages[-1].content == "<stage>\nNow put.\n</stage>"
    assert [request.task for request in model.requests] == ["toys/look"] * 2 + ["toys/put"] * 2 + ["toys/tell"]


async def test_the_tools_are_the_same_in_every_stage_and_the_policy_decides_what_runs():
    _, model = await played()
    assert {request.tools.names for request in model.requests} == {("look", "put", "move")}
    assert [request.callable_now for request in model.requests[1:]] == [
        {"look", "move"},
        {"put"},
        {"put"},
        frozenset(),
    ]
    run = start_run(spec(), ScriptedModel([[("put", {"thing": "a"})], *SCRIPT]), services=World())
    await play(run)
    assert "not available in stage 'look'" in stored(run, "tool_result")[0]["output"]


async def test_an_agent_whose_stages_begin_anew_tells_of_its_tools_stage_by_stage():
    _, model = await played(tools_by_stage=True)
    assert [set(request.tools.names) for request in model.requests] == [
        {"look", "move"},
        {"look", "move"},
        {"put"},
        {"put"},
        {"look", "put", "move"},
    ], "where the dialogue holds calls it is never without tools"
    assert model.requests[-1].callable_now == frozenset()


async def test_the_state_is_told_last_and_not_kept():
    run, model = await played(state_block=steps_done)
    assert [request.messages[-1] for request in model.requests] == [
        Fleeting.user(block("state", f"{n} steps are done.")) for n in range(5)
    ]
    assert all("steps are done" not in message.content for message in run.state.context.messages)
    again = list(past_requests(run.state.run_id, journal_of(run).events[run.state.run_id]))
    assert [list(request.messages) for request in again] == [request.messages for request in model.requests]
    assert [source.part for source in again[-1].sources[-1]] == ["state"]


async def test_a_new_owner_tells_the_model_the_same():
    run, model = await played(state_block=steps_done)
    assert resume_run(run).state.context.build_messages()[:-1] == model.requests[-1].messages[:-1]


class Forgetful:
    """Keeps the last message of the dialogue, whatever it is."""

    name = "forgetful"

    def due(self, context: Any) -> bool:
        return len(context.messages) == 5

    async def compact(self, context: Any, model: Any, prompts: Any) -> CompactionResult:
        return CompactionResult([context.messages[0], *context.messages[-2:]], {"goal": "a"})


async def test_a_compaction_that_loses_the_stages_message_tells_it_again():
    run, model = await played(compaction=Forgetful())
    assert [each["stage"] for each in stored(run, "stage_told")] == ["look", "put", "tell"]
    dialogue = [message.content for message in model.requests[2].messages]
    assert dialogue[-1] == "<stage>\nNow put.\n</stage>", "it was kept, so it is told once"
    assert any("Now put." in each["text"] for each in stored(run, "stage_told"))


@pytest.mark.parametrize(
    ("content", "words", "blocks"),
    [
        ("Hello.", "Hello.", {}),
        ("Hello.\n\n<stage>\nLook.\n</stage>", "Hello.", {"stage": "Look."}),
        ("<stage>\nLook.\n</stage>\n\n<state>\n1\n2\n</state>", "", {"stage": "Look.", "state": "1\n2"}),
        ("I say <state> is fine", "I say <state> is fine", {}),
    ],
)
def test_the_controllers_words_can_be_told_from_the_users(content, words, blocks):
    assert split_blocks(content) == (words, blocks)
    assert Message.user(content).content == content
