"""`portfolio_probe`: what the plan does to the user's other plans."""

from pydantic import BaseModel

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.portfolio import Other, probe
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.terms import read_terms
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext


class PortfolioProbeParameters(BaseModel):
    """Parameters of `portfolio_probe`: none."""


class PortfolioProbe(PlannerTool[PortfolioProbeParameters]):
    """Conflicts, utilisation by week, and shifts that would end the conflicts."""

    name = "portfolio_probe"
    parameters_model = PortfolioProbeParameters
    prerequisites = ("schedule",)

    async def work(
        self, params: PortfolioProbeParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Hold the schedule against everything else that is planned."""
        if state.schedule is None or not state.schedule.blocks:
            raise InvalidInput("There is no schedule to look at.", hint="Call schedule_generator first.")
        terms = read_terms(state.goal)
        blocks = state.schedule.blocks
        first, last = min(block.start for block in blocks), max(block.end for block in blocks)
        rows = await ctx.db.plans.tasks_between(first, last, without_plan=state.plan_id or None)
        others = [Other(row.plan_id, row.title, row.starts_at, row.ends_at) for row in rows]
        found = probe(blocks, others, terms.calendar)
        notes = [f"{len(found.conflicts)} conflicts with {len({other.plan_id for other in others})} other plans."]
        notes += [f"Week of {week}: {share:.0%} of the time is taken." for week, share in found.overfull]
        return Done(found.told(), tuple(notes), 1.0, changes={"portfolio": found.told()})
