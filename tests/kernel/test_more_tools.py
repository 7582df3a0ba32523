"""A small model is offered few tools first, and gets the others by asking; what a stage allows does not change."""

from loopwright.kernel.gates import Finished
from loopwright.kernel.policy import MORE_TOOLS, ConversationPolicy, StagePolicy
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run
from tests.kernel.toys import NAMES, World, play, stored, toy_spec


def spec() -> AgentSpec:
    return toy_spec(stages=[Stage("work", StagePolicy(NAMES, frozenset({"look"}), small=frozenset({"look", "put"})))])


def offered(model: ScriptedModel) -> list[set[str]]:
    return [set(request.tools.names) for request in model.requests]


async def test_a_frontier_model_is_offered_everything():
    model = ScriptedModel(["Done."])
    await play(start_run(spec(), model))
    assert offered(model) == [NAMES]


async def test_a_small_model_gets_more_by_asking_and_keeps_it():
    script = [[("more_tools", {"tool": "send"})], [("send", {"thing": "a"})], "Done."]
    model = ScriptedModel(script, kind="small")
    run = start_run(spec(), model, services=World())
    assert isinstance(await play(run), Finished)
    first = {"look", "put", MORE_TOOLS}
    assert offered(model) == [first, first | {"send"}, first | {"send"}]
    assert [event["tools"] for event in stored(run, "tools_offered")] == [["send"]]
    assert run.services.sent == ["a"]
    assert resume_run(run).state.asked_for == {"send"}


async def test_only_what_exists_can_be_asked_for():
    model = ScriptedModel([[("more_tools", {"tool": "fly"})], "Done."], kind="small")
    run = start_run(spec(), model, services=World())
    await play(run)
    (result,) = stored(run, "tool_result")
    assert "- tool: Input should be 'send', 'pay'" in result["output"]
    assert stored(run, "tools_offered") == []


def test_asking_widens_the_offer_and_never_the_permit():
    policy = ConversationPolicy({"a": StagePolicy(frozenset({"x", "y"}), small=frozenset({"x", "z"}))})
    decision = policy.decide("a").for_small(frozenset({"w"}))
    assert decision.offered == {"x", MORE_TOOLS}
    assert decision.tools == {"x", "y", MORE_TOOLS}
    assert policy.decide("a").for_small(frozenset({"y"})).offered == {"x", "y"}
