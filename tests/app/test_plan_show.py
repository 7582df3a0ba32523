"""What a settled plan shows of how it was made: how sure the controller was, and each step."""

from pathlib import Path

from loopwright.app.planner import show_plan
from loopwright.kernel.outcomes import Finished
from loopwright.stores.plan_records import PlanRecord
from tests.agents.planner.workflow.playing import Play, context, outline, roadmap, schedule


async def test_confidence_and_steps_are_shown(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(0.8), *roadmap(), *schedule()])
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    shown = show_plan(PlanRecord.model_validate(play.rooms.plans.settled[-1]), play.state)
    assert shown["confidence"].keys() == {"DRAFT_OUTLINE", "DRAFT_ROADMAP", "DRAFT_SCHEDULE"}
    [line] = [line for line in shown["lines"] if line.startswith("Confidence in the outline")]
    assert "the model 80%" in line
    assert shown["judgements"]["outline"]["self_score"] == 0.8
    assert shown["interaction_policy"]["approval_policy"] == "single_final"
    steps = [(step["stage"], step["tool"]) for step in shown["planning_trace"]]
    assert ("DRAFT_OUTLINE", "node_generator") in steps
    assert ("DRAFT_OUTLINE", "controller") in steps
    assert ("SEEK_APPROVAL", "approval_handler") in steps
