"""`index_search_symbols`: definitions by name."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.contracts.symbols import Symbol
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

MOST_USES = 60


class IndexSearchSymbolsParameters(BaseModel):
    """Parameters of `index_search_symbols`."""

    query: str = Field(min_length=1, max_length=200, description="A name, its beginning, a part, or its words")
    kind: str = Field("", max_length=30, description="class, function, method, variable … or empty for all")
    uses: bool = Field(False, description="Whether to list where the code uses exactly this name as well")
    limit: int = Field(30, ge=1, le=200)


class IndexSearchSymbols(IdeTool[IndexSearchSymbolsParameters]):
    """Finds definitions, and uses of a name."""

    name = "index_search_symbols"
    parameters_model = IndexSearchSymbolsParameters

    async def execute(self, params: IndexSearchSymbolsParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Find them."""
        index = self.project(ctx).index
        await asyncio.to_thread(index.refresh)
        found = await asyncio.to_thread(index.search_symbols, params.query, kind=params.kind, limit=params.limit)
        lines = [_line(symbol) for symbol in found]
        artifacts: dict[str, Any] = {"symbols": [symbol.model_dump() for symbol in found]}
        if params.uses:
            uses = await asyncio.to_thread(index.references, params.query)
            lines += [
                "",
                f"Uses of {params.query} ({len(uses)}):",
                *(f"{u.path}:{u.line}:{u.column}" for u in uses[:MOST_USES]),
            ]
            lines += [f"… and {len(uses) - MOST_USES} more"] if len(uses) > MOST_USES else []
            artifacts["uses"] = [{"path": u.path, "line": u.line, "column": u.column} for u in uses]
        text = "\n".join(lines).strip() or f"Nothing is defined by a name like {params.query!r}."
        return ToolResult(success=True, output=text, artifacts=artifacts)


def _line(symbol: Symbol) -> str:
    name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
    return f"{symbol.path}:{symbol.line_start}-{symbol.line_end} {symbol.kind} {name}  {symbol.signature}"
