"""Whether the graph keeps its schema: eleven checks, each a query that gives what breaks it.

A checks nodes, B relationships, C what a complete graph of requirements should have. Errors of A, B and C5 make the
graph wrong; what the others find is unfinished.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.jobs.contracts import Names
from loopwright.agents.jobs.graph import (
    ABOUT_ENTITIES,
    FULFILLED,
    LABELS,
    NOT_FULFILLED,
    RELATIONSHIPS,
    EntityKind,
    entities_of,
    resolve,
)
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.stores import Graph
from loopwright.agents.jobs.taint import records_answer
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult

# Resolving names on behalf of a tool.

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


Severity = Literal["error", "warning"]
Group = Literal["A", "B", "C"]

_NAME = "coalesce({0}.rid, {0}.boid, {0}.mid, {0}.name, '?')"
_LINK = f"{_NAME.format('a')} + ' -' + type(x) + '-> ' + {_NAME.format('b')}"


@dataclass(frozen=True)
class Check:
    """A rule; each query returns `what` breaks it, and possibly `detail`."""

    check_id: str
    rule: str
    severity: Severity
    queries: tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True)
class Violation:
    """What breaks a rule."""

    check_id: str
    severity: Severity
    rule: str
    what: str
    detail: str = ""


@dataclass(frozen=True)
class ComplianceReport:
    """All that was found; `truncated` says that there is more than was looked at."""

    checked: tuple[str, ...]
    violations: Sequence[Violation] = field(default_factory=tuple)
    truncated: bool = False

    @property
    def compliant(self) -> bool:
        """Whether there is no error; warnings are allowed."""
        return not any(violation.severity == "error" for violation in self.violations)


def _without(types: Sequence[str]) -> str:
    """A condition: the node `n` has no relationship of the types. Engines agree on this spelling of it."""
    listed = ", ".join(f"'{name}'" for name in types)
    return f"NOT EXISTS {{ MATCH (n)-[x]->() WHERE type(x) IN [{listed}] }}"


def _duplicates(label: str, key: str) -> tuple[str, Mapping[str, Any]]:
    return f"MATCH (n:{label}) WITH n.{key} AS what, count(*) AS detail WHERE detail > 1 RETURN what, detail", {}


def _incomplete(label: str) -> list[tuple[str, Mapping[str, Any]]]:
    name = _NAME.format("n")
    queries: list[tuple[str, Mapping[str, Any]]] = [
        (f"MATCH (n:{label}) WHERE n.{key} IS NULL RETURN {name} AS what, '{key} is missing' AS detail", {})
        for key in LABELS[label].required
    ]
    return queries + [
        (
            f"MATCH (n:{label}) WHERE NOT n.{key} IN $allowed RETURN {name} AS what, n.{key} AS detail",
            {"allowed": values},
        )
        for key, values in LABELS[label].allowed.items()
    ]


def _wrong_ends() -> list[tuple[str, Mapping[str, Any]]]:
    pairs = {(ends.source, ends.target) for ends in RELATIONSHIPS.values()}
    return [_leading(source, target) for source, target in sorted(pairs)]


def _leading(source: str, target: str) -> tuple[str, Mapping[str, Any]]:
    types = [name for name, ends in RELATIONSHIPS.items() if (ends.source, ends.target) == (source, target)]
    cypher = (
        f"MATCH (a)-[x]->(b) WHERE type(x) IN $types AND NOT (a:{source} AND b:{target}) "
        f"RETURN {_LINK} AS what, 'it leads from {source} to {target}' AS detail"
    )
    return cypher, {"types": types}


_STATUS = (
    "MATCH (n:Requirement) "
    "OPTIONAL MATCH (n)-[f:FULFILLED_BY_OBJECT|FULFILLED_BY_MESSAGE]->() WITH n, count(f) AS met "
    "OPTIONAL MATCH (n)-[g:NOT_FULFILLED_BY_OBJECT|NOT_FULFILLED_BY_MESSAGE]->() WITH n, met, count(g) AS gaps "
    "WITH n, CASE WHEN met = 0 THEN 'open' WHEN gaps = 0 THEN 'fulfilled' ELSE 'partial' END AS expected "
    "WHERE coalesce(n.complianceStatus, '') <> expected RETURN n.rid AS what, 'should be ' + expected AS detail"
)
_UNTRACED = f"MATCH (n:Requirement) WHERE n.goBDRelevant = true AND {_without(ABOUT_ENTITIES)} RETURN n.rid AS what"
_KNOWN = " OR ".join(f"n:{label}" for label in LABELS)

CHECKS: tuple[Check, ...] = (
    Check(
        "A1",
        "every node has a label of the schema",
        "error",
        ((f"MATCH (n) WHERE NOT ({_KNOWN}) RETURN {_NAME.format('n')} AS what, labels(n) AS detail", {}),),
    ),
    Check(
        "A2",
        "no two nodes of a label have the same id",
        "error",
        tuple(_duplicates(name, label.key) for name, label in LABELS.items()),
    ),
    Check(
        "A3",
        "every node has its properties, with allowed values",
        "error",
        tuple(query for label in LABELS for query in _incomplete(label)),
    ),
    Check(
        "B1",
        "every relationship has a type of the schema",
        "error",
        ((f"MATCH (a)-[x]->(b) WHERE NOT type(x) IN $types RETURN {_LINK} AS what", {"types": list(RELATIONSHIPS)}),),
    ),
    Check("B2", "every relationship leads from and to the right labels", "error", tuple(_wrong_ends())),
    Check(
        "B3",
        "nothing is related to itself",
        "error",
        ((f"MATCH (a)-[x]->(a) RETURN {_NAME.format('a')} AS what, type(x) AS detail", {}),),
    ),
    Check(
        "C1",
        "every node is related to something",
        "warning",
        ((f"MATCH (n) WHERE NOT (n)--() RETURN {_NAME.format('n')} AS what", {}),),
    ),
    Check(
        "C2",
        "every message uses or produces an object",
        "warning",
        ((f"MATCH (n:Message) WHERE {_without(('USES_OBJECT', 'PRODUCES_OBJECT'))} RETURN n.mid AS what", {}),),
    ),
    Check(
        "C3",
        "a requirement of the GoBD can be traced to an object or a message",
        "warning",
        ((_UNTRACED, {}),),
    ),
    Check(
        "C4",
        "every requirement is fulfilled, or its gap is described",
        "warning",
        ((f"MATCH (n:Requirement) WHERE {_without((*FULFILLED, *NOT_FULFILLED))} RETURN n.rid AS what", {}),),
    ),
    Check("C5", "the compliance status says what the relationships say", "error", ((_STATUS, {}),)),
)


async def check_compliance(graph: Graph, groups: Sequence[Group] = ("A", "B", "C")) -> ComplianceReport:
    """Run the checks of the groups."""
    chosen = [check for check in CHECKS if check.check_id[0] in groups]
    violations: list[Violation] = []
    truncated = False
    for check in chosen:
        for cypher, parameters in check.queries:
            answer = await graph.query(cypher, parameters)
            truncated = truncated or answer.truncated
            violations += [
                Violation(check.check_id, check.severity, check.rule, str(row["what"]), str(row.get("detail") or ""))
                for row in answer.rows
            ]
    return ComplianceReport(tuple(check.check_id for check in chosen), tuple(violations), truncated)
