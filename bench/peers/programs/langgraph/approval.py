"""Approval before a side effect: a first process asks, a second one brings the answer."""

import sys

from bank import transfer
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


if __name__ == "__main__":
    config = {"configurable": {"thread_id": "1"}}
    with SqliteSaver.from_conn_string("checkpoints.db") as saver:
        asks = HumanInTheLoopMiddleware(interrupt_on={"pay": True})
        payer = create_agent(
            "openai:gpt-4.1", tools=[pay], system_prompt="Pay what you are told.", middleware=[asks], checkpointer=saver
        )
        if len(sys.argv) > 1:
            state = payer.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
            print(state["messages"][-1].text)
        else:
            payer.invoke({"messages": [{"role": "user", "content": "Pay 3 euros."}]}, config)
            print("kept")
