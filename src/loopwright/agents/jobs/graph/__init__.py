"""Which thing of the graph a name means: the same name, then a name within a name, then a name that is alike."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.stores import Graph
from loopwright.kernel.errors import InvalidInput, NotFound

# The `rid` of a requirement: the next number that neither the store nor the graph has given.

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


# The schema of the graph as data: labels with their properties, relationship types with their ends.

REQUIREMENT_TYPES = ("functional", "compliance", "constraint", "non_functional")
PRIORITIES = ("high", "medium", "low")
COMPLIANCE_STATUSES = ("open", "partial", "fulfilled")
SEVERITIES = ("critical", "major", "minor")

EntityKind = Literal["BusinessObject", "Message"]


@dataclass(frozen=True)
class Label:
    """A kind of node: the property that names a node, those that it must have, and what some of them may say."""

    key: str
    required: tuple[str, ...]
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ends:
    """The labels that a relationship leads from and to."""

    source: str
    target: str


LABELS: Mapping[str, Label] = {
    "Requirement": Label(
        "rid",
        ("rid", "name", "text", "type", "priority", "status", "complianceStatus"),
        {"type": REQUIREMENT_TYPES, "priority": PRIORITIES, "complianceStatus": COMPLIANCE_STATUSES},
    ),
    "BusinessObject": Label("boid", ("boid", "name")),
    "Message": Label("mid", ("mid", "name")),
}

_BETWEEN_REQUIREMENTS = ("REFINES", "DEPENDS_ON", "TRACES_TO", "SUPERSEDES")
_TO_ENTITIES = ("RELATES_TO", "IMPACTS", "FULFILLED_BY", "NOT_FULFILLED_BY")

RELATIONSHIPS: Mapping[str, Ends] = {
    **dict.fromkeys(_BETWEEN_REQUIREMENTS, Ends("Requirement", "Requirement")),
    **{f"{name}_OBJECT": Ends("Requirement", "BusinessObject") for name in _TO_ENTITIES},
    **{f"{name}_MESSAGE": Ends("Requirement", "Message") for name in _TO_ENTITIES},
    "USES_OBJECT": Ends("Message", "BusinessObject"),
    "PRODUCES_OBJECT": Ends("Message", "BusinessObject"),
}

FULFILLED = ("FULFILLED_BY_OBJECT", "FULFILLED_BY_MESSAGE")
NOT_FULFILLED = ("NOT_FULFILLED_BY_OBJECT", "NOT_FULFILLED_BY_MESSAGE")
ABOUT_ENTITIES = tuple(name for name, ends in RELATIONSHIPS.items() if ends.target != "Requirement")

SUFFIXES: Mapping[str, str] = {"BusinessObject": "OBJECT", "Message": "MESSAGE"}
"""How the types of relationships to an entity end."""


# Reading more rows than one answer has.

PAGE = 500
"""Rows at a time; fewer than any graph cuts its answers to."""

MAX_ROWS = 50_000


async def all_rows(graph: Graph, cypher: str, parameters: Mapping[str, Any] | None = None) -> list[Mapping[str, Any]]:
    """All rows of a query that ends with ORDER BY, page by page, as far as any graph of ours reaches."""
    rows: list[Mapping[str, Any]] = []
    while len(rows) < MAX_ROWS:
        answer = await graph.query(f"{cypher} SKIP {len(rows)} LIMIT {PAGE}", parameters)
        rows += answer.rows
        if len(answer.rows) < PAGE:
            break
    return rows


# Changing the graph: by merging on ids only, so that the same change made twice is made once.


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


# How like two texts are: the ratio of the standard library's `difflib`, reached quickly.


@dataclass(frozen=True)
class Likeness:
    """A text that is like the one asked about; `key` is whatever the caller named it by."""

    key: str
    ratio: float


def comparable(text: str) -> str:
    """The text without what does not matter: case, forms of letters, white space, marks at its ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", folded).strip(" .,;:!?-–—\"'„“”‚‘’»«()")


@lru_cache(maxsize=4_096)
def _prepared(text: str) -> tuple[str, Counter[str]]:
    """The comparable text and its characters: the same texts are compared again and again."""
    folded = comparable(text)
    return folded, Counter(folded)


