"""An agent that asks another one."""

from pydantic_ai import Agent

auditor = Agent("openai-chat:gpt-4.1", instructions="You are the auditor. Check sums.")
boss = Agent("openai-chat:gpt-4.1", instructions="Have each sum checked.")


@boss.tool_plain(name="auditor")
async def check(message: str) -> str:
    """Checks whether a sum is right."""
    return (await auditor.run(message)).output


if __name__ == "__main__":
    print(boss.run_sync("Is 2 + 2 = 4?").output)
