"""Which graph there is: an embedded one in the home folder, or a Neo4j server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loopwright.app.settings import Settings
from loopwright.app.stores import GraphStore
from loopwright.stores.graph.embedded import EmbeddedGraph
from loopwright.stores.graph.neo4j import Neo4jGraph


@asynccontextmanager
async def open_graph(settings: Settings) -> AsyncIterator[GraphStore]:
    """The graph that the settings name; it connects when it is first asked.

    Raises:
        Misconfigured: `NEO4J_URI` is set and cannot be used.
    """
    graph: GraphStore
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
        graph = Neo4jGraph.connect(settings.neo4j_uri, settings.neo4j_user, password)
    else:
        graph = EmbeddedGraph(settings.home / "graph.db")
    try:
        yield graph
    finally:
        await graph.close()
