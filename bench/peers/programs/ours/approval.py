"""Approval before a side effect: a first process asks, a second one brings the answer."""

import asyncio
import sys

from bank import transfer

from loopwright import Agent, resume, run, tool


@tool(approve=True)
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


payer = Agent("payer", "Pay what you are told.", tools=[pay])

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(asyncio.run(resume(sys.argv[1], approve=True)).text)
    else:
        print(run(payer, "Pay 3 euros.").run_id)
