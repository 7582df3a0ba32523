"""Which thing of the graph a name means: the same name, then a name within a name, then a name that is alike."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.jobs.graph.reading import all_rows
from loopwright.agents.jobs.graph.schema import LABELS, EntityKind
from loopwright.agents.jobs.graph.similarity import Comparison, comparable
from loopwright.agents.jobs.ports.graph import Graph
from loopwright.kernel.errors import InvalidInput

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
class Match:
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


def resolve(name: str, entities: Sequence[Entity]) -> list[Match]:
    """The entities that the name may mean, the surest first."""
    wanted = comparable(name)
    comparison = Comparison(name)
    found = [best for entity in entities if (best := _best(wanted, comparison, entity)) is not None]
    return sorted(found, key=lambda match: (-match.confidence, match.entity.entity_id))


def _best(wanted: str, comparison: Comparison, entity: Entity) -> Match | None:
    matches = [_match(wanted, comparison, entity, name) for name in (entity.name, *entity.aliases)]
    return max((match for match in matches if match is not None), key=lambda match: match.confidence, default=None)


def _match(wanted: str, comparison: Comparison, entity: Entity, name: str) -> Match | None:
    known = comparable(name)
    if not known or not wanted:
        return None
    if known == wanted:
        return Match(entity, 1.0, "exact")
    shorter, longer = sorted((known, wanted), key=len)
    if len(shorter) >= SHORTEST_PART and shorter in longer:
        return Match(entity, SUBSTRING, "substring")
    # Only the same name is surer than a part of it.
    ratio = min(comparison.ratio(name, LEAST_ALIKE), SUBSTRING - 0.01)
    return Match(entity, round(ratio, 4), "alike") if ratio >= LEAST_ALIKE else None


def entity_id(kind: EntityKind, name: str) -> str:
    """The id of an entity that is made under this name: the same name gives the same entity.

    Raises:
        InvalidInput: the name has neither letters nor digits.
    """
    prefix = "BO" if kind == "BusinessObject" else "MSG"
    words = re.sub(r"\W+", "-", comparable(name)).strip("-")
    if not words:
        raise InvalidInput(f"{name!r} is no name.", hint="A name has letters or digits.")
    return f"{prefix}-{words[:80]}"
