"""What the tools of the jobs agent get as `ctx.db`: its stores, and the graph, which is a file or a Neo4j server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from loopwright.agents.jobs.settings import JobsSettings
from loopwright.agents.jobs.store.graph import EmbeddedGraph, Neo4jGraph
from loopwright.agents.jobs.store.requirements import SqlRequirements
from loopwright.agents.jobs.store.sources import SqlJobs, SqlSources
from loopwright.app.loopwright import Loopwright, Stores

GraphStore = EmbeddedGraph | Neo4jGraph


@dataclass(frozen=True)
class JobsStores(Stores):
    """The installation's stores, those of jobs, and the graph."""

    jobs: SqlJobs
    sources: SqlSources
    requirements: SqlRequirements
    graph: GraphStore

    @classmethod
    def on(cls, stores: Stores, graph: GraphStore) -> Self:
        """The stores beside those of an installation whose job tables are up to date."""
        database = stores.database
        return cls(
            **vars(stores),
            jobs=SqlJobs(database),
            sources=SqlSources(database),
            requirements=SqlRequirements(database),
            graph=graph,
        )


def open_graph(settings: JobsSettings, home: Path) -> GraphStore:
    """The graph that the settings name; it connects when it is first asked.

    Raises:
        Misconfigured: `NEO4J_URI` is set and cannot be used.
    """
    if not settings.neo4j_uri:
        return EmbeddedGraph(home / "graph.db")
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
    return Neo4jGraph.connect(settings.neo4j_uri, settings.neo4j_user, password)


@asynccontextmanager
async def open_services(application: Loopwright) -> AsyncIterator[JobsStores]:
    """The stores over the installation's, and the graph."""
    graph = open_graph(JobsSettings.load(), application.settings.home)
    try:
        yield JobsStores.on(application.stores, graph)
    finally:
        await graph.close()


async def jobs_stores(application: Loopwright) -> JobsStores:
    """The stores of the jobs agent in a running application."""
    return await application.services("jobs", JobsStores)
