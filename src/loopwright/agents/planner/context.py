"""The system prompt of a stage: its instructions, the shared rules, and the planning state as data."""

from typing import Any

from pydantic_core import to_json

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.workflow.asking import outline_lines
from loopwright.kernel.run import AgentRun

PROMPTS = {
    "COLLECT_CONTEXT": "planner/collect-context",
    "DRAFT_OUTLINE": "planner/draft-outline",
    "DRAFT_ROADMAP": "planner/draft-roadmap",
    "DRAFT_SCHEDULE": "planner/draft-schedule",
}
SHOWN_BLOCKS, SHOWN_VIOLATIONS = 60, 20


async def build_system_prompt(run: AgentRun) -> str:
    """Render the prompt of the run's stage."""
    state = await load_planning(run.services, run.state.session_id)
    tools = sorted(run.decision.tools)
    shown = (
        to_json(planning_view(state, run.state.stage, tools)).decode().replace("</planning_state", "<\\/planning_state")
    )
    rules = run.toolbox.prompts.render("planner/rules").partition("\n")[2]
    return run.toolbox.prompts.render(PROMPTS[run.state.stage], rules=rules, planning_state=shown)


def planning_view(state: PlanningState, stage: str, tools: list[str]) -> dict[str, Any]:
    """What the model is shown of the planning state."""
    goal, validation = state.goal, state.validation
    violations = [
        violation["message"] if isinstance(violation, dict) else violation
        for report in validation.values()
        for violation in report.get("violations", [])
    ]
    return {
        "stage": stage,
        "goal_text": goal.text,
        "now": goal.now.astimezone(load_zone(goal.timezone)) if goal.now is not None else None,
        "today": goal.today,
        "start": goal.start,
        "deadline": goal.deadline,
        "zone": goal.timezone,
        "hours": goal.hours,
        "hours_per_week": goal.hours_per_week,
        "facts": goal.facts,
        "policy": state.interaction_policy,
        "policy_was_given": state.policy_was_given,
        "answers": goal.answers,
        "questions_asked": state.questions_asked,
        "pattern": state.selected_pattern,
        "rfc_decision": state.pattern_rfc_decision,
        "outline_summary": outline_lines(state),
        "has_outline": state.plan_outline is not None,
        "has_roadmap": state.roadmap is not None,
        "has_schedule": state.schedule is not None,
        "violations": violations[:SHOWN_VIOLATIONS],
        "schedule_summary": _blocks(state),
        "cause": state.cause,
        "relaxations": state.relaxations,
        "chosen_relaxations": state.chosen_relaxations,
        "options_tried": state.options_tried,
        "tools": tools,
    }


def _blocks(state: PlanningState) -> list[dict[str, Any]]:
    blocks = state.schedule.blocks if state.schedule is not None else []
    return [
        {"node_id": block.plan_node_id, "title": block.title, "start": block.start, "end": block.end}
        for block in blocks[:SHOWN_BLOCKS]
    ]
