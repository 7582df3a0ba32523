"""What a graph holds, asked in Cypher that every engine speaks."""

from collections.abc import Mapping
from typing import Any, Protocol

from loopwright.stores.graph.records import GraphAnswerRecord, GraphSchemaRecord

_NODES = "MATCH (n) UNWIND labels(n) AS name RETURN name, count(*) AS number ORDER BY name"
_RELATIONSHIPS = "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS number ORDER BY name"


class _Query(Protocol):
    async def __call__(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> GraphAnswerRecord: ...


async def inspect_graph(query: _Query) -> GraphSchemaRecord:
    """Count nodes by label and relationships by type, and name the properties of each."""
    nodes = {row["name"]: row["number"] for row in (await query(_NODES)).rows}
    relationships = {row["name"]: row["number"] for row in (await query(_RELATIONSHIPS)).rows}
    properties: dict[str, list[str]] = {}
    for name, pattern in [*((n, "(x:`{}`)") for n in nodes), *((n, "()-[x:`{}`]->()") for n in relationships)]:
        if "`" in name or "\\" in name:
            continue  # Not ours, and it could not be named without an escape.
        cypher = f"MATCH {pattern.format(name)} UNWIND keys(x) AS key RETURN DISTINCT key ORDER BY key"
        properties[name] = [row["key"] for row in (await query(cypher)).rows]
    return GraphSchemaRecord(nodes, relationships, properties)
