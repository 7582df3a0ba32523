"""Questions of the model: through a gate, answered in the same run, and not without end."""

from loopwright.kernel.gates import Failed, Finished
from tests.agents.designspec.workflow.support import ADD_BOX, APPROVE, say, talk

WIDTH = {"id": "width", "question": "How wide?", "why_needed": "It sets the box.", "default": "20 mm"}


async def test_an_answer_goes_back_to_the_model(tmp_path):
    talking = await talk(tmp_path / "part", say("I need a size.", questions=[WIDTH]), say("A box.", ADD_BOX))
    assert talking.gate.kind == "questions"
    assert talking.gate.questions[0].default_answer() == "20 mm"
    assert talking.gate.questions[0].context == "It sets the box."
    await talking.answer({"answers": {"0": "20 mm"}})
    assert talking.model.requests[-1].messages[-2].content == "How wide? – 20 mm"
    assert talking.gate.kind == "patch"
    assert isinstance(await talking.answer(APPROVE), Finished)


async def test_patches_come_before_questions(tmp_path):
    talking = await talk(tmp_path / "part", say("A box, and a question.", ADD_BOX, questions=[WIDTH]), say("Thanks."))
    assert talking.gate.kind == "patch"
    await talking.answer(APPROVE)
    assert talking.gate.kind == "questions"
    assert await talking.answer({"0": "wide"}) == Finished("Thanks.")


async def test_a_model_that_only_asks_is_stopped(tmp_path):
    talking = await talk(tmp_path / "part", *[say("And?", questions=[WIDTH])] * 9)
    for _ in range(5):
        await talking.answer({"0": "20 mm"})
    assert isinstance(talking.outcome, Failed)
    assert "Decide with what you know" in talking.outcome.message
