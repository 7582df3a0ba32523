"""Comparing requirements on behalf of a tool."""

import asyncio
from collections.abc import Sequence
from typing import Any

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.comparing import Corpus, asked
from loopwright.agents.jobs.requirements.showing import SOURCE
from loopwright.kernel.tools import ToolContext, ToolResult


async def compare(
    ctx: ToolContext[JobServices], wanted: tuple[str, str, Sequence[str]], least: float, limit: int, title: str
) -> ToolResult:
    """Compare a text, or stored requirements, with everything known; one record for each.

    Args:
        ctx: of the call.
        wanted: a text, the id of a requirement, the ids of several.
        least: the similarity from which on something counts.
        limit: matches for each.
        title: what the answer begins with.
    """
    text, requirement_id, requirement_ids = wanted
    names = asked(text, requirement_id, requirement_ids)
    corpus = await Corpus.of(ctx.db)
    texts = [text if name is None else corpus.text_of(name) for name in names]

    def work() -> list[dict[str, Any]]:
        return [
            {"requirement_id": name, "matches": corpus.like(each, least, limit, name)}
            for name, each in zip(names, texts, strict=True)
        ]

    records = await asyncio.to_thread(work)
    found = sum(bool(record["matches"]) for record in records)
    head = f"{title}: {found} of {len(records)} have any; compared with {len(corpus.known)} requirements."
    return await records_answer(head, records, SOURCE, ctx, found=found)
