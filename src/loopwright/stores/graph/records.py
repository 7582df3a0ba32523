"""What a graph answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GraphAnswerRecord:
    """The rows of a query, at most as many as one answer may have; `truncated` says whether there were more."""

    rows: Sequence[Mapping[str, Any]]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class GraphSchemaRecord:
    """What the graph holds: nodes by label, relationships by type, property names by label or type."""

    nodes: Mapping[str, int]
    relationships: Mapping[str, int]
    properties: Mapping[str, Sequence[str]]
