"""A payment that is killed in the middle; called with an argument, the program goes on from its checkpoint."""

import sys

from bank import transfer
from langchain.agents import create_agent
from langgraph.checkpoint.sqlite import SqliteSaver


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


if __name__ == "__main__":
    config = {"configurable": {"thread_id": "1"}}
    with SqliteSaver.from_conn_string("checkpoints.db") as saver:
        payer = create_agent("openai:gpt-4.1", tools=[pay], system_prompt="Pay what you are told.", checkpointer=saver)
        asked = {"messages": [{"role": "user", "content": "Pay 3 euros."}]}
        state = payer.invoke(None if len(sys.argv) > 1 else asked, config, durability="sync")
        print(state["messages"][-1].text)
