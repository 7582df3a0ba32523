"""What the jobs agent needs of the stores, described by its own Protocols; the app hands the stores in."""

from typing import Protocol

from loopwright.agents.jobs.ports.requirements import Requirements
from loopwright.agents.jobs.ports.stores import Graph, JobStates, Sources


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
