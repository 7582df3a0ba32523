"""`approval_handler`: what the user has to say yes to, as often as they like to be asked."""

from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.states import APPROVED, NO_RESPONSE, REJECTED
from loopwright.agents.planner.tools.executor import Artifact, Done, PlannerTool, has
from loopwright.agents.planner.workflow.asking import CALL_TO_ACTION, wants_approval
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

Step = Literal["rfc", "outline", "roadmap", "final"]
NEEDS: dict[Step, Artifact] = {"rfc": "pattern", "outline": "outline", "roadmap": "roadmap", "final": "schedule"}
NOT_NEEDED = "not_needed"


class ApprovalHandlerParameters(BaseModel):
    """Parameters of `approval_handler`."""

    step: Step
    feedback: str | None = Field(default=None, description="What the user has said, word for word")


class ApprovalHandler(PlannerTool[ApprovalHandlerParameters]):
    """Reads a yes or a no, or says what to ask; without the user's word nothing is approved."""

    name = "approval_handler"
    parameters_model = ApprovalHandlerParameters
    prerequisites = ("context",)
    produces = ("approval",)

    async def work(
        self, params: ApprovalHandlerParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Decide by the policy's cadence and the user's words."""
        if not has(state, NEEDS[params.step]):
            raise InvalidInput(f"There is nothing to approve yet: no {NEEDS[params.step]}.")
        wanted = (
            state.pattern_rfc_required
            if params.step == "rfc"
            else wants_approval(state.interaction_policy, params.step)
        )
        feedback = (params.feedback or "").strip()
        if not wanted:
            return Done({"step": params.step, "outcome": NOT_NEEDED}, ("The user does not want to be asked here.",))
        if not feedback:
            title = state.pattern_rfc_text if params.step == "rfc" else f"Is this {params.step} right?"
            text = f"{title} {CALL_TO_ACTION}"
            data = {"step": params.step, "outcome": NO_RESPONSE, "call_to_action": text}
            return Done(data, (text,), changes={"planning_status": "needs_clarification", "response_text": text})
        if not is_yes(feedback):
            data = {"step": params.step, "outcome": REJECTED, "comment": feedback}
            return Done(data, (f"The user wants changes: {feedback[:300]}",))
        return Done(
            {"step": params.step, "outcome": APPROVED}, ("The user has approved it.",), changes=_approved(params.step)
        )


def is_yes(feedback: str) -> bool:
    """Whether it begins with a yes; "approve, but …" is none."""
    words = feedback.casefold().strip(" '\"")
    said = words.startswith(("approve", "yes", "ok", "looks good", "go ahead"))
    return said and not any(word in words for word in (" but ", " except", "not ", "change"))


def _approved(step: Step) -> dict[str, object]:
    match step:
        case "rfc":
            return {"pattern_rfc_decision": "approved"}
        case "outline":
            return {"outline_approved": True}
        case "roadmap":
            return {"roadmap_approved": True}
        case _:
            return {"schedule_approved": True, "planning_status": "complete"}
