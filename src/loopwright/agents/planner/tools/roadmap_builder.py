"""`roadmap_builder`: two or three ways to carry the outline out, one of them taken, with why."""

from datetime import timedelta
from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.nodes import MAX_LAG_MINUTES, Dependency, PlanNode
from loopwright.agents.planner.contracts.plan import Roadmap, RoadmapContext
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.problem_tasks import WINDOW
from loopwright.agents.planner.roadmap_options import Option, enumerate_options, minutes_in_a_week
from loopwright.agents.planner.terms import read_terms
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext


class RoadmapBuilderParameters(BaseModel):
    """Parameters of `roadmap_builder`."""

    choose: Literal["as_written", "front_loaded", "even", "relaxed", "overlapping"] | None = Field(
        default=None, description="Which option to take; by default the one that fits the user's strategy best"
    )
    scope: str = ""
    cadence: str = ""
    time_horizon: str = ""
    budget: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1, description="How sure you are of this way")


class RoadmapBuilder(PlannerTool[RoadmapBuilderParameters]):
    """Builds the roadmap and records the options that were tried."""

    name = "roadmap_builder"
    parameters_model = RoadmapBuilderParameters
    prerequisites = ("outline", "dependencies")
    produces = ("roadmap",)
    drafts = "roadmap"
    reads = ("plan_outline", "goal", "selected_pattern")

    async def work(
        self, params: RoadmapBuilderParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Enumerate, choose, and write the days of each part into the roadmap."""
        outline = state.plan_outline
        if outline is None:
            raise InvalidInput("There is no outline.", hint="Call node_generator first.")
        strategy = outline.plan_context.strategy_profile
        terms = read_terms(state.goal, strategy)
        options = enumerate_options(outline, terms, strategy)
        chosen = _choose(options, params.choose)
        told = [option.told(chosen.key) for option in options]
        rationale = _rationale(chosen, options, params.choose, minutes_in_a_week(terms))
        for item in told:
            item["why"] = rationale if item["chosen"] else _why_not(item, chosen)
        pattern = state.selected_pattern
        roadmap = Roadmap(
            root_id=outline.root_id,
            nodes=[_placed(node, chosen) for node in outline.nodes],
            pattern=pattern,
            roadmap_context=RoadmapContext(
                pattern_type=pattern.pattern_type if pattern else None,
                subtype=pattern.subtype if pattern else None,
                pattern=pattern,
                options_tried=told,
                **params.model_dump(exclude={"choose", "time_horizon", "confidence"}),
                time_horizon=params.time_horizon or f"until {(chosen.end - timedelta(days=1)).isoformat()}",
            ),
        )
        roadmap, fixes = repair_outline(roadmap, pattern)
        report = validate_grammar(roadmap, pattern)
        data: dict[str, Any] = {
            "chosen": chosen.key,
            "rationale": rationale,
            "options_tried": told,
            "node_count": len(roadmap.nodes),
            "valid": report.valid,
            "fixes": len(fixes),
            "rules": [violation.rule for violation in report.violations],
        }
        changes = {"roadmap": roadmap, "options_tried": told, "schedule": None, "roadmap_approved": False}
        load = min(1.0, minutes_in_a_week(terms) / chosen.peak_minutes) if chosen.peak_minutes else 1.0
        return Done(data, (rationale,), round(0.6 * report.score + 0.4 * load, 4), changes=changes)


def _choose(options: list[Option], wish: str | None) -> Option:
    if wish is None:
        return options[0]
    for option in options:
        if option.key == wish:
            return option
    raise InvalidInput(
        f"{wish} is no option for this outline.", hint=f"Choose one of {', '.join(option.key for option in options)}."
    )


def _rationale(chosen: Option, options: list[Option], wish: str | None, capacity: float) -> str:
    why = "it was asked for" if wish else "it fits the user's strategy best"
    if chosen.key == "as_written" and not wish:
        why = "the outline weighed its days with the work in them"
    full = "" if chosen.peak_minutes <= capacity else ", more than there is in a usual week"
    return (
        f"{chosen.key} is taken because {why}: its heaviest week has {chosen.peak_minutes / 60:.1f} h{full}, "
        f"and it ends on {chosen.end - timedelta(days=1)}; {len(options) - 1} others were weighed."
    )


def _why_not(item: dict[str, object], chosen: Option) -> str:
    return f"Not taken: it scores {item['score']}, {chosen.key} {chosen.score}, and ends on {item['ends_on']}."


def _placed(node: PlanNode, chosen: Option) -> PlanNode:
    """The node with its days; overlapping phases may begin before those they wait for end."""
    window = chosen.windows.get(node.id)
    if window is None:
        return node
    days = {"first": window.first.isoformat(), "after": window.after.isoformat()}
    update: dict[str, Any] = {"metadata": node.metadata | {WINDOW: days}}
    if chosen.key == "overlapping":
        update["dependencies"] = [_with_lead(item, chosen, node) for item in node.dependencies]
    return node.model_copy(update=update)


def _with_lead(item: Dependency, chosen: Option, node: PlanNode) -> Dependency:
    before, own = chosen.windows.get(item.node_id), chosen.windows[node.id]
    if before is None or item.type != "finish_to_start" or item.lag_lead_minutes or own.first >= before.after:
        return item
    lead = min(MAX_LAG_MINUTES, (before.after - own.first) // timedelta(minutes=1))
    return item.model_copy(update={"lag_lead_minutes": -lead})
