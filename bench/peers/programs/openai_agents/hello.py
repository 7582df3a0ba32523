"""Hello with a tool."""

from agents import Agent, Runner, function_tool


@function_tool
def tide(port: str) -> str:
    """Say when the tide is high in a port."""
    return {"Cork": "06:12"}.get(port, "unknown")


clerk = Agent(name="tide-clerk", instructions="Answer questions about tides.", tools=[tide])

if __name__ == "__main__":
    print(Runner.run_sync(clerk, "When is high tide in Cork?").final_output)
