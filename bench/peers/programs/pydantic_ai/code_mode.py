"""Code mode by `pydantic-ai-harness`; without a workflow engine beside it the program starts anew after a kill."""

from bank import transfer
from pydantic_ai import Agent
from pydantic_ai_harness import CodeMode

buyer = Agent("openai-chat:gpt-4.1", instructions="Buy what you are told.", capabilities=[CodeMode()])


@buyer.tool_plain
def price(item: str) -> int:
    """Say what an item costs, in euros."""
    return {"tea": 2, "cake": 4}[item]


@buyer.tool_plain
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


if __name__ == "__main__":
    print(buyer.run_sync("Buy tea and cake.").output)
