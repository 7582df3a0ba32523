"""The knowledge graph: an embedded engine or a Neo4j server, behind one door that speaks Cypher."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class GraphAnswer(Protocol):
    """What a query gave."""

    @property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """One mapping a row, by the names of the RETURN clause; nodes and relationships are mappings too."""
        ...

    @property
    def truncated(self) -> bool:
        """Whether there were more rows than one answer may have."""
        ...


class GraphSchema(Protocol):
    """What the graph holds now."""

    @property
    def nodes(self) -> Mapping[str, int]:
        """Nodes by label."""
        ...

    @property
    def relationships(self) -> Mapping[str, int]:
        """Relationships by type."""
        ...

    @property
    def properties(self) -> Mapping[str, Sequence[str]]:
        """The names of properties in use, by label or relationship type."""
        ...


class Graph(Protocol):
    """A graph of labelled nodes and typed relationships."""

    async def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, write: bool = False
    ) -> GraphAnswer:
        """Run one Cypher statement in a transaction of its own.

        Raises:
            InvalidInput: the statement is refused (it writes without `write`, reaches files or procedures, is no
                single statement) or the engine does not understand it.
            Refused: it took longer than a query may.
        """
        ...

    async def schema(self) -> GraphSchema:
        """Labels, relationship types and property names, counted."""
        ...
