"""`preference_probe`: concise or conversational? Asked once, and only when nobody knows."""

from pydantic import BaseModel

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.states import CLARIFY
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import ToolContext

QUESTION = QuestionItem(
    question="Shall I keep it concise, or talk things through with you?",
    type="radio",
    options=["concise", "standard", "conversational", "coach"],
    context="It is asked once; you can change it at any time.",
    default="standard",
)


class PreferenceProbeParameters(BaseModel):
    """Parameters of `preference_probe`: none."""


class PreferenceProbe(PlannerTool[PreferenceProbeParameters]):
    """Finds the user's style out, takes the answer over, and remembers it: no later plan has to ask again."""

    name = "preference_probe"
    parameters_model = PreferenceProbeParameters

    async def work(
        self, params: PreferenceProbeParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Ask, or read the answer that was given."""
        policy = state.interaction_policy
        answer = state.goal.answers.get(QUESTION.question, "").strip().casefold()
        if answer in (QUESTION.options or ()) and not state.policy_was_given:
            policy = policy.model_validate(policy.model_dump() | {"conversation_style": answer})
            remembered = await ctx.db.plan_memories.policy()
            await ctx.db.plan_memories.remember_policy(remembered | {"conversation_style": answer})
            changes = {"interaction_policy": policy, "policy_was_given": True, "style_asked": True}
            return Done({"conversation_style": answer, "questions": []}, changes=changes)
        if state.policy_was_given or state.style_asked or policy.probing_depth == 0:
            return Done({"conversation_style": policy.conversation_style, "questions": []})
        question = QUESTION.model_dump(mode="json", exclude_none=True)
        changes = {"style_asked": True, "pending_questions": [*state.pending_questions, question]}
        return Done({"questions": [question]}, changes=changes, signal=CLARIFY)
