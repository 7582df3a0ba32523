"""`brainstormer`: a short burst of ideas, where the user likes them and they are needed."""

from pydantic import BaseModel, Field

from loopwright.agents.planner.confidence import verdict
from loopwright.agents.planner.contracts.policy import InteractionPolicy
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.tools import ToolContext

FEWEST, MOST = 3, 7
GENERAL = (
    "Name the smallest result that would already be worth having, and plan for it first.",
    "Find one person who has done it, and ask what they would leave out.",
    "Put the part that could fail first, while there is time to change course.",
    "Tie it to something that you do every week anyway.",
    "Set a day on which you look back and may change the plan without regret.",
)


class BrainstormerParameters(BaseModel):
    """Parameters of `brainstormer`."""

    ideas: list[str] = Field(default_factory=list, max_length=20, description="Yours, one sentence each")
    asked: bool = Field(default=False, description="Whether the user asked for ideas")
    confidence: float | None = Field(default=None, ge=0, le=1, description="How sure you are of the plan as it stands")


class Brainstormer(PlannerTool[BrainstormerParameters]):
    """Keeps what is new, as many as the user has an ear for."""

    name = "brainstormer"
    parameters_model = BrainstormerParameters

    async def work(
        self, params: BrainstormerParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Offer ideas if the policy lets it."""
        sure = params.confidence if params.confidence is not None else min(state.confidence.values(), default=1.0)
        if not wanted(state.interaction_policy, params.asked, verdict(sure, ctx.settings) != "continue"):
            return Done({"ideas": [], "offered": False}, ("The user does not want ideas now.",))
        outline = state.plan_outline
        taken = {node.title.casefold() for node in outline.nodes} if outline is not None else set()
        taken |= {idea.casefold() for idea in state.ideas}
        fresh: list[str] = []
        for idea in (*params.ideas, *(GENERAL if not params.ideas else ())):
            text = " ".join(idea.split())
            if text and text.casefold() not in taken:
                taken.add(text.casefold())
                fresh.append(text)
        most = FEWEST + round((MOST - FEWEST) * state.interaction_policy.talkativeness)
        most = FEWEST if state.interaction_policy.conversation_style == "concise" else most
        ideas = fresh[:most]
        return Done({"ideas": ideas, "offered": True}, confidence=0.7, changes={"ideas": [*state.ideas, *ideas]})


def wanted(policy: InteractionPolicy, asked: bool, uncertain: bool) -> bool:
    """On demand always; otherwise by preference."""
    match policy.brainstorming_preference:
        case "always_offer":
            return True
        case "suggest_when_uncertain":
            return asked or uncertain
        case _:
            return asked
