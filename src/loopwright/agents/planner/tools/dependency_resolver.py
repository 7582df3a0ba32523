"""`dependency_resolver`: who waits for whom."""

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.nodes import MAX_LAG_MINUTES, DependencyType
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.dependencies import Wish, resolve_dependencies
from loopwright.agents.planner.grammar import validate_grammar
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

SHOWN = 200


class WishedDependency(BaseModel):
    """`node` waits for `depends_on`."""

    node: str = Field(description="Its id, the short id that you gave it, or its title")
    depends_on: str
    type: DependencyType = "finish_to_start"
    lag_lead_minutes: int = Field(default=0, ge=-MAX_LAG_MINUTES, le=MAX_LAG_MINUTES)


class DependencyResolverParameters(BaseModel):
    """Parameters of `dependency_resolver`."""

    dependencies: list[WishedDependency] = Field(default_factory=list, max_length=500)
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
        wishes = [Wish(w.node, w.depends_on, w.type, w.lag_lead_minutes) for w in params.dependencies]
        resolved = resolve_dependencies(outline, wishes, infer=params.infer)
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