class Comparison:
    """One text, compared with many."""

    def __init__(self, text: str) -> None:
        """Prepare what every comparison needs."""
        self._text, self._counts = _prepared(text)
        self._places: dict[str, int] = {}
        for place, character in enumerate(self._text):
            self._places[character] = self._places.get(character, 0) | (1 << place)

    def ratio(self, text: str, least: float) -> float:
        """How like the text is, 0 to 1; 0 where it is less than `least`."""
        other, counts = _prepared(text)
        length = len(self._text) + len(other)
        if self._text == other:
            return 1.0 if length else 0.0
        needed = least * length / 2
        if min(len(self._text), len(other)) < needed:
            return 0.0
        if (self._counts & counts).total() < needed or self._common_subsequence(other) < needed:
            return 0.0
        # The matcher's answer depends on the order of its texts; one order for both ways round.
        first, second = sorted((self._text, other), key=lambda each: (len(each), each))
        ratio = SequenceMatcher(None, first, second, autojunk=False).ratio()
        return ratio if ratio >= least else 0.0

    def _common_subsequence(self, other: str) -> int:
        """The length of the longest common subsequence: the zeros that are left of a row of ones."""
        mask = (1 << len(self._text)) - 1
        row = mask
        for character in other:
            matches = row & self._places.get(character, 0)
            row = ((row + matches) | (row - matches)) & mask
        return len(self._text) - row.bit_count()


def most_alike(text: str, others: Iterable[tuple[str, str]], least: float) -> list[Likeness]:
    """Those of the others (key, text) that are at least so like the text, the most alike first."""
    comparison = Comparison(text)
    found = [Likeness(key, ratio) for key, other in others if (ratio := comparison.ratio(other, least)) > 0]
    return sorted(found, key=lambda each: (-each.ratio, each.key))


SUBSTRING = 0.8
"""How sure a name within a name is."""

LEAST_ALIKE = 0.6
SHORTEST_PART = 3
"""Characters: anything shorter stands within too many names."""


@dataclass(frozen=True)
class Entity:
    """A business object or a message; `aliases` are its other names, in other languages for example."""

    entity_id: str
    name: str
    aliases: tuple[str, ...]
    description: str


@dataclass(frozen=True)
class EntityMatch:
    """An entity that may be meant."""

    entity: Entity
    confidence: float
    how: Literal["exact", "substring", "alike"]


async def entities_of(graph: Graph, kind: EntityKind) -> list[Entity]:
    """All entities of the kind."""
    key = LABELS[kind].key
    rows = await all_rows(
        graph,
        f"MATCH (n:{kind}) RETURN n.{key} AS id, n.name AS name, n.aliases AS aliases, n.description AS description "
        "ORDER BY id",
    )
    return [_entity(row) for row in rows]


def _entity(row: Mapping[str, Any]) -> Entity:
    aliases = row["aliases"] if isinstance(row["aliases"], list) else []
    return Entity(str(row["id"]), str(row["name"] or ""), tuple(map(str, aliases)), str(row["description"] or ""))


def resolve(name: str, entities: Sequence[Entity]) -> list[EntityMatch]:
    """The entities that the name may mean, the surest first."""
    wanted = comparable(name)
    comparison = Comparison(name)
    found = [best for entity in entities if (best := _best(wanted, comparison, entity)) is not None]
    return sorted(found, key=lambda match: (-match.confidence, match.entity.entity_id))


def _best(wanted: str, comparison: Comparison, entity: Entity) -> EntityMatch | None:
    matches = [_match(wanted, comparison, entity, name) for name in (entity.name, *entity.aliases)]
    return max((match for match in matches if match is not None), key=lambda match: match.confidence, default=None)


def _match(wanted: str, comparison: Comparison, entity: Entity, name: str) -> EntityMatch | None:
    known = comparable(name)
    if not known or not wanted:
        return None
    if known == wanted:
        return EntityMatch(entity, 1.0, "exact")
    shorter, longer = sorted((known, wanted), key=len)
    if len(shorter) >= SHORTEST_PART and shorter in longer:
        return EntityMatch(entity, SUBSTRING, "substring")
    # Only the same name is surer than a part of it.
    ratio = min(comparison.ratio(name, LEAST_ALIKE), SUBSTRING - 0.01)
    return EntityMatch(entity, round(ratio, 4), "alike") if ratio >= LEAST_ALIKE else None


def entity_id(kind: EntityKind, name: str) -> str:
    """The id of an entity that is made under this name: the same name gives the same entity.

    Raises:
        InvalidInput: the name has neither letters nor digits.
    """
    prefix = "BO" if kind == "BusinessObject" else "MSG"
    words = re.sub(r"\W+", "-", comparable(name)).strip("-")
    if not words:
        raise InvalidInput(f"{name!r} is not a name.", hint="A name has letters or digits.")
    return f"{prefix}-{words[:80]}"
