"""Reading more rows than one answer has."""

from collections.abc import Mapping
from typing import Any

from loopwright.agents.jobs.ports.graph import Graph

PAGE = 500
"""Rows at a time; fewer than any graph cuts its answers to."""

MAX_ROWS = 50_000


async def all_rows(graph: Graph, cypher: str, parameters: Mapping[str, Any] | None = None) -> list[Mapping[str, Any]]:
    """All rows of a query that ends with ORDER BY, page by page, as far as any graph of ours reaches."""
    rows: list[Mapping[str, Any]] = []
    while len(rows) < MAX_ROWS:
        answer = await graph.query(f"{cypher} SKIP {len(rows)} LIMIT {PAGE}", parameters)
        rows += answer.rows
        if len(answer.rows) < PAGE:
            break
    return rows
