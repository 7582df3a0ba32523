"""What a settled plan shows of how it was made: the scores by which the controller went on, and each step."""

from pathlib import Path

from loopwright.agents.planner.store.plans import PlanRecord
from loopwright.agents.planner.usecases import show_plan
from loopwright.kernel.gates import Finished
from tests.agents.planner.workflow.playing import Play, context, outline


async def test_scores_and_steps_are_shown_and_no_confidence(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(0.8)])
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    shown = show_plan(PlanRecord.model_validate(play.rooms.plans.settled[-1]), play.state)
    assert "confidence" not in shown, "no data says how often a plan with such a score is right"
    assert not [line for line in shown["lines"] if "onfiden" in line]
    assert shown["judgements"]["outline"]["self_score"] == 0.8
    assert shown["interaction_policy"]["approval_policy"] == "single_final"
    steps = [(step["stage"], step["tool"]) for step in shown["planning_trace"]]
    assert ("DRAFT_OUTLINE", "node_generator") in steps
    assert ("DRAFT_OUTLINE", "controller") in steps
    assert ("SEEK_APPROVAL", "approval_handler") in steps
