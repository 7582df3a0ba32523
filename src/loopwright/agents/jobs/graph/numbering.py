"""The `rid` of a requirement: the next number that neither the store nor the graph has given."""

from loopwright.agents.jobs.ports import JobServices

_GREATEST = "MATCH (n:Requirement) WHERE n.rid STARTS WITH 'R-' RETURN max(toInteger(substring(n.rid, 2))) AS number"


async def assign_rid(services: JobServices, requirement_id: str) -> str:
    """The requirement's `rid`, given now unless it has one.

    Raises:
        NotFound: there is no such requirement.
    """
    known = (await services.requirements.get(requirement_id)).graph_id
    if known is not None:
        return known
    rows = (await services.graph.query(_GREATEST)).rows
    greatest = rows[0]["number"] if rows else None
    return await services.requirements.assign_graph_id(requirement_id, above=int(greatest or 0))
