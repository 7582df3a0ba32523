"""How much of each request an endpoint has read before: the share that it need not read again."""

import json
from typing import Any

import pytest
from rig.prefix import cached_share

from loopwright.kernel.gates import Finished
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import start_run
from loopwright.models.client import OpenAIClient
from loopwright.models.settings import ModelSettings
from tests.kernel.toys import World, play, toy_spec
from tests.support import model_server as server

RULES = "You are a toy. " + " ".join(f"Rule {n}: keep thing {n} in its place and tell what you did." for n in range(40))


async def one_prompt(run: AgentRun) -> str:
    return f"[task: toys/{run.state.stage}]\n{RULES}"


async def told(run: AgentRun) -> str:
    return f"Now you are in stage {run.state.stage}: do what belongs there, and then say so."


async def done(run: AgentRun) -> str:
    return f"{run.state.steps} steps are done."


def spec() -> AgentSpec:
    names = ("first", "second", "third")
    tools = (frozenset({"look"}), frozenset({"put", "look"}), frozenset[str]())
    stages = [Stage(name, StagePolicy(each)) for name, each in zip(names, tools, strict=True)]
    moves = [Transition(a, "text", b) for a, b in zip(names, (*names[1:], COMPLETE), strict=True)]
    return toy_spec(stages=stages, transitions=moves, system_prompt=one_prompt, stage_prompt=told, state_block=done)


NATIVE = [
    server.calls(("look", {"thing": "a"})),
    server.text("I have looked."),
    server.calls(("put", {"thing": "a", "value": "1"})),
    server.text("It is put."),
    server.text("All done."),
]


def step(**fields: Any) -> server.Reply:
    return server.text(json.dumps(fields))


SCHEMA = [
    step(tool="look", arguments={"thing": "a"}),
    step(answer="I have looked."),
    step(tool="put", arguments={"thing": "a", "value": "1"}),
    step(answer="It is put."),
    step(answer="All done."),
]


@pytest.mark.parametrize(("form", "script"), [("native", NATIVE), ("schema", SCHEMA)])
@pytest.mark.parametrize("found", ["openai", "llamacpp"])
async def test_a_run_of_several_stages_begins_each_request_as_the_one_before(form, script, found):
    async with server.ModelServer(script) as endpoint:
        settings = ModelSettings(base_url=endpoint.base_url, tools=form, found=found)
        async with OpenAIClient(settings) as client:
            assert isinstance(await play(start_run(spec(), client, services=World())), Finished)
        endpoint.assert_done()
    shares = cached_share([request.body for request in endpoint.requests])
    assert len(shares) == 4
    assert min(shares) >= 0.9, shares
