"""Resolving names on behalf of a tool."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.graph.entities import entities_of, resolve
from loopwright.agents.jobs.graph.schema import EntityKind
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult

MAX_MATCHES = 5


class NamesParameters(BaseModel):
    """One name, or many at once."""

    entity_name: str = Field("", max_length=200)
    entity_names: Names = Field(default_factory=list, description="Many names at once")

    @property
    def names(self) -> list[str]:
        """All names, each once."""
        return list(dict.fromkeys([*([self.entity_name] if self.entity_name.strip() else []), *self.entity_names]))


async def resolve_names(ctx: ToolContext[JobServices], kind: EntityKind, names: Sequence[str]) -> ToolResult:
    """What each name may mean, one record a name.

    Raises:
        InvalidInput: there is no name.
    """
    if not names:
        raise InvalidInput("There is no name to resolve.", hint="Give entity_name, or entity_names.")
    entities = await entities_of(ctx.db.graph, kind)
    records = []
    for name in names:
        matches = [
            {
                "id": match.entity.entity_id,
                "name": match.entity.name,
                "confidence": match.confidence,
                "how": match.how,
            }
            for match in resolve(name, entities)[:MAX_MATCHES]
        ]
        records.append({"entity_name": name, "matches": matches})
    found = sum(bool(record["matches"]) for record in records)
    head = f"{found} of {len(records)} names have a match; the graph has {len(entities)} nodes of {kind}."
    return await records_answer(head, records, "graph", ctx, found=found)
