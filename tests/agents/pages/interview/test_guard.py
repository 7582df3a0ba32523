"""A model's questions are checked before the user sees them: what is known, or was answered, is struck out."""

import json

import pytest

from loopwright.agents.pages.interview.guard import strike
from loopwright.agents.pages.interview.plan import InterviewRecord
from loopwright.agents.pages.interview.questions import Facts
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import QuestionItem, Waiting, read_answer
from tests.agents.pages.studio import SESSION, Studio, events_of, page


def text(question: str, default: str | None = None) -> dict[str, object]:
    return {"question": question, "type": "text", **({"default": default} if default else {})}


@pytest.mark.parametrize(
    ("question", "struck"),
    [
        ("Which colours do you want?", True),
        ("What colour palette should your bakery app use?", True),
        ("Which colour should the delete button have?", False),
        ("What is the app called?", True),
        ("What is the name of the head baker?", False),
        ("Who is the target audience?", False),
        ("How many loaves are baked a day?", False),
        ("主色用什么颜色？", True),
    ],
)
def test_only_questions_about_known_decisions_are_struck(question: str, struck: bool) -> None:
    facts = Facts("a green bakery app called Crumb")
    item = QuestionItem(question=question, type="text")
    assert bool(strike([item], facts, InterviewRecord())) is struck


async def test_the_user_sees_what_is_left_and_the_model_hears_why(studio: Studio) -> None:
    asked = [text("Which colours?"), text("What is it called?", "Crumb"), text("Who bakes?")]
    run = studio.start([[("ask_user", {"questions": asked})]], "a bakery, green")
    outcome = await studio.play(run)
    assert isinstance(outcome, Waiting)
    assert [item.question for item in outcome.gate.questions] == ["What is it called?", "Who bakes?"]
    answer = read_answer(outcome.gate, {"answers": {"Who bakes?": "Grandmother"}})
    answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=answer)
    again = [
        [("ask_user", {"questions": [text("Who bakes?"), text("What shall the app be named?")]})],
        "Fine.",
        "Fine.",
    ]
    resumed = studio.again(run, again, answered)
    await studio.play(resumed)
    told = resumed.model.requests[0].messages[-1].content
    assert json.loads(told.splitlines()[0]) == {"Who bakes?": "Grandmother"}
    assert "assumed" in told
    assert "What is it called? → Crumb" in told
    assert "- Which colours? (the request says it)" in told
    repeated = resumed.model.requests[1].messages[-1].content
    assert repeated.startswith("Nothing was asked.")
    assert "answered before: Grandmother" in repeated
    assert len(events_of(resumed, "gate_opened")) == 1
    record = InterviewRecord.of((await studio.stores.sessions.get(SESSION)).metadata)
    assert record.answers["What is it called?"].assumed
    assert not record.answers["Who bakes?"].assumed


async def test_particular_questions_may_come_again_in_a_later_run(studio: Studio) -> None:
    """Where it should be is asked of another feature then."""
    await studio.stores.pages.save(SESSION, "index", page("index"), source="generate", title="Home")
    asked = [("ask_user", {"questions": [text("Where should it be?")]})]
    first = studio.start([asked], "add favourites")
    outcome = await studio.play(first)
    assert isinstance(outcome, Waiting)
    answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=read_answer(outcome.gate, {"answers": {"0": "Home"}}))
    await studio.play(studio.again(first, ["Done."], answered))
    studio.emitter.said.clear()
    record = InterviewRecord.of((await studio.stores.sessions.get(SESSION)).metadata)
    item = QuestionItem(question="Where should it be?", type="text")
    assert strike([item], Facts("x"), record, first.state.run_id)
    assert not strike([item], Facts("x"), record, "another run")
