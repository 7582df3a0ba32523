"""A stage's rules answer in the model's place where they are sure; their answer is treated like any other."""

from typing import Any

from loopwright.kernel.gates import Finished
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Parsed, Stage
from loopwright.kernel.testing import ScriptedModel, start_run
from loopwright.kernel.think import RULES
from tests.kernel.toys import play, stored, toy_spec


def read(text: str) -> Parsed:
    """Refuses what begins with a bad word."""
    return Parsed(visible=text.upper(), kept=text, complaint="Say it well." if text.startswith("bad") else None)


def ruled(*answers: str | None) -> Any:
    left = list(answers)

    async def rules(run: AgentRun) -> str | None:
        return left.pop(0) if left else None

    stage = Stage("work", StagePolicy(), parser=read, rules=rules)
    return toy_spec(stages=[stage], transitions=[Transition("work", "text", COMPLETE)])


async def test_what_rules_answer_is_parsed_and_journalled_and_no_model_is_asked():
    model = ScriptedModel([])
    run = start_run(ruled("so be it"), model)
    assert isinstance(await play(run), Finished)
    assert not model.requests
    (told,) = stored(run, "model_response")
    assert (told["model"], told["visible"], told["stage"], told["cost_usd"]) == (RULES, "SO BE IT", "work", None)
    assert not stored(run, "budget_charged")


async def test_where_rules_are_not_sure_or_were_sent_back_the_model_is_asked():
    for answers in ((None,), ("bad answer", None)):
        model = ScriptedModel(["fine"])
        run = start_run(ruled(*answers), model)
        assert isinstance(await play(run), Finished)
        assert len(model.requests) == 1
        assert run.state.last_text == "FINE"
