"""What the model is told: who it is, once; what a stage is for, on entering it; how things stand, with each request."""

from typing import Any

from pydantic_core import to_json

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.outline_of_sketch import hours_there
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.states import COLLECT_CONTEXT, DRAFT_OUTLINE
from loopwright.agents.planner.workflow.asking import outline_lines
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun

PROMPTS = {COLLECT_CONTEXT: "planner/collect-context", DRAFT_OUTLINE: "planner/draft-outline"}
SKETCH = "planner/sketch-outline"
SHOWN_VIOLATIONS = 20


async def system_prompt(run: AgentRun) -> str:
    """Who the model is; the same bytes for the whole run."""
    return run.toolbox.prompts.render("planner/system")


async def stage_prompt(run: AgentRun) -> str:
    """What the stage is for."""
    small = run.profile == "small" and run.state.stage == DRAFT_OUTLINE
    return run.toolbox.prompts.render(SKETCH if small else PROMPTS[run.state.stage])


async def state_block(run: AgentRun) -> str:
    """How things stand: for a small model in a few lines, else as JSON without what is empty."""
    state = await load_planning(run.services, run.state.session_id)
    if run.profile == "small":
        return "\n".join(state_lines(state))
    shown = to_json(planning_view(state, run.state.stage)).decode().replace("</planning_state", "<\\/planning_state")
    return f"<planning_state>\n{shown}\n</planning_state>"


def state_lines(state: PlanningState) -> list[str]:
    """The goal and what there is, one fact to a line."""
    goal = state.goal
    lines = [f"Goal: {goal.text}", f"Today: {goal.today}"]
    lines += [f"Last day: {goal.deadline}"] if goal.deadline else []
    lines += [f"Event: {each.title} on {each.date}" for each in goal.appointments]
    lines += [f"Hours a week: {goal.hours_per_week:g}"] if goal.hours_per_week else []
    try:
        there = hours_there(goal)
    except InvalidInput:  # the controller tells the user about terms that cannot be used
        there = None
    lines += [f"Hours until then: {there}"] if there is not None else []
    lines += [f"{question} – {answer}" for question, answer in goal.answers.items()]
    lines += [f"The user wants: {comment}" for comment in goal.facts.get("feedback", [])]
    lines += [f"Part: {part.title} ({len(part.tasks)} tasks)" for part in state.sketch.parts]
    lines += [f"Every week: {each.title} ({each.times_per_week}×)" for each in state.sketch.sessions]
    lines += [f"To correct: {text}" for text in violations_of(state)[:SHOWN_VIOLATIONS]]
    return lines


def violations_of(state: PlanningState) -> list[str]:
    """What the validators have found, in words."""
    return [
        violation["message"] if isinstance(violation, dict) else violation
        for report in state.validation.values()
        for violation in report.get("violations", [])
    ]


def planning_view(state: PlanningState, stage: str) -> dict[str, Any]:
    """What a model is shown of the planning state; what is empty or false is left out."""
    goal = state.goal
    told = {
        "stage": stage,
        "goal_text": goal.text,
        "now": goal.now.astimezone(load_zone(goal.timezone)) if goal.now is not None else None,
        "today": goal.today,
        "start": goal.start,
        "deadline": goal.deadline,
        "appointments": goal.appointments,
        "zone": goal.timezone,
        "hours": goal.hours,
        "hours_per_week": goal.hours_per_week,
        "facts": goal.facts,
        "policy": state.interaction_policy.model_dump(exclude={"tone", "autonomy", "approval_policy"}),
        "policy_was_given": state.policy_was_given,
        "answers": goal.answers,
        "questions_asked": state.questions_asked,
        "pattern": state.selected_pattern.model_dump(exclude_none=True) if state.selected_pattern else None,
        "rfc_decision": state.pattern_rfc_decision,
        "outline_summary": outline_lines(state),
        "has_outline": state.plan_outline is not None,
        "violations": violations_of(state)[:SHOWN_VIOLATIONS],
        "cause": state.cause,
        "chosen_relaxations": state.chosen_relaxations,
    }
    return {name: value for name, value in told.items() if value not in (None, "", [], {}, False)}
