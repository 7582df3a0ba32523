"""What the jobs agent needs of the stores, described by its own Protocols; the app hands the stores in."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from loopwright.agents.jobs.ports.stores import Graph, JobStates, Sources

# The store of requirements: what a Creator adds, a Validator claims and settles, and a rewind withdraws.


class Requirement(Protocol):
    """One requirement, as the store knows it."""

    @property
    def requirement_id(self) -> str:
        """32 hexadecimal digits."""
        ...

    @property
    def job_id(self) -> str:
        """The job that added it."""
        ...

    @property
    def phase(self) -> int:
        """The phase of that job in which it was added."""
        ...

    @property
    def text(self) -> str:
        """The requirement itself."""
        ...

    @property
    def name(self) -> str:
        """A short name."""
        ...

    @property
    def type(self) -> str:
        """`functional`, `compliance`, `constraint` or `non_functional`."""
        ...

    @property
    def priority(self) -> str:
        """`high`, `medium` or `low`."""
        ...

    @property
    def source_document(self) -> str:
        """The file it was found in."""
        ...

    @property
    def source_location(self) -> str:
        """Where in it: a page, a section."""
        ...

    @property
    def gobd_relevant(self) -> bool:
        """Whether the rules for keeping books in electronic form (GoBD) concern it."""
        ...

    @property
    def gdpr_relevant(self) -> bool:
        """Whether data protection (GDPR) concerns it."""
        ...

    @property
    def citations(self) -> Sequence[str]:
        """The citations that bear it, `CIT-001` and so on."""
        ...

    @property
    def mentioned_objects(self) -> Sequence[str]:
        """Business objects that it speaks of."""
        ...

    @property
    def mentioned_messages(self) -> Sequence[str]:
        """Messages that it speaks of."""
        ...

    @property
    def confidence(self) -> float:
        """How sure the extraction is, 0 to 1."""
        ...

    @property
    def status(self) -> str:
        """`pending`, `validating`, `integrated`, `rejected` or `failed`."""
        ...

    @property
    def graph_id(self) -> str | None:
        """Its `rid` in the graph, `R-0001` and so on."""
        ...

    @property
    def rejection_reason(self) -> str:
        """Why it was rejected."""
        ...

    @property
    def claimed_by(self) -> str | None:
        """The job that holds it now."""
        ...

    @property
    def settled_by(self) -> str | None:
        """The job that passed the verdict."""
        ...

    @property
    def created_at(self) -> datetime:
        """When it was added."""
        ...

    def model_dump(self, *, mode: str = "python") -> dict[str, Any]:
        """All fields: besides those above `reasoning`, `research_notes`, `validation_result`, `tags`, and others."""
        ...


class RequirementText(Protocol):
    """As much of a requirement as comparing texts needs."""

    @property
    def requirement_id(self) -> str:
        """32 hexadecimal digits."""
        ...

    @property
    def job_id(self) -> str:
        """The job that added it."""
        ...

    @property
    def graph_id(self) -> str | None:
        """Its `rid` in the graph."""
        ...

    @property
    def status(self) -> str:
        """`pending`, `validating` or `integrated`."""
        ...

    @property
    def text(self) -> str:
        """The requirement itself."""
        ...


class Withdrawal(Protocol):
    """What a rewind has undone."""

    @property
    def removed(self) -> Sequence[str]:
        """Requirements that are gone, because they were added after the phase."""
        ...

    @property
    def reopened(self) -> Sequence[str]:
        """Requirements that are pending again."""
        ...

    @property
    def restored(self) -> Sequence[str]:
        """Requirements whose fields are as they were."""
        ...


class Requirements(Protocol):
    """Keeps requirements; every writer takes a key, and the same key writes once."""

    async def add(
        self, job_id: str, additions: Sequence[Mapping[str, Any]], *, phase: int, key: str
    ) -> Sequence[Requirement]:
        """Add them all or none; the same key gives the same requirements again."""
        ...

    async def get(self, requirement_id: str) -> Requirement:
        """The requirement, or NotFound."""
        ...

    async def find(
        self,
        *,
        job_id: str | None = None,
        settled_by: str | None = None,
        status: str | None = None,
        type: str | None = None,
        priority: str | None = None,
        containing: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Requirement]:
        """Requirements in the order in which they were added."""
        ...

    async def counts(self, *, job_id: str | None = None, settled_by: str | None = None) -> Mapping[str, int]:
        """How many there are by status; a status without any is 0."""
        ...

    async def texts(self) -> Sequence[RequirementText]:
        """The texts of all requirements that are neither rejected nor failed, in the order of adding."""
        ...

    async def update(
        self, requirement_id: str, changes: Mapping[str, Any], *, job_id: str, phase: int, key: str
    ) -> Requirement:
        """Change its fields, on behalf of the job that added it (while it is pending) or holds it."""
        ...

    async def claim(
        self, owner: str, limit: int, lease_seconds: float, *, phase: int, key: str, jobs: Sequence[str] | None = None
    ) -> Sequence[Requirement]:
        """Hold up to `limit` requirements for a time: those held already first, then pending and abandoned ones."""
        ...

    async def settle(
        self,
        requirement_id: str,
        owner: str,
        status: str,
        *,
        reason: str = "",
        validation_result: Mapping[str, Any] | None = None,
        phase: int,
        key: str,
    ) -> Requirement:
        """Say `integrated`, `rejected` or `failed` of a requirement that the owner holds; Conflict otherwise."""
        ...

    async def release(self, owner: str) -> Sequence[str]:
        """Give back what the owner holds; their ids."""
        ...

    async def retry(self, requirement_id: str) -> Requirement:
        """Make a failed requirement pending again; Conflict for any other."""
        ...

    async def assign_graph_id(self, requirement_id: str, *, above: int = 0) -> str:
        """Its `rid`: given once, never to another one, with a number greater than `above`."""
        ...

    async def withdraw_after(self, job_id: str, phase: int) -> Withdrawal:
        """Undo what the job did in later phases: additions, edits, claims and verdicts."""
        ...


# All that the tools need.


class JobServices(Protocol):
    """What the tools find in `ctx.db`, and the agent's functions in `run.services`."""

    @property
    def jobs(self) -> JobStates:
        """The states of jobs."""
        ...

    @property
    def requirements(self) -> Requirements:
        """The requirements, with what happened to each."""
        ...

    @property
    def sources(self) -> Sources:
        """Sources and citations."""
        ...

    @property
    def graph(self) -> Graph:
        """The knowledge graph."""
        ...
