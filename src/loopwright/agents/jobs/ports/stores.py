"""The store of sources and citations."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

# The store of job states.


class JobStates(Protocol):
    """Keeps one state per job; a job is a session."""

    async def load(self, job_id: str) -> str | None:
        """The job's state as JSON text, or None before the first one."""
        ...

    async def save(self, job_id: str, state: str, key: str) -> bool:
        """Replace it; a key that was used last changes nothing."""
        ...


# The knowledge graph: an embedded engine or a Neo4j server, behind one interface that speaks Cypher.


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


SourceKind = Literal["document", "website", "database", "custom"]
VerificationStatus = Literal["verified", "unverified", "failed"]


class Source(Protocol):
    """Where citations are from: one content of one document or page; changed content is another source.

    `locator` is a path in the workspace or a web address, `stored_path` where its text lies in the workspace.
    """

    @property
    def source_id(self) -> str:
        """`SRC-001`, counted within the job."""
        ...

    @property
    def kind(self) -> SourceKind:
        """What kind of source it is."""
        ...

    @property
    def title(self) -> str:
        """As a human reads it."""
        ...

    @property
    def locator(self) -> str:
        """Its path or address."""
        ...

    @property
    def stored_path(self) -> str:
        """Where the content that was cited lies in the workspace."""
        ...

    @property
    def sha256(self) -> str:
        """Of that content, hexadecimal."""
        ...

    @property
    def retrieved_at(self) -> datetime:
        """When it was read."""
        ...


class Citation(Protocol):
    """A quote that stands in a source, and what it is cited for."""

    @property
    def citation_id(self) -> str:
        """`CIT-001`, counted within the job."""
        ...

    @property
    def source_id(self) -> str:
        """The source's id."""
        ...

    @property
    def claim(self) -> str:
        """What the quote is to prove."""
        ...

    @property
    def verbatim_quote(self) -> str:
        """The quote as it stands in the source."""
        ...

    @property
    def quote_context(self) -> str:
        """What stands around it."""
        ...

    @property
    def page(self) -> int | None:
        """The page, from 1, in sources that have pages."""
        ...

    @property
    def locator(self) -> str:
        """The place as one writes it: `p. 3`, a section, an address."""
        ...

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        ...

    @property
    def extraction_method(self) -> str:
        """How the quote was found in the source."""
        ...

    @property
    def verification_status(self) -> VerificationStatus:
        """Whether the quote stood in the source when it was looked at last."""
        ...


class Sources(Protocol):
    """Keeps sources and citations by job."""

    async def add_source(
        self,
        job_id: str,
        *,
        kind: SourceKind,
        title: str,
        locator: str,
        stored_path: str,
        sha256: str,
    ) -> Source:
        """The source of this locator and content, made unless it is there."""
        ...

    async def sources(self, job_id: str) -> Sequence[Source]:
        """The job's sources in the order of their numbers."""
        ...

    async def add_citations(
        self, job_id: str, citations: Sequence[Mapping[str, object]], key: str
    ) -> Sequence[Citation]:
        """Add citations, all or none; with a key that was used before, change nothing and give what was made then."""
        ...

    async def citation(self, job_id: str, citation_id: str) -> Citation:
        """The citation; raises NotFound."""
        ...

    async def citations(self, job_id: str) -> Sequence[Citation]:
        """The job's citations in the order of their numbers."""
        ...

    async def set_verification(self, job_id: str, citation_id: str, status: VerificationStatus) -> None:
        """Note what a verification found; raises NotFound."""
        ...

    async def locators(self, job_id: str) -> Mapping[str, str]:
        """The source's path or address by each id of a source or a citation."""
        ...
