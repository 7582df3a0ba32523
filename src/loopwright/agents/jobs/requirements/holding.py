"""Who may put a requirement into the graph: the job that holds it, or has integrated it."""

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.requirements import Requirement
from loopwright.kernel.errors import Conflict
from loopwright.kernel.tools import ToolContext


async def require_held(ctx: ToolContext[JobServices], requirement_id: str) -> Requirement:
    """The requirement, if this job holds it or has integrated it.

    Raises:
        NotFound: there is no such requirement.
        Conflict: another job's, or nobody's.
    """
    found = await ctx.db.requirements.get(requirement_id)
    integrated = found.status == "integrated" and found.settled_by == ctx.session_id
    if found.claimed_by != ctx.session_id and not integrated:
        raise Conflict(
            f"Requirement {requirement_id} is {found.status} and not held by this job.",
            hint="next_requirements gives requirements to this job; work on those.",
        )
    return found
