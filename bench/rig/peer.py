"""The peer's side: one client for all runs, as its documentation advises."""

import asyncio

from openai import AsyncOpenAI
from peers.openai_loop import Agent
from rig.task import MODEL, NAMES, TASK, Steps, schemas, system_prompt


async def run(base_url: str, runs: int, steps: int, latency_ms: int) -> list[Steps]:
    """So many runs at once, each of so many steps."""

    async def one(client: AsyncOpenAI) -> Steps:
        seen = Steps()
        tools = {
            name: (schema, lambda query, limit: seen.done()) for name, schema in zip(NAMES, schemas(), strict=True)
        }
        agent = Agent(client, MODEL, system_prompt(steps, latency_ms), tools)
        if await agent.run(TASK) != "All is done.":
            raise AssertionError("the peer did not reach its end")
        return seen

    async with AsyncOpenAI(base_url=base_url, api_key="bench", timeout=600) as client:
        return list(await asyncio.gather(*(one(client) for _ in range(runs))))
