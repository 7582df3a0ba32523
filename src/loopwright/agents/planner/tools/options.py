"""The tools that make options and let one be chosen."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.planner.confidence import verdict
from loopwright.agents.planner.contracts.plan import KNOWN_SUBTYPES, PatternType
from loopwright.agents.planner.contracts.state import InteractionPolicy, PlanningState
from loopwright.agents.planner.patterns import select_pattern
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.publishing import only
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.agents.planner.tools.questions import FactParameters, with_facts
from loopwright.agents.planner.tools.roadmap import Way
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

# `brainstormer`: a short burst of ideas, where the user likes them and they are needed.

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


# `choose_way`: how the work of an outline is to be spread over its time.

WAY = "way"
"""The fact that holds it until the roadmap is built."""


class ChooseWayParameters(BaseModel):
    """Parameters of `choose_way`."""

    model_config = ConfigDict(extra="forbid")

    way: Way


class ChooseWay(PlannerTool[ChooseWayParameters]):
    """Keeps the choice for the roadmap."""

    name = "choose_way"
    parameters_model = ChooseWayParameters
    prerequisites = ("context",)

    async def work(self, params: ChooseWayParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Keep it."""
        goal = state.goal.model_copy(update={"facts": state.goal.facts | {WAY: params.way}})
        return Done({"way": params.way}, changes={"goal": goal})


# `pattern_selector`: the nearest of the five patterns, with a subtype, and an RFC where the subtype is new.

ALLOW_NEW_SUBTYPE_PROPOSALS = "allow_new_subtype_proposals"
REQUIRE_RFC_FOR_NEW_SUBTYPE = "require_rfc_for_new_subtype"
"""Names of the options; both are on unless the run says otherwise."""


class PatternSelectorParameters(BaseModel):
    """Parameters of `pattern_selector`."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=only("pattern_type", "subtype", "rfc", "facts", required=("pattern_type",))
    )

    goal: str | None = Field(default=None, description="The goal, where the user's own words are not enough")
    pattern_type: PatternType | None = None
    subtype: str | None = Field(
        default=None, max_length=80, description=f"{', '.join(KNOWN_SUBTYPES)}, or proposed:<name>"
    )
    rfc: str | None = Field(default=None, description="Why a new subtype is needed: two sentences")
    variant: str | None = None
    facts: FactParameters | None = Field(default=None, description="What the goal says about time")


class PatternSelector(PlannerTool[PatternSelectorParameters]):
    """Maps the goal to a pattern."""

    name = "pattern_selector"
    parameters_model = PatternSelectorParameters
    prerequisites = ("context",)
    produces = ("pattern",)
    reads = ("goal", "pattern_rfc_decision", "selected_pattern")

    async def work(
        self, params: PatternSelectorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Select; a subtype that was decided about is not asked about again."""
        goal = with_facts(state.goal, params.facts)
        hints = params.model_dump(exclude={"goal", "facts"}, exclude_none=True) | {"deadline": goal.deadline}
        selection = select_pattern(
            params.goal or goal.text,
            hints,
            allow_proposals=bool(ctx.settings.get(ALLOW_NEW_SUBTYPE_PROPOSALS, True)),
            require_rfc=bool(ctx.settings.get(REQUIRE_RFC_FOR_NEW_SUBTYPE, True)),
        )
        pattern, notes = selection.pattern, list(selection.reasons)
        before = state.selected_pattern
        decided = state.pattern_rfc_decision is not None
        same = decided and before is not None and before.subtype == pattern.subtype
        if decided and not same and pattern.is_proposal and state.pattern_rfc_decision == "rejected":
            pattern = pattern.model_copy(update={"subtype": None, "rfc": None, "source_pattern": None})
            notes.append("the user has rejected a new subtype, so none is proposed")
        required = selection.rfc_required and pattern.is_proposal
        changes = {
            "goal": goal,
            "selected_pattern": pattern,
            "pattern_rfc_required": required,
            "pattern_rfc_text": pattern.rfc if required else None,
        }
        if required and not same:
            changes["pattern_rfc_decision"] = None
        data = {"pattern": pattern, "rfc_required": required, "scores": selection.scores, "goal": goal}
        return Done(data, tuple(notes), pattern.confidence or 0.5, changes=changes)
