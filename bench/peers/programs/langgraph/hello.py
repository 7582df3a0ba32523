"""Hello with a tool."""

from langchain.agents import create_agent


def tide(port: str) -> str:
    """Say when the tide is high in a port."""
    return {"Cork": "06:12"}.get(port, "unknown")


clerk = create_agent("openai:gpt-4.1", tools=[tide], system_prompt="Answer questions about tides.")

if __name__ == "__main__":
    state = clerk.invoke({"messages": [{"role": "user", "content": "When is high tide in Cork?"}]})
    print(state["messages"][-1].text)
