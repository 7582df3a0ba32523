"""Approval before a side effect: a first process asks, a second one brings the answer."""

import asyncio
import sys
from pathlib import Path

from agents import Agent, Runner, RunState, function_tool
from bank import transfer


@function_tool(needs_approval=True)
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


payer = Agent(name="payer", instructions="Pay what you are told.", tools=[pay])
kept = Path("state.json")


async def main() -> None:
    """Ask, or go on with the answer."""
    if len(sys.argv) > 1:
        state = await RunState.from_string(payer, kept.read_text())
        for item in state.get_interruptions():
            state.approve(item)
        print((await Runner.run(payer, state)).final_output)
    else:
        result = await Runner.run(payer, "Pay 3 euros.")
        kept.write_text(result.to_state().to_string())
        print("kept")


if __name__ == "__main__":
    asyncio.run(main())
