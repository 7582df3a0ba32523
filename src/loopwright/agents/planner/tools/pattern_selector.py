"""`pattern_selector`: the nearest of the five patterns, with a subtype, and an RFC where the subtype is new."""

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.patterns import select_pattern
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.agents.planner.tools.goal_facts import FactParameters, with_facts
from loopwright.kernel.tools import ToolContext

ALLOW_NEW_SUBTYPE_PROPOSALS = "allow_new_subtype_proposals"
REQUIRE_RFC_FOR_NEW_SUBTYPE = "require_rfc_for_new_subtype"
"""Names of the options; both are on unless the run says otherwise."""


class PatternSelectorParameters(BaseModel):
    """Parameters of `pattern_selector`."""

    goal: str | None = Field(default=None, description="The goal, where the user's own words are not enough")
    pattern_type: str | None = Field(default=None, description="Where you know it better than the words tell")
    subtype: str | None = Field(default=None, description="A known one, or proposed:<name>")
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
