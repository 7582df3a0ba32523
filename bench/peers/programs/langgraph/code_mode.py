"""A script over the tools, by hand: `langgraph-codeact` brings no sandbox either, and needs LangGraph before 0.4."""

import io
import sys
from contextlib import redirect_stdout

from bank import transfer
from langchain.agents import create_agent
from langgraph.checkpoint.sqlite import SqliteSaver


def price(item: str) -> int:
    """Say what an item costs, in euros."""
    return {"tea": 2, "cake": 4}[item]


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


def run_code(code: str) -> str:
    """Run a Python script, which may call price(item: str) -> int and pay(euros: int) -> str."""
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, {"price": price, "pay": pay})
    return printed.getvalue()


if __name__ == "__main__":
    config = {"configurable": {"thread_id": "1"}}
    with SqliteSaver.from_conn_string("checkpoints.db") as saver:
        told = "Buy what you are told."
        buyer = create_agent("openai:gpt-4.1", tools=[run_code], system_prompt=told, checkpointer=saver)
        asked = {"messages": [{"role": "user", "content": "Buy tea and cake."}]}
        state = buyer.invoke(None if len(sys.argv) > 1 else asked, config, durability="sync")
        print(state["messages"][-1].text)
