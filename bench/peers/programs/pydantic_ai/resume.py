"""A payment that is killed in the middle; without a workflow engine beside it the program starts anew."""

from bank import transfer
from pydantic_ai import Agent

payer = Agent("openai-chat:gpt-4.1", instructions="Pay what you are told.")


@payer.tool_plain
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


if __name__ == "__main__":
    print(payer.run_sync("Pay 3 euros.").output)
