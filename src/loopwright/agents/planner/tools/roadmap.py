"""The tools that build the roadmap: nodes, dependencies, and the check of its grammar."""

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.planner.confidence import Confidence, verdict
from loopwright.agents.planner.contracts.plan import (
    MAX_LAG_MINUTES,
    AdaptationLogEntry,
    Dependency,
    DependencyType,
    PlanContext,
    PlanNode,
    PlanOutline,
    Roadmap,
    RoadmapContext,
)
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.dependencies import Requested, resolve_dependencies
from loopwright.agents.planner.grammar import (
    DraftOutline,
    GrammarReport,
    load_outline,
    repair_outline,
    validate_grammar,
)
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.problem_tasks import WINDOW
from loopwright.agents.planner.publishing import only
from loopwright.agents.planner.roadmap_options import Option, enumerate_options, minutes_in_a_week
from loopwright.agents.planner.scoring import shape_score
from loopwright.agents.planner.states import INVALID, RETRYABLE, VALID
from loopwright.agents.planner.terms import read_terms
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

Way = Literal["as_written", "front_loaded", "even", "relaxed", "overlapping"]


class RoadmapBuilderParameters(BaseModel):
    """Parameters of `roadmap_builder`."""

    choose: Way | None = Field(
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


def _choose(options: list[Option], request: str | None) -> Option:
    if request is None:
        return options[0]
    for option in options:
        if option.key == request:
            return option
    raise InvalidInput(
        f"{request} is no option for this outline.",
        hint=f"Choose one of {', '.join(option.key for option in options)}.",
    )


def _rationale(chosen: Option, options: list[Option], request: str | None, capacity: float) -> str:
    why = "it was asked for" if request else "it fits the user's limits and strategy best"
    if chosen.key == "as_written" and not request:
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


# `node_generator`: the outline, as the model writes it, becomes the plan's.


class NodeGeneratorParameters(BaseModel):
    """Parameters of `node_generator`."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=only("outline"))

    outline: DraftOutline
    confidence: float | None = Field(default=None, ge=0, le=1, description="How sure you are of this outline")


class NodeGenerator(PlannerTool[NodeGeneratorParameters]):
    """Takes the outline in and says at once what the grammar thinks of it."""

    name = "node_generator"
    parameters_model = NodeGeneratorParameters
    prerequisites = ("context", "pattern")
    produces = ("outline",)
    drafts = "outline"
    reads = ("selected_pattern", "goal")

    async def work(
        self, params: NodeGeneratorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Load it under the plan's own ids; what was built on an earlier outline falls."""
        facts = state.goal.facts
        context = PlanContext(constraints=[f"deadline {state.goal.deadline}"] if state.goal.deadline else [])
        if facts.get("mode") in ("push", "relax", "hybrid", "manual"):
            context.strategy_profile.mode = facts["mode"]
        draft = params.outline.model_copy(update={"pattern": None})
        outline = load_outline(
            draft.model_dump(mode="json", exclude_unset=True, exclude={"pattern"}),
            plan=state.plan_id or ctx.session_id,
            pattern=state.selected_pattern,
            context=context,
        )
        report = validate_grammar(outline, state.selected_pattern)
        sure = Confidence(params.confidence, report.score, shape_score(outline))
        changed = _changed(state.plan_outline, outline)
        changes = {
            "plan_outline": outline,
            "dependencies_resolved": False,
            "roadmap": None,
            "schedule": None,
            "outline_approved": False,
            "roadmap_approved": False,
        }
        data = {
            "root_id": outline.root_id,
            "node_count": len(outline.nodes),
            "ids": {str(node.metadata.get("short_id", node.id)): node.id for node in outline.nodes},
            "valid": report.valid,
            "rules": [violation.rule for violation in report.violations],
            "verdict": verdict(sure.composite, ctx.settings),
        }
        notes = tuple(violation.message for violation in report.violations[:12])
        return Done(data, notes, sure.composite, changes=changes, adaptations=changed)


def _changed(before: PlanOutline | None, after: PlanOutline) -> tuple[AdaptationLogEntry, ...]:
    """A log entry where an outline that stood already has another structure now."""
    if before is None:
        return ()
    old = {node.id: (node.parent_id, node.node_type) for node in before.nodes}
    new = {node.id: (node.parent_id, node.node_type) for node in after.nodes}
    touched = [node_id for node_id in (old | new) if old.get(node_id) != new.get(node_id)]
    if not touched:
        return ()
    entry = AdaptationLogEntry(
        timestamp=datetime.now(UTC),
        node_ids=touched[:200],
        action="redraft_outline",
        reason=f"{len(new.keys() - old.keys())} nodes new, {len(old.keys() - new.keys())} gone",
        origin="ai_adaptation",
    )
    return (entry,)


# `dependency_resolver`: who waits for whom.

SHOWN = 200


class RequestedDependency(BaseModel):
    """`node` waits for `depends_on`."""

    node: str = Field(description="Its id, the short id that you gave it, or its title")
    depends_on: str
    type: DependencyType = "finish_to_start"
    lag_lead_minutes: int = Field(default=0, ge=-MAX_LAG_MINUTES, le=MAX_LAG_MINUTES)


class DependencyResolverParameters(BaseModel):
    """Parameters of `dependency_resolver`."""

    dependencies: list[RequestedDependency] = Field(default_factory=list, max_length=500)
    infer: bool = Field(default=True, description="Take the written order where none is said")


class DependencyResolver(PlannerTool[DependencyResolverParameters]):
    """Adds, infers and reduces dependencies."""

    name = "dependency_resolver"
    parameters_model = DependencyResolverParameters
    prerequisites = ("outline",)
    produces = ("dependencies",)

    async def work(
        self, params: DependencyResolverParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Resolve on the outline; a roadmap that was built on the old ones falls."""
        outline = state.plan_outline
        if outline is None or not validate_grammar(outline, state.selected_pattern).valid:
            raise InvalidInput("The outline is not valid yet.", hint="Call grammar_validator with apply_fixes.")
        requests = [Requested(w.node, w.depends_on, w.type, w.lag_lead_minutes) for w in params.dependencies]
        resolved = resolve_dependencies(outline, requests, infer=params.infer)
        titles = {node.id: node.title for node in resolved.nodes}
        links = [
            {
                "node": titles[node.id],
                "after": titles[item.node_id],
                **item.model_dump(mode="json", exclude={"node_id"}),
            }
            for node in resolved.nodes
            for item in node.dependencies
        ]
        data = {
            "nodes_with_dependencies": links[:SHOWN],
            "dependency_count": len(links),
            "inferred": len(resolved.inferred),
            "dropped": len(resolved.dropped),
            "order": [titles[node_id] for node_id in resolved.order[:SHOWN]],
        }
        notes = []
        if resolved.inferred:
            notes.append(f"{len(resolved.inferred)} follow from the order in which siblings are written.")
        if resolved.dropped:
            notes.append(f"{len(resolved.dropped)} follow from others and are left out.")
        changes = {
            "plan_outline": outline.model_copy(update={"nodes": resolved.nodes}),
            "dependencies_resolved": True,
            "roadmap": None,
            "schedule": None,
        }
        return Done(data, tuple(notes), 0.9 if params.dependencies or not resolved.inferred else 0.8, changes=changes)


# `grammar_validator`: what is wrong with the draft, and how it is repaired.


class GrammarValidatorParameters(BaseModel):
    """Parameters of `grammar_validator`."""

    artifact: Literal["outline", "roadmap"] = "outline"
    apply_fixes: bool = Field(default=False, description="Apply the suggested fixes, all of them")


class GrammarValidator(PlannerTool[GrammarValidatorParameters]):
    """Holds the outline or the roadmap against the grammar."""

    name = "grammar_validator"
    parameters_model = GrammarValidatorParameters
    prerequisites = ("outline",)
    reads = ("plan_outline", "roadmap", "selected_pattern")

    async def work(
        self, params: GrammarValidatorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Validate, after the repairs where they are asked for."""
        field = "plan_outline" if params.artifact == "outline" else "roadmap"
        draft = state.plan_outline if params.artifact == "outline" else state.roadmap
        if draft is None:
            raise InvalidInput("There is no roadmap yet.", hint="Call roadmap_builder first.")
        changes: dict[str, Any] = {}
        adaptations: tuple[AdaptationLogEntry, ...] = ()
        notes: list[str] = []
        if params.apply_fixes:
            draft, fixes = repair_outline(draft, state.selected_pattern)
            if fixes:
                entry = AdaptationLogEntry(
                    timestamp=datetime.now(UTC),
                    node_ids=[],
                    action=f"repair_{params.artifact}",
                    reason=", ".join(sorted({str(fix["op"]) for fix in fixes})),
                    origin="ai_adaptation",
                )
                adaptations = (entry,)
                notes.append(f"{len(fixes)} fixes were applied.")
                changes[field] = draft
        report = validate_grammar(draft, state.selected_pattern)
        changes["validation"] = state.validation | {params.artifact: report.model_dump(mode="json")}
        data = {
            "valid": report.valid,
            "outcome": outcome_of(report),
            "violations": [violation.model_dump(mode="json") for violation in report.violations[:50]],
            "suggested_fixes": report.suggested_fixes[:50],
            "rules": [violation.rule for violation in report.violations],
        }
        notes += [violation.message for violation in report.violations[:12]]
        return Done(data, tuple(notes), report.score, changes=changes, adaptations=adaptations)


def outcome_of(report: GrammarReport) -> str:
    """What the controller would hear."""
    if report.valid:
        return VALID
    return INVALID if report.fatal else RETRYABLE
