"""Answers that show records of stores: one JSON object a line, marked as data, since documents speak through them."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from loopwright.agents.jobs.memory import config_of, find_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import remember
from loopwright.kernel.prompts import as_data
from loopwright.kernel.tools import ToolContext, ToolResult

MAX_CHARACTERS = 60_000
"""Of one answer; what is longer is cut at a whole record."""


async def records_answer(
    head: str, records: Iterable[Mapping[str, Any]], source: str, ctx: ToolContext[JobServices], **artifacts: Any
) -> ToolResult:
    """A successful answer.

    Args:
        head: what the product itself says, in front of the data.
        records: what is shown.
        source: where the records are from, in the mark around them.
        ctx: of the call.
        artifacts: structured data beside them.
    """
    lines = [json.dumps(record, ensure_ascii=False, default=str) for record in records]
    shown, length = 0, 0
    while shown < len(lines) and length + len(lines[shown]) <= MAX_CHARACTERS:
        length += len(lines[shown]) + 1
        shown += 1
    shown = max(shown, min(1, len(lines)))
    text = "\n".join(lines[:shown])[:MAX_CHARACTERS]
    if not text:
        return ToolResult(success=True, output=head, artifacts=artifacts or None)
    workspace = workspace_of(ctx.output_dir, config_of(ctx.settings))
    await asyncio.to_thread(remember, workspace, source, text)
    cut = f"\nOnly the first {shown} of {len(lines)} are shown; ask for fewer." if shown < len(lines) else ""
    return ToolResult(success=True, output=f"{head}\n{as_data(text, source)}{cut}", artifacts=artifacts or None)


async def current_phase(ctx: ToolContext[JobServices]) -> int:
    """The number of the job's phase, 0 before it has begun."""
    state = await find_job(ctx.db, ctx.session_id)
    return state.phase.number if state is not None else 0
