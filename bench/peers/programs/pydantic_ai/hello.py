"""Hello with a tool."""

from pydantic_ai import Agent

clerk = Agent("openai-chat:gpt-4.1", instructions="Answer questions about tides.")


@clerk.tool_plain
def tide(port: str) -> str:
    """Say when the tide is high in a port."""
    return {"Cork": "06:12"}.get(port, "unknown")


if __name__ == "__main__":
    print(clerk.run_sync("When is high tide in Cork?").output)
