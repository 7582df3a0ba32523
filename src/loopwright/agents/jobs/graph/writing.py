"""Changing the graph: by merging on ids only, so that the same change made twice is made once.

Every node and relationship says which job made it and in which phase; that is what a rewind goes by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.graph.reading import all_rows
from loopwright.agents.jobs.graph.schema import FULFILLED, LABELS, NOT_FULFILLED, RELATIONSHIPS
from loopwright.agents.jobs.ports.graph import Graph
from loopwright.kernel.errors import InvalidInput, NotFound


@dataclass(frozen=True)
class Author:
    """Who changes the graph: a job, in a phase."""

    job_id: str
    phase: int


async def merge_node(graph: Graph, label: str, node_id: str, properties: Mapping[str, Any], author: Author) -> None:
    """Make the node of this id unless it is there, and set its properties."""
    key = LABELS[label].key
    await graph.query(
        f"MERGE (n:{label} {{{key}: $id}}) ON CREATE SET n.jobId = $job, n.phase = $phase SET n += $properties",
        {"id": node_id, "job": author.job_id, "phase": author.phase, "properties": _stored(properties)},
        write=True,
    )


async def merge_relationship(
    graph: Graph, kind: str, source_id: str, target_id: str, properties: Mapping[str, Any], author: Author
) -> None:
    """Make the relationship between the two unless it is there, and set its properties.

    Raises:
        InvalidInput: the schema has no such relationship, or both ends are the same.
        NotFound: one of its ends is not in the graph.
    """
    ends = RELATIONSHIPS.get(kind)
    if ends is None:
        raise InvalidInput(f"There is no relationship {kind}.", hint=f"There are: {', '.join(RELATIONSHIPS)}.")
    if source_id == target_id:
        raise InvalidInput(f"{source_id} cannot be related to itself.")
    await require_node(graph, ends.source, source_id)
    await require_node(graph, ends.target, target_id)
    source, target = LABELS[ends.source].key, LABELS[ends.target].key
    await graph.query(
        f"MATCH (a:{ends.source} {{{source}: $source}}), (b:{ends.target} {{{target}: $target}}) "
        f"MERGE (a)-[x:{kind}]->(b) ON CREATE SET x.jobId = $job, x.phase = $phase SET x += $properties",
        {
            "source": source_id,
            "target": target_id,
            "job": author.job_id,
            "phase": author.phase,
            "properties": _stored(properties),
        },
        write=True,
    )
    if kind in (*FULFILLED, *NOT_FULFILLED):
        await settle_status(graph, source_id)


async def remove_relationship(graph: Graph, kind: str, source_id: str, target_id: str) -> None:
    """Remove the relationship between the two, if it is there."""
    ends = RELATIONSHIPS[kind]
    source, target = LABELS[ends.source].key, LABELS[ends.target].key
    await graph.query(
        f"MATCH (a:{ends.source} {{{source}: $source}})-[x:{kind}]->(b:{ends.target} {{{target}: $target}}) DELETE x",
        {"source": source_id, "target": target_id},
        write=True,
    )
    if kind in (*FULFILLED, *NOT_FULFILLED):
        await settle_status(graph, source_id)


async def require_node(graph: Graph, label: str, node_id: str) -> None:
    """Raise NotFound unless the node is in the graph."""
    if not await has_node(graph, label, node_id):
        raise NotFound(
            f"The graph has no {label} {node_id}.",
            hint="create_requirement_node and create_entity_node make nodes; "
            "resolve_business_object and resolve_message find ids.",
        )


async def has_node(graph: Graph, label: str, node_id: str) -> bool:
    """Whether the node is in the graph."""
    key = LABELS[label].key
    return bool((await graph.query(f"MATCH (n:{label} {{{key}: $id}}) RETURN n.{key} AS id", {"id": node_id})).rows)


async def settle_status(graph: Graph, rid: str) -> None:
    """Make the requirement's compliance status say what its relationships say."""
    counted = await graph.query(
        "MATCH (n:Requirement {rid: $rid})-[x]->() WHERE type(x) IN $types RETURN type(x) AS type, count(*) AS number",
        {"rid": rid, "types": [*FULFILLED, *NOT_FULFILLED]},
    )
    met = any(row["type"] in FULFILLED for row in counted.rows)
    gaps = any(row["type"] in NOT_FULFILLED for row in counted.rows)
    status = "open" if not met else "partial" if gaps else "fulfilled"
    await graph.query(
        "MATCH (n:Requirement {rid: $rid}) SET n.complianceStatus = $status", {"rid": rid, "status": status}, write=True
    )


async def remove_requirement(graph: Graph, rid: str) -> None:
    """Take the requirement out of the graph, with its relationships."""
    await graph.query("MATCH (n:Requirement {rid: $rid}) DETACH DELETE n", {"rid": rid}, write=True)


async def withdraw_after(graph: Graph, job_id: str, phase: int, removed: Sequence[str] = ()) -> None:
    """Take out what a job has made in later phases; what it only changed stays changed.

    Args:
        graph: to be put back.
        job_id: the job.
        phase: the last one whose work stays.
        removed: requirements (by `requirement_id`) that the store has lost with it; no job's node may outlive them.
    """
    since = {"job": job_id, "phase": phase}
    judged = (
        "MATCH (n:Requirement)-[x]->() WHERE x.jobId = $job AND x.phase > $phase AND type(x) IN $types "
        "RETURN DISTINCT n.rid AS rid ORDER BY rid"
    )
    touched = await all_rows(graph, judged, {**since, "types": [*FULFILLED, *NOT_FULFILLED]})
    await graph.query("MATCH ()-[x]->() WHERE x.jobId = $job AND x.phase > $phase DELETE x", since, write=True)
    await graph.query("MATCH (n) WHERE n.jobId = $job AND n.phase > $phase DETACH DELETE n", since, write=True)
    if removed:
        lost = "MATCH (n:Requirement) WHERE n.requirementId IN $removed DETACH DELETE n"
        await graph.query(lost, {"removed": list(removed)}, write=True)
    for row in touched:
        await settle_status(graph, row["rid"])


def _stored(properties: Mapping[str, Any]) -> dict[str, Any]:
    """What graphs can hold: an empty list has no type in some, and nothing is said by leaving it out."""
    return {
        name: value
        for name, value in properties.items()
        if value is not None and not (isinstance(value, Sequence) and len(value) == 0 and not isinstance(value, str))
    }
