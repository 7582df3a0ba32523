"""All stores of one database, the graph and the browser, as use cases and agents' tools see them."""

from dataclasses import dataclass
from typing import Self

from loopwright.agents.ide.project import Projects
from loopwright.agents.pages.browser import Browser
from loopwright.stores.artifacts import SqlArtifacts
from loopwright.stores.database import Database
from loopwright.stores.design_systems import SqlDesignSystems
from loopwright.stores.graph.embedded import EmbeddedGraph
from loopwright.stores.graph.neo4j import Neo4jGraph
from loopwright.stores.jobs import SqlJobs
from loopwright.stores.journal import SqlJournal
from loopwright.stores.pages import SqlPages
from loopwright.stores.plan_memories import SqlPlanMemories
from loopwright.stores.plans import SqlPlans
from loopwright.stores.product_docs import SqlProductDocs
from loopwright.stores.promises import SqlPromises
from loopwright.stores.requirements import SqlRequirements
from loopwright.stores.runs import HEARTBEAT_SECONDS, SqlRuns
from loopwright.stores.sessions import SqlSessions
from loopwright.stores.sources import SqlSources

GraphStore = EmbeddedGraph | Neo4jGraph


@dataclass(frozen=True)
class Stores:
    """One store a noun."""

    database: Database
    journal: SqlJournal
    runs: SqlRuns
    sessions: SqlSessions
    pages: SqlPages
    product_docs: SqlProductDocs
    promises: SqlPromises
    plans: SqlPlans
    plan_memories: SqlPlanMemories
    jobs: SqlJobs
    sources: SqlSources
    requirements: SqlRequirements
    graph: GraphStore
    artifacts: SqlArtifacts
    design_systems: SqlDesignSystems
    browser: Browser | None = None
    """Renders pages; None where nothing is to be rendered."""
    projects: Projects | None = None
    """What the ide agent works on; None where it has no home."""

    @classmethod
    def of(
        cls,
        database: Database,
        graph: GraphStore,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
        browser: Browser | None = None,
        projects: Projects | None = None,
    ) -> Self:
        """The stores over an open database and a graph; an owner counts as dead when three heartbeats are lost."""
        return cls(
            database=database,
            journal=SqlJournal(database),
            runs=SqlRuns(database, expiry_seconds=4 * heartbeat_seconds),
            sessions=SqlSessions(database),
            pages=SqlPages(database),
            product_docs=SqlProductDocs(database),
            promises=SqlPromises(database),
            plans=SqlPlans(database),
            plan_memories=SqlPlanMemories(database),
            jobs=SqlJobs(database),
            sources=SqlSources(database),
            requirements=SqlRequirements(database),
            graph=graph,
            artifacts=SqlArtifacts(database),
            design_systems=SqlDesignSystems(database),
            browser=browser,
            projects=projects,
        )
