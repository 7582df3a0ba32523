"""`node_generator`: the outline, as the model writes it, becomes the plan's."""

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from loopwright.agents.planner.confidence import Confidence, verdict
from loopwright.agents.planner.contracts.plan import AdaptationLogEntry, PlanContext, PlanOutline
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.grammar import DraftOutline, load_outline, validate_grammar
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.scoring import shape_score
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.tools import ToolContext


class NodeGeneratorParameters(BaseModel):
    """Parameters of `node_generator`."""

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
