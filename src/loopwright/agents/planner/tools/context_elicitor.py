"""`context_elicitor`: what has to be asked, and no more than the user likes to be asked."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.states import CLARIFY, SUFFICIENT
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.agents.planner.tools.goal_facts import FactParameters, with_facts
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import ToolContext

OPEN_FACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("deadline", {"question": "Until when do you want to have reached it?", "type": "text", "default": "no deadline"}),
    ("hours_per_week", {"question": "How many hours a week can you give it?", "type": "text", "default": "5"}),
    ("hours", {"question": "On which days and at what hours?", "type": "text", "default": "weekdays 09:00–17:00"}),
)


class ContextElicitorParameters(BaseModel):
    """Parameters of `context_elicitor`."""

    questions: list[QuestionItem] = Field(
        default_factory=list, max_length=8, description="The most important first; without any, what is open is asked"
    )
    facts: FactParameters | None = Field(default=None, description="What the goal or an answer says about time")
    enough: bool = Field(default=False, description="Nothing has to be asked; only take the facts in")


class ContextElicitor(PlannerTool[ContextElicitorParameters]):
    """Asks at most as many questions in a session as `probing_depth` says."""

    name = "context_elicitor"
    parameters_model = ContextElicitorParameters
    prerequisites = ("context",)
    produces = ("context",)

    async def work(
        self, params: ContextElicitorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Choose the questions; what was asked is not asked again."""
        goal = with_facts(state.goal, params.facts)
        policy = state.interaction_policy
        open_items = [QuestionItem(**item) for name, item in OPEN_FACTS if not getattr(goal, name)]
        wished = [] if params.enough else [*params.questions] or open_items
        fresh = [item for item in wished if item.question not in state.questions_asked]
        if policy.autonomy == "high":
            # Who wants to be left alone is only asked what has no default.
            fresh = [item for item in fresh if item.default is None and not item.options]
        left = max(0, policy.probing_depth - len(state.questions_asked))
        questions = fresh[:left]
        known = sum(1 for name, _ in OPEN_FACTS if getattr(goal, name))
        notes = [f"{len(fresh) - len(questions)} questions are left out: {left} may still be asked."]
        data = {
            "questions": [item.model_dump(mode="json", exclude_none=True) for item in questions],
            "outcome": CLARIFY if questions else SUFFICIENT,
            "assumed": [item.question for item in fresh[left:]],
        }
        changes = {"goal": goal, "pending_questions": data["questions"]}
        return Done(
            data,
            tuple(notes) if len(fresh) > len(questions) else (),
            0.5 + 0.5 * known / len(OPEN_FACTS),
            changes=changes,
            signal=CLARIFY if questions else None,
        )
