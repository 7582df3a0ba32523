"""`option_crafter`: two or three variants that really differ."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.policy import InteractionPolicy
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

FEW, USUAL = 2, 3
QUIET = 0.25
SHORT = 140


class Variant(BaseModel):
    """One way to do it."""

    title: str = Field(min_length=2, max_length=160)
    summary: str = Field(min_length=2, max_length=1_000)
    differs: str = Field(default="", max_length=500, description="What it has that the others have not")


class OptionCrafterParameters(BaseModel):
    """Parameters of `option_crafter`."""

    variants: list[Variant] = Field(
        default_factory=list, max_length=8, description="The best first; without any, the roadmap's options are taken"
    )


class OptionCrafter(PlannerTool[OptionCrafterParameters]):
    """Offers two variants to who likes it brief, else three."""

    name = "option_crafter"
    parameters_model = OptionCrafterParameters

    async def work(
        self, params: OptionCrafterParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Keep the first ones that are not the same."""
        offered = params.variants or [_of_option(option) for option in state.options_tried]
        distinct: dict[str, Variant] = {}
        for variant in offered:
            distinct.setdefault(" ".join(variant.title.casefold().split()), variant)
        if len(distinct) < FEW:
            raise InvalidInput(
                f"A choice needs two different variants; there is {'one' if distinct else 'none'}.",
                hint="Send two or three variants that differ in what the user gives or gets.",
            )
        most = how_many(state.interaction_policy)
        brief = most == FEW
        chosen = [_told(variant, brief=brief) for variant in list(distinct.values())[:most]]
        return Done({"variants": chosen, "count": len(chosen)}, confidence=0.8, changes={"variants": chosen})


def how_many(policy: InteractionPolicy) -> int:
    """Two for who likes it concise or says little, else three."""
    return FEW if policy.conversation_style == "concise" or policy.talkativeness < QUIET else USUAL


def _of_option(option: dict[str, Any]) -> Variant:
    hours = float(option.get("peak_minutes_per_week") or 0) / 60
    differs = f"ends on {option.get('ends_on')}, at most {hours:.1f} h a week"
    title = str(option.get("option", "option")).replace("_", " ")
    return Variant(title=title, summary=str(option.get("summary") or title), differs=differs)


def _told(variant: Variant, *, brief: bool) -> dict[str, str]:
    summary = variant.summary if not brief or len(variant.summary) <= SHORT else variant.summary[: SHORT - 1] + "…"
    return {"title": variant.title, "summary": summary, "differs": variant.differs}
